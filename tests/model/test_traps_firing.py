"""Traps of other schedulers at firing that no other test covers; traps.tsv says which test covers which trap."""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import agent_stories
import psycopg
import pytest
from installations import runs_of, told
from making import CHANGES, READS, add

from schedctl.store.runs import RunFilter
from schedctl.usecases import installation, runs, schedules
from schedctl.usecases.tick import tick

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Command

    from schedctl.usecases.site import Site

DAILY = "daily at 03:00 in Asia/Tokyo"
MINUTELY = "daily at 00:00-23:59/1m in Asia/Tokyo"
BEFORE = "2026-12-01T10:00+09:00"


@pytest.fixture
def start(site_at: Callable[[str], Site]) -> Site:
    """An armed installation on the first of December."""
    site = site_at(BEFORE)
    installation.arm(site, None)
    return site


@pytest.mark.parametrize(
    ("line", "ticked_at", "missed"),
    [
        (MINUTELY, "2026-12-01T10:27:10+09:00", 26),  # openclaw#2826: silent for 27 minutes, then 20 copies
        (MINUTELY, "2026-12-04T10:00:10+09:00", 4319),  # kubernetes#42649: more than a hundred, and it gave up for good
        ("daily at 00:00-23:59/60m in Asia/Tokyo", "2026-12-01T18:20+09:00", 7),  # Cronicle#263: all of a day's hours
        ("daily at 00:00-23:59/5m in Asia/Tokyo", "2026-12-15T10:00:30+09:00", 4031),  # river#1035: two weeks of them
    ],
)
def test_after_a_gap_one_fires_the_rest_is_counted_and_the_next_comes_as_usual(
    site_at: Callable[[str], Site], start: Site, line: str, ticked_at: str, missed: int
) -> None:
    add(start, line, overlap="allow")
    began = time.thread_time()
    report = tick(site_at(ticked_at))
    assert time.thread_time() - began < 1  # a few milliseconds; a walk over each of them would show
    assert (report.fired, report.missed) == (1, missed)
    assert told(start) == [("missed", "late", missed), ("queued", None, 1)]
    assert tick(site_at(ticked_at)).fired == 0
    row = start.db.execute("SELECT next_fire_at FROM schedctl.schedule").fetchone()
    assert row is not None
    assert tick(site_at(row[0].isoformat())).fired == 1


def test_what_a_long_tick_holds_fires_in_the_next_free_one(site_at: Callable[[str], Site], start: Site) -> None:
    """hermes-agent#48915: a one-shot fell between a lock and a grace of two minutes."""
    add(start, "once 2026-12-01T10:01:00+09:00 in Asia/Tokyo")
    with psycopg.connect(start.line.dsn) as long_tick:
        long_tick.execute("SELECT FROM schedctl.schedule FOR UPDATE")
        assert tick(site_at("2026-12-01T10:01:10+09:00")).fired == 0
    assert tick(site_at("2026-12-01T10:40:10+09:00")).fired == 1


def test_a_schedule_moved_to_an_earlier_hour_of_the_day_does_not_fire_at_once(schedctl: Command) -> None:
    """Hangfire#366, dagster#13597: there is no editing; the one that replaces it starts from now."""
    before, now = "2026-12-01T09:00+09:00", "2026-12-01T10:00+09:00"
    assert schedctl("arm", now=before).code == 0
    old = schedctl("register", "--json", "毎日11時にmarsのディスク使用量を確認して", now=before).json["schedule"]
    new = schedctl(
        "register", "--json", "--replaces", str(old["id"]), "毎日9時半にmarsのディスク使用量を確認して", now=now
    ).json["schedule"]
    assert new["next"][0] == "2026-12-02T09:30:00+09:00"
    assert schedctl("tick", "--json", now="2026-12-01T10:00:30+09:00").json["fired"] == 0
    assert schedctl("tick", "--json", now="2026-12-01T11:00:30+09:00").json["fired"] == 0
    assert schedctl("tick", "--json", now="2026-12-02T09:30:30+09:00").json["fired"] == 1


