"""Dependencies: each has its reason, the bounds are real, and every Python that can be had runs the suite."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parent.parent
PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REQUIREMENT: Final = re.compile(r"([A-Za-z0-9_.-]+(?:\[\w+\])?)>=([0-9.]+)")
ROW: Final = re.compile(r"^\| `([^`]+)` \| ([0-9.]+) \| (.+) \|$", re.MULTILINE)
SECTIONS: Final = {
    "What schedctl needs to run": PROJECT["dependencies"],
    "The extra `embedded`": PROJECT["optional-dependencies"]["embedded"],
    "The extra `test`": PROJECT["optional-dependencies"]["test"],
}
COMES_WITH: Final = {"urllib3": "requests", "markupsafe": "jinja2"}
"""Packages that another one brings, and that schedctl uses where it uses that one."""

PYTHONS: Final = ("3.11", "3.12", "3.13", "3.14")
PARTS: Final = (
    "tests/when", "tests/catalog", "tests/plan", "tests/planner", "tests/notify", "tests/store", "tests/usecases",
    "tests/cli", "tests/transport/test_http.py", "tests/test_redact.py", "tests/test_wheel.py",
)  # fmt: skip
"""What meets the dependencies: everything but the tests of machines (units, ssh, crashes)."""


def requirements(lines: list[str]) -> dict[str, str]:
    """Package (with its extra) -> lower bound; schedctl's own extras do not count."""
    wanted = [line for line in lines if not line.startswith("schedctl[")]
    found = {match[1]: match[2] for line in wanted if (match := REQUIREMENT.fullmatch(line))}
    assert len(found) == len(wanted), f"each line is NAME>=VERSION: {wanted}"
    return found


@pytest.mark.parametrize("title", SECTIONS)
def test_each_has_its_bound_and_its_reason(title: str) -> None:
    text = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    section = text.partition(f"## {title}\n")[2].partition("\n## ")[0]
    told = {name: bound for name, bound, reason in ROW.findall(section) if len(reason.split()) > 2}
    assert told == requirements(SECTIONS[title])


def imported() -> set[str]:
    """The first names of everything that schedctl imports."""
    nodes = [node for path in (ROOT / "schedctl").rglob("*.py") for node in ast.walk(ast.parse(path.read_bytes()))]
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
    return {name.partition(".")[0] for name in names}


def test_what_is_imported_is_what_is_asked_for() -> None:
    wanted = {name.partition("[")[0] for name in requirements(SECTIONS["What schedctl needs to run"])}
    others = imported() - set(sys.stdlib_module_names) - {"schedctl"}
    assert {COMES_WITH.get(name, name) for name in others} == wanted


def lowest() -> str:
    """Constraints that allow exactly the lower bounds."""
    bounds = {name: bound for lines in SECTIONS.values() for name, bound in requirements(lines).items()}
    return "".join(f"{name.partition('[')[0]}=={bound}\n" for name, bound in sorted(bounds.items()))


def interpreter(version: str) -> str | None:
    """A Python of this version: on the PATH, or one of pyenv's."""
    found = [shutil.which(f"python{version}"), *sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))]
    for python in filter(None, found):
        ended = subprocess.run([python, "-c", "import ensurepip"], capture_output=True, check=False)
        if ended.returncode == 0:
            return str(python)
    return None


def run_suite(python: str, environment: Path, constraints: str) -> None:
    """Make an environment, say what is in it, and run the suite there."""
    listed = environment.with_suffix(".txt")
    listed.write_text(constraints, encoding="utf-8")
    ours = str(environment / "bin" / "python")
    pip = (ours, "-m", "pip", "--disable-pip-version-check")
    _succeeds(python, "-m", "venv", str(environment))
    _succeeds(*pip, "install", "--quiet", "--constraint", str(listed), f"{ROOT}[test]")
    sys.stdout.write(_succeeds(ours, "--version") + _succeeds(*pip, "list"))
    sys.stdout.write(_succeeds(ours, "-m", "pytest", "-q", "-p", "no:cacheprovider", *PARTS)[-2000:])


def _succeeds(*command: str) -> str:
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("SCHEDCTL_", "PYTHON"))}
    ended = subprocess.run(
        command, cwd=ROOT, env=variables | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout[-8000:] + ended.stderr[-4000:]
    return ended.stdout


@pytest.mark.lowest
def test_the_lowest_versions_run_the_suite(tmp_path: Path) -> None:
    run_suite(sys.executable, tmp_path / "lowest", lowest())


@pytest.mark.lowest
@pytest.mark.parametrize("version", PYTHONS)
def test_every_python_runs_the_suite(version: str, tmp_path: Path) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"there is no Python {version} here")
    run_suite(python, tmp_path / f"python{version}", "")
