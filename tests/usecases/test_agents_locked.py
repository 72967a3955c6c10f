"""Agents whose row is held by somebody: nobody else waits for it, and nothing hides behind it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from agent_stories import EXECUTOR, UNAIDED, Story
from psycopg import connect

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedctl.usecases.site import Site

    SiteAt = Callable[[str], Site]


def wait_until(holds: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until it holds; fail when it does not in time."""
    ends_at = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends_at
        time.sleep(0.02)


def open_transactions(site: Site) -> int:
    """Sessions of this database that hold a transaction open and do nothing."""
    row = site.db.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'"
    ).fetchone()
    assert row is not None
    return row[0]


def test_one_agent_that_is_locked_stops_the_judging_of_no_other(site_at: SiteAt, database: str) -> None:
    story = Story(site_at)
    story.watches(EXECUTOR, replace(UNAIDED, name="hung"))
    story.beat()
    with connect(database) as other:
        other.execute("SELECT schedctl.beat('hung')")  # and does not commit
        assert story.passes(3) == "restarting"


def test_a_beat_in_a_transaction_that_is_left_open_does_not_hide_its_agent(site_at: SiteAt, database: str) -> None:
    story = Story(site_at, replace(UNAIDED, every_s=1, missed_beats=1))
    story.site.db.execute("UPDATE schedctl.agent SET every = '100 ms'")
    with connect(database) as hangs:
        hangs.execute("SELECT schedctl.beat('executor')")
        assert hangs.execute("SHOW idle_in_transaction_session_timeout").fetchone() == ("5100ms",)
        hangs.execute("SET LOCAL idle_in_transaction_session_timeout = '100ms'")
        assert story.passes(0) == "starting"
        wait_until(lambda: open_transactions(story.site) == 0)
        assert story.passes(1) == "unhealthy"
        hangs.close()


def test_a_shorter_limit_of_its_own_is_left_to_an_agent(database: str) -> None:
    with connect(database) as db:
        db.execute("SET idle_in_transaction_session_timeout = '3s'")
        db.execute("SELECT schedctl.beat('executor')")
        assert db.execute("SHOW idle_in_transaction_session_timeout").fetchone() == ("3s",)
