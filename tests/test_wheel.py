"""The wheel, installed away from the checkout: it carries what a command reads, and works on a database of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tomllib
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT: Final = Path(__file__).resolve().parent.parent
SHIPPED: Final = ("sql", "catalog", "systemd")
ASK_WHERE: Final = """
import json, schedctl.settings
print(json.dumps({folder: str(schedctl.settings.shipped(folder)) for folder in %r}))
"""


@dataclass(frozen=True, slots=True)
class Installed:
    """A virtual environment that has schedctl from the wheel, and its dependencies from the tests' own environment."""

    environment: Path

    def run(self, program: str, *arguments: str, settings: Mapping[str, str] | None = None) -> str:
        """What a program of the environment prints, run where no checkout is in sight; it must succeed."""
        variables = {
            name: value for name, value in os.environ.items() if not name.startswith(("SCHEDCTL_", "PG", "PYTHON"))
        }
        ended = subprocess.run(
            [self.environment / "bin" / program, *arguments],
            cwd=self.environment, env=variables | dict(settings or {}),
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("wheel")
    environment = folder / "environment"
    _succeeds(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder))
    (wheel,) = folder.glob("schedctl-*.whl")
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    _succeeds(
        sys.executable, "-m", "pip", "--python", str(python),
        "install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check", str(wheel),
    )  # fmt: skip
    (packages,) = environment.glob("lib/python*/site-packages")
    # Behind the environment's own packages. Its .pth files do not count from here, so an editable schedctl is not seen.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return Installed(environment)


def _succeeds(*command: str) -> None:
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_it_knows_its_version(installed: Installed) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert installed.run("schedctl", "--version") == f"schedctl {project['version']}\n"


def test_it_carries_what_the_checkout_has(installed: Installed) -> None:
    places: dict[str, str] = json.loads(installed.run("python", "-c", ASK_WHERE % (SHIPPED,)))
    for folder in SHIPPED:
        place = Path(places[folder])
        assert place.is_relative_to(installed.environment)
        assert files_below(place) == files_below(ROOT / folder) != {}


def test_it_carries_the_code_and_nothing_else(installed: Installed) -> None:
    (package,) = installed.environment.glob("lib/python*/site-packages/schedctl")
    code = {name for name in files_below(package) if not name.startswith("_shipped/") and not name.endswith(".pyc")}
    assert code == {name for name in files_below(ROOT / "schedctl") if not name.endswith(".pyc")}
    assert {path.name for path in package.parent.iterdir() if path.is_dir() and "dist-info" not in path.name} == {
        "schedctl"
    }


def test_it_prepares_an_empty_database(installed: Installed, empty_database: str) -> None:
    answer = json.loads(installed.run("schedctl", "list", "--json", settings={"SCHEDCTL_DSN": empty_database}))
    assert answer == {"schedules": [], "armed": False, "more": False}


def test_it_carries_the_templates_of_pages(installed: Installed, empty_database: str, tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    installed.run("schedctl", "page", "--out", str(page), "--title", "wheel", settings={"SCHEDCTL_DSN": empty_database})
    assert "<title>wheel</title>" in page.read_text(encoding="utf-8")
