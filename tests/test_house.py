"""The house rules that a tool can hold: floors, sizes, the clock, and the strictness of the tools themselves."""

from __future__ import annotations

import ast
import os
import re
import statistics
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parent.parent
CODE: Final = sorted((ROOT / "schedctl").rglob("*.py"))
TESTS: Final = sorted((ROOT / "tests").rglob("*.py"))
PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

FILE_LINES: Final = 300
FUNCTION_LINES: Final = 60
MEDIAN_FUNCTION_LINES: Final = 12
CLOCKS: Final = frozenset(
    {"datetime.now", "datetime.utcnow", "datetime.today", "date.today", "time.time", "time.time_ns"}
)


def from_root(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def nodes(path: Path) -> list[ast.AST]:
    """All that a file says."""
    return list(ast.walk(ast.parse(path.read_bytes())))


def functions(paths: list[Path]) -> Iterator[tuple[str, int]]:
    """Every function with its length in lines, decorators left out."""
    for path in paths:
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{from_root(path)}:{node.name}", (node.end_lineno or node.lineno) - node.lineno + 1


def test_a_floor_imports_only_floors_below_it() -> None:
    program = Path(sys.executable).with_name("lint-imports")
    if not program.exists():
        pytest.skip("import-linter is not installed beside this Python (extra: test)")
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    checked = subprocess.run(
        [program, "--no-cache"], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_floors_are_closed() -> None:
    layers = next(contract for contract in PROJECT["tool"]["importlinter"]["contracts"] if contract["type"] == "layers")
    assert layers["exhaustive"] is True
    assert "ignore_imports" not in layers


def test_no_file_is_long() -> None:
    lengths = {from_root(path): len(path.read_bytes().splitlines()) for path in [*CODE, *TESTS]}
    assert {name: lines for name, lines in lengths.items() if lines > FILE_LINES} == {}


def test_no_function_is_long() -> None:
    assert {name: lines for name, lines in functions([*CODE, *TESTS]) if lines > FUNCTION_LINES} == {}


def test_most_functions_are_very_short() -> None:
    assert statistics.median(lines for _, lines in functions(CODE)) <= MEDIAN_FUNCTION_LINES


def test_packages_say_nothing_at_their_door() -> None:
    doors = [path for path in CODE if path.name == "__init__.py"]
    assert len(doors) > len({path for path in doors if path.stat().st_size}) == 0


def test_nothing_below_the_cli_reads_a_clock() -> None:
    """`now` is an argument: otherwise hosts disagree, and no test can stand at another instant."""
    below = [path for path in CODE if path.parent.name != "cli"]
    calls = (
        (from_root(path), ast.unparse(node.func).removeprefix("datetime."))
        for path in below
        for node in nodes(path)
        if isinstance(node, ast.Call)
    )
    assert [(path, called) for path, called in calls if called in CLOCKS or f"datetime.{called}" in CLOCKS] == []


def test_the_tools_are_as_strict_as_they_were() -> None:
    tool = PROJECT["tool"]
    assert tool["ruff"]["lint"]["mccabe"]["max-complexity"] <= 10
    assert tool["ruff"]["lint"]["pylint"]["max-statements"] <= 40
    assert {"C90", "PLR0915", "DTZ", "S", "BLE", "T20", "D1"} <= set(tool["ruff"]["lint"]["select"])
    assert tool["basedpyright"]["typeCheckingMode"] == "strict"
    assert tool["pytest"]["ini_options"]["filterwarnings"] == ["error"]
    assert "--strict-markers" in tool["pytest"]["ini_options"]["addopts"]


def test_no_file_excuses_its_size() -> None:
    excuse = re.compile(r"#.*noqa.*\b(?:C901|PLR09\d\d)\b|# (?:ruff|flake8): noqa")
    assert [from_root(path) for path in CODE if excuse.search(path.read_text(encoding="utf-8"))] == []
