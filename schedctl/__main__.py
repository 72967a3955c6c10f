"""`python -m schedctl`."""

from schedctl.cli.main import run

run()
