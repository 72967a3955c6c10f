"""What workers claim and carry out: in order, at most once, with an end that is recorded."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import psycopg
import pytest
from days import when_a_step_runs
from making import BREAKS, CHANGES, READS, add

from schedctl.errors import Refused
from schedctl.plan.request import Request
from schedctl.redact import Redactor
from schedctl.store import runs as runs_store
from schedctl.transport.local import LocalTransport
from schedctl.usecases import installation, runs, schedules
from schedctl.usecases.ledger import Ledger
from schedctl.usecases.legs import RENEWALS_A_LEASE
from schedctl.usecases.tick import tick
from schedctl.usecases.work import drain, work_on_run, work_once
from schedctl.usecases.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from schedctl.store.claims import ClaimedLeg, LostLeg
    from schedctl.usecases.site import Site

DAILY = "daily at 03:00 in Asia/Tokyo"
BEFORE = "2026-12-01T10:00+09:00"
DUE = "2026-12-02T03:00:30+09:00"
IN_ORDER = (
    Request("mars", "probe.says"),
    Request("venus", "probe.says", stage=1),
    Request("mars", "probe.ok", stage=2),
)


def worker(site: Site, *, nodes: tuple[str, ...] | None = None, slots: int = 2, name: str = "w1") -> Worker:
    ledger = Ledger(site, name)
    return Worker(
        ledger,
        {"local": LocalTransport(beat_every_s=0.2)},
        Redactor(),
        nodes,
        slots,
        65_536,
        "Asia/Tokyo",
        threading.Event(),
    )


def fired(site_at: Callable[[str], Site], *plans: tuple[Request, ...]) -> Site:
    """A site at the moment when these plans have just been enqueued."""
    start = site_at(BEFORE)
    installation.arm(start, None)
    for number, requests in enumerate(plans):
        add(start, DAILY, requests, say=f"plan {number}")
    site = site_at(DUE)
    assert tick(site).fired == len(plans)
    return site


def told(site: Site) -> list[tuple[str, list[tuple[str, str, str]]]]:
    """Each run's state, and its steps as (node, action, state)."""
    with site.transaction():
        ids = tuple(row[0] for row in site.db.execute("SELECT run_id FROM schedctl.run").fetchall())
    return [
        (run.state, [(step.node, step.definition["action"], step.state) for step in run.steps])
        for run in runs.by_ids(site, ids)
    ]


def test_a_worker_carries_out_what_was_fired(site_at: Callable[[str], Site]) -> None:
    site = fired(site_at, (Request("mars", "probe.says"),))
    assert drain(worker(site)) == (1,)
    (run,) = runs.by_ids(site, (1,))
    (step,) = run.steps
    assert (run.state, step.state, step.exit_code) == ("succeeded", "succeeded", 0)
    assert (step.stdout_head, step.stdout_length) == ("こんにちは\n".encode(), 16)


def test_nothing_is_claimed_twice(site_at: Callable[[str], Site]) -> None:
    site = fired(site_at, READS)
    assert work_once(worker(site)) == (1,)
    assert work_once(worker(site, name="w2")) == ()


def test_a_failing_step_ends_its_node_and_not_the_others(site_at: Callable[[str], Site]) -> None:
    plan = (Request("mars", "probe.fails"), Request("mars", "probe.ok"), Request("venus", "probe.ok"))
    site = fired(site_at, plan)
    drain(worker(site))
    assert told(site) == [
        (
            "failed",
            [("mars", "probe.fails", "failed"), ("mars", "probe.ok", "not_run"), ("venus", "probe.ok", "succeeded")],
        )
    ]


def test_ordered_nodes_wait_for_each_other(site_at: Callable[[str], Site]) -> None:
    site = fired(site_at, IN_ORDER)
    states: list[list[str]] = []
    while work_once(worker(site)):
        states.append([state for _, _, state in told(site)[0][1]])
    assert states == [
        ["succeeded", "not_run", "not_run"],
        ["succeeded", "succeeded", "not_run"],
        ["succeeded", "succeeded", "succeeded"],
    ]
    assert told(site)[0][0] == "succeeded"


