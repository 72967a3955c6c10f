"""What a tick reads and writes: due schedules in, runs and legs out, in set-based statements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from schedctl.store.stored_error import error_document
from schedctl.when import rule
from schedctl.when.rhythm import NONE, Rhythm

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime, timedelta

    from schedctl.errors import SchedctlError
    from schedctl.store.database import Database


@dataclass(frozen=True, slots=True)
class Due:
    """A schedule whose next instant has come, as a tick needs it."""

    schedule_id: int
    state: str
    rule: str
    risk: str
    overlap: str
    catch_up: timedelta | None
    jitter: timedelta | None
    sameness: str
    settled_through: datetime
    next_fire_at: datetime
    unfinished: int
    """Runs that the timer began or queued and that have not ended."""
    queued: int
    """How many of those have not begun."""

    def rhythm(self) -> Rhythm:
        """When it fires; ValueError where its rule cannot be read."""
        return Rhythm(rule.parse(self.rule), self.jitter or NONE, self.sameness)


@dataclass(frozen=True, slots=True)
class Record:
    """A run to be written: `queued` where it fires, else the reason why it does not. Counts stand for a summary."""

    state: str
    scheduled_for: datetime
    reason: str | None = None
    first: datetime | None = None
    count: int = 1


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a due schedule: its records, and where it goes on (`next_fire_at` None: finished)."""

    schedule_id: int
    records: tuple[Record, ...]
    next_fire_at: datetime | None


@dataclass(frozen=True, slots=True)
class Written:
    """What the database accepted: how many records of each state, and how many occurrences had a run already."""

    by_state: dict[str, int]
    refused: int


DUE: Final = """
    SELECT schedule_id, state, rule, plan.risk, overlap, catch_up, jitter, sameness, settled_through, next_fire_at,
           (SELECT count(*) FROM schedctl.run
             WHERE run.schedule_id = schedule.schedule_id AND finished_at IS NULL AND trigger = 'timer') AS unfinished,
           (SELECT count(*) FROM schedctl.run
             WHERE run.schedule_id = schedule.schedule_id AND finished_at IS NULL AND trigger = 'timer'
               AND run.state = 'queued') AS queued
      FROM schedctl.schedule JOIN schedctl.plan USING (plan_id)
     WHERE next_fire_at <= schedctl.now()
       AND (%(only)s::bigint[] IS NULL OR schedule_id = ANY (%(only)s))
     ORDER BY next_fire_at LIMIT %(limit)s
       FOR UPDATE OF schedule SKIP LOCKED
"""

INSERT_RUNS: Final = """
    INSERT INTO schedctl.run (schedule_id, plan_id, trigger, scheduled_for, state, reason, first_at, last_at, count,
                              finished_at, created_by, budget)
    SELECT x.schedule_id, schedule.plan_id, 'timer', x.scheduled_for, x.state, x.reason,
           x.first_at, CASE WHEN x.first_at IS NOT NULL THEN x.scheduled_for END, x.count,
           CASE WHEN x.state <> 'queued' THEN schedctl.now() END, %s,
           CASE WHEN x.state = 'queued' THEN budget END
      FROM unnest(%s::bigint[], %s::timestamptz[], %s::text[], %s::text[], %s::timestamptz[], %s::bigint[])
           WITH ORDINALITY AS x (schedule_id, scheduled_for, state, reason, first_at, count, place)
      JOIN schedctl.schedule USING (schedule_id)
     ORDER BY x.place
        ON CONFLICT ON CONSTRAINT one_run_an_occurrence DO NOTHING
    RETURNING run_id, state, count
"""

INSERT_LEGS: Final = """
    INSERT INTO schedctl.leg (run_id, position, stage, node, host, changes, waits, due_at, claimable_until)
    SELECT run_id, position, stage, node, host, changes, stage > 0, scheduled_for,
           scheduled_for + coalesce(schedule.catch_up, (SELECT catch_up FROM schedctl.installation))
      FROM schedctl.run
      JOIN schedctl.plan_leg USING (plan_id)
      JOIN schedctl.schedule USING (schedule_id)
     WHERE run_id = ANY (%s)
"""

MOVE: Final = """
    UPDATE schedctl.schedule
       SET settled_through = schedctl.now(), next_fire_at = x.next_fire_at,
           state = CASE WHEN x.next_fire_at IS NULL THEN 'finished' ELSE state END
      FROM unnest(%s::bigint[], %s::timestamptz[]) AS x (schedule_id, next_fire_at)
     WHERE schedule.schedule_id = x.schedule_id
"""

DUE_IDS: Final = """
    SELECT schedule_id FROM schedctl.schedule WHERE next_fire_at <= schedctl.now() ORDER BY next_fire_at LIMIT %s
"""

