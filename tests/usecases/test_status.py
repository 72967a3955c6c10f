"""What needs a person, what does not, and the sentences that are said in any case."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from making import BREAKS, CHANGES, READS, add

from schedctl.plan.request import Request
from schedctl.redact import Redactor
from schedctl.transport.local import LocalTransport
from schedctl.usecases import installation, nodes, notices, runs, schedules, status
from schedctl.usecases.ledger import Ledger
from schedctl.usecases.tick import tick
from schedctl.usecases.work import drain, work_on_run
from schedctl.usecases.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedctl.usecases.site import Site

    SiteAt = Callable[[str], Site]

DAILY = "daily at 03:00 in Asia/Tokyo"
START = "2026-12-01T10:00+09:00"
DUE = "2026-12-02T03:00:30+09:00"
FAILS = (Request("mars", "probe.fails"),)


def worker(site: Site) -> Worker:
    return Worker(
        Ledger(site, "w1"), {"local": LocalTransport()}, Redactor(), None, 1, 65_536, "Asia/Tokyo", threading.Event()
    )


@pytest.fixture
def start(site_at: SiteAt) -> Site:
    """An armed installation on the first of December."""
    site = site_at(START)
    installation.arm(site, "本番開始")
    return site


def needs(site: Site) -> list[str]:
    return [need.type for need in status.look(site).needs]


def test_a_new_installation_is_well_and_disarmed(site_at: SiteAt) -> None:
    seen = status.look(site_at(START))
    assert (seen.needs, seen.installation.armed, seen.ticks, seen.schedules) == ((), False, (), {})
    assert seen.catalog is not None


def test_what_stands_is_counted(site_at: SiteAt, start: Site) -> None:
    add(start, DAILY, say="one")
    add(start, DAILY, CHANGES, say="two", state="pending")
    add(start, DAILY, say="three")
    schedules.pause(start, "3", "棚卸しまで")
    nodes.hold(start, "mars", "今日は触らない")
    tick(site := site_at(DUE))
    seen = status.look(site)
    assert seen.schedules == {"active": 1, "pending": 1, "paused": 1}
    assert [(one.schedule_id, one.reason, one.by_itself) for one in seen.paused] == [(3, "棚卸しまで", False)]
    assert (seen.legs.queued, seen.legs.waiting, seen.legs.running) == (1, 0, 0)
    assert [(hold.node, hold.reason) for hold in seen.holds] == [("mars", "今日は触らない")]
    assert [beat.host for beat in seen.ticks] == ["testhost"]
    assert seen.needs == ()


@pytest.mark.parametrize(("age", "expected"), [("119 seconds", []), ("121 seconds", ["ticks_stopped"])])
def test_two_minutes_without_a_tick_need_a_person(start: Site, age: str, expected: list[str]) -> None:
    tick(start)
    start.db.execute("UPDATE schedctl.tick_beat SET beat_at = clock_timestamp() - %s::interval", (age,))
    assert needs(start) == expected
    installation.disarm(start, None)
    assert needs(start) == []


def test_one_host_that_ticks_is_enough(start: Site) -> None:
    tick(start)
    start.db.execute(
        "INSERT INTO schedctl.tick_beat SELECT 'old', at, beat_at - interval '1 day' FROM schedctl.tick_beat"
    )
    assert [beat.host for beat in status.look(start).ticks] == ["testhost", "old"]
    assert needs(start) == []


def test_armed_and_never_ticked_needs_a_person_after_two_minutes(site_at: SiteAt, start: Site) -> None:
    assert needs(start) == []
    assert needs(site_at("2026-12-01T10:01:59+09:00")) == []
    assert needs(site_at("2026-12-01T10:02:01+09:00")) == ["ticks_stopped"]


def test_a_failure_needs_a_person_for_a_day(site_at: SiteAt, start: Site) -> None:
    add(start, DAILY, FAILS)
    tick(site := site_at(DUE))
    (run,) = drain(worker(site))
    assert needs(site) == ["went_wrong"]
    seen = status.look(site)
    assert (seen.went_wrong, [(one.run_id, one.recovered) for one in seen.troubles]) == ({"failed": 1}, [(run, False)])
    assert needs(site_at("2026-12-03T03:00:29+09:00")) == ["went_wrong"]
    assert needs(site_at("2026-12-03T03:00:31+09:00")) == []


def test_a_run_by_hand_is_seen_by_who_started_it(site_at: SiteAt, start: Site) -> None:
    add(start, DAILY, FAILS)
    work_on_run(worker(start), runs.start(start, "1").run_id)
    assert (needs(start), status.look(start).troubles) == ([], ())


def test_what_was_missed_needs_a_person_by_its_count(site_at: SiteAt, start: Site) -> None:
    add(start, "daily at 00:00-23:59/60m in Asia/Tokyo", READS)
    tick(site := site_at("2026-12-01T15:30+09:00"))
    assert status.look(site).went_wrong == {"missed": 4}  # 11 to 14 o'clock; 15 o'clock is young enough to fire


def test_a_schedule_that_paused_by_itself_comes_first(site_at: SiteAt, start: Site) -> None:
    add(start, DAILY, say="by hand")
    schedules.pause(start, "1", "点検")
    add(start, DAILY, BREAKS, say="breaks")
    schedules.pause(start, "2", "点検")
    schedules.resume(start, "2")
    for day in (2, 3, 4):
        tick(site := site_at(f"2026-12-0{day}T03:00:30+09:00"))
        drain(worker(site))
    later = site_at("2026-12-06T10:00+09:00")
    assert [(one.schedule_id, one.by_itself) for one in status.look(later).paused] == [(2, True), (1, False)]
    assert needs(later) == ["paused_by_itself"]
    schedules.archive(later, "2", None)
    assert needs(later) == []


def test_a_node_held_by_a_lost_run_needs_a_person(site_at: SiteAt, start: Site) -> None:
    add(start, DAILY, CHANGES)
    tick(site := site_at(DUE))
    with site.transaction():
        worker(site).ledger.claim(None, 1)
    site.db.execute("UPDATE schedctl.leg SET lease_until = clock_timestamp() - interval '1 s'")
    site.db.execute("UPDATE schedctl.installation SET nothing_lost_until = '-infinity'")
    report = tick(site)
    assert needs(site) == ["went_wrong", "node_held_by_lost_run"]
    (notice,) = report.notices
    assert "予定 1" in notice.ja
    assert "lost" in notice.en
    nodes.release(site, "mars")
    assert needs(site) == ["went_wrong"]


def test_a_freeze_is_told_until_it_is_over(site_at: SiteAt, start: Site) -> None:
    span = ("2026-12-02T00:00+09:00", "2026-12-03T00:00+09:00", ["changes"], "年末")
    start.db.execute("INSERT INTO schedctl.freeze VALUES (%s, %s, %s, %s)", span)
    assert [freeze.reason for freeze in status.look(start).freezes] == ["年末"]
    assert status.look(site_at("2026-12-03T00:00+09:00")).freezes == ()


def test_a_tick_names_what_it_found_missed_and_nothing_twice(site_at: SiteAt, start: Site) -> None:
    add(start, DAILY, say="毎朝の確認")
    add(start, "daily at 04:00 in Asia/Tokyo", say="second")
    report = tick(site := site_at("2026-12-02T12:00+09:00"))
    assert [notice.ja.split("が実行漏れ")[0] for notice in report.notices] == [
        "予定 2「second」の 2026-12-02T04:00+09:00 の回（実行 2）",
        "予定 1「毎朝の確認」の 2026-12-02T03:00+09:00 の回（実行 1）",
    ]
    assert tick(site).notices == []


def test_what_nobody_claimed_is_named(site_at: SiteAt, start: Site) -> None:
    add(start, "once 2026-12-02T03:00:00+09:00 in Asia/Tokyo", say="one shot")
    assert tick(site_at(DUE)).notices == []
    (notice,) = tick(site_at("2026-12-02T04:30+09:00")).notices
    assert "one shot" in notice.ja
    assert "not_claimed" in notice.ja


def test_a_worker_names_each_run_that_failed_and_the_pause_that_followed(site_at: SiteAt, start: Site) -> None:
    add(start, DAILY, BREAKS, say="壊れる更新")
    add(start, DAILY, READS, say="fine")
    said: list[list[str]] = []
    for day in (2, 3, 4):
        tick(site := site_at(f"2026-12-0{day}T03:00:30+09:00"))
        hand = worker(site)
        said.append([notice.en for notice in notices.notices(hand.ledger.troubles(drain(hand)))])
    assert [len(sentences) for sentences in said] == [1, 1, 2]
    assert said[0][0].startswith("The occurrence of schedule 1 “壊れる更新” at 2026-12-02T03:00+09:00 (run 1) failed")
    assert said[2][1] == "Schedule 1 “壊れる更新” paused by itself after failures in a row → schedctl resume 1"


def test_no_more_sentences_than_somebody_reads(site_at: SiteAt, start: Site) -> None:
    for number in range(notices.MOST + 3):
        add(start, DAILY, say=f"schedule {number}")
    report = tick(site_at("2026-12-02T12:00+09:00"))
    assert (report.missed, len(report.notices)) == (notices.MOST + 3, notices.MOST + 1)