def test_how_late_a_run_began_stands_in_it(site_at: Callable[[str], Site], start: Site) -> None:
    """apscheduler#292: a grace of one second made daily jobs vanish on a busy host."""
    add(start, DAILY)
    assert tick(site_at("2026-12-02T03:00:55+09:00")).fired == 1
    (run,) = runs_of(start)
    assert (run["created_at"] - run["scheduled_for"]).total_seconds() == 55


def test_each_reason_for_not_running_has_its_row_and_can_be_looked_for(
    site_at: Callable[[str], Site], start: Site
) -> None:
    """temporal#8087: nobody could be told of a slot that was left out."""
    late = add(start, "once 2026-12-01T10:05:00+09:00 in Asia/Tokyo", say="late")
    unapproved = add(start, "once 2026-12-01T10:05:00+09:00 in Asia/Tokyo", CHANGES, say="unapproved", state="pending")
    paused = add(start, "once 2026-12-01T10:05:00+09:00 in Asia/Tokyo", say="paused")
    schedules.pause(start, str(paused), "点検")
    frozen = add(start, "once 2026-12-01T12:00:00+09:00 in Asia/Tokyo", CHANGES, say="frozen")
    start.db.execute(
        "INSERT INTO schedctl.freeze VALUES ('2026-12-01T11:30+09:00', '2026-12-01T12:30+09:00', '{changes}', '凍結')"
    )
    again = add(start, "daily at 12:00,12:01 in Asia/Tokyo", say="again")
    tick(site_at("2026-12-01T12:00:10+09:00"))
    schedules.resume(site_at("2026-12-01T12:00:20+09:00"), str(paused))
    tick(site_at("2026-12-01T12:01:10+09:00"))
    tick(site_at("2026-12-01T13:01:10+09:00"))
    installation.disarm(site_at("2026-12-01T13:02+09:00"), None)
    tick(site_at("2026-12-02T12:00:10+09:00"))
    found = runs.listed(start, RunFilter(states=("missed", "skipped", "rehearsed")), None).runs
    assert sorted((run.schedule_id, run.state, run.reason) for run in found) == [
        (late, "missed", "late"),
        (unapproved, "missed", "not_approved"),
        (paused, "skipped", "paused"),
        (frozen, "skipped", "freeze"),
        (again, "missed", "not_claimed"),
        (again, "rehearsed", None),
        (again, "skipped", "overlap"),
    ]


def test_firing_and_working_know_no_planner() -> None:
    """antfarm#218: what fires every five minutes must not cost a token; nothing here could ask a model."""
    program = (
        "import sys, schedctl.usecases.tick, schedctl.usecases.work\n"
        "print(*[name for name in sys.modules if name.startswith('schedctl.planner')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


def test_two_hosts_for_ten_minutes(site_at: Callable[[str], Site], start: Site) -> None:
    """argo-workflows#2773: every schedule began twice while two controllers overlapped."""
    for number in range(3):
        add(start, MINUTELY, READS, say=f"plan {number}", overlap="allow")
    for minute in range(1, 11):
        here = site_at(f"2026-12-01T10:{minute:02}:02+09:00")
        there = site_at(f"2026-12-01T10:{minute:02}:{3 * minute:02}+09:00")
        assert [tick(here).fired, tick(there).fired] == [3, 0]
    assert len(runs_of(start)) == 30


@pytest.mark.parametrize("change", ["2026-03-08T07:00+00:00", "2026-11-01T06:00+00:00"])
def test_a_watched_agent_that_beats_through_a_clock_change_alarms_nobody(
    site_at: Callable[[str], Site], monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """healthchecks#815: false alarms after the clocks of New York had changed."""
    monkeypatch.setattr(agent_stories, "START", datetime.fromisoformat(change) - timedelta(minutes=40))
    story = agent_stories.Story(site_at)
    assert story.lives(80) == "ok"
    assert story.events() == []
