"""Agents: each story of a long-running program ends in the states, restarts and events that the design gives it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, LiteralString

import psycopg
import pytest
from installations import runs_of

from schedctl.catalog.model import Agent, Restart
from schedctl.language import Text
from schedctl.plan.build import build
from schedctl.plan.model import Origin
from schedctl.plan.request import Request
from schedctl.store import agents, plans
from schedctl.usecases import installation
from schedctl.usecases.beats import beat
from schedctl.usecases.site import adopted_catalog
from schedctl.usecases.tick import tick
from schedctl.usecases.watch import watch

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedctl.usecases.site import Site

START = datetime.fromisoformat("2026-12-01T10:00:00+09:00")
EXECUTOR = Agent("executor", Text("実行役", "executor"), restart=Restart("service.restart", "mars"))


class Story:
    """An agent's life minute by minute: each step moves the clock, and ticks as the timer would."""

    def __init__(self, site_at: Callable[[str], Site], agent: Agent = EXECUTOR, *, armed: bool = True) -> None:
        self.site_at = site_at
        self.now = START
        self.name = agent.name
        site = self.site
        if armed:
            installation.arm(site, None)
        with site.transaction():
            request = Request("mars", "service.restart")
            plan = build((request,), adopted_catalog(site), "testhost", Origin("agents.toml"))
            restart_plans = {agent.name: plans.insert(site.db, plan)} if agent.restart else {}
            agents.watch(site.db, (agent,), restart_plans)

    @property
    def site(self) -> Site:
        return self.site_at(self.now.isoformat())

    def beat(self, status: str = "ok", tokens: int | None = None) -> None:
        beat(self.site, self.name, status, tokens, None)

    def passes(self, minutes: float) -> str:
        """Let minutes pass, with a tick at each; the agent's state afterwards."""
        for _ in range(int(minutes)):
            self.now += timedelta(minutes=1)
            tick(self.site)
        return self.state

    def lives(self, minutes: int, tokens: int | None = None) -> str:
        """Let minutes pass with a beat in each."""
        for _ in range(minutes):
            self.now += timedelta(minutes=1)
            self.beat(tokens=tokens)
            tick(self.site)
        return self.state

    @property
    def state(self) -> str:
        row = self.site.db.execute("SELECT state FROM schedctl.agent WHERE name = %s", (self.name,)).fetchone()
        assert row is not None
        return row[0]

    def events(self) -> list[str]:
        query = "SELECT type FROM schedctl.event WHERE detail ->> 'agent' = %s ORDER BY event_id"
        return [row[0] for row in self.site.db.execute(query, (self.name,)).fetchall()]

    def recovered_by(self) -> str:
        query = "SELECT detail ->> 'by' FROM schedctl.event WHERE type = 'agent_recovered'"
        row = self.site.db.execute(query).fetchone()
        assert row is not None
        return row[0]

    def restart_ends(self) -> None:
        """The queued restart is carried out."""
        self.site.db.execute("UPDATE schedctl.leg SET state = 'succeeded', finished_at = now() WHERE state = 'queued'")
        self.site.db.execute("SELECT schedctl.settle_run(run_id) FROM schedctl.run WHERE finished_at IS NULL")


def test_a_living_agent_is_left_alone_for_a_day(site_at: Callable[[str], Site]) -> None:
    story = Story(site_at)
    assert story.lives(24) == "ok"
    assert story.events() == []


def test_one_missed_beat_is_late_and_two_are_unhealthy(site_at: Callable[[str], Site]) -> None:
    story = Story(site_at)
    story.beat()
    assert story.passes(1) == "ok"
    assert story.passes(1) == "late"
    assert story.events() == []
    assert story.passes(1) == "restarting"
    assert story.events() == ["agent_unhealthy", "agent_restarted"]
    (run,) = runs_of(story.site)
    assert (run["trigger"], run["state"], run["schedule_id"]) == ("restart", "queued", None)


def test_a_restart_is_waited_for_tried_three_times_and_then_a_person_is_called(site_at: Callable[[str], Site]) -> None:
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


def test_recovery_after_a_restart_says_so(site_at: Callable[[str], Site]) -> None:
    story = Story(site_at)
    story.beat()
    story.passes(3)
    story.restart_ends()
    story.passes(1)
    story.beat("starting")  # it runs, but has not verified its state
    assert story.passes(1) == "cooling"
    assert story.lives(1) == "ok"
    event = story.site.db.execute(
        "SELECT detail ->> 'by' FROM schedctl.event WHERE type = 'agent_recovered'"
    ).fetchone()
    assert event == ("restart",)


def test_recovery_by_itself_says_so(site_at: Callable[[str], Site]) -> None:
    story = Story(site_at, Agent("executor", Text("実行役", "executor")))  # nothing restarts it
    story.beat()
    assert story.passes(5) == "unhealthy"
    story.beat()
    event = story.site.db.execute(
        "SELECT detail ->> 'by' FROM schedctl.event WHERE type = 'agent_recovered'"
    ).fetchone()
    assert event == ("itself",)
    assert story.events() == ["agent_unhealthy", "agent_recovered"]


def test_an_agent_that_flaps_does_not_get_new_attempts(site_at: Callable[[str], Site]) -> None:
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


