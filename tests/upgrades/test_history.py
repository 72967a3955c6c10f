"""The numbered files are history: none changes, none is left out, each says which older code goes on with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from dump import history, keep, kept
from dumps import CODES, DUMPS

from schedctl.settings import shipped
from schedctl.store.schema import ADMITTED, files

if TYPE_CHECKING:
    from pathlib import Path

NUMBERED = files(shipped("sql"))
FIRST_KEPT = 6
FIRST_THAT_ADMITS = 8
MAKE = "run `make schema-dump`, and commit what it wrote"


def test_the_numbers_have_no_gap() -> None:
    assert [number for number, _ in NUMBERED] == list(range(1, len(NUMBERED) + 1))


def test_no_numbered_file_has_changed() -> None:
    now = history(shipped("sql"))
    changed = [name for name, digest in kept().items() if now.get(name) != digest]
    assert changed == [], "history is never edited (docs/decisions/numbered-history.md): add the next number instead"
    assert sorted(now) == sorted(kept()), MAKE


@pytest.mark.parametrize("number", [number for number, _ in NUMBERED if number >= FIRST_KEPT])
def test_a_dump_of_every_schema_is_kept(number: int) -> None:
    assert number in DUMPS, MAKE


def test_the_oldest_and_the_newest_code_are_kept() -> None:
    assert CODES[0] == FIRST_KEPT
    assert CODES[-1] == NUMBERED[-1][0], MAKE


@pytest.mark.parametrize(("number", "path"), [one for one in NUMBERED if one[0] >= FIRST_THAT_ADMITS])
def test_each_says_which_older_code_goes_on_with_it(number: int, path: Path) -> None:
    said = ADMITTED.findall(path.read_text(encoding="utf-8"))
    assert len(said) == 1, "write `-- oldest code that goes on: N` into its head (docs/decisions/numbered-history.md)"
    assert int(said[0]) <= number


def test_the_tool_refuses_to_forget_what_a_file_was(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    monkeypatch.setattr("pathlib.Path.write_text", lambda _path, text, **_: written.append(text))
    now = history(shipped("sql"))
    with pytest.raises(SystemExit, match=r"002_work\.sql"):
        keep(now | {"002_work.sql": "0"})
    assert written == []
    keep(now | {max(now): "0"})
    assert len(written) == 1
