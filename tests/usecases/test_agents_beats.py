"""What a beat leaves behind: one row, the last counts, an alarm an episode; and what else costs tokens."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, LiteralString

import psycopg
import pytest
from agent_stories import EXECUTOR, UNAIDED, Story
from making import READS, add
from psycopg.types.json import Jsonb

from schedctl.usecases.beats import beat
from schedctl.usecases.tick import tick

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedctl.usecases.site import Site

    SiteAt = Callable[[str], Site]

NONSENSE: tuple[LiteralString, ...] = (
    "SELECT schedctl.beat('x', 'dead')",
    "SELECT schedctl.beat('x', NULL)",
    "SELECT schedctl.beat('x', 'ok', -1)",
    "SELECT schedctl.beat('', 'ok')",
    "SELECT schedctl.beat(repeat('x', 201), 'ok')",
    "SELECT schedctl.beat('x', 'ok', p_for => '1 minute')",
    "SELECT schedctl.beat('x', 'stopping', p_for => '0')",
    "SELECT schedctl.beat('x', 'stopping', p_for => '25 hours')",
)


@pytest.mark.parametrize("statement", NONSENSE)
def test_nonsense_is_refused(site: Site, statement: LiteralString) -> None:
    with pytest.raises(psycopg.Error):
        site.db.execute(statement)
    assert site.db.execute("SELECT count(*) FROM schedctl.agent").fetchone() == (0,)


def test_a_token_loop_is_told_once_an_episode(site_at: SiteAt) -> None:
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


def test_ten_times_the_mean_is_not_yet_an_alarm(site_at: SiteAt) -> None:
    story = Story(site_at)
    story.lives(10, tokens=100)
    story.beat(tokens=1000)
    assert story.events() == []
    story.lives(50, tokens=100)
    story.beat(tokens=1001)
    assert story.events() == ["cost_alarm"]


def test_a_beat_without_a_count_ends_no_episode(site_at: SiteAt) -> None:
    story = Story(site_at)
    story.lives(10, tokens=100)
    story.lives(1, tokens=2000)
    story.lives(1)
    assert story.column("cost_alarm")
    story.lives(1, tokens=2000)
    assert story.events() == ["cost_alarm"]


def test_a_baseline_of_nothing_counts_as_one(site_at: SiteAt) -> None:
    story = Story(site_at)
    story.lives(12, tokens=0)
    story.lives(1, tokens=10)
    assert story.events() == []
    story.lives(1, tokens=11)
    assert story.events() == ["cost_alarm"]


def test_stopping_beats_are_left_out_of_the_mean(site_at: SiteAt) -> None:
    story = Story(site_at)
    story.lives(10, tokens=100)
    story.beat("stopping", tokens=1_000_000)
    story.beat(tokens=1001)
    assert story.events() == ["cost_alarm"]


def test_the_last_fifty_are_kept_and_no_more(site_at: SiteAt) -> None:
    story = Story(site_at)
    for number in range(70):
        story.beat(tokens=number)
    assert story.column("tokens") == list(range(20, 70))


def test_a_window_that_was_made_smaller_forgets_what_is_older(site_at: SiteAt) -> None:
    story = Story(site_at)
    for number in range(40):
        story.beat(tokens=number)
    story.watches(replace(EXECUTOR, cost_window=10))
    story.beat(tokens=40)
    assert story.column("tokens") == list(range(31, 41))


def test_who_beats_without_standing_in_the_catalog_is_not_judged(site_at: SiteAt) -> None:
    story = Story(site_at)
    for _ in range(12):
        beat(story.site, "stranger", "ok", 1)
    beat(story.site, "stranger", "ok", 1_000_000)
    story.passes(1)
    found = story.site.db.execute("SELECT watched, state FROM schedctl.agent WHERE name = 'stranger'").fetchone()
    assert found == (False, "ok")
    assert story.site.db.execute("SELECT count(*) FROM schedctl.event WHERE type = 'cost_alarm'").fetchone() == (0,)


def test_a_beat_is_one_hot_update(site: Site) -> None:
    site.db.execute("SELECT schedctl.beat('a', 'ok', 1)")
    for _ in range(200):
        site.db.execute("SELECT schedctl.beat('a', 'ok', 1)")
    site.db.execute("SELECT pg_stat_force_next_flush()")
    row = site.db.execute(
        "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'agent' AND schemaname = 'schedctl'"
    ).fetchone()
    assert row is not None
    assert row[0] == 201  # the first one made the row too
    assert row[1] > 0.95 * row[0]


def test_judging_locks_no_agent_that_is_well(site_at: SiteAt, database: str) -> None:
    story = Story(site_at)
    story.beat()
    site = story.site
    with site.transaction(), psycopg.connect(database) as other:
        site.db.execute("SELECT schedctl.judge_agents()")
        other.execute("SELECT FROM schedctl.agent FOR UPDATE NOWAIT")


def spend(site: Site, tokens: int) -> None:
    """A run of the one schedule ends with an HTTP answer that says what it used."""
    with site.transaction():
        row = site.db.execute("SELECT leg_id, token FROM schedctl.claim('w', 'testhost')").fetchone()
        assert row is not None
        site.db.execute("SELECT schedctl.begin_step(%s, %s, 0, 1)", row)
        ended = (*row, tokens)
        site.db.execute(
            "SELECT schedctl.finish_step(%s, %s, 0, 1, 'succeeded', 0, NULL, '', '', 0, '', '', '', 0, '', 'x', %s)",
            ended,
        )
        site.db.execute("SELECT schedctl.finish_leg(%s, %s, 'succeeded', NULL, NULL)", row)


def test_the_runs_of_a_schedule_are_compared_with_those_before(site_at: SiteAt) -> None:
    story = Story(site_at, UNAIDED)
    add(story.site, "daily at 00:00-23:59/60m in Asia/Tokyo", READS)
    for tokens in (*[100] * 10, 5000, 6000):
        story.now = story.now.replace(minute=0) + timedelta(hours=1)
        tick(story.site)
        spend(story.site, tokens)
    found = story.site.db.execute(
        "SELECT schedule_id, run_id, detail ->> 'tokens' FROM schedctl.event WHERE type = 'cost_alarm'"
    ).fetchall()
    assert found == [(1, 11, "5000")]


def test_the_planner_is_compared_with_itself(site: Site) -> None:
    plan = "INSERT INTO schedctl.plan (digest, risk, document) VALUES ('x', 'reads', jsonb_build_object('origin', %s))"
    for tokens in (*[900] * 10, 20_000, 900):
        site.db.execute(plan, (Jsonb({"planner": "ollama/x", "tokens": tokens}),))
    found = site.db.execute("SELECT detail ->> 'subject' FROM schedctl.event WHERE type = 'cost_alarm'").fetchall()
    assert found == [("planner",)]
