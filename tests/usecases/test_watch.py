"""`watch` over schedctl itself: each thing that stopped is said every time, and told once an episode."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, LiteralString

import pytest
from agent_stories import EXECUTOR, UNAIDED, Story
from making import CHANGES, READS, add

from schedctl.store import outbox
from schedctl.usecases import installation, nodes
from schedctl.usecases.status import look
from schedctl.usecases.tick import tick
from schedctl.usecases.watch import watch

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedctl.usecases.site import Site

    SiteAt = Callable[[str], Site]

START = "2030-12-01T10:00+09:00"
DUE = "2030-12-02T03:00:30+09:00"
DAILY = "daily at 03:00 in Asia/Tokyo"


def troubles(site: Site) -> list[str]:
    return [one.type for one in watch(site).troubles]


def told(site: Site, kind: str) -> int:
    row = site.db.execute("SELECT count(*) FROM schedctl.event WHERE type = %s", (kind,)).fetchone()
    assert row is not None
    return row[0]


def test_nothing_is_wrong_with_a_new_installation(site_at: SiteAt) -> None:
    assert troubles(site_at(START)) == []


@pytest.mark.parametrize(("age", "expected"), [("119 s", []), ("121 s", ["tick_silent"])])
def test_ticks_that_stopped_for_two_minutes(site_at: SiteAt, age: LiteralString, expected: list[str]) -> None:
    site = site_at(START)
    installation.arm(site, None)
    tick(site)
    site.db.execute("UPDATE schedctl.tick_beat SET beat_at = clock_timestamp() - %s::interval", (age,))
    assert (troubles(site), troubles(site)) == (expected, expected)
    assert told(site, "tick_silent") == len(expected)


def test_a_tick_of_a_clock_that_was_wrong_hides_no_silence(site_at: SiteAt) -> None:
    site = site_at(START)
    installation.arm(site, None)
    tick(site)
    site.db.execute("UPDATE schedctl.tick_beat SET beat_at = clock_timestamp() - interval '5 min'")
    site.db.execute(
        "INSERT INTO schedctl.tick_beat (host, at, beat_at) "
        "VALUES ('ahead', now(), clock_timestamp() + interval '1 day')"
    )
    assert troubles(site) == ["tick_silent"]
    assert [need.type for need in look(site).needs] == ["ticks_stopped"]
    assert (outbox.since_last_tick(site.db) or timedelta(0)) > timedelta(minutes=4)


def test_a_second_episode_is_told_again(site_at: SiteAt) -> None:
    site = site_at("2020-01-02T10:00+09:00")  # events are stamped by the rehearsal's clock, ticks by the real one
    installation.arm(site, None)
    tick(site)
    for number, last in enumerate(("2020-01-02T09:00+09:00", "2020-01-03T09:00+09:00"), start=1):
        site.db.execute("UPDATE schedctl.tick_beat SET beat_at = %s", (last,))
        assert troubles(site) == ["tick_silent"]
        assert told(site, "tick_silent") == number


def test_disarmed_silence_means_nothing(site_at: SiteAt) -> None:
    site = site_at(START)
    tick(site)
    site.db.execute("UPDATE schedctl.tick_beat SET beat_at = clock_timestamp() - interval '1 day'")
    assert troubles(site) == []


def test_an_installation_that_never_ticked_is_given_two_minutes_and_told_once(site_at: SiteAt) -> None:
    installation.arm(site_at(START), None)
    assert troubles(site_at("2030-12-01T10:01:59+09:00")) == []
    later = site_at("2030-12-01T10:03+09:00")
    assert (troubles(later), troubles(later)) == (["tick_silent"], ["tick_silent"])
    assert told(later, "tick_silent") == 1


def test_work_that_nobody_takes(site_at: SiteAt) -> None:
    installation.arm(site_at(START), None)
    add(site_at(START), DAILY, READS)
    tick(site_at(DUE))
    assert troubles(site_at("2030-12-02T03:04+09:00")) == []
    late = site_at("2030-12-02T03:06+09:00")
    assert (troubles(late), troubles(late)) == (["queue_stuck"], ["queue_stuck"])
    assert told(late, "queue_stuck") == 1


def test_work_that_may_not_start_is_not_stuck(site_at: SiteAt) -> None:
    installation.arm(site_at(START), None)
    add(site_at(START), DAILY, CHANGES)
    nodes.hold(site_at(START), "mars", "今日は触らない")
    tick(site_at(DUE))
    assert troubles(site_at("2030-12-02T03:30+09:00")) == []


def test_notices_that_are_not_sent(site: Site) -> None:
    site.db.execute("INSERT INTO schedctl.outbox (event_id, channel) VALUES (1, 'ops')")
    assert troubles(site) == []
    site.db.execute("UPDATE schedctl.outbox SET queued_at = clock_timestamp() - interval '16 minutes'")
    assert troubles(site) == ["outbox_stuck"]
    site.db.execute("UPDATE schedctl.outbox SET state = 'sent', ended_at = now()")
    assert troubles(site) == []


def test_what_of_an_agent_needs_a_person(site_at: SiteAt) -> None:
    story = Story(site_at, UNAIDED)
    story.lives(12, tokens=10)
    story.beat("error", tokens=5000)
    story.passes(1)
    said = [(one.type, one.message.ja) for one in watch(story.site).troubles]
    assert said == [
        ("agent_unhealthy", "エージェント executor が不調を知らせています"),
        ("cost_alarm", "エージェント executor のトークンが急に増えています（直近の beat で 5000）"),
    ]


def test_an_agent_that_is_being_restarted_is_left_alone_until_nothing_is_left_to_try(site_at: SiteAt) -> None:
    story = Story(site_at, EXECUTOR)
    story.beat()
    for _ in range(3):
        while story.state != "restarting":
            story.passes(1)
        assert troubles(story.site) == []
        story.restart_ends()
        story.passes(1)
    story.now += timedelta(minutes=5)
    story.passes(1)
    (trouble,) = watch(story.site).troubles
    assert trouble.type == "agent_escalated"
    assert "3 restarts" in trouble.message.en
