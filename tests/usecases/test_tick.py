"""What a tick marks, enqueues and records: each occurrence once, or the reason why not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from installations import runs_of, state_of, told
from making import BREAKS, CHANGES, READS, add
from psycopg.sql import SQL

from schedctl.usecases import installation, schedules
from schedctl.usecases.tick import tick

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedctl.usecases.site import Site

DAILY = "daily at 03:00 in Asia/Tokyo"
MINUTELY = "daily at 00:00-23:59/1m in Asia/Tokyo"
MONDAY_NIGHT = "weekly mon at 01:00 in Asia/Tokyo"


def test_what_is_due_fires_once_however_often_ticks_come(site_at: Callable[[str], Site]) -> None:
    installation.arm(site_at("2026-12-01T10:00+09:00"), None)
    add(site_at("2026-12-01T10:00+09:00"), DAILY)
    assert tick(site_at("2026-12-02T02:59:59.2+09:00")).fired == 0  # a timer that woke a little early
    assert tick(site_at("2026-12-02T03:00:00.1+09:00")).fired == 1
    assert tick(site_at("2026-12-02T03:00:59+09:00")).fired == 0
    site = site_at("2026-12-02T03:01+09:00")
    assert tick(site).fired == 0
    assert told(site) == [("queued", None, 1)]


@pytest.mark.parametrize(
    ("line", "ticked_at", "expected"),
    [
        (DAILY, "2026-12-02T03:00:55+09:00", [("queued", None, 1)]),  # late within the minute
        (DAILY, "2026-12-02T03:59:59+09:00", [("queued", None, 1)]),  # the catch-up limit is an hour
        (DAILY, "2026-12-02T04:00:00+09:00", [("missed", "late", 1)]),
        (DAILY, "2026-12-05T03:10+09:00", [("missed", "late", 3), ("queued", None, 1)]),  # only the latest fires
        (DAILY, "2026-12-05T23:00+09:00", [("missed", "late", 4)]),
        (MINUTELY, "2026-12-04T10:00:30+09:00", [("missed", "late", 4319), ("queued", None, 1)]),  # off for three days
    ],
)
def test_catch_up_reaches_back_an_hour_and_fires_the_latest(
    site_at: Callable[[str], Site], line: str, ticked_at: str, expected: list[tuple[str, str | None, int]]
) -> None:
    installation.arm(site_at("2026-12-01T10:00+09:00"), None)
    add(site_at("2026-12-01T10:00+09:00"), line)
    site = site_at(ticked_at)
    tick(site)
    assert told(site) == expected


def test_a_summary_says_first_last_and_count(site_at: Callable[[str], Site]) -> None:
    installation.arm(site_at("2026-12-01T10:00+09:00"), None)
    add(site_at("2026-12-01T10:00+09:00"), DAILY)
    site = site_at("2026-12-05T23:00+09:00")
    tick(site)
    (run,) = runs_of(site)
    assert run["first_at"].isoformat() == "2026-12-01T18:00:00+00:00"
    assert run["last_at"] == run["scheduled_for"]
    assert run["last_at"].isoformat() == "2026-12-04T18:00:00+00:00"


def test_disarmed_nothing_fires_and_every_occurrence_is_rehearsed(site_at: Callable[[str], Site]) -> None:
    add(site_at("2026-12-01T10:00+09:00"), DAILY)
    once = add(site_at("2026-12-01T10:00+09:00"), "once 2026-12-02T03:00:00+09:00 in Asia/Tokyo")
    site = site_at("2026-12-02T03:00:30+09:00")
    report = tick(site)
    assert (report.armed, report.fired, report.rehearsed) == (False, 0, 2)
    assert told(site) == [("rehearsed", None, 1)] * 2
    assert state_of(site, once) == "finished"


def test_arming_fires_nothing_that_was_due_before(site_at: Callable[[str], Site]) -> None:
    add(site_at("2026-12-01T10:00+09:00"), DAILY)
    installation.arm(site_at("2026-12-02T03:00:30+09:00"), "開通")
    site = site_at("2026-12-02T03:01+09:00")
    tick(site)
    assert told(site) == []
    assert tick(site_at("2026-12-03T03:00:30+09:00")).fired == 1


def test_the_zone_of_the_schedule_decides_not_the_hosts(site_at: Callable[[str], Site]) -> None:
    installation.arm(site_at("2026-11-30T10:00+09:00"), None)
    add(site_at("2026-11-30T10:00+09:00"), MONDAY_NIGHT)
    assert tick(site_at("2026-12-07T00:59:00+09:00")).fired == 0
    assert tick(site_at("2026-12-07T01:00:30+09:00")).fired == 1
    # Monday 01:00 in UTC is ten in the morning in Tokyo: nothing is due then.
    assert tick(site_at("2026-12-14T01:00:30+00:00")).fired == 0


def test_a_one_shot_is_finished_when_it_fires(site_at: Callable[[str], Site]) -> None:
    installation.arm(site_at("2026-12-01T10:00+09:00"), None)
    once = add(site_at("2026-12-01T10:00+09:00"), "once 2026-12-01T11:00:00+09:00 in Asia/Tokyo")
    site = site_at("2026-12-01T11:00:10+09:00")
    assert tick(site).fired == 1
    assert state_of(site, once) == "finished"


def test_a_one_shot_that_nobody_approved_in_time_is_missed(site_at: Callable[[str], Site]) -> None:
    installation.arm(site_at("2026-12-01T10:00+09:00"), None)
    line = "once 2026-12-01T11:00:00+09:00 in Asia/Tokyo"
    once = add(site_at("2026-12-01T10:00+09:00"), line, CHANGES, state="pending")
    site = site_at("2026-12-01T11:00:10+09:00")
    tick(site)
    assert told(site) == [("missed", "not_approved", 1)]
    assert state_of(site, once) == "finished"


def test_a_pending_rule_records_nothing(site_at: Callable[[str], Site]) -> None:
    installation.arm(site_at("2026-12-01T10:00+09:00"), None)
    add(site_at("2026-12-01T10:00+09:00"), DAILY, CHANGES, state="pending")
    site = site_at("2026-12-02T03:00:10+09:00")
    tick(site)
    assert told(site) == []


def test_a_run_that_has_not_ended_is_not_overlapped(site_at: Callable[[str], Site]) -> None:
    installation.arm(site_at("2026-12-01T10:00+09:00"), None)
    add(site_at("2026-12-01T10:00+09:00"), MINUTELY)
    tick(site_at("2026-12-01T10:01:10+09:00"))
    site = site_at("2026-12-01T10:02:10+09:00")
    assert tick(site).skipped == 1
    assert told(site) == [("queued", None, 1), ("skipped", "overlap", 1)]


def test_a_freeze_skips_what_it_names_and_nothing_else(site_at: Callable[[str], Site]) -> None:
    start = site_at("2026-12-01T10:00+09:00")
    installation.arm(start, None)
    start.db.execute(
        "INSERT INTO schedctl.freeze "
        "VALUES ('2026-12-02T00:00+09:00', '2026-12-03T00:00+09:00', '{changes,disrupts}', '年末')"
    )
    add(start, DAILY, CHANGES)
    add(start, DAILY, READS)
    site = site_at("2026-12-02T03:00:30+09:00")
    report = tick(site)
    assert (report.skipped, report.fired) == (1, 1)
    assert ("skipped", "freeze", 1) in told(site)
    assert tick(site_at("2026-12-03T03:00:30+09:00")).fired == 1  # the reading one still waits for its worker: overlap


def test_a_queue_that_nobody_claims_ends_as_missed(site_at: Callable[[str], Site]) -> None:
    installation.arm(site_at("2026-12-01T10:00+09:00"), None)
    add(site_at("2026-12-01T10:00+09:00"), DAILY)
    tick(site_at("2026-12-02T03:00:30+09:00"))
    assert tick(site_at("2026-12-02T04:00:00+09:00")).missed == 0
    site = site_at("2026-12-02T04:00:01+09:00")
    assert tick(site).missed == 1
    assert told(site) == [("missed", "not_claimed", 1)]


def test_a_clock_that_went_back_repeats_nothing_and_says_so(site_at: Callable[[str], Site]) -> None:
    installation.arm(site_at("2026-12-01T09:00+09:00"), None)
    add(site_at("2026-12-01T09:00+09:00"), "daily at 10:00 in Asia/Tokyo")
    assert tick(site_at("2026-12-01T10:00:10+09:00")).fired == 1
    report = tick(site_at("2026-12-01T09:58+09:00"))
    assert "2 分" in report.warnings[0].ja
    site = site_at("2026-12-01T10:00:20+09:00")
    assert tick(site).fired == 0
    assert len(runs_of(site)) == 1


def test_a_clock_that_was_far_ahead_poisons_nothing(site_at: Callable[[str], Site]) -> None:
    installation.arm(site_at("2026-12-01T09:00+09:00"), None)
    schedule = add(site_at("2026-12-01T09:00+09:00"), "daily at 10:00 in Asia/Tokyo")
    tick(site_at("2031-06-01T12:00+09:00"))  # a clock wrong by years settles far ahead
    tick(site_at("2026-12-01T09:30+09:00"))
    assert tick(site_at("2026-12-01T10:00:10+09:00")).fired == 1
    site = site_at("2026-12-01T10:01+09:00")
    query = "SELECT count(*) FROM schedctl.event WHERE type = 'clock_went_back' AND schedule_id = %s"
    assert site.db.execute(query, (schedule,)).fetchone() == (1,)


def test_one_bad_row_is_paused_and_the_others_fire(site_at: Callable[[str], Site]) -> None:
    start = site_at("2026-12-01T10:00+09:00")
    installation.arm(start, None)
    good = [add(start, DAILY, say=f"good {number}") for number in range(3)]
    bad = add(start, DAILY, say="bad")
    start.db.execute(
        "UPDATE schedctl.schedule SET rule = 'daily at 03:00 in Mars/Olympus' WHERE schedule_id = %s", (bad,)
    )
    site = site_at("2026-12-02T03:00:30+09:00")
    report = tick(site)
    assert (report.fired, report.refused) == (3, 1)
    assert state_of(site, bad) == "paused"
    assert [state_of(site, one) for one in good] == ["active"] * 3
    assert [(run["state"], run["error"]["type"]) for run in runs_of(site) if run["schedule_id"] == bad] == [
        ("refused", "unknown_timezone")
    ]


def test_a_pause_by_a_broken_rule_cancels_what_is_queued(site_at: Callable[[str], Site]) -> None:
    start = site_at("2026-12-01T10:00+09:00")
    installation.arm(start, None)
    schedule = add(start, "daily at 03:00,03:30 in Asia/Tokyo", CHANGES, overlap="queue")
    assert tick(site_at("2026-12-02T03:00:30+09:00")).fired == 1
    start.db.execute("UPDATE schedctl.schedule SET rule = 'daily at 03:30 in Mars/Olympus'")
    site = site_at("2026-12-02T03:30:30+09:00")
    assert tick(site).refused == 1
    assert state_of(site, schedule) == "paused"
    assert told(site) == [("cancelled", "paused", 1), ("refused", None, 1)]


def test_a_row_that_the_database_refuses_is_paused_alone(site_at: Callable[[str], Site]) -> None:
    """The batch fails as a whole and is done again row by row."""
    start = site_at("2026-12-01T10:00+09:00")
    installation.arm(start, None)
    good = add(start, DAILY, say="good")
    bad = add(start, DAILY, say="bad")
    start.db.execute(
        SQL(
            "ALTER TABLE schedctl.run ADD CONSTRAINT no_runs_of_the_bad_one "
            "CHECK (schedule_id <> {} OR state = 'refused')"
        ).format(bad)
    )
    site = site_at("2026-12-02T03:00:30+09:00")
    report = tick(site)
    assert (report.fired, report.refused) == (1, 1)
    assert (state_of(site, good), state_of(site, bad)) == ("active", "paused")


def test_two_hosts_tick_and_one_fires(site_at: Callable[[str], Site]) -> None:
    installation.arm(site_at("2026-12-01T10:00+09:00"), None)
    add(site_at("2026-12-01T10:00+09:00"), DAILY)
    one = site_at("2026-12-02T03:00:30+09:00")
    other = replace(one, settings=replace(one.settings, host="otherhost"))
    assert [tick(one).fired, tick(other).fired] == [1, 0]
    beats = one.db.execute("SELECT host FROM schedctl.tick_beat ORDER BY host").fetchall()
    assert beats == [("otherhost",), ("testhost",)]


def test_archiving_and_disarming_cancel_what_is_queued(site_at: Callable[[str], Site]) -> None:
    start = site_at("2026-12-01T10:00+09:00")
    installation.arm(start, None)
    first, _ = add(start, DAILY, say="first"), add(start, DAILY, say="second")
    site = site_at("2026-12-02T03:00:30+09:00")
    tick(site)
    schedules.archive(site, str(first), "要らない")
    assert told(site) == [("cancelled", "archived", 1), ("queued", None, 1)]
    switched = installation.disarm(site, None)
    assert switched.cancelled_runs == 1
    assert told(site) == [("cancelled", "archived", 1), ("cancelled", "disarmed", 1)]


def test_failing_changes_pause_after_three_in_a_row(site_at: Callable[[str], Site]) -> None:
    start = site_at("2026-12-01T10:00+09:00")
    installation.arm(start, None)
    breaking = add(start, DAILY, BREAKS)
    for day in (2, 3, 4):
        site = site_at(f"2026-12-0{day}T03:00:30+09:00")
        assert tick(site).fired == 1
        site.db.execute("UPDATE schedctl.leg SET state = 'failed', finished_at = now() WHERE state = 'queued'")
        site.db.execute("SELECT schedctl.settle_run(max(run_id)) FROM schedctl.run")
        assert state_of(site, breaking) == ("paused" if day == 4 else "active")
    assert site.db.execute("SELECT reason FROM schedctl.schedule").fetchone() == ("auto_paused",)