def test_a_stage_that_failed_closes_the_later_ones(site_at: Callable[[str], Site]) -> None:
    site = fired(site_at, (Request("mars", "probe.fails"), Request("venus", "probe.ok", stage=1)))
    drain(worker(site))
    assert told(site) == [("failed", [("mars", "probe.fails", "failed"), ("venus", "probe.ok", "not_run")])]


def test_one_changing_leg_holds_a_node(site_at: Callable[[str], Site]) -> None:
    site = fired(site_at, CHANGES, BREAKS, READS)
    (first,) = worker(site).ledger.claim(None, 1)
    (second,) = worker(site, name="w2").ledger.claim(None, 1)
    assert second.steps[0]["risk"] == "reads"  # the other changing leg has to wait; a reading one does not
    assert worker(site, name="w3").ledger.claim(None, 1) == ()
    worker(site).ledger.finish_leg(first, "succeeded", None, None)
    (third,) = worker(site, name="w3").ledger.claim(None, 1)
    assert third.steps[0]["action"] == "packages.break"


def test_a_node_held_by_hand_takes_no_changing_work(site_at: Callable[[str], Site]) -> None:
    site = fired(site_at, CHANGES)
    site.db.execute("INSERT INTO schedctl.node_hold (node, held_by, reason) VALUES ('mars', 'alice', '今日は触らない')")
    assert drain(worker(site)) == ()


@pytest.mark.parametrize("what", ["disarm", "archive", "too late", "freeze", "other node", "other host"])
def test_what_may_not_start_is_not_claimed(site_at: Callable[[str], Site], what: str) -> None:
    site = fired(site_at, CHANGES)
    by = worker(site)
    match what:
        case "disarm":
            site.db.execute("UPDATE schedctl.installation SET armed = false, armed_since = NULL")
        case "archive":
            schedules.archive(site, "1", None)
        case "too late":
            by = worker(site_at("2026-12-02T04:00:01+09:00"))
        case "freeze":
            site.db.execute("INSERT INTO schedctl.freeze VALUES ('2026-12-02', '2026-12-03', '{changes}', '凍結')")
            by = worker(site_at("2026-12-02T09:30+09:00"))
            site.db.execute("UPDATE schedctl.leg SET claimable_until = 'infinity'")
        case "other node":
            by = worker(site, nodes=("venus",))
        case _:
            by = worker(replace(site, settings=replace(site.settings, host="otherhost")))
    assert by.ledger.claim(by.nodes, 1) == ()


def test_a_manual_run_starts_whatever_the_rules_say(site_at: Callable[[str], Site]) -> None:
    site = site_at(BEFORE)  # disarmed
    add(site, DAILY, READS)
    started = runs.start(site, "1")
    work_on_run(worker(site), started.run_id)
    assert runs.one(site, started.run_id).state == "succeeded"
    row = site.db.execute("SELECT settled_through, failures_in_a_row FROM schedctl.schedule").fetchone()
    assert row is not None
    assert (row[0].isoformat(), row[1]) == ("2026-12-01T01:00:00+00:00", 0)


def test_a_pending_schedule_can_be_tried_only_when_it_reads(site_at: Callable[[str], Site]) -> None:
    site = site_at(BEFORE)
    add(site, DAILY, READS, state="pending")
    add(site, DAILY, CHANGES, state="pending")
    assert runs.start(site, "1").state == "queued"
    with pytest.raises(Refused) as refused:
        runs.start(site, "2")
    assert refused.value.type == "not_approved"


def silence_of(site: Site) -> timedelta:
    """For how long the worker of the one running leg may say nothing."""
    row = site.db.execute("SELECT lease_until - clock_timestamp() FROM schedctl.leg").fetchone()
    assert row is not None
    assert RENEWALS_A_LEASE >= 3  # two may be missed
    return row[0]


