"""What a database that breaks, stands still, refuses or is scarce does to a tick: nothing twice, half or lost."""

from __future__ import annotations

import random
import socket
import time
from threading import Event, Thread
from typing import TYPE_CHECKING, LiteralString

import own_server
import psycopg
import pytest
from installations import settings_for, told
from making import CHANGES, READS, add
from marks import write_catalog
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

from schedctl.plan.request import Request
from schedctl.redact import Redactor
from schedctl.store import database, probe
from schedctl.transport.local import LocalTransport
from schedctl.usecases import installation, runs
from schedctl.usecases.ledger import Ledger
from schedctl.usecases.site import open_site
from schedctl.usecases.tick import tick
from schedctl.usecases.work import drain
from schedctl.usecases.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from at_once import AtOnce
    from own_server import OwnServer

    from schedctl.usecases.site import Site

DAILY = "daily at 03:00 in Asia/Tokyo"
BEFORE = "2026-12-01T10:00+09:00"
DUE = "2026-12-02T03:00:30+09:00"
SCHEDULES = 3
FRESH: LiteralString = """
    TRUNCATE schedctl.run, schedctl.leg, schedctl.step, schedctl.tick_beat RESTART IDENTITY CASCADE;
    UPDATE schedctl.schedule SET settled_through = '2026-12-01T10:00+09:00', next_fire_at = '2026-12-02T03:00+09:00';
"""
END_SESSIONS = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'schedctl'
"""
OPEN_TRANSACTIONS = """
    SELECT count(*) FROM pg_stat_activity WHERE pid = %s AND xact_start < clock_timestamp() - interval '50 ms'
"""
STANDING_STILL = """
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'
"""
IDLE_TIMEOUT = "schedctl.store.database.IDLE_IN_TRANSACTION_TIMEOUT_MS"
CONNECT_TIMEOUT = "schedctl.store.database.CONNECT_TIMEOUT_S"
POINTS = [pytest.param(3, id="three"), pytest.param(20, id="twenty", marks=pytest.mark.long)]


def prepare(dsn: str, schedules: int = SCHEDULES) -> None:
    """An armed installation on which everything is due at `DUE`."""
    with open_site(settings_for(dsn)) as site:
        site.db.execute("SET schedctl.now = '2026-12-01T10:00+09:00'")
        installation.arm(site, None)
        for number in range(schedules):
            add(site, DAILY, CHANGES, say=f"plan {number}")
        site.db.execute("UPDATE schedctl.installation SET armed_since = '2026-12-01T10:00+09:00'")
    query(dsn, FRESH)


def query(dsn: str, statement: LiteralString) -> list[tuple[object, ...]]:
    with psycopg.connect(dsn, autocommit=True) as db:
        cursor = db.execute(statement)
        return cursor.fetchall() if cursor.description else []


def assert_each_fired_once(dsn: str) -> None:
    found = query(dsn, "SELECT schedule_id, state, count(*) FROM schedctl.run GROUP BY 1, 2 ORDER BY 1")
    assert found == [(number, "queued", 1) for number in range(1, SCHEDULES + 1)]
    assert query(dsn, "SELECT count(*) FROM schedctl.leg") == [(SCHEDULES,)]
    assert query(dsn, "SELECT count(*) FROM schedctl.schedule WHERE next_fire_at <= '2026-12-02T03:00+09:00'") == [(0,)]


@pytest.fixture(scope="module")
def own() -> Iterator[OwnServer]:
    """A server that may be crashed, with an installation on it."""
    with own_server.running() as server:
        prepare(server.dsn)
        yield server


@pytest.mark.parametrize("points", POINTS)
def test_a_server_that_crashes_in_the_middle_of_a_tick(own: OwnServer, at_once: AtOnce, points: int) -> None:
    query(own.dsn, FRESH)
    (whole,) = at_once.run(own.dsn, "tick", now=DUE)
    for _ in range(points):
        query(own.dsn, FRESH)
        at_once.stand_still(own.dsn, "tick", "--json", at=random.randrange(whole.exchanges), now=DUE)  # noqa: S311
        own.crash_and_start()
        began = time.monotonic()
        ended = at_once.go_on()
        assert time.monotonic() - began < 30
        assert ended.code == 0 or "database_unavailable" in ended.output, ended.output
        (after,) = at_once.run(own.dsn, "tick", now=DUE)
        assert after.code == 0, after.output
        assert_each_fired_once(own.dsn)


@pytest.mark.parametrize(
    "stride", [pytest.param(8, id="every-eighth"), pytest.param(1, id="all", marks=pytest.mark.long)]
)
def test_a_session_that_is_ended_in_the_middle_of_a_tick(database: str, at_once: AtOnce, stride: int) -> None:
    prepare(database)
    (whole,) = at_once.run(database, "tick", now=DUE)
    for point in range(random.randrange(stride), whole.exchanges, stride):  # noqa: S311 - any start will do
        query(database, FRESH)
        at_once.stand_still(database, "tick", "--json", at=point, now=DUE)
        query(database, END_SESSIONS)
        ended = at_once.go_on()
        assert ended.code == 0 or "database_unavailable" in ended.output, ended.output
        (after,) = at_once.run(database, "tick", now=DUE)
        assert after.code == 0, after.output
        assert_each_fired_once(database)


def test_a_tick_that_stands_still_frees_its_rows_and_does_nothing_when_it_wakes(database: str, at_once: AtOnce) -> None:
    """`idle_in_transaction_session_timeout` (15 s, here three) ends its session."""
    prepare(database)
    (whole,) = at_once.run(database, "tick", now=DUE)
    for point in range(whole.exchanges // 4, whole.exchanges):
        query(database, FRESH)
        at_once.stand_still(database, "tick", "--json", at=point, now=DUE, patches={IDLE_TIMEOUT: 3000})
        (other,) = at_once.run(database, "tick", "--json", now=DUE)
        assert other.code == 0, other.output
        if other.json["fired"] == 0 and query(database, "SELECT count(*) FROM schedctl.run") == [(0,)]:
            break  # it holds the rows, and the other one passed over them
        at_once.go_on()
    else:
        pytest.fail("no point was found at which a tick holds its rows")
    with psycopg.connect(database, autocommit=True) as elsewhere:
        while elsewhere.execute(STANDING_STILL).fetchone() is not None:
            time.sleep(0.05)
    (other,) = at_once.run(database, "tick", "--json", now=DUE)
    assert other.json["fired"] == SCHEDULES
    woken = at_once.go_on()
    assert (woken.code, woken.json["fired"]) == (0, 0)
    assert_each_fired_once(database)


def test_a_standby_is_a_typed_error_and_nothing_is_changed(database: str, at_once: AtOnce) -> None:
    prepare(database)
    read_only = make_conninfo(database, options="-c default_transaction_read_only=on")
    (ended,) = at_once.run(read_only, "tick", "--json", now=DUE)
    assert ended.code == 1
    assert ended.json["error"]["type"] == "database_read_only"
    assert query(database, "SELECT count(*) FROM schedctl.run") == [(0,)]
    assert query(database, "SELECT DISTINCT state FROM schedctl.schedule") == [("active",)]


def test_a_database_that_never_answers_ends_the_tick_in_time(at_once: AtOnce) -> None:
    """Trap systemd#28698: the tick's own limits come before those of its unit."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        began = time.monotonic()
        (ended,) = at_once.run(f"host=127.0.0.1 port={port}", "tick", "--json", patches={CONNECT_TIMEOUT: 2})
        assert time.monotonic() - began < 30
    assert ended.code == 1
    assert ended.json["error"]["type"] == "database_unavailable"
    # The question comes first, with a patience of its own; an interpreter's start needs the rest of the 10 s.
    assert probe.TICK_PATIENCE_S[0] + database.CONNECT_TIMEOUT_S <= 8
    assert probe.BEAT_PATIENCE_S[1] + database.CONNECT_TIMEOUT_S <= 8


