"""The reference in docs/: every command, option, setting, error type and event stands there, and nothing else."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Final

import click
import pytest
from names_in_code import COMMON, commands, error_types, event_kinds, options, settings

from schedctl.cli.main import cli
from schedctl.errors import PlanErrorType, TimingErrorType

DOCS: Final = Path(__file__).resolve().parents[1] / "docs"
COMMANDS: Final = dict(commands(cli))
NOT_YET_TOLD: Final[frozenset[str]] = frozenset()
"""Names that the pages do not have yet: empty when the work is done, and it only ever shrinks."""


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def rows(name: str) -> dict[str, list[str]]:
    """The tables of a page by the names in their first column."""
    lines = [line.strip("|").split(" | ") for line in page(name).splitlines() if line.startswith("| `")]
    return {word: [cell.strip() for cell in cells[1:]] for cells in lines for word in re.findall(r"`(\w+)`", cells[0])}


def section(command: str) -> str:
    found = re.search(
        rf"^### `schedctl {command}(?: [A-Z|-][^`]*)?`\n(.*?)(?=^##|\Z)", page("commands.md"), re.M | re.S
    )
    assert found is not None, f"docs/commands.md has no section for schedctl {command}"
    return found[1]


def assert_same(told: set[str], known: set[str], where: str) -> None:
    assert known - told - NOT_YET_TOLD == set(), f"add them to {where}"
    assert told - known == set(), f"take them out of {where}"


def test_every_command_has_its_section() -> None:
    told = set(re.findall(r"^### `schedctl ([a-z-]+(?: [a-z]+)?)", page("commands.md"), re.MULTILINE))
    assert_same(told, set(COMMANDS), "docs/commands.md")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_is_explained(name: str) -> None:
    if name in NOT_YET_TOLD:
        return
    told = set(re.findall(r"^- `(--[a-z-]+)(?: [^`]+)?`: \S", section(name), re.MULTILINE))
    assert_same(told, options(COMMANDS[name]), f"docs/commands.md, {name}")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_an_example_and_its_exit_codes(name: str) -> None:
    if name in NOT_YET_TOLD:
        return
    text = section(name)
    (block,) = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert re.search(r"^Exit codes: \S", text, re.MULTILINE)
    for line in block.splitlines():
        words = shlex.split(re.split(r" [>|<]|>/", line)[0])
        assert words[: 1 + len(name.split())] == ["schedctl", *name.split()]
        # Reads the line as the program does, up to the point where it would begin.
        COMMANDS[name].make_context(name, words[1 + len(name.split()) :], parent=click.Context(cli))


def test_what_all_commands_have_is_told_once() -> None:
    assert all(f"`{option}" in page("commands.md").partition("\n## ")[0] for option in COMMON)


def test_every_setting_is_explained() -> None:
    assert_same(set(rows("settings.md")), settings(), "docs/settings.md")


def test_every_type_of_error_is_explained() -> None:
    told = rows("errors.md")
    assert_same(set(told), error_types(), "docs/errors.md")
    for name, (code, meaning, _) in told.items():
        assert code in {"1", "2", "3", "4", "130", "–"}, name
        assert len(meaning.split()) > 2, name


def test_every_refusal_is_explained_with_exit_code_2() -> None:
    told = rows("errors.md")
    assert {told[name][0] for name in (*TimingErrorType.__args__, *PlanErrorType.__args__)} == {"2"}


def test_every_event_is_explained() -> None:
    told = rows("events.md")
    assert_same(set(told), event_kinds(), "docs/events.md")
    assert [name for name, (when,) in told.items() if len(when.split()) < 3] == []