def test_a_silent_worker_is_lost_and_its_node_stays_held(site_at: Callable[[str], Site]) -> None:
    site = fired(site_at, CHANGES)
    silent = worker(site)
    (leg,) = silent.ledger.claim(None, 1)
    assert leg.begun == "begun"
    assert tick(site).lost == 0  # within its lease
    assert silence_of(site) <= timedelta(minutes=1)
    site.db.execute("UPDATE schedctl.leg SET lease_until = clock_timestamp() - interval '1 second'")
    assert tick(site).lost == 1
    assert told(site) == [("lost", [("mars", "packages.refresh", "lost")])]
    assert site.db.execute("SELECT holds_node FROM schedctl.leg").fetchone() == (True,)
    # What the overtaken worker still has to say changes nothing, and is kept.
    assert silent.ledger.begin_step(leg, 0, 2) == "refused"
    assert not silent.ledger.finish_leg(leg, "succeeded", None, None)
    assert told(site)[0][0] == "lost"
    late = site.db.execute("SELECT count(*) FROM schedctl.event WHERE type = 'late_result'").fetchone()
    assert late == (1,)


def test_after_an_outage_nothing_is_called_lost_until_a_lease_has_passed(site_at: Callable[[str], Site]) -> None:
    site = fired(site_at, CHANGES)
    assert len(worker(site).ledger.claim(None, 1)) == 1
    site.db.execute("UPDATE schedctl.leg SET lease_until = clock_timestamp() - interval '1 minute'")
    site.db.execute("UPDATE schedctl.tick_beat SET beat_at = clock_timestamp() - interval '3 minutes'")
    assert tick(site).lost == 0
    assert tick(site).lost == 0  # the second good tick comes too early as well
    site.db.execute("UPDATE schedctl.installation SET nothing_lost_until = clock_timestamp()")
    assert tick(site).lost == 1


def test_a_worker_told_to_stop_starts_nothing_and_says_why(site_at: Callable[[str], Site]) -> None:
    site = fired(site_at, (Request("mars", "probe.sleeps"), Request("mars", "probe.ok")))
    stopping = worker(site)
    when_a_step_runs(site, stopping.stopping.set)
    drain(stopping)
    assert told(site) == [("cancelled", [("mars", "probe.sleeps", "cancelled"), ("mars", "probe.ok", "not_run")])]
    assert site.db.execute("SELECT reason FROM schedctl.leg").fetchone() == ("shutdown",)


def test_a_running_command_can_be_cancelled_from_elsewhere(site_at: Callable[[str], Site]) -> None:
    site = fired(site_at, (Request("mars", "probe.sleeps"),))
    site.db.execute("UPDATE schedctl.installation SET lease = '1 second'")
    busy = worker(site)
    done = threading.Thread(target=drain, args=(busy,))
    done.start()
    with psycopg.connect(site.line.dsn, autocommit=True) as elsewhere:
        while elsewhere.execute("SELECT FROM schedctl.step WHERE state = 'running'").fetchone() is None:
            time.sleep(0.02)
        runs_store.cancel(elsewhere, 1, "wrong hour")
    done.join(timeout=60)
    assert not done.is_alive()
    assert told(site) == [("cancelled", [("mars", "probe.sleeps", "cancelled")])]
    assert runs.one(site, 1).reason == "wrong hour"


class Noting(Ledger):
    """Notes in which order it is asked."""

    def __init__(self, site: Site, worker: str) -> None:
        super().__init__(site, worker)
        self.asked: list[str] = []

    def claim(self, nodes: Sequence[str] | None, most: int, run_id: int | None = None) -> tuple[ClaimedLeg, ...]:
        self.asked.append("claim")
        return super().claim(nodes, most, run_id)

    def lost_holds(self, nodes: Sequence[str] | None) -> tuple[LostLeg, ...]:
        self.asked.append("lost")
        return super().lost_holds(nodes)


def test_no_command_waits_for_the_question_about_lost_legs(site_at: Callable[[str], Site]) -> None:
    site = fired(site_at, READS)
    ledger = Noting(site, "w1")
    drain(replace(worker(site), ledger=ledger))
    assert ledger.asked.index("claim") < ledger.asked.index("lost")
