"""One claimed leg: its steps in order. Each is committed as begun before its command, so none begins twice."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from schedctl.catalog.budget import stored_budget
from schedctl.plan import codec
from schedctl.store.claims import LegEnd, SoFar
from schedctl.usecases import failures
from schedctl.usecases.carrying import Attempt, command_of, end_of, kept, not_started

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from schedctl.catalog.budget import Limit
    from schedctl.errors import OperationFailed
    from schedctl.plan.model import Step
    from schedctl.store.claims import Begun, ClaimedLeg, Place, StepEnd
    from schedctl.transport import base
    from schedctl.usecases.worker import Worker

RENEWALS_A_LEASE: Final = 3
LIVE_BYTES: Final = 65_536
"""Stored at most of each stream of a running command at a renewal, half from its beginning and half from its end."""


def carry_out(worker: Worker, leg: ClaimedLeg) -> None:
    """Perform the steps of a claimed leg and record its end."""
    ended = perform(worker, leg)
    if ended is not None:
        conclude(worker, [ended])


def perform(worker: Worker, leg: ClaimedLeg) -> LegEnd | None:
    """Perform the steps of a claimed leg in order. The first that does not succeed ends it, or a budget used up.

    How its last step ended is for `conclude` to record; None when the leg has its end already, or is not this worker's
    any more.
    """
    positions = [position for position in range(len(leg.steps)) if leg.only_step in (None, position)]
    begun: Begun | None = leg.begun
    for position in positions:
        after = _perform_step(worker, leg, position, begun, last=position == positions[-1])
        if after != "next":
            return after
        begun = None
    return None


def conclude(worker: Worker, ended: Sequence[LegEnd]) -> None:
    """Record how the last steps of some legs ended, and the legs with them."""
    in_order = sorted(ended, key=lambda one: one.leg.run_id)
    for one, said in zip(in_order, worker.ledger.finish_both(in_order), strict=True):
        if said == "overspent":
            _end_overspent(worker, one.leg)


def _perform_step(
    worker: Worker, leg: ClaimedLeg, position: int, begun: Begun | None, *, last: bool
) -> LegEnd | Literal["next"] | None:
    """One step with its attempts: whether the next may begin, or how the leg ended with it; None as in `perform`.

    `begun` is what the claim has recorded of its first attempt already; None: nothing.
    """
    step = _readable(leg.steps[position])
    attempt = 0
    while True:
        attempt += 1
        if begun is None and worker.stopping.is_set():
            worker.ledger.finish_leg(leg, "cancelled", "shutdown", None)
            return None
        begun = begun or worker.ledger.begin_step(leg, position, attempt)
        if begun != "begun":
            _end_unbegun(worker, leg, begun)
            return None
        begun = None
        place = (position, attempt)
        end = _attempt(worker, leg, step, place)
        again = step is not None and attempt <= step.retries and _may_repeat(end)
        if not again and (last or end.state != "succeeded"):
            return LegEnd(leg, place, end, _reason(worker, end))
        if not _goes_on(worker, leg, place, end):
            return None
        if not again:
            return "next"
        _pause(worker, leg, worker.retry_pause_s * attempt)


def _pause(worker: Worker, leg: ClaimedLeg, seconds: float) -> None:
    """Wait before another attempt, with the lease renewed: what was in the way may go. A stop is met at its begin."""
    until = time.monotonic() + seconds
    interval = leg.lease.total_seconds() / RENEWALS_A_LEASE
    while (left := until - time.monotonic()) > 0 and not worker.stopping.wait(min(left, interval)):
        if worker.ledger.renew(leg) in ("cancelled", "overtaken"):
            return


def _readable(definition: dict[str, object]) -> Step | None:
    try:
        return codec.step_from_json(definition)
    except ValueError:
        return None


def _end_unbegun(worker: Worker, leg: ClaimedLeg, why: Begun) -> None:
    """End a leg whose next step must not begin; one that was taken away has ended already."""
    if why == "refused":
        if worker.ledger.renew(leg) == "cancelled":
            worker.ledger.finish_leg(leg, "cancelled", "shutdown" if worker.stopping.is_set() else "cancelled", None)
    elif why != "begun":
        worker.ledger.finish_leg(leg, "failed", None, _budget_reached(leg, why))


def _goes_on(worker: Worker, leg: ClaimedLeg, place: Place, end: StepEnd) -> bool:
    """Record how an attempt ended that is not the leg's last; False when nothing may follow it."""
    said = worker.ledger.finish_step(leg, place, end)
    if said == "overspent":
        _end_overspent(worker, leg)
    return said == "kept"


def _end_overspent(worker: Worker, leg: ClaimedLeg) -> None:
    worker.ledger.finish_leg(leg, "failed", None, _budget_reached(leg, "tokens"))


def _budget_reached(leg: ClaimedLeg, limit: Limit) -> OperationFailed:
    return failures.budget_reached(limit, stored_budget(leg.budget), leg.run_id, leg.schedule_id)


def _reason(worker: Worker, end: StepEnd) -> str | None:
    match end.state:
        case "cancelled":
            return "shutdown" if worker.stopping.is_set() else "cancelled"
        case "lost":
            return "node_silent"
        case _:
            return None


def _may_repeat(end: StepEnd) -> bool:
    """Only a known failure is tried again, and not a service that asked us to wait."""
    return end.state == "failed" and (end.error is None or end.error.type != "rate_limited")


def _attempt(worker: Worker, leg: ClaimedLeg, step: Step | None, place: Place) -> StepEnd:
    if step is None:
        return not_started(failures.plan_unreadable(leg.schedule_id))
    transport = worker.transports.get(step.target.transport)
    if transport is None:
        return not_started(failures.no_transport(step.target.transport))
    if worker.stopping.is_set():
        return not_started(None)
    attempt = Attempt(leg.run_id, leg.leg_id, leg.token, *place)
    command = command_of(step, attempt, leg.timezone or worker.timezone)
    heart = _Heart(worker, leg, place)
    return end_of(transport.run(step.target, command, heart.beat, worker.redactor, worker.limit_bytes, heart.look_at))


class _Heart:
    """Renews the lease in time, and with it what the command has written so far."""

    def __init__(self, worker: Worker, leg: ClaimedLeg, place: Place) -> None:
        self._worker, self._leg, self._place = worker, leg, place
        self._interval = leg.lease.total_seconds() / RENEWALS_A_LEASE
        self._renewed_at = time.monotonic()
        self._look: base.SoFar | None = None
        self._shown = (0, 0)

    def look_at(self, so_far: base.SoFar) -> None:
        """Know how to read what the command has written so far."""
        self._look = so_far

    def beat(self) -> Literal["go_on", "stop"]:
        """A lost lease lets the command go on: it never kills dpkg for a database's sake."""
        if self._worker.stopping.is_set():
            return "stop"
        if time.monotonic() - self._renewed_at < self._interval:
            return "go_on"
        self._renewed_at = time.monotonic()
        return "stop" if self._worker.ledger.renew(self._leg, self._news()) == "cancelled" else "go_on"

    def _news(self) -> SoFar | None:
        """What was written, when there is more than at the last renewal."""
        if self._look is None:
            return None
        stdout, stderr = self._look(LIVE_BYTES)
        shown = (stdout.length, stderr.length)
        if shown == self._shown:
            return None
        self._shown = shown
        return SoFar(self._place, kept(stdout), kept(stderr))
