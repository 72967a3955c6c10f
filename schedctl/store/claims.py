"""What a worker says to the database, through the functions that also a worker's own role may execute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, LiteralString

from psycopg.rows import class_row, scalar_row
from psycopg.types.json import Jsonb

from schedctl.errors import NotAllowed
from schedctl.store.database import at_once
from schedctl.store.stored_error import error_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime, timedelta
    from uuid import UUID

    from schedctl.errors import SchedctlError
    from schedctl.store.database import Database


Begun = Literal["begun", "refused", "tokens", "time", "steps", "output"]
"""Recorded as begun; or refused, as the leg was taken away or cancelled; or what of its budget is used up."""
Kept = Literal["kept", "late", "overspent"]
"""Recorded; or the leg had been taken away, and the late result became an event; or more tokens than there were."""
Place = tuple[int, int]
"""A step of a leg and its attempt: position from 0, attempt from 1."""


@dataclass(frozen=True, slots=True)
class ClaimedLeg:
    """A leg that belongs to this worker as long as its lease is renewed and nobody else took the token."""

    leg_id: int
    run_id: int
    schedule_id: int | None
    trigger: str
    scheduled_for: datetime | None
    timezone: str | None
    node: str
    token: UUID
    steps: list[dict[str, Any]]
    lease: timedelta
    only_step: int | None
    """The one step to perform, where a person chose one."""
    budget: dict[str, int] | None
    begun: Begun
    """What became of its first step (or of the one step) when the leg was claimed."""


@dataclass(frozen=True, slots=True)
class KeptOutput:
    """Head and tail of a stream, its true length and its digest."""

    head: bytes
    tail: bytes
    length: int
    sha256: str


@dataclass(frozen=True, slots=True)
class StepEnd:
    """How a step ended; of an HTTP step also what the answer called the started thing, and the tokens it used."""

    state: Literal["succeeded", "failed", "timed_out", "cancelled", "lost"]
    exit_code: int | None
    error: SchedctlError | None
    stdout: KeptOutput
    stderr: KeptOutput
    external_id: str | None = None
    tokens: int | None = None

    @property
    def kept_bytes(self) -> int:
        """How much of its output is kept."""
        return sum(len(stream.head) + len(stream.tail) for stream in (self.stdout, self.stderr))


@dataclass(frozen=True, slots=True)
class LegEnd:
    """How a leg's last step ended, and with it the leg."""

    leg: ClaimedLeg
    place: Place
    end: StepEnd
    reason: str | None
    """Why the leg was cancelled or is lost; None for what its command decided."""


@dataclass(frozen=True, slots=True)
class SoFar:
    """What a running step has written up to now."""

    place: Place
    stdout: KeptOutput
    stderr: KeptOutput


@dataclass(frozen=True, slots=True)
class LostLeg:
    """A lost leg that holds its node; `attempt` is None when no step was under way."""

    leg_id: int
    run_id: int
    token: UUID
    timezone: str | None
    step_position: int | None
    attempt: int | None
    definition: dict[str, Any] | None


CLAIM: Final = "SELECT * FROM schedctl.claim_several(%s, %s, %s, %s, %s)"
# As claim_several answers; a role that may only execute functions may not read it.
UNANSWERED: Final = """
    SELECT leg.leg_id, run.run_id, run.schedule_id, run.trigger, run.scheduled_for, schedule.timezone,
           leg.node, leg.token, plan_leg.steps, (SELECT lease FROM schedctl.installation) AS lease,
           leg.only_step, run.budget,
           CASE WHEN EXISTS (SELECT FROM schedctl.step WHERE step.leg_id = leg.leg_id) THEN 'begun'
                ELSE schedctl.begin_step(leg.leg_id, leg.token, coalesce(leg.only_step, 0), 1) END AS begun
      FROM schedctl.leg
      JOIN schedctl.run ON run.run_id = leg.run_id
      JOIN schedctl.plan_leg ON plan_leg.plan_id = run.plan_id AND plan_leg.position = leg.position
      LEFT JOIN schedctl.schedule ON schedule.schedule_id = run.schedule_id
     WHERE leg.state = 'running' AND leg.worker = %s AND leg.leg_id <> ALL (%s)
     ORDER BY leg.due_at, leg.leg_id
"""
BEGIN_STEP: Final = "SELECT schedctl.begin_step(%s, %s, %s, %s)"
RENEW: Final = "SELECT schedctl.renew(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
FINISH_STEP: Final = "SELECT schedctl.finish_step(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
FINISH_LEG: Final = "SELECT schedctl.finish_leg(%s, %s, %s, %s, %s)"
FINISH_BOTH: Final = """
    SELECT CASE WHEN kept = 'kept' AND NOT schedctl.finish_leg(leg, token, state, reason, error)
                THEN 'late' ELSE kept END
      FROM unnest(%s::bigint[], %s::uuid[], %s::int[], %s::int[], %s::text[], %s::int[], %s::jsonb[],
                  %s::bytea[], %s::bytea[], %s::bigint[], %s::text[],
                  %s::bytea[], %s::bytea[], %s::bigint[], %s::text[], %s::text[], %s::bigint[], %s::text[])
           AS ended (leg, token, position, attempt, state, exit_code, error,
                     stdout_head, stdout_tail, stdout_length, stdout_sha256,
                     stderr_head, stderr_tail, stderr_length, stderr_sha256, external_id, tokens, reason)
     CROSS JOIN LATERAL schedctl.finish_step(
           leg, token, position, attempt, state, exit_code, error,
           stdout_head, stdout_tail, stdout_length, stdout_sha256,
           stderr_head, stderr_tail, stderr_length, stderr_sha256, external_id, tokens) AS kept
"""
LOST_HOLDS: Final = "SELECT * FROM schedctl.lost_holds(%s, %s)"
LOST_LEG_ENDED: Final = "SELECT schedctl.lost_leg_ended(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"


