"""The morning's report with real processes: killed at each exchange, or ten at once, it is written and told once."""

from __future__ import annotations

import random
from datetime import datetime
from typing import TYPE_CHECKING

import at_once
import psycopg
import pytest
from installations import settings_for
from making import BREAKS, add
from telling import WEBHOOK, write_policy

from schedctl.usecases import installation
from schedctl.usecases.site import open_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from processes import Processes

BEFORE = "2037-12-01T10:00:00+09:00"
MORNING = "2037-12-02T08:00:30+09:00"
POLICY = 'report = { at = "08:00" }\n' + WEBHOOK + '[[routes]]\nchannels = ["ops"]\nevents = ["report_written"]\n'
EVERY_TENTH = pytest.param(10, id="every-tenth")
EVERY_ONE = pytest.param(1, id="every-one", marks=pytest.mark.long)
WRITTEN = """
    SELECT (SELECT array_agg(day::text) FROM schedctl.report),
           (SELECT count(*) FROM schedctl.event WHERE type = 'report_written'),
           (SELECT count(*) FROM schedctl.outbox),
           (SELECT count(*) FROM schedctl.run WHERE schedule_id = 1)
"""


@pytest.fixture
def home(empty_database: str, tmp_path: Path) -> str:
    """The DSN of an armed installation with a schedule that is due together with the report."""
    catalog = write_policy(tmp_path / "catalog", POLICY)
    now = datetime.fromisoformat(BEFORE)
    with open_site(settings_for(empty_database, catalog=catalog, rehearsal_now=now)) as site:
        installation.arm(site, None)
        add(site, "daily at 08:00 in Asia/Tokyo", BREAKS)
        add(site, "daily at 08:01 in Asia/Tokyo")
    return empty_database


@pytest.fixture
def processes(fork_server: Processes, home: str) -> Processes:
    """The server of processes, on that installation."""
    fork_server.environment = {"SCHEDCTL_DSN": home, "SCHEDCTL_HOST": "testhost", "LANG": "C.UTF-8"}
    return fork_server


@pytest.fixture(scope="module")
def together() -> Iterator[at_once.AtOnce]:
    """Processes that begin at the same moment."""
    with at_once.serving() as server:
        yield server


def again(dsn: str) -> None:
    """Back to where the report and the schedule are due, and nothing has happened."""
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute(
            "TRUNCATE schedctl.report, schedctl.outbox, schedctl.run, schedctl.leg, schedctl.step RESTART IDENTITY"
        )
        db.execute("ALTER TABLE schedctl.event DISABLE TRIGGER USER")
        db.execute("DELETE FROM schedctl.event WHERE type = 'report_written'")
        db.execute("ALTER TABLE schedctl.event ENABLE TRIGGER USER")
        db.execute("UPDATE schedctl.reporting SET due_at = '2037-12-02T08:00+09:00'")
        db.execute(
            "UPDATE schedctl.schedule SET settled_through = %s, next_fire_at = '2037-12-02T08:00+09:00' "
            "WHERE schedule_id = 1",
            (BEFORE,),
        )


def what_is_there(dsn: str) -> tuple[object, ...]:
    with psycopg.connect(dsn, autocommit=True) as db:
        row = db.execute(WRITTEN).fetchone()
    assert row is not None
    return row


@pytest.mark.parametrize("stride", [EVERY_TENTH, EVERY_ONE])
def test_a_tick_killed_anywhere_neither_loses_nor_doubles_it(processes: Processes, home: str, stride: int) -> None:
    whole = processes.run("tick", now=MORNING)
    assert whole["code"] == 0, whole["output"]
    assert what_is_there(home) == (["2037-12-01"], 1, 1, 1)
    assert whole["exchanges"] > 25
    for exchange in range(random.randrange(stride), whole["exchanges"], stride):  # noqa: S311 - any start will do
        again(home)
        assert processes.run("tick", kill_at=exchange, now=MORNING)["killed"]
        after = processes.run("tick", now=MORNING)
        assert after["code"] == 0, after["output"]
        assert what_is_there(home) == (["2037-12-01"], 1, 1, 1), exchange


def test_ten_ticks_at_once_write_one(together: at_once.AtOnce, home: str) -> None:
    for turn in range(2):
        if turn:
            again(home)
        ended = together.run(home, "tick", "--json", times=10, now=MORNING)
        assert [one.code for one in ended] == [0] * 10
        assert [one.json["warnings"] for one in ended] == [[]] * 10
        assert what_is_there(home) == (["2037-12-01"], 1, 1, 1)


def test_a_tick_that_stands_still_in_its_report_keeps_no_other_from_firing(together: at_once.AtOnce, home: str) -> None:
    """It is stopped within the report's transaction; the others fire, write none, and need not wait for it."""
    whole = together.run(home, "tick", now=MORNING)[0].exchanges
    again(home)
    together.stand_still(home, "tick", at=whole - 3, now=MORNING)
    (other,) = together.run(home, "tick", "--json", now="2037-12-02T08:01:30+09:00")
    assert (other.code, other.json["fired"], other.json["warnings"]) == (0, 1, [])
    assert together.go_on().code == 0
    assert what_is_there(home)[:3] == (["2037-12-01"], 1, 1)