def test_a_cooldown_of_health_gives_the_attempts_back(site_at: Callable[[str], Site]) -> None:
    story = Story(site_at)
    story.beat()
    story.passes(3)
    story.restart_ends()
    assert story.lives(7) == "ok"
    made = story.site.db.execute("SELECT attempts_made FROM schedctl.agent").fetchone()
    assert made == (0,)


def test_an_announced_stop_is_silent_and_ends_as_stopped(site_at: Callable[[str], Site]) -> None:
    story = Story(site_at)
    story.lives(12, tokens=100)
    story.beat("stopping", tokens=100_000)  # a burst of clearing up costs no alarm
    assert story.passes(9) == "stopping"
    assert story.passes(2) == "stopped"
    story.passes(60)
    assert story.events() == []
    story.beat("starting")
    assert story.state == "starting"


def test_a_token_loop_is_told_once_an_episode(site_at: Callable[[str], Site]) -> None:
    story = Story(site_at)
    story.lives(9, tokens=100)
    story.beat(tokens=5000)  # not before ten beats
    assert story.events() == []
    story.lives(50, tokens=100)
    story.lives(3, tokens=2000)
    assert story.events() == ["cost_alarm"]
    story.lives(2, tokens=100)
    story.lives(1, tokens=9000)
    assert story.events() == ["cost_alarm"] * 2


def test_a_baseline_of_nothing_counts_as_one(site_at: Callable[[str], Site]) -> None:
    story = Story(site_at)
    story.lives(12, tokens=0)
    story.lives(1, tokens=10)
    assert story.events() == []
    story.lives(1, tokens=11)
    assert story.events() == ["cost_alarm"]


def test_disarmed_an_agent_is_told_of_and_not_restarted(site_at: Callable[[str], Site]) -> None:
    story = Story(site_at, armed=False)
    story.beat()
    assert story.passes(6) == "unhealthy"
    assert story.events() == ["agent_unhealthy"]
    installation.arm(story.site, None)
    assert story.passes(1) == "restarting"


def test_a_restart_ignores_a_freeze(site_at: Callable[[str], Site]) -> None:
    story = Story(site_at)
    story.site.db.execute("INSERT INTO schedctl.freeze VALUES ('2026-11-01', '2027-01-01', '{disrupts}', '凍結')")
    story.beat()
    story.passes(3)
    claimed = story.site.db.execute("SELECT count(*) FROM schedctl.claim('w', 'testhost')").fetchone()
    assert claimed == (1,)


def test_an_error_is_as_bad_as_silence(site_at: Callable[[str], Site]) -> None:
    story = Story(site_at)
    story.beat()
    story.beat("error")
    assert story.passes(1) == "restarting"


def test_an_agent_that_never_came_is_missed_too(site_at: Callable[[str], Site]) -> None:
    story = Story(site_at)
    assert story.passes(3) == "restarting"


def test_beats_up_to_five_seconds_late_alarm_nobody(site_at: Callable[[str], Site]) -> None:
    story = Story(site_at)
    for number in range(120):
        story.now = START + timedelta(seconds=60 * number + number * 7 % 6)
        story.beat()
        tick(story.site)
    assert story.events() == []


def test_who_beats_without_standing_in_the_catalog_is_listed_and_not_judged(site_at: Callable[[str], Site]) -> None:
    story = Story(site_at)
    beat(story.site, "stranger", "ok", None, None)
    story.now += timedelta(hours=5)
    story.beat()
    tick(story.site)
    seen = watch(story.site)
    assert [(agent.name, agent.watched, agent.state) for agent in seen.agents] == [
        ("executor", True, "ok"),
        ("stranger", False, "ok"),
    ]


@pytest.mark.parametrize("statement", ["SELECT schedctl.beat('x', 'dead')", "SELECT schedctl.beat('x', 'ok', -1)"])
def test_nonsense_is_refused(site: Site, statement: LiteralString) -> None:
    with pytest.raises(psycopg.Error):
        site.db.execute(statement)
    assert site.db.execute("SELECT count(*) FROM schedctl.agent").fetchone() == (0,)


def test_the_last_fifty_are_kept_and_no_more(site_at: Callable[[str], Site]) -> None:
    story = Story(site_at)
    for number in range(70):
        story.beat(tokens=number)
    kept = story.site.db.execute("SELECT tokens FROM schedctl.agent").fetchone()
    assert kept == (list(range(20, 70)),)


def test_a_beat_is_one_hot_update(site: Site) -> None:
    site.db.execute("SELECT schedctl.beat('a', 'ok', 1)")
    for _ in range(200):
        site.db.execute("SELECT schedctl.beat('a', 'ok', 1)")
    site.db.execute("SELECT pg_stat_force_next_flush()")
    row = site.db.execute(
        "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'agent' AND schemaname = 'schedctl'"
    ).fetchone()
    assert row is not None
    assert row[0] >= 200
    assert row[1] > 0.95 * row[0]


def test_watch_says_once_that_ticks_or_workers_stopped(site_at: Callable[[str], Site]) -> None:
    story = Story(site_at)
    story.lives(1)
    assert watch(story.site).troubles == ()
    story.site.db.execute("UPDATE schedctl.tick_beat SET beat_at = clock_timestamp() - interval '3 minutes'")
    for _ in range(2):
        assert [one.type for one in watch(story.site).troubles] == ["tick_silent"]
    told = story.site.db.execute("SELECT count(*) FROM schedctl.event WHERE type = 'tick_silent'").fetchone()
    assert told == (1,)
