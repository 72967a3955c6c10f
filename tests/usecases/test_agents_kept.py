"""What a beat leaves behind for the report: its silence, and what was spent by the quarter of an hour."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from agent_stories import EXECUTOR, Story

from schedctl.store import reports
from schedctl.store.report_agents import silences, spent
from schedctl.usecases.beats import beat

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from schedctl.usecases.site import Site


@pytest.fixture
def story(site_at: Callable[[str], Site]) -> Story:
    """An executor that beats every minute, from ten in the morning on."""
    return Story(site_at, EXECUTOR)


def kept(story: Story) -> list[tuple[Any, ...]]:
    """Its silences that ended: from, to, announced."""
    query = (
        "SELECT to_char(started_at AT TIME ZONE 'Asia/Tokyo', 'HH24:MI'), "
        "to_char(ended_at AT TIME ZONE 'Asia/Tokyo', 'HH24:MI'), announced "
        "FROM schedctl.agent_silence ORDER BY ended_at"
    )
    return story.site.db.execute(query).fetchall()


def passes(story: Story, minutes: float) -> None:
    """Time goes by without a tick."""
    story.now += timedelta(minutes=minutes)


def test_beats_in_time_leave_no_silence(story: Story) -> None:
    story.lives(5)
    passes(story, 2.05)  # two beats missed, within the way that they are given
    story.beat()
    assert kept(story) == []


def test_a_silence_is_kept_with_its_first_beat_after_it(story: Story) -> None:
    story.lives(5)
    passes(story, 7)
    story.beat("starting")
    story.beat()
    assert kept(story) == [("10:05", "10:12", False)]


def test_a_silence_that_was_announced_is_kept_as_such(story: Story) -> None:
    story.lives(5)
    story.beat("stopping", stops_for=timedelta(minutes=3))
    story.passes(20)
    story.beat()
    assert kept(story) == [("10:05", "10:25", True)]


def test_before_the_first_beat_it_was_silent_since_it_is_watched(story: Story) -> None:
    passes(story, 30)
    story.beat()
    assert kept(story) == [("10:00", "10:30", False)]


def test_who_is_not_watched_is_not_said_to_be_silent(site_at: Callable[[str], Site]) -> None:
    for clock in ("10:00", "12:00"):
        beat(site_at(f"2026-12-01T{clock}+09:00"), "stranger", "ok", None, None, None)
    count = site_at("2026-12-01T12:00+09:00").db.execute("SELECT count(*) FROM schedctl.agent_silence").fetchone()
    assert count == (0,)


def test_a_silence_that_goes_on_ends_now(story: Story) -> None:
    story.lives(5)
    passes(story, 60)
    site = story.site
    with site.transaction() as now:
        (one,) = silences(site.db, now - timedelta(days=1), now, ["executor"])
    assert (one.ended_at - one.started_at, one.announced) == (timedelta(minutes=60), False)


def test_tokens_are_added_up_by_the_quarter(story: Story) -> None:
    story.lives(40, tokens=100)
    story.beat("stopping", tokens=9_000)
    story.beat(tokens=None)
    rows = story.site.db.execute(
        "SELECT to_char(at AT TIME ZONE 'Asia/Tokyo', 'HH24:MI'), subject, cycles, tokens "
        "FROM schedctl.spent ORDER BY at"
    ).fetchall()
    assert rows == [("10:00", "agent executor", 14, 1400), ("10:15", "agent executor", 15, 1500)]
    assert [(one.cycles, one.tokens) for one in spent_on(story, story.now)] == [(40, 4000)]  # the current one is added


def test_a_clock_that_goes_back_loses_no_tokens(story: Story) -> None:
    story.lives(20, tokens=100)
    story.now -= timedelta(minutes=15)
    story.beat(tokens=100)
    passes(story, 15)
    story.beat(tokens=100)
    assert [(one.cycles, one.tokens) for one in spent_on(story, story.now)] == [(22, 2200)]


def spent_on(story: Story, day: datetime) -> tuple[Any, ...]:
    """What was spent on the day of an instant."""
    start = day.replace(hour=0, minute=0, second=0)
    return spent(story.site.db, [start], start + timedelta(days=1))


def test_what_is_older_than_runs_are_kept_goes(story: Story) -> None:
    story.lives(20, tokens=100)
    passes(story, 30)
    story.beat(tokens=100)
    story.site.db.execute("UPDATE schedctl.installation SET retention_days = 1")
    story.now += timedelta(days=2)
    site = story.site
    with site.transaction():
        reports.prune(site.db)
    for table in ("spent", "agent_silence"):
        count = site.db.execute(f"SELECT count(*) FROM schedctl.{table}").fetchone()  # noqa: S608
        assert count == (0,)