def test_nothing_is_prepared_on_the_server(site_at: Callable[[str], Site]) -> None:
    """Trap psycopg#280: behind PgBouncer another session has the prepared statement, or has not."""
    for minute in range(8):
        tick(site_at(f"2026-12-01T10:{minute:02}+09:00"))
    assert site_at(BEFORE).db.execute("SELECT count(*) FROM pg_prepared_statements").fetchone() == (0,)


def test_no_transaction_is_open_while_a_command_runs(empty_database: str, tmp_path: Path) -> None:
    """Trap open-mercato#4364: its scheduler held one, and the server's timeout ended it again and again."""
    catalog = write_catalog(tmp_path / "catalog", tmp_path / "starts")
    begun, go = tmp_path / "begun", tmp_path / "go"
    (catalog / "note-start").write_text(f"#!/bin/sh\ntouch {begun}\nwhile [ ! -e {go} ]; do sleep 0.1; done\n")
    with (
        psycopg.connect(empty_database, autocommit=True) as elsewhere,
        open_site(settings_for(empty_database, catalog=catalog)) as site,
    ):
        impatient = SQL("ALTER DATABASE {} SET idle_in_transaction_session_timeout = 200")
        elsewhere.execute(impatient.format(Identifier(site.db.info.dbname)))
        add(site, DAILY, (Request("mars", "mark.first"),))
        run = runs.start(site, "1")
        worker = Worker(Ledger(site, "w"), {"local": LocalTransport()}, Redactor(), None, 1, 4096, "UTC", Event())
        working = Thread(target=drain, args=(worker,))
        working.start()
        while not begun.exists():
            time.sleep(0.02)
        for _ in range(20):
            time.sleep(0.05)
            assert elsewhere.execute(OPEN_TRANSACTIONS, (site.db.info.backend_pid,)).fetchone() == (0,)
        go.touch()
        working.join()
        assert runs.one(site, run.run_id).state == "succeeded"


@pytest.mark.parametrize("due", [pytest.param(24, id="24"), pytest.param(500, id="500", marks=pytest.mark.long)])
def test_more_is_due_than_there_are_connections(own: OwnServer, at_once: AtOnce, due: int) -> None:
    """Trap pg_cron#282: 20 connections; a process takes one, and what does not run at once waits and then runs."""
    with open_site(settings_for(own.dsn)) as site:
        rows = [add(site, DAILY, READS, say=f"one of many {number}") for number in range(due)]
        query(own.dsn, FRESH)
        site.db.execute("UPDATE schedctl.schedule SET next_fire_at = 'infinity' WHERE schedule_id <> ALL (%s)", (rows,))
        (ticked,) = at_once.run(own.dsn, "tick", "--json", now=DUE)
        assert ticked.json["fired"] == due
        ended = at_once.run(own.dsn, "work", "--drain", "--slots", "8", times=3, now=DUE)
        assert [one.code for one in ended] == [0] * 3, [one.output for one in ended if one.code]
        assert told(site) == [("succeeded", None, 1)] * due
        query(own.dsn, FRESH)
        site.db.execute("DELETE FROM schedctl.schedule WHERE schedule_id = ANY (%s)", (rows,))
