"""Ask nodes what became of commands whose worker was lost, so that no node is held longer than it must be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedctl.plan import codec
from schedctl.transport.base import Lookup
from schedctl.usecases.carrying import Attempt, command_of, end_of, not_started

if TYPE_CHECKING:
    from schedctl.store.claims import LostLeg, StepEnd
    from schedctl.usecases.worker import Worker


def look_after_lost(worker: Worker) -> int:
    """Give the nodes free whose lost command is seen to have ended; how many. Nothing is ever begun again."""
    return sum(_look(worker, leg) for leg in worker.ledger.lost_holds(worker.nodes) if not worker.stopping.is_set())


def _look(worker: Worker, leg: LostLeg) -> bool:
    end = _end(worker, leg)
    return end is not None and worker.ledger.lost_leg_ended(leg, end)


def _end(worker: Worker, leg: LostLeg) -> StepEnd | None:
    """How it ended; None while it runs, and while nobody can tell."""
    if leg.step_position is None or leg.attempt is None or leg.definition is None:
        return not_started(None)  # between two steps, or before the first: nothing was under way
    try:
        step = codec.step_from_json(leg.definition)
    except ValueError:
        return None
    transport = worker.transports.get(step.target.transport)
    if not isinstance(transport, Lookup):
        return None
    attempt = Attempt(leg.run_id, leg.leg_id, leg.token, leg.step_position, leg.attempt)
    command = command_of(step, attempt, leg.timezone or worker.timezone)
    found = transport.look(step.target, command, worker.redactor, worker.limit_bytes)
    return end_of(found) if not isinstance(found, str) else None
