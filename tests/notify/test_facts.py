"""Each fact is told exactly once, in its own transaction, and outcomes only when they change."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from days import BEFORE, DAILY, day_of, due, end, when_a_step_runs, worker
from installations import CATALOG, settings_for
from making import BREAKS, CHANGES, add
from psycopg import Rollback
from telling import WEBHOOK, at, outbox_of, secrets, send, telling_site, told_types

from schedctl.catalog.budget import Budget
from schedctl.errors import Refused
from schedctl.language import Text
from schedctl.plan.request import Request
from schedctl.usecases import failures, installation, nodes, runs, schedules
from schedctl.usecases.site import Site, open_site
from schedctl.usecases.tick import tick
from schedctl.usecases.work import drain, work_on_run

if TYPE_CHECKING:
    from pathlib import Path

    from receivers import Receiver

HASTY = '["probe.hasty"]\nlabel = "hasty"\nrisk = "reads"\ntimeout = "1s"\nargv = ["sleep", "30"]\n'
FALL_SILENT = """
    UPDATE schedctl.leg SET state = 'running', holds_node = changes, token = gen_random_uuid(), worker = 'w1',
           claimed_at = schedctl.now(), lease_until = clock_timestamp() - interval '1 second'
"""


@pytest.fixture
def armed(told: Site) -> Site:
    """Armed on the first of December; nothing is in the outbox yet."""
    installation.arm(at(told, BEFORE), None)
    told.db.execute("DELETE FROM schedctl.outbox")
    return told


def outcomes(site: Site) -> list[str]:
    return [kind for kind in told_types(site) if kind != "fired"]


def test_outcomes_are_told_when_they_change(armed: Site) -> None:
    add(at(armed, BEFORE), DAILY)
    ends = [
        "succeeded",
        "succeeded",
        "failed",
        "failed",
        "timed_out",
        "succeeded",
        "succeeded",
        "lost",
        "lost",
        "succeeded",
    ]
    for day, outcome in enumerate(ends, start=2):
        day_of(armed, day, outcome=outcome)
    assert outcomes(armed) == ["succeeded", "failed", "timed_out", "recovered", "lost", "recovered"]
    assert told_types(armed).count("fired") == len(ends)


def test_two_runs_that_fail_at_the_same_moment_are_one_change(armed: Site) -> None:
    add(at(armed, BEFORE), DAILY, overlap="allow", catch_up=timedelta(days=3))
    for day in (2, 3):
        tick(at(armed, due(day)))
    now = at(armed, due(3))
    with open_site(now.settings) as other:

        def fail_too() -> None:
            with other.transaction():
                end(other, "failed", run_id=2)

        thread = threading.Thread(target=fail_too)
        with now.transaction():
            end(now, "failed", run_id=1)
            thread.start()
            time.sleep(0.3)
        thread.join(timeout=60)
    assert outcomes(armed) == ["failed"]


def test_a_service_that_asks_to_wait_is_told_once(armed: Site) -> None:
    add(at(armed, BEFORE), DAILY, CHANGES)
    busy = Refused("rate_limited", Text("混んでいます", "busy"))
    for day in range(2, 8):
        day_of(armed, day, outcome="failed", error=busy)
    assert outcomes(armed) == ["failed"]


def test_failures_in_a_row_are_one_failure_and_one_pause(armed: Site) -> None:
    schedule = add(at(armed, BEFORE), DAILY, BREAKS)
    for day in (2, 3, 4):
        day_of(armed, day)
    assert outcomes(armed) == ["failed", "auto_paused"]
    schedules.resume(at(armed, "2026-12-04T10:00+09:00"), str(schedule))
    day_of(armed, 5)
    assert outcomes(armed) == ["failed", "auto_paused", "resumed", "failed"]  # after a resume any outcome is news


def test_a_success_after_a_resume_is_a_recovery(armed: Site) -> None:
    schedule = add(at(armed, BEFORE), DAILY)
    day_of(armed, 2, outcome="failed")
    schedules.pause(at(armed, due(2)), str(schedule), "調べる")
    schedules.resume(at(armed, due(2)), str(schedule))
    day_of(armed, 3, outcome="succeeded")
    assert outcomes(armed) == ["failed", "paused", "resumed", "recovered"]


def test_a_budget_that_is_reached_is_a_fact_of_its_own(armed: Site) -> None:
    schedule = add(at(armed, BEFORE), DAILY)
    reached = failures.budget_reached("tokens", Budget(tokens=50_000), 1, schedule)
    day_of(armed, 2, outcome="failed", error=reached)
    assert outcomes(armed) == ["budget_reached"]


def test_a_real_timeout_is_told_once(database: str, tmp_path: Path) -> None:
    policy = WEBHOOK + '[[routes]]\nchannels = ["ops"]\nseverity = "error"\n'
    with telling_site(database, tmp_path, policy, HASTY) as site:
        installation.arm(at(site, BEFORE), None)
        add(at(site, BEFORE), DAILY, (Request("mars", "probe.hasty"),))
        day_of(site, 2)
        assert told_types(site) == ["timed_out"]


def test_a_silent_worker_is_one_lost_run(armed: Site) -> None:
    add(at(armed, BEFORE), DAILY, (Request("mars", "packages.refresh"), Request("venus", "packages.refresh")))
    now = at(armed, due(2))
    tick(now)
    armed.db.execute(FALL_SILENT)
    assert tick(now).lost == 2
    assert outcomes(armed) == ["lost"]


@pytest.mark.parametrize(
    ("later", "reason"),
    [("2026-12-02T05:00+09:00", "late"), ("2026-12-05T05:00+09:00", "late"), (due(2), "not_claimed")],
)
def test_what_is_missed_is_told_once(armed: Site, later: str, reason: str) -> None:
    add(at(armed, BEFORE), DAILY)
    tick(at(armed, later))
    tick(at(armed, later.replace("T03", "T05")))
    tick(at(armed, later.replace("T03", "T06")))
    (notice,) = [row for row in outbox_of(armed) if row["type"] != "fired"]
    assert (notice["type"], notice["detail"]["reason"]) == ("missed", reason)


def test_an_occurrence_that_fires_late_is_told_as_late(armed: Site) -> None:
    add(at(armed, BEFORE), DAILY, overlap="allow")
    tick(at(armed, "2026-12-02T03:02+09:00"))
    tick(at(armed, "2026-12-03T03:02:01+09:00"))
    assert [kind for kind in told_types(armed) if kind in ("fired", "late")] == ["fired", "late"]


def test_who_cancels_and_what_a_shutdown_interrupts_is_told_once(armed: Site) -> None:
    add(at(armed, BEFORE), DAILY, (Request("mars", "probe.sleeps"),))
    tick(at(armed, due(2)))
    runs.cancel(at(armed, due(2)), 1, "間違い")
    assert outcomes(armed) == ["cancelled"]
    tick(at(armed, due(3)))
    busy = worker(at(armed, due(3)))
    when_a_step_runs(armed, busy.stopping.set)
    drain(busy)
    assert outcomes(armed) == ["cancelled", "cancelled"]
    assert outbox_of(armed)[-1]["detail"]["reason"] == "shutdown"


def test_disarming_is_one_notice_whatever_it_cancels(armed: Site) -> None:
    for number in range(3):
        add(at(armed, BEFORE), DAILY, say=f"plan {number}")
    tick(at(armed, due(2)))
    installation.disarm(at(armed, due(2)), None)
    tick(at(armed, due(3)))
    assert outcomes(armed) == ["disarmed", "rehearsed", "rehearsed", "rehearsed"]


def test_a_schedule_that_cannot_fire_is_one_notice(armed: Site) -> None:
    add(at(armed, BEFORE), DAILY)
    armed.db.execute("UPDATE schedctl.schedule SET rule = 'daily at 03:00 in Mars/Base'")
    tick(at(armed, due(2)))
    (notice,) = outbox_of(armed)
    assert (notice["type"], notice["run_id"]) == ("refused", 1)
    assert notice["detail"]["error"]["ja"]


def test_a_one_shot_finishes(armed: Site) -> None:
    add(at(armed, BEFORE), "once 2026-12-02T03:00:00+09:00 in Asia/Tokyo")
    tick(at(armed, due(2)))
    assert told_types(armed) == ["fired", "finished"]


def test_what_passed_during_a_pause_is_one_notice(armed: Site) -> None:
    schedule = add(at(armed, BEFORE), DAILY)
    schedules.pause(at(armed, BEFORE), str(schedule), "点検")
    schedules.resume(at(armed, due(4)), str(schedule))
    assert told_types(armed) == ["paused", "skipped", "resumed"]
    assert outbox_of(armed)[1]["detail"]["count"] == 3


def test_manual_runs_are_not_told(armed: Site) -> None:
    schedule = add(at(armed, BEFORE), DAILY, BREAKS)
    for _ in range(2):
        run = runs.start(at(armed, BEFORE), str(schedule))
        work_on_run(worker(at(armed, BEFORE)), run.run_id)
    assert told_types(armed) == []


def test_nothing_is_written_that_nobody_asks_for(database: str) -> None:
    with open_site(settings_for(database, catalog=CATALOG)) as site:
        installation.arm(at(site, BEFORE), None)
        add(at(site, BEFORE), DAILY)
        tick(at(site, due(2)))
        tick(at(site, "2026-12-04T09:00+09:00"))
        types = {row[0] for row in site.db.execute("SELECT type FROM schedctl.event").fetchall()}
        assert types == {"catalog_adopted", "armed"}
        assert outbox_of(site) == []


def test_a_freeze_is_told_once_on_the_day_before(database: str, tmp_path: Path) -> None:
    start, end = "2026-12-28T00:00:00+09:00", "2027-01-04T09:00:00+09:00"
    freeze = f'[[freezes]]\nstart = {start}\nend = {end}\nreason = "年末年始"\n'
    policy = freeze + WEBHOOK + '[[routes]]\nchannels = ["ops"]\nevents = ["freeze_ahead"]\n'
    with telling_site(database, tmp_path, policy) as site:
        for now in (
            "2026-12-26T23:00+09:00",
            "2026-12-27T01:00+09:00",
            "2026-12-27T02:00+09:00",
            "2026-12-28T01:00+09:00",
        ):
            site.db.execute("UPDATE schedctl.installation SET tidied_at = clock_timestamp() - interval '2 hours'")
            tick(at(site, now))
        (notice,) = outbox_of(site)
        assert (notice["type"], notice["detail"]["reason"]) == ("freeze_ahead", "年末年始")


def test_a_fact_that_is_undone_is_not_told(armed: Site) -> None:
    with suppress(Rollback), armed.transaction():
        nodes.hold(armed, "mars", "試し")
        assert told_types(armed) == ["node_held"]
        raise Rollback
    assert told_types(armed) == []


def test_a_webhook_that_never_answers_delays_no_run(armed: Site, receiver: Receiver) -> None:
    receiver.script = ["hang"] * 10
    add(at(armed, BEFORE), DAILY)
    installation.disarm(at(armed, BEFORE), None)
    installation.arm(at(armed, BEFORE), None)
    with open_site(armed.settings) as other:
        thread = threading.Thread(target=send, args=(other, secrets(receiver.url)))
        thread.start()
        while not receiver.got:
            time.sleep(0.01)
        begun = time.monotonic()
        day_of(armed, 2)
        took = timedelta(seconds=time.monotonic() - begun)
        thread.join(timeout=60)
    assert took < timedelta(seconds=5)
    assert outcomes(armed)[-1] == "succeeded"
    assert [row["state"] for row in outbox_of(armed)] == ["queued"] * 4
