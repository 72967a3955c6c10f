"""The life of a schedule: pause, resume, approve, archive, replace; and runs by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from installations import runs_of, state_of, told
from making import CHANGES, READS, add

from schedctl.errors import NotFound, Refused, TimingError
from schedctl.store import runs as runs_store
from schedctl.usecases import installation, nodes, runs, schedules
from schedctl.usecases.ledger import Ledger
from schedctl.usecases.tick import tick

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import LiteralString

    from schedctl.usecases.site import Site

DAILY = "daily at 03:00 in Asia/Tokyo"
BEFORE = "2026-12-01T10:00+09:00"


@pytest.fixture
def start(site_at: Callable[[str], Site]) -> Site:
    """An armed installation on the first of December."""
    site = site_at(BEFORE)
    installation.arm(site, None)
    return site


def test_what_passed_while_paused_never_fires_and_is_one_record(site_at: Callable[[str], Site], start: Site) -> None:
    schedule = add(start, DAILY)
    assert schedules.pause(start, str(schedule), "点検").row.state == "paused"
    for day in (2, 3, 4):
        assert tick(site_at(f"2026-12-0{day}T03:00:30+09:00")).fired == 0
    site = site_at("2026-12-04T03:05+09:00")  # five minutes after an occurrence, well inside the catch-up
    shown = schedules.resume(site, str(schedule))
    assert shown.row.state == "active"
    assert tick(site_at("2026-12-04T03:06+09:00")).fired == 0
    assert told(site) == [("skipped", "paused", 3)]
    (run,) = runs_of(site)
    assert run["first_at"].isoformat() == "2026-12-01T18:00:00+00:00"
    assert tick(site_at("2026-12-05T03:00:30+09:00")).fired == 1


def test_a_one_shot_that_passed_while_paused_is_finished(site_at: Callable[[str], Site], start: Site) -> None:
    schedule = add(start, "once 2026-12-02T03:00:00+09:00 in Asia/Tokyo")
    schedules.pause(start, str(schedule), "点検")
    site = site_at("2026-12-02T03:10+09:00")
    assert schedules.resume(site, str(schedule)).row.state == "finished"
    assert told(site) == [("skipped", "paused", 1)]


def test_archiving_a_paused_schedule_records_what_passed(site_at: Callable[[str], Site], start: Site) -> None:
    schedule = add(start, DAILY)
    schedules.pause(start, str(schedule), "点検")
    site = site_at("2026-12-03T09:00+09:00")
    assert schedules.archive(site, str(schedule), "もう要らない").row.state == "archived"
    assert told(site) == [("skipped", "paused", 2)]


def test_pausing_cancels_what_is_queued(site_at: Callable[[str], Site], start: Site) -> None:
    schedule = add(start, DAILY)
    site = site_at("2026-12-02T03:00:30+09:00")
    tick(site)
    schedules.pause(site, str(schedule), "点検")
    assert told(site) == [("cancelled", "paused", 1)]


def test_approving_starts_from_now(site_at: Callable[[str], Site], start: Site) -> None:
    schedule = add(start, DAILY, CHANGES, state="pending")
    site = site_at("2026-12-02T03:00:40+09:00")
    shown = schedules.approve(site, str(schedule))
    assert (shown.row.state, shown.row.approved_by) == ("active", site.actor.name)
    assert tick(site).fired == 0  # what was due before the approval
    assert tick(site_at("2026-12-03T03:00:10+09:00")).fired == 1


def test_a_one_shot_cannot_be_approved_after_its_time(site_at: Callable[[str], Site], start: Site) -> None:
    schedule = add(start, "once 2026-12-02T03:00:00+09:00 in Asia/Tokyo", CHANGES, state="pending")
    with pytest.raises(TimingError) as refused:
        schedules.approve(site_at("2026-12-02T03:01+09:00"), str(schedule))
    assert refused.value.type == "past_time"


@pytest.mark.parametrize(
    ("verb", "state"),
    [
        ("approve", "active"),
        ("approve", "archived"),
        ("pause", "pending"),
        ("pause", "archived"),
        ("resume", "active"),
        ("resume", "archived"),
        ("archive", "archived"),
    ],
)
def test_a_wrong_state_is_refused_and_changes_nothing(start: Site, verb: str, state: str) -> None:
    schedule = add(start, DAILY, CHANGES, state="pending" if state == "pending" else "active")
    if state == "archived":
        schedules.archive(start, str(schedule), None)
    before = start.db.execute("SELECT * FROM schedctl.schedule").fetchall()
    act = {
        "approve": schedules.approve,
        "pause": lambda site, one: schedules.pause(site, one, "理由"),
        "resume": schedules.resume,
        "archive": lambda site, one: schedules.archive(site, one, None),
    }[verb]
    with pytest.raises(Refused) as refused:
        act(start, str(schedule))
    assert refused.value.type == "wrong_state"
    assert start.db.execute("SELECT * FROM schedctl.schedule").fetchall() == before


def test_what_does_not_exist_is_not_found(start: Site) -> None:
    for reference in ("7", "nightly", "99999999999999999999", "１"):
        with pytest.raises(NotFound):
            schedules.show(start, reference)
    with pytest.raises(NotFound):
        runs.one(start, 7)
    with pytest.raises(NotFound):
        nodes.hold(start, "pluto", "理由")


def test_a_run_is_cancelled_once(site_at: Callable[[str], Site], start: Site) -> None:
    add(start, DAILY)
    site = site_at("2026-12-02T03:00:30+09:00")
    tick(site)
    assert runs.cancel(site, 1, "取りやめ").state == "cancelled"
    with pytest.raises(Refused) as refused:
        runs.cancel(site, 1, "取りやめ")
    assert refused.value.type == "wrong_state"


def test_a_running_run_is_asked_to_stop_once(site_at: Callable[[str], Site], start: Site) -> None:
    """The first reason stays, and there is one event."""
    add(start, DAILY)
    site = site_at("2026-12-02T03:00:30+09:00")
    tick(site)
    Ledger(site, "w1").claim(None, 1)
    assert runs.cancel(site, 1, "取りやめ").state == "running"
    with pytest.raises(Refused) as refused:
        runs.cancel(site, 1, "やはり取りやめ")
    assert (refused.value.type, "途中" in refused.value.message.ja) == ("wrong_state", True)
    assert site.db.execute("SELECT cancel_reason FROM schedctl.leg").fetchall() == [("取りやめ",)]
    assert site.db.execute("SELECT count(*) FROM schedctl.event WHERE type = 'cancelled'").fetchone() == (1,)


def test_a_run_that_ends_while_it_is_cancelled_is_counted_once(site_at: Callable[[str], Site], start: Site) -> None:
    add(start, DAILY, CHANGES)
    site = site_at("2026-12-02T03:00:30+09:00")
    tick(site)
    book = Ledger(site, "w1")
    (leg,) = book.claim(None, 1)
    book.finish_leg(leg, "failed", None, None)
    assert not runs_store.cancel(site.db, 1, "取りやめ")
    assert site.db.execute("SELECT failures_in_a_row FROM schedctl.schedule").fetchone() == (1,)


def test_a_run_can_be_done_again_by_hand(site_at: Callable[[str], Site], start: Site) -> None:
    add(start, DAILY)
    site = site_at("2026-12-02T03:00:30+09:00")
    tick(site)
    with pytest.raises(Refused):
        runs.start_again(site, 1)  # it has not ended
    runs.cancel(site, 1, "取りやめ")
    again = runs.start_again(site, 1)
    assert (again.trigger, again.state, again.scheduled_for) == ("manual", "queued", None)
    assert state_of(site, 1) == "active"


def test_one_step_done_again_is_that_step_alone(start: Site) -> None:
    add(start, DAILY, (*READS, *CHANGES))
    first = runs.start(start, "1", 1)
    runs.cancel(start, first.run_id, "取りやめ")
    assert [step.definition["action"] for step in runs.start_again(start, first.run_id).steps] == ["probe.ok"]


def test_a_held_node_says_who_and_why_until_it_is_released(start: Site) -> None:
    assert nodes.hold(start, "mars", "今日は触らない").changed
    state = nodes.hold(start, "mars", "別の理由")
    assert (state.changed, [hold.reason for hold in state.holds]) == (False, ["今日は触らない"])
    assert nodes.release(start, "mars").changed
    assert not nodes.release(start, "mars").changed
    types = start.db.execute("SELECT type FROM schedctl.event WHERE type LIKE 'node%' ORDER BY event_id").fetchall()
    assert types == [("node_held",), ("node_released",)]


def test_a_schedule_that_cannot_be_read_can_still_be_ended(start: Site) -> None:
    schedule = add(start, DAILY, READS)
    schedules.pause(start, str(schedule), "x")
    start.db.execute("UPDATE schedctl.schedule SET rule = 'daily at 03:00 in Mars/Olympus'")
    schedules.archive(start, str(schedule), None)
    assert state_of(start, schedule) == "archived"


def test_the_events_can_be_neither_changed_nor_removed(start: Site) -> None:
    add(start, DAILY, READS)
    for statement in ("UPDATE schedctl.event SET actor = 'x'", "DELETE FROM schedctl.event", "TRUNCATE schedctl.event"):
        with pytest.raises(Exception, match="append-only"):
            start.db.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE schedctl.plan SET document = jsonb_set(document, '{steps,0,argv,0}', '\"reboot\"')",
        "UPDATE schedctl.plan_leg SET steps = jsonb_set(steps, '{0,argv,0}', '\"reboot\"')",
    ],
)
def test_what_was_checked_and_approved_is_what_fires(start: Site, statement: LiteralString) -> None:
    """No value gets into a stored plan behind the catalog's checks: not even the owner of the schema changes one."""
    add(start, DAILY, READS)
    with pytest.raises(Exception, match="append-only"):
        start.db.execute(statement)
