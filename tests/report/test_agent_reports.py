"""What a report says of an agent that keeps dying, and of one that says that it is unwell."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import agent_stories
import pytest
from agent_stories import EXECUTOR, UNAIDED, Story

from schedctl.redact import Redactor
from schedctl.usecases import status
from schedctl.usecases.report import Wanted, make

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedctl.report.agent_model import AgentReport
    from schedctl.usecases.site import Site


def told_today(story: Story) -> AgentReport:
    """The report on the story's own day, as of now."""
    report = make(story.site, Wanted(day="today"), Redactor())
    (agent,) = report.agents
    return agent


def spans(agent: AgentReport) -> list[str]:
    return [f"{one.kind} {one.start:%H:%M}-{one.end:%H:%M}" for one in agent.strip]


@pytest.fixture(autouse=True)
def in_a_far_year(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an adoption leaves is of the real day: no story may lie on it."""
    monkeypatch.setattr(agent_stories, "START", datetime.fromisoformat("2037-12-01T10:00:00+09:00"))


@pytest.fixture
def story(site_at: Callable[[str], Site]) -> Story:
    """An executor that is watched from ten in the morning on, and has lived for five minutes."""
    told = Story(site_at, EXECUTOR)
    told.lives(5)
    return told


def test_restarts_that_do_not_help_are_a_loop(story: Story) -> None:
    for _ in range(3):
        while story.passes(1) != "restarting":
            pass
        story.restart_ends()
    while story.passes(1) != "escalated":
        pass
    agent = told_today(story)
    assert [loop.en for loop in agent.loops] == ["restarted 3 times in a loop, from Tue 1 Dec 10:08 to Tue 1 Dec 10:18"]
    assert agent.cooldowns == 3
    assert [(need.type, need.message) for need in agent.needs] == [
        (need.type, need.message) for need in status.look(story.site).needs if need.type == "agent_escalated"
    ]
    assert spans(agent)[:3] == ["unwatched 00:00-10:00", "alive 10:00-10:05", "silent 10:05-10:23"]
    assert [event.type for event in agent.events] == ["agent_unhealthy", *["agent_restarted"] * 3, "agent_escalated"]


def test_one_restart_that_helps_is_no_loop(story: Story) -> None:
    while story.passes(1) != "restarting":
        pass
    story.restart_ends()
    story.passes(1)
    story.lives(10)
    agent = told_today(story)
    assert (agent.loops, agent.cooldowns, agent.needs) == ((), 0, ())
    assert spans(agent)[1:4] == ["alive 10:00-10:05", "silent 10:05-10:10", "alive 10:10-10:19"]
    assert agent.alive.en == "silent once, 5 min in all (73.7 % well)"


def test_an_agent_that_says_error_beats_and_is_not_well(site_at: Callable[[str], Site]) -> None:
    story = Story(site_at, UNAIDED)
    story.lives(5)
    for _ in range(10):
        story.now = story.now.replace(minute=story.now.minute + 1)
        story.beat("error")
        story.passes(0)
    story.passes(1)
    story.lives(4)
    agent = told_today(story)
    assert "unwell" in {one.kind for one in agent.strip}
    assert agent.alive.en.startswith("unwell for ")


def test_an_announced_stop_is_no_gap(story: Story) -> None:
    story.beat("stopping")
    story.passes(30)
    story.beat()
    agent = told_today(story)
    assert spans(agent)[1:3] == ["alive 10:00-10:05", "stopped 10:05-10:35"]
    assert agent.alive_share == 1.0


def test_before_there_is_an_agent_nothing_is_said(site_at: Callable[[str], Site]) -> None:
    assert make(site_at("2037-12-01T10:00+09:00"), Wanted(), Redactor()).agents == ()


def test_the_day_before_it_was_watched_counts_for_nothing(story: Story) -> None:
    report = make(story.site, Wanted(), Redactor())
    (agent,) = report.agents
    assert (agent.alive_share, agent.alive.en) == (None, "there was no time in which it was watched")
    assert report.quiet
    assert not agent.noteworthy