def claim(
    db: Database,
    now: datetime | None,
    worker: str,
    host: str,
    most: int,
    nodes: Sequence[str] | None,
    run_id: int | None,
) -> tuple[ClaimedLeg, ...]:
    """Take up to `most` of the oldest legs that may start, on these nodes and of this run (None: any).

    In the same transaction the first step of each is recorded as begun (or why it may not begin). Fewer than `most`
    says nothing of what else may start: of changing legs only the first of each node is taken.
    """
    values = (worker, host, most, list(nodes) if nodes else None, run_id)
    return at_once(db, now, CLAIM, values, class_row(ClaimedLeg))


def unanswered(db: Database, now: datetime | None, worker: str, given: Iterable[int]) -> tuple[ClaimedLeg, ...]:
    """The legs that this worker claimed without hearing of it: those that run in its name and were not given to it.

    None where the role may not read legs: what a worker's own role claimed like that is lost when its lease ends.
    """
    try:
        return at_once(db, now, UNANSWERED, (worker, list(given)), class_row(ClaimedLeg))
    except NotAllowed:
        return ()


def begin_step(db: Database, now: datetime | None, leg: ClaimedLeg, position: int, attempt: int) -> Begun:
    """Record that a step's command is about to begin; or why it must not."""
    return _one(db, now, BEGIN_STEP, (leg.leg_id, leg.token, position, attempt))


def renew(
    db: Database, now: datetime | None, leg: ClaimedLeg, so_far: SoFar | None
) -> Literal["go_on", "cancelled", "overtaken"]:
    """Keep the leg for another lease, or learn why not; and keep what a step has written so far."""
    return _one(db, now, RENEW, (leg.leg_id, leg.token, *(_written(so_far) if so_far else (None,) * 8)))


def finish_step(db: Database, now: datetime | None, leg: ClaimedLeg, place: Place, end: StepEnd) -> Kept:
    """Record how a step ended."""
    return _one(db, now, FINISH_STEP, _of_step(leg, place, end))


def finish_leg(
    db: Database, now: datetime | None, leg: ClaimedLeg, state: str, reason: str | None, error: SchedctlError | None
) -> bool:
    """End the leg and settle its run; False: it had been taken away, the late result became an event."""
    return bool(_one(db, now, FINISH_LEG, (leg.leg_id, leg.token, state, reason, _document(error))))


def finish_both(db: Database, now: datetime | None, ended: Sequence[LegEnd]) -> tuple[Kept, ...]:
    """Record how the last steps of some legs ended, and the legs with them, all of it or nothing; in the order given.

    An `overspent` leg has its step recorded, and no end. Pass them in the order of their runs, see cancel_queued.
    """
    rows = [(*_of_step(one.leg, one.place, one.end), one.reason) for one in ended]
    return at_once(db, now, FINISH_BOTH, [list(column) for column in zip(*rows, strict=True)], scalar_row)


def lost_holds(db: Database, host: str, nodes: Sequence[str] | None) -> tuple[LostLeg, ...]:
    """The lost legs that hold a node which this host can ask (and, where nodes are named, only theirs)."""
    with db.cursor(row_factory=class_row(LostLeg)) as cursor:
        return tuple(cursor.execute(LOST_HOLDS, (host, list(nodes) if nodes else None)).fetchall())


def lost_leg_ended(db: Database, leg: LostLeg, worker: str, end: StepEnd) -> bool:
    """Give the node free: the leg's command is seen to have ended like this. False when it was free already."""
    step = (leg.step_position, leg.attempt, end.state, end.exit_code)
    row = db.execute(LOST_LEG_ENDED, (leg.leg_id, worker, *step, *_streams(end))).fetchone()
    return bool(row and row[0])


def _of_step(leg: ClaimedLeg, place: Place, end: StepEnd) -> tuple[object, ...]:
    return (
        *(leg.leg_id, leg.token, *place, end.state, end.exit_code, _document(end.error)),
        *_streams(end),
        *(end.external_id, end.tokens),
    )


def _document(error: SchedctlError | None) -> Jsonb | None:
    return Jsonb(error_document(error)) if error else None


def _written(so_far: SoFar) -> tuple[object, ...]:
    streams = ((stream.head, stream.tail, stream.length) for stream in (so_far.stdout, so_far.stderr))
    return (*so_far.place, *(value for stream in streams for value in stream))


def _streams(end: StepEnd) -> tuple[object, ...]:
    return tuple(
        value
        for stream in (end.stdout, end.stderr)
        for value in (stream.head, stream.tail, stream.length, stream.sha256)
    )


def _one(db: Database, now: datetime | None, query: LiteralString, values: tuple[object, ...]) -> Any:
    return at_once(db, now, query, values, scalar_row)[0]
