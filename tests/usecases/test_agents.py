"""Agents: each story of a long-running program ends in the states, restarts and events that the design gives it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from agent_stories import EXECUTOR, START, UNAIDED, Story
from installations import runs_of, told

from schedctl.usecases import installation
from schedctl.usecases.tick import tick

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedctl.usecases.site import Site

    SiteAt = Callable[[str], Site]

UNHEALTHY_RESTARTED = ["agent_unhealthy", "agent_restarted"]


def test_a_living_agent_is_left_alone_for_a_day(site_at: SiteAt) -> None:
    story = Story(site_at)
    assert story.lives(24) == "ok"
    assert story.events() == []


def test_beats_up_to_five_seconds_late_alarm_nobody(site_at: SiteAt) -> None:
    story = Story(site_at)
    for number in range(120):
        story.now = START + timedelta(seconds=60 * number + number * 7 % 6)
        story.beat()
        tick(story.site)
    assert story.events() == []


def test_one_missed_beat_is_late_and_two_are_unhealthy(site_at: SiteAt) -> None:
    story = Story(site_at)
    story.beat()
    assert story.passes(1) == "ok"
    assert story.passes(1) == "late"
    assert story.events() == []
    assert story.passes(1) == "restarting"
    assert story.events() == UNHEALTHY_RESTARTED
    (run,) = runs_of(story.site)
    assert (run["trigger"], run["state"], run["schedule_id"]) == ("restart", "queued", None)


def test_an_agent_that_never_came_is_missed_too(site_at: SiteAt) -> None:
    story = Story(site_at)
    assert story.passes(3) == "restarting"


def test_an_error_is_as_bad_as_silence(site_at: SiteAt) -> None:
    story = Story(site_at)
    story.beat()
    story.beat("error")
    assert story.passes(1) == "restarting"


def test_an_error_of_a_stopped_agent_is_heard(site_at: SiteAt) -> None:
    story = Story(site_at)
    story.beat("stopping")
    assert story.passes(11) == "stopped"
    story.beat("error")
    assert story.passes(1) == "restarting"


def test_a_restart_is_waited_for_tried_three_times_and_then_a_person_is_called(site_at: SiteAt) -> None:
    story = Story(site_at)
    story.beat()
    story.passes(3)
    states: list[str] = []
    for _ in range(3):
        story.restart_ends()
        states.append(story.passes(1))
        story.passes(4)
        states.append(story.state)
    assert states == ["cooling", "restarting", "cooling", "restarting", "cooling", "escalated"]
    assert story.events() == ["agent_unhealthy", *["agent_restarted"] * 3, "agent_escalated"]
    story.passes(30)
    assert story.events().count("agent_escalated") == 1
    assert len(runs_of(story.site)) == 3


def test_a_restart_that_takes_longer_than_the_cooldown_is_not_doubled(site_at: SiteAt) -> None:
    story = Story(site_at)
    story.beat()
    story.passes(3)
    leg, token = story.restart_begins()
    assert story.passes(20) == "restarting"
    story.site.db.execute("UPDATE schedctl.leg SET lease_until = 'infinity'")
    site = story.site
    with site.transaction():
        site.db.execute("SELECT schedctl.finish_leg(%s, %s, 'succeeded', NULL, NULL)", (leg, token))
    assert story.passes(4) == "cooling"  # the cooldown begins where the restart ends
    assert story.passes(1) == "restarting"
    assert len(runs_of(story.site)) == 2


def test_restarts_that_nobody_carries_out_are_used_up_like_others(site_at: SiteAt) -> None:
    story = Story(site_at)
    story.beat()
    story.passes(3 + 18)
    assert story.state == "escalated"
    assert told(story.site) == [("missed", "not_claimed", 1)] * 3


def test_recovery_after_a_restart_says_so(site_at: SiteAt) -> None:
    story = Story(site_at)
    story.beat()
    story.passes(3)
    story.restart_ends()
    story.passes(1)
    story.beat("starting")  # it runs, but has not verified its state
    assert story.passes(1) == "cooling"
    assert story.lives(1) == "ok"
    assert story.recovered_by() == ["restart"]


def test_recovery_by_itself_says_so(site_at: SiteAt) -> None:
    story = Story(site_at, UNAIDED)
    story.beat()
    assert story.passes(5) == "unhealthy"
    story.beat()
    assert story.recovered_by() == ["itself"]
    assert story.events() == ["agent_unhealthy", "agent_recovered"]


def test_who_is_back_before_its_restart_began_is_not_restarted(site_at: SiteAt) -> None:
    story = Story(site_at)
    story.beat()
    assert story.passes(3) == "restarting"
    story.beat()
    assert (story.state, story.recovered_by(), told(story.site)) == ("ok", ["itself"], [("cancelled", "recovered", 1)])
    with story.site.transaction():  # by the story's clock
        assert story.site.db.execute("SELECT count(*) FROM schedctl.claim('w', 'testhost')").fetchone() == (0,)


def test_whoever_brought_an_escalated_agent_back_it_was_no_restart(site_at: SiteAt) -> None:
    story = Story(site_at, replace(EXECUTOR, attempts=1))
    story.beat()
    story.passes(3)
    story.restart_ends()
    assert story.passes(6) == "escalated"
    story.lives(1)
    assert story.recovered_by() == ["itself"]


def test_an_agent_that_flaps_does_not_get_new_attempts(site_at: SiteAt) -> None:
    story = Story(site_at)
    story.beat()
    for _ in range(3):
        story.passes(3)
        story.restart_ends()
        story.passes(1)
        story.beat()  # one beat after each restart, and then silence
    story.passes(9)
    assert story.state == "escalated"
    assert story.events().count("agent_restarted") == 3


def test_one_beat_is_no_health_however_long_the_next_one_may_take(site_at: SiteAt) -> None:
    story = Story(site_at, replace(EXECUTOR, every_s=1200, cooldown_s=1200))
    story.beat()
    for _ in range(3):
        while story.state != "restarting":
            story.passes(1)
        story.restart_ends()
        story.beat()
    story.passes(60)
    assert story.state == "escalated"
    assert story.events().count("agent_restarted") == 3


def test_a_cooldown_of_health_gives_the_attempts_back(site_at: SiteAt) -> None:
    story = Story(site_at)
    story.beat()
    story.passes(3)
    story.restart_ends()
    assert story.lives(5) == "ok"
    assert story.column("attempts_made") == 1
    story.lives(1)
    assert story.column("attempts_made") == 0


def test_who_starts_for_ever_is_unwell(site_at: SiteAt) -> None:
    story = Story(site_at)
    for _ in range(6):
        story.beat("starting")  # a supervisor starts it again and again
        story.passes(1)
    assert story.state == "restarting"
    assert story.events() == UNHEALTHY_RESTARTED


def test_an_announced_stop_is_silent_and_ends_as_stopped(site_at: SiteAt) -> None:
    story = Story(site_at)
    story.lives(12, tokens=100)
    story.beat("stopping", tokens=100_000)  # a burst of clearing up costs no alarm
    assert story.passes(9) == "stopping"
    assert story.passes(2) == "stopped"
    story.passes(60)
    assert story.events() == []
    story.beat("starting")
    assert story.state == "starting"


def test_an_agent_says_itself_for_how_long_it_stops(site_at: SiteAt) -> None:
    story = Story(site_at)
    story.lives(12, tokens=100)
    story.beat("stopping", stops_for=timedelta(minutes=30))
    story.passes(15)
    story.beat("stopping", tokens=50_000)  # says no length again: the first one holds
    assert story.passes(14) == "stopping"
    assert story.passes(1) == "stopped"
    assert story.events() == []


def test_past_its_declared_time_a_stop_hides_no_costs(site_at: SiteAt) -> None:
    story = Story(site_at)
    story.lives(12, tokens=100)
    story.beat("stopping", stops_for=timedelta(minutes=2))
    story.passes(2)
    story.beat("stopping", tokens=50_000)
    assert (story.state, story.events()) == ("stopped", ["cost_alarm"])


def test_the_polite_end_of_a_restart_is_no_announced_stop(site_at: SiteAt) -> None:
    story = Story(site_at)
    story.beat()
    story.passes(3)
    leg, token = story.restart_begins()
    story.beat("stopping")  # the restart asked it to end
    assert story.state == "restarting"
    site = story.site
    with site.transaction():
        site.db.execute("SELECT schedctl.finish_leg(%s, %s, 'succeeded', NULL, NULL)", (leg, token))
    assert story.passes(5) == "restarting"  # and it never came back


def test_who_is_unwell_may_be_stopped_by_a_person_and_recovers_when_it_is_back(site_at: SiteAt) -> None:
    story = Story(site_at, UNAIDED)
    story.beat()
    assert story.passes(3) == "unhealthy"
    story.beat("stopping")
    assert story.passes(20) == "stopped"
    story.beat("starting")
    story.beat()
    assert story.events() == ["agent_unhealthy", "agent_recovered"]


def test_disarmed_an_agent_is_told_of_and_not_restarted(site_at: SiteAt) -> None:
    story = Story(site_at, armed=False)
    story.beat()
    assert story.passes(6) == "unhealthy"
    assert story.events() == ["agent_unhealthy"]
    installation.arm(story.site, None)
    assert story.passes(1) == "restarting"


def test_a_restart_ignores_a_freeze(site_at: SiteAt) -> None:
    story = Story(site_at)
    story.site.db.execute("INSERT INTO schedctl.freeze VALUES ('2026-11-01', '2027-01-01', '{disrupts}', '凍結')")
    story.beat()
    story.passes(3)
    story.restart_begins()
