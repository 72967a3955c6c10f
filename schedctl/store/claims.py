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


@dataclass(frozen=True, slots=True)
class KeptOutput:
    """Head and tail of a stream, its true length and its digest."""

    head: bytes
    tail: bytes
    length: int
    sha256: str


@dataclass(frozen=True, slots=True)
class StepEnd:
    """How a step ended."""

    state: Literal["succeeded", "failed", "timed_out", "cancelled"]
    exit_code: int | None
    error: SchedctlError | None
    stdout: KeptOutput
    stderr: KeptOutput


CLAIM: Final = "SELECT * FROM schedctl.claim(%s, %s, %s, %s)"
BEGIN_STEP: Final = "SELECT schedctl.begin_step(%s, %s, %s, %s)"
RENEW: Final = "SELECT schedctl.renew(%s, %s)"
FINISH_STEP: Final = "SELECT schedctl.finish_step(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
FINISH_LEG: Final = "SELECT schedctl.finish_leg(%s, %s, %s, %s, %s)"


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
    out, err = end.stdout, end.stderr
    error = Jsonb(error_document(end.error)) if end.error else None
    values = (
        *(leg.leg_id, leg.token, position, attempt, end.state, end.exit_code, error),
        *(out.head, out.tail, out.length, out.sha256),
        *(err.head, err.tail, err.length, err.sha256),
    )
    return bool(_one(db, FINISH_STEP, values))


def finish_leg(db: Database, leg: ClaimedLeg, state: str, reason: str | None, error: SchedctlError | None) -> bool:
    """End the leg and settle its run; False: it had been taken away, the late result became an event."""
    document = Jsonb(error_document(error)) if error else None
    return bool(_one(db, FINISH_LEG, (leg.leg_id, leg.token, state, reason, document)))


def _one(db: Database, query: LiteralString, values: tuple[object, ...]) -> Any:
    row = db.execute(query, values).fetchone()
    return row[0] if row else None