PAUSE_BROKEN: Final = """
    UPDATE schedctl.schedule
       SET state = CASE WHEN state = 'pending' THEN 'archived' ELSE 'paused' END, reason = %s, next_fire_at = NULL
     WHERE schedule_id = %s AND state IN ('active', 'pending')
    RETURNING plan_id
"""

CANCEL_QUEUED: Final = "SELECT schedctl.cancel_queued(%s, 'paused')"

REFUSED_RUN: Final = """
    INSERT INTO schedctl.run (schedule_id, plan_id, trigger, scheduled_for, state, error, finished_at, created_by)
    VALUES (%s, %s, 'timer', schedctl.now(), 'refused', %s, schedctl.now(), %s)
        ON CONFLICT ON CONSTRAINT one_run_an_occurrence DO NOTHING
"""

FAR_AHEAD: Final = """
    SELECT schedule_id FROM schedctl.schedule
     WHERE settled_through > schedctl.now() + interval '1 day' AND state IN ('pending', 'active', 'paused')
     LIMIT %s FOR UPDATE SKIP LOCKED
"""

BRING_BACK: Final = """
    UPDATE schedctl.schedule SET settled_through = schedctl.now(), next_fire_at = x.next_fire_at
      FROM unnest(%s::bigint[], %s::timestamptz[]) AS x (schedule_id, next_fire_at)
     WHERE schedule.schedule_id = x.schedule_id
"""

MARK_LOST: Final = "SELECT schedctl.mark_lost()"
END_STALE_QUEUE: Final = "SELECT schedctl.end_stale_queue()"


def due(db: Database, limit: int, only: Sequence[int] | None = None) -> tuple[Due, ...]:
    """Up to `limit` due schedules that no other tick holds, earliest first, locked until the transaction ends."""
    with db.cursor(row_factory=class_row(Due)) as cursor:
        rows = cursor.execute(DUE, {"limit": limit, "only": list(only) if only is not None else None})
        return tuple(rows.fetchall())


def due_ids(db: Database, limit: int) -> tuple[int, ...]:
    """The ids of due schedules, without a lock."""
    return tuple(row[0] for row in db.execute(DUE_IDS, (limit,)).fetchall())


def write(db: Database, verdicts: Sequence[Verdict], by: str) -> Written:
    """Record and enqueue what was judged and settle the schedules through now; a run that exists is left alone."""
    records = [(verdict.schedule_id, record) for verdict in verdicts for record in verdict.records]
    by_state: dict[str, int] = {}
    inserted = 0
    if records:
        rows = db.execute(
            INSERT_RUNS,
            (
                by,
                [schedule_id for schedule_id, _ in records],
                [record.scheduled_for for _, record in records],
                [record.state for _, record in records],
                [record.reason for _, record in records],
                [record.first for _, record in records],
                [record.count for _, record in records],
            ),
        ).fetchall()
        inserted = len(rows)
        for _, state, count in rows:
            by_state[state] = by_state.get(state, 0) + count
        db.execute(INSERT_LEGS, ([run_id for run_id, state, _ in rows if state == "queued"],))
    db.execute(
        MOVE,
        (
            [verdict.schedule_id for verdict in verdicts],
            [verdict.next_fire_at for verdict in verdicts],
        ),
    )
    return Written(by_state, len(records) - inserted)


def pause_broken(db: Database, schedule_id: int, error: SchedctlError, by: str) -> None:
    """Pause a schedule that cannot be fired, and record the attempt with its error (which is an event, `refused`).

    What is queued of it is cancelled, as with any other pause.
    """
    row = db.execute(PAUSE_BROKEN, (error.type, schedule_id)).fetchone()
    if row is not None:
        db.execute(CANCEL_QUEUED, (schedule_id,))
        db.execute(REFUSED_RUN, (schedule_id, row[0], Jsonb(error_document(error)), by))


def far_ahead(db: Database, limit: int) -> tuple[int, ...]:
    """The schedules that a clock which had been wrong settled more than a day ahead of now, locked."""
    return tuple(row[0] for row in db.execute(FAR_AHEAD, (limit,)).fetchall())


def bring_back(db: Database, instants: Mapping[int, datetime | None]) -> None:
    """Let schedules go on from now, with these next instants."""
    db.execute(BRING_BACK, (list(instants), list(instants.values())))


def mark_lost(db: Database) -> int:
    """End the legs whose workers fell silent; how many."""
    row = db.execute(MARK_LOST).fetchone()
    return row[0] if row else 0


def end_stale_queue(db: Database) -> int:
    """End what nobody claimed within its limit; how many runs were missed by it."""
    row = db.execute(END_STALE_QUEUE).fetchone()
    return row[0] if row else 0
