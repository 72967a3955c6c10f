"""What a worker says to the database, through the functions that also a worker's own role may execute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, LiteralString

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from schedctl.store.firing import error_document

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, timedelta
    from uuid import UUID

    from schedctl.errors import SchedctlError
    from schedctl.store.database import Database


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


CLAIM: Final = "SELECT * FROM schedctl.claim(%s, %s, %s, %s)"
BEGIN_STEP: Final = "SELECT schedctl.begin_step(%s, %s, %s, %s)"
RENEW: Final = "SELECT schedctl.renew(%s, %s)"
FINISH_STEP: Final = "SELECT schedctl.finish_step(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
FINISH_LEG: Final = "SELECT schedctl.finish_leg(%s, %s, %s, %s, %s)"
LOST_HOLDS: Final = "SELECT * FROM schedctl.lost_holds(%s, %s)"
LOST_LEG_ENDED: Final = "SELECT schedctl.lost_leg_ended(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"


def claim(db: Database, worker: str, host: str, nodes: Sequence[str] | None, run_id: int | None) -> ClaimedLeg | None:
    """Take the oldest leg that may start, on these nodes and of this run (None: any); None when there is none."""
    with db.cursor(row_factory=class_row(ClaimedLeg)) as cursor:
        return cursor.execute(CLAIM, (worker, host, list(nodes) if nodes else None, run_id)).fetchone()


def begin_step(db: Database, leg: ClaimedLeg, position: int, attempt: int) -> bool:
    """Record that a step's command is about to begin; False: it must not."""
    return bool(_one(db, BEGIN_STEP, (leg.leg_id, leg.token, position, attempt)))


def renew(db: Database, leg: ClaimedLeg) -> Literal["go_on", "cancelled", "overtaken"]:
    """Keep the leg for another lease, or learn why not."""
    answer = _one(db, RENEW, (leg.leg_id, leg.token))
    return answer if answer in ("go_on", "cancelled") else "overtaken"


def finish_step(db: Database, leg: ClaimedLeg, position: int, attempt: int, end: StepEnd) -> bool:
    """Record how a step ended; False: the leg had been taken away, the late result became an event."""
    error = Jsonb(error_document(end.error)) if end.error else None
    values = (
        *(leg.leg_id, leg.token, position, attempt, end.state, end.exit_code, error),
        *_streams(end),
        *(end.external_id, end.tokens),
    )
    return bool(_one(db, FINISH_STEP, values))


def finish_leg(db: Database, leg: ClaimedLeg, state: str, reason: str | None, error: SchedctlError | None) -> bool:
    """End the leg and settle its run; False: it had been taken away, the late result became an event."""
    document = Jsonb(error_document(error)) if error else None
    return bool(_one(db, FINISH_LEG, (leg.leg_id, leg.token, state, reason, document)))


def lost_holds(db: Database, host: str, nodes: Sequence[str] | None) -> tuple[LostLeg, ...]:
    """The lost legs that hold a node which this host can ask (and, where nodes are named, only theirs)."""
    with db.cursor(row_factory=class_row(LostLeg)) as cursor:
        return tuple(cursor.execute(LOST_HOLDS, (host, list(nodes) if nodes else None)).fetchall())


def lost_leg_ended(db: Database, leg: LostLeg, worker: str, end: StepEnd) -> bool:
    """Give the node free: the leg's command is seen to have ended like this. False when it was free already."""
    step = (leg.step_position, leg.attempt, end.state, end.exit_code)
    return bool(_one(db, LOST_LEG_ENDED, (leg.leg_id, worker, *step, *_streams(end))))


def _streams(end: StepEnd) -> tuple[object, ...]:
    return tuple(
        value
        for stream in (end.stdout, end.stderr)
        for value in (stream.head, stream.tail, stream.length, stream.sha256)
    )


def _one(db: Database, query: LiteralString, values: tuple[object, ...]) -> Any:
    row = db.execute(query, values).fetchone()
    return row[0] if row else None
