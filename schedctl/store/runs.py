"""Runs as they are read: for `runs`, `show` and `logs`; and the ones that a person starts or stops."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, LiteralString

from psycopg.rows import class_row

from schedctl.store import nodes

if TYPE_CHECKING:
    from datetime import datetime

    from schedctl.store.database import Database
    from schedctl.store.nodes import Hold


@dataclass(frozen=True, slots=True)
class StepRow:
    """One attempt of one step. `state` is `not_run` for a step that never began."""

    run_id: int
    leg_id: int
    leg_position: int
    node: str
    position: int
    attempt: int
    definition: dict[str, Any]
    state: str
    exit_code: int | None
    error: dict[str, Any] | None
    started_at: datetime | None
    finished_at: datetime | None
    stdout_head: bytes | None
    stdout_tail: bytes | None
    stdout_length: int | None
    stderr_head: bytes | None
    stderr_tail: bytes | None
    stderr_length: int | None
    external_id: str | None
    tokens: int | None


@dataclass(frozen=True, slots=True)
class RunRow:
    """The record of one occurrence, of a summary of several, or of a manual start."""

    run_id: int
    schedule_id: int | None
    schedule_name: str | None
    timezone: str | None
    instruction: str | None
    trigger: str
    scheduled_for: datetime | None
    state: str
    reason: str | None
    error: dict[str, Any] | None
    first_at: datetime | None
    last_at: datetime | None
    count: int
    budget: dict[str, int] | None
    created_at: datetime
    created_by: str | None
    started_at: datetime | None
    finished_at: datetime | None
    steps: tuple[StepRow, ...] = field(default=())
    held_up_by: tuple[Hold, ...] = field(default=())
    """What keeps the nodes of its queued work from taking it."""


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs to list, newest first; None lets every one through."""

    schedule_id: int | None = None
    states: tuple[str, ...] | None = None
    since: datetime | None = None
    node: str | None = None
    trigger: str | None = None
    before: int | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True)
class OneStep:
    """A step of a plan: the position of its leg, and its own within the leg."""

    leg: int
    step: int


Progress = tuple[object, ...]
NOT_AS_WISHED: Final = ("failed", "timed_out", "lost", "missed", "refused")

