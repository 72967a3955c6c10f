"""A run by hand within a freeze: it is not stopped, and whoever types it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest

if TYPE_CHECKING:
    from conftest import Command

NOW = "2026-12-29T10:00:00+09:00"
SAID = "Note: a freeze is on (年末年始, until Mon 4 Jan 00:00)"


@pytest.fixture
def frozen(schedctl: Command, database: str) -> Command:
    """Schedule 1 changes something, 2 only reads; until January 4, changes are frozen."""
    schedctl("register", "毎週日曜午前3時にmarsのパッケージを更新して", "--yes", now=NOW)
    schedctl("register", "毎日9時にmarsのprobe.saysを実行して", now=NOW)
    with psycopg.connect(database) as db:
        span = ("2026-12-28T00:00+09:00", "2027-01-04T00:00+09:00", ["changes", "disrupts"], "年末年始")
        db.execute("INSERT INTO schedctl.freeze VALUES (%s, %s, %s, %s)", span)
    return schedctl


@pytest.mark.parametrize(
    "arguments", [("test-run", "1"), ("test-run", "1", "--step", "2"), ("test-run", "1", "--dry-run")]
)
def test_a_run_that_changes_something_says_it(frozen: Command, arguments: tuple[str, ...]) -> None:
    ran = frozen(*arguments, "--lang", "en", now=NOW)
    assert (ran.code, SAID in ran.err, SAID in ran.out) == (0, True, False)


def test_so_does_its_repetition(frozen: Command) -> None:
    frozen("test-run", "1", now=NOW)
    assert SAID in frozen("rerun", "1", "--lang", "en", now=NOW).err


@pytest.mark.parametrize(
    ("reference", "now"), [("2", NOW), ("1", "2027-01-04T00:00:00+09:00")], ids=["it only reads", "it is over"]
)
def test_where_the_freeze_stops_nothing_nothing_is_said(frozen: Command, reference: str, now: str) -> None:
    ran = frozen("test-run", reference, now=now)
    assert (ran.code, ran.err) == (0, "")


def test_in_japanese(frozen: Command) -> None:
    said = frozen("test-run", "1", "--lang", "ja", "--json", now=NOW)
    assert "いまは変更凍結中です（年末年始、" in said.err
    assert said.json["run"]["state"] == "succeeded"
