"""After a clock that was ahead for a while: what was settled, armed or approved by it holds nothing back for years."""

from __future__ import annotations

from typing import TYPE_CHECKING

from installations import runs_of, state_of, told
from making import CHANGES, add

from schedctl.usecases import installation, schedules
from schedctl.usecases import tick as ticking
from schedctl.usecases.tick import tick

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from schedctl.usecases.site import Site

DAILY = "daily at 10:00 in Asia/Tokyo"
BEFORE = "2026-12-01T09:00+09:00"
YEARS_AHEAD = "2031-06-01T12:00+09:00"
DUE = "2026-12-01T10:00:10+09:00"


def test_what_was_registered_by_it_fires_though_no_tick_saw_that_clock(site_at: Callable[[str], Site]) -> None:
    installation.arm(site_at(BEFORE), None)
    schedule = add(site_at(YEARS_AHEAD), DAILY)
    tick(site_at(BEFORE))
    site = site_at(DUE)
    assert tick(site).fired == 1
    query = "SELECT count(*) FROM schedctl.event WHERE type = 'clock_went_back' AND schedule_id = %s"
    assert site.db.execute(query, (schedule,)).fetchone() == (1,)


def test_more_schedules_than_a_batch_come_back(site_at: Callable[[str], Site], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ticking, "BATCH", 3)
    installation.arm(site_at(BEFORE), None)
    for number in range(7):
        add(site_at(BEFORE), DAILY, say=f"plan {number}")
    assert tick(site_at(YEARS_AHEAD)).missed > 7
    tick(site_at(BEFORE))
    assert tick(site_at(DUE)).fired == 7


def test_a_pending_rule_that_comes_back_still_records_nothing(site_at: Callable[[str], Site]) -> None:
    installation.arm(site_at(BEFORE), None)
    schedule = add(site_at(YEARS_AHEAD), DAILY, CHANGES, state="pending")
    tick(site_at(BEFORE))
    site = site_at(DUE)
    tick(site)
    assert told(site) == []
    assert state_of(site, schedule) == "pending"


def test_what_passes_while_paused_is_recorded_though_that_clock_paused_it(
    site_at: Callable[[str], Site],
) -> None:
    installation.arm(site_at(BEFORE), None)
    schedule = add(site_at(YEARS_AHEAD), DAILY)
    schedules.pause(site_at(YEARS_AHEAD), str(schedule), "点検")
    tick(site_at(BEFORE))
    site = site_at("2026-12-03T12:00+09:00")
    schedules.resume(site, str(schedule))
    assert told(site) == [("skipped", "paused", 3)]


def test_arming_by_it_holds_nothing_back(site_at: Callable[[str], Site]) -> None:
    installation.arm(site_at(YEARS_AHEAD), None)
    add(site_at(BEFORE), DAILY)
    assert tick(site_at(DUE)).fired == 1


def test_resuming_by_a_clock_that_went_back_a_little_records_nothing_again(site_at: Callable[[str], Site]) -> None:
    installation.arm(site_at(BEFORE), None)
    schedule = add(site_at(BEFORE), "daily at 00:00-23:59/1m in Asia/Tokyo")
    tick(site_at("2026-12-01T09:30:10+09:00"))  # 29 missed, one fired
    schedules.pause(site_at("2026-12-01T09:30:20+09:00"), str(schedule), "点検")
    schedules.resume(site_at("2026-12-01T09:10:20+09:00"), str(schedule))
    assert tick(site_at("2026-12-01T09:11:10+09:00")).fired == 0
    site = site_at("2026-12-01T09:31:10+09:00")
    assert tick(site).fired == 1
    assert [run["count"] for run in runs_of(site)] == [29, 1, 1]


def test_a_freeze_is_asked_at_the_instant_of_the_occurrence_however_late_the_tick(
    site_at: Callable[[str], Site],
) -> None:
    start = site_at(BEFORE)
    installation.arm(start, None)
    start.db.execute(
        "INSERT INTO schedctl.freeze VALUES ('2026-12-01T09:30+09:00', '2026-12-01T10:30+09:00', '{changes}', '凍結')"
    )
    add(start, "once 2026-12-01T10:00:00+09:00 in Asia/Tokyo", CHANGES)
    site = site_at("2026-12-01T13:00+09:00")
    tick(site)
    assert told(site) == [("skipped", "freeze", 1)]


def test_an_occurrence_that_already_ran_by_it_is_refused_by_its_key(site_at: Callable[[str], Site]) -> None:
    """The last word: whatever else went wrong, an occurrence has one run, and its schedule goes on."""
    installation.arm(site_at(BEFORE), None)
    schedule = add(site_at(BEFORE), DAILY)
    assert tick(site_at("2026-12-04T10:00:10+09:00")).fired == 1
    runs = [(run["scheduled_for"], run["state"]) for run in runs_of(site_at(BEFORE))]
    site = site_at(BEFORE)
    tick(site)  # it goes on from here
    site.db.execute("UPDATE schedctl.run SET state = 'succeeded', finished_at = now() WHERE state = 'queued'")
    report = tick(site_at("2026-12-04T10:00:20+09:00"))
    assert (report.fired, state_of(site, schedule)) == (0, "active")
    assert any("すでに記録があった" in warning.ja for warning in report.warnings)
    assert [run["scheduled_for"] for run in runs_of(site)].count(runs[-1][0]) == 1