COLUMNS: Final = """
    SELECT run_id, run.schedule_id, schedule.name AS schedule_name, timezone, instruction, trigger, scheduled_for,
           run.state, coalesce(CASE WHEN run.state = 'cancelled' THEN (
               SELECT cancel_reason FROM schedctl.leg
                WHERE leg.run_id = run.run_id AND cancel_reason IS NOT NULL ORDER BY position LIMIT 1
           ) END, run.reason) AS reason, error,
           first_at, last_at, count, run.budget, run.created_at, run.created_by, started_at, finished_at
      FROM schedctl.run LEFT JOIN schedctl.schedule USING (schedule_id)
"""
BY_IDS: Final = COLUMNS + " WHERE run_id = ANY (%s) ORDER BY run_id DESC"
LIST: Final = (
    COLUMNS
    + """
     WHERE (%(schedule_id)s::bigint IS NULL OR run.schedule_id = %(schedule_id)s)
       AND (%(states)s::text[] IS NULL OR run.state = ANY (%(states)s))
       AND (%(since)s::timestamptz IS NULL OR coalesce(scheduled_for, run.created_at) >= %(since)s)
       AND (%(trigger)s::text IS NULL OR trigger = %(trigger)s)
       AND (%(node)s::text IS NULL OR EXISTS (
               SELECT FROM schedctl.leg WHERE leg.run_id = run.run_id AND leg.node = %(node)s))
       AND (%(before)s::bigint IS NULL OR run_id < %(before)s)
     ORDER BY run_id DESC LIMIT %(limit)s
"""
)
STEPS: Final = """
    SELECT leg.run_id, leg.leg_id, leg.position AS leg_position, leg.node,
           (defined.ordinality - 1)::int AS position,
           coalesce(step.attempt, 0) AS attempt, defined.value AS definition, coalesce(step.state, 'not_run') AS state,
           exit_code, step.error, step.started_at, step.finished_at,
           CASE WHEN %(output)s THEN stdout_head END AS stdout_head,
           CASE WHEN %(output)s THEN stdout_tail END AS stdout_tail,
           CASE WHEN %(output)s THEN stderr_head END AS stderr_head,
           CASE WHEN %(output)s THEN stderr_tail END AS stderr_tail,
           stdout_length, stderr_length, external_id, tokens
      FROM schedctl.leg
      JOIN schedctl.run USING (run_id)
      JOIN schedctl.plan_leg ON plan_leg.plan_id = run.plan_id AND plan_leg.position = leg.position
     CROSS JOIN LATERAL jsonb_array_elements(steps) WITH ORDINALITY AS defined
      LEFT JOIN schedctl.step ON step.leg_id = leg.leg_id AND step.position = defined.ordinality - 1
     WHERE leg.run_id = ANY (%(ids)s) AND (leg.only_step IS NULL OR leg.only_step = defined.ordinality - 1)
     ORDER BY leg.run_id, leg.position, defined.ordinality, step.attempt
"""
PROGRESS: Final = """
    SELECT run.state, count(step.state), count(step.finished_at), sum(stdout_length), sum(stderr_length)
      FROM schedctl.run LEFT JOIN schedctl.leg USING (run_id) LEFT JOIN schedctl.step USING (leg_id)
     WHERE run_id = %s GROUP BY run.run_id
"""
START_MANUAL: Final = """
    INSERT INTO schedctl.run (schedule_id, plan_id, trigger, state, created_by, budget)
    SELECT schedule_id, plan_id, 'manual', 'queued', %s, budget FROM schedctl.schedule WHERE schedule_id = %s
    RETURNING run_id
"""
START_AGAIN: Final = """
    INSERT INTO schedctl.run (schedule_id, plan_id, trigger, state, created_by, budget)
    SELECT schedule_id, plan_id, 'manual', 'queued', %s, budget FROM schedctl.run WHERE run_id = %s
    RETURNING run_id
"""
PLAN: Final = "SELECT document FROM schedctl.run JOIN schedctl.plan USING (plan_id) WHERE run_id = %s"
ONE_STEP: Final = "SELECT position, only_step FROM schedctl.leg WHERE run_id = %s AND only_step IS NOT NULL"
MANUAL_STEP: Final = """
    INSERT INTO schedctl.leg (run_id, position, stage, node, host, changes, due_at, only_step)
    SELECT run_id, position, 0, node, host, steps -> %(step)s::int ->> 'risk' <> 'reads', run.created_at, %(step)s::int
      FROM schedctl.run JOIN schedctl.plan_leg USING (plan_id) WHERE run_id = %(run)s AND position = %(leg)s
"""
MANUAL_LEGS: Final = """
    INSERT INTO schedctl.leg (run_id, position, stage, node, host, changes, waits, due_at)
    SELECT run_id, position, stage, node, host, changes, stage > 0, run.created_at
      FROM schedctl.run JOIN schedctl.plan_leg USING (plan_id) WHERE run_id = %s
"""
SKIPPED_WHILE_PAUSED: Final = """
    INSERT INTO schedctl.run (schedule_id, plan_id, trigger, scheduled_for, state, reason, first_at, last_at, count,
                              finished_at, created_by)
    SELECT schedule_id, plan_id, 'timer', %(last)s, 'skipped', 'paused', %(first)s, %(last)s, %(count)s,
           schedctl.now(), %(by)s
      FROM schedctl.schedule WHERE schedule_id = %(schedule_id)s
        ON CONFLICT ON CONSTRAINT one_run_an_occurrence DO NOTHING
"""
HOLD_UNBEGUN: Final = """
    SELECT run_id, plan.document FROM schedctl.run JOIN schedctl.plan USING (plan_id)
     WHERE run.finished_at IS NULL AND run.trigger <> 'restart'
       AND EXISTS (SELECT FROM schedctl.leg WHERE leg.run_id = run.run_id AND leg.state = 'queued')
     ORDER BY run_id FOR UPDATE OF run
"""
LOCK: Final = "SELECT state FROM schedctl.run WHERE run_id = %s FOR UPDATE"
CANCEL_QUEUED: Final = """
    UPDATE schedctl.leg SET state = 'cancelled', waits = false, finished_at = schedctl.now(), reason = %s
     WHERE run_id = %s AND state = 'queued'
"""
ASK_RUNNING: Final = """
    UPDATE schedctl.leg SET cancel_reason = %s WHERE run_id = %s AND state = 'running' AND cancel_reason IS NULL
"""
SETTLE: Final = "SELECT schedctl.settle_run(%s)"


