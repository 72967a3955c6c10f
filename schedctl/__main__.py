"""`python -m schedctl`."""

from schedctl.cli.start import run

run()
