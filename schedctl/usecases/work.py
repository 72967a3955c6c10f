"""Work: claim legs and carry out their steps. Each is committed as begun before its command, so none begins twice."""

from __future__ import annotations

import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Final

from schedctl.plan import codec
from schedctl.usecases import failures
from schedctl.usecases.carrying import Attempt, command_of, end_of, not_started
from schedctl.usecases.lookups import look_after_lost

if TYPE_CHECKING:
    from schedctl.plan.model import Step
    from schedctl.store.claims import ClaimedLeg, StepEnd
    from schedctl.transport.base import Heartbeat
    from schedctl.usecases.worker import Worker

LOOK_AGAIN_AFTER_S: Final = 0.05
LOOK_EVERY_S: Final = 1.0
RENEWALS_A_LEASE: Final = 3


def work_once(worker: Worker) -> tuple[int, ...]:
    """Carry out one leg that may start now; the ids of the runs that it worked on (none or one)."""
    leg = worker.ledger.claim(worker.nodes)
    if leg is None and look_after_lost(worker):
        leg = worker.ledger.claim(worker.nodes)
    if leg is None:
        return ()
    carry_out(worker, leg)
    return (leg.run_id,)


def drain(worker: Worker) -> tuple[int, ...]:
    """Carry out legs, `slots` at a time, until none runs and none may start; the ids of their runs as claimed."""
    run_ids: dict[int, None] = {}
    looks = 0
    with ThreadPoolExecutor(worker.slots + 1, thread_name_prefix="slot") as pool:
        # Beside the slots: a node that does not answer delays nobody, and one that is given free is worked on at once.
        asking = pool.submit(_ask_about_lost, worker)
        running: set[Future[None]] = {asking}
        while running or looks < 2:
            while len(running - {asking}) < worker.slots and not worker.stopping.is_set():
                leg = worker.ledger.claim(worker.nodes)
                if leg is None:
                    break
                looks = 0
                run_ids[leg.run_id] = None
                running.add(pool.submit(_carry_out_and_tell, worker, leg))
            if running:
                done, running = wait(running, timeout=LOOK_EVERY_S, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
            else:
                # Another worker may have held the very row for a moment: look once more before leaving.
                looks += 1
                worker.stopping.wait(LOOK_AGAIN_AFTER_S)
    return tuple(run_ids)


def _ask_about_lost(worker: Worker) -> None:
    look_after_lost(worker)


def _carry_out_and_tell(worker: Worker, leg: ClaimedLeg) -> None:
    carry_out(worker, leg)
    if worker.after_leg is not None:
        worker.after_leg(leg.run_id)


def work_on_run(worker: Worker, run_id: int) -> None:
    """Carry out the legs of one run that may start here, stage by stage."""
    while (leg := worker.ledger.claim(worker.nodes, run_id)) is not None:
        carry_out(worker, leg)


def carry_out(worker: Worker, leg: ClaimedLeg) -> None:
    """Perform the steps of a claimed leg in order. The first that does not succeed ends it."""
    for position, definition in enumerate(leg.steps):
        if leg.only_step not in (None, position):
            continue
        end = _perform(worker, leg, position, definition)
        if end is None:
            return
        if end.state != "succeeded":
            worker.ledger.finish_leg(leg, end.state, _reason(worker, end), end.error)
            return
    worker.ledger.finish_leg(leg, "succeeded", None, None)


def _reason(worker: Worker, end: StepEnd) -> str | None:
    match end.state:
        case "cancelled":
            return "shutdown" if worker.stopping.is_set() else "cancelled"
        case "lost":
            return "node_silent"
        case _:
            return None


def _perform(worker: Worker, leg: ClaimedLeg, position: int, definition: dict[str, object]) -> StepEnd | None:
    """One step with its attempts; None when the leg is not this worker's any more."""
    try:
        step = codec.step_from_json(definition)
    except ValueError:
        return not_started(failures.plan_unreadable())
    attempt = 0
    while True:
        attempt += 1
        if worker.stopping.is_set():
            return not_started(None)
        if not worker.ledger.begin_step(leg, position, attempt):
            return not_started(None) if worker.ledger.renew(leg) == "cancelled" else None
        end = _attempt(worker, leg, step, Attempt(leg.run_id, leg.leg_id, leg.token, position, attempt))
        if not worker.ledger.finish_step(leg, position, attempt, end):
            return None
        if not _may_repeat(end) or attempt > step.retries:
            return end


def _may_repeat(end: StepEnd) -> bool:
    """Only a known failure is tried again, and not a service that asked us to wait."""
    return end.state == "failed" and (end.error is None or end.error.type != "rate_limited")


def _attempt(worker: Worker, leg: ClaimedLeg, step: Step, attempt: Attempt) -> StepEnd:
    transport = worker.transports.get(step.target.transport)
    if transport is None:
        return not_started(failures.no_transport(step.target.transport))
    command = command_of(step, attempt, leg.timezone or worker.timezone)
    return end_of(transport.run(step.target, command, _heartbeat(worker, leg), worker.redactor, worker.limit_bytes))


def _heartbeat(worker: Worker, leg: ClaimedLeg) -> Heartbeat:
    """Renews the lease in time. A lost lease lets the command go on: it never kills dpkg for a database's sake."""
    interval = leg.lease.total_seconds() / RENEWALS_A_LEASE
    renewed_at = time.monotonic()

    def beat() -> str:
        nonlocal renewed_at
        if worker.stopping.is_set():
            return "stop"
        if time.monotonic() - renewed_at < interval:
            return "go_on"
        renewed_at = time.monotonic()
        return "stop" if worker.ledger.renew(leg) == "cancelled" else "go_on"

    return beat  # pyright: ignore[reportReturnType] - the two words of Heartbeat