def listed(db: Database, which: RunFilter) -> tuple[RunRow, ...]:
    """Runs that pass the filter, newest first, without their steps."""
    values = {name: getattr(which, name) for name in RunFilter.__slots__}
    values["states"] = list(which.states) if which.states is not None else None
    with db.cursor(row_factory=class_row(RunRow)) as cursor:
        return tuple(cursor.execute(LIST, values).fetchall())


def with_steps(db: Database, run_ids: tuple[int, ...], *, output: bool = True) -> tuple[RunRow, ...]:
    """These runs, newest first, with their steps; without `output` the steps' streams stay in the database."""
    ids = list(run_ids)
    with db.cursor(row_factory=class_row(RunRow)) as cursor:
        rows = cursor.execute(BY_IDS, (ids,)).fetchall()
    with db.cursor(row_factory=class_row(StepRow)) as cursor:
        found = cursor.execute(STEPS, {"ids": ids, "output": output}).fetchall()
    steps = {run_id: tuple(some) for run_id, some in groupby(found, key=lambda step: step.run_id)}
    unended = tuple(row.run_id for row in rows if row.finished_at is None)
    held_up = nodes.held_up(db, unended) if unended else ()
    return tuple(
        replace(
            row,
            steps=steps.get(row.run_id, ()),
            held_up_by=tuple(one.by for one in held_up if one.run_id == row.run_id),
        )
        for row in rows
    )


def progress(db: Database, run_id: int) -> Progress | None:
    """Something that differs whenever there is more to be seen of a run; None where there is no such run."""
    return db.execute(PROGRESS, (run_id,)).fetchone()


def start_manual(db: Database, schedule_id: int, by: str, only: OneStep | None = None) -> int:
    """Queue a run of the schedule's plan, or of one step of it, by hand; its id."""
    return _start(db, START_MANUAL, by, schedule_id, only)


def start_again(db: Database, run_id: int, by: str) -> int:
    """Queue by hand what an ended run was asked to carry out: its plan, or the one step of it; the new run's id."""
    one = db.execute(ONE_STEP, (run_id,)).fetchone()
    return _start(db, START_AGAIN, by, run_id, OneStep(*one) if one else None)


def plan(db: Database, run_id: int) -> dict[str, Any]:
    """The document of the plan of a run that is there."""
    row = db.execute(PLAN, (run_id,)).fetchone()
    assert row is not None  # noqa: S101 - the caller has seen the run
    return row[0]


def skipped_while_paused(db: Database, schedule_id: int, first: datetime, last: datetime, count: int, by: str) -> None:
    """Record in one run what a schedule let pass while it was paused."""
    values = {"schedule_id": schedule_id, "first": first, "last": last, "count": count, "by": by}
    db.execute(SKIPPED_WHILE_PAUSED, values)


def cancel(db: Database, run_id: int, reason: str) -> bool:
    """End what is queued of a run, and ask the workers of what is running to stop; False: there is nothing to ask."""
    db.execute(LOCK, (run_id,))
    ended = db.execute(CANCEL_QUEUED, (reason, run_id)).rowcount
    asked = db.execute(ASK_RUNNING, (reason, run_id)).rowcount
    if ended:  # a run that ended while this waited for it is settled, and settling counts its outcome
        db.execute(SETTLE, (run_id,))
    return bool(ended or asked)


def hold_unbegun(db: Database) -> tuple[tuple[int, dict[str, Any]], ...]:
    """The runs of schedules, timed and by hand, that have something queued, locked; each with its plan."""
    return tuple(db.execute(HOLD_UNBEGUN).fetchall())


def cancel_queued(db: Database, run_id: int, reason: str) -> None:
    """End what is queued of a run that the caller's transaction holds; what runs goes on."""
    db.execute(CANCEL_QUEUED, (reason, run_id))
    db.execute(SETTLE, (run_id,))


def _start(db: Database, query: LiteralString, by: str, source: int, only: OneStep | None = None) -> int:
    row = db.execute(query, (by, source)).fetchone()
    assert row is not None  # noqa: S101 - the caller holds the schedule or the run
    if only is None:
        db.execute(MANUAL_LEGS, (row[0],))
    else:
        db.execute(MANUAL_STEP, {"run": row[0], "leg": only.leg, "step": only.step})
    return row[0]
