"""Schedules: what was registered, and the states it goes through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from schedctl.catalog.budget import NO_BUDGET, Budget
from schedctl.errors import Refused
from schedctl.language import Text
from schedctl.when import rule
from schedctl.when.rhythm import NONE, Rhythm

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from schedctl.store.database import Database

ScheduleState = Literal["pending", "active", "paused", "finished", "archived"]
Overlap = Literal["skip", "queue", "allow"]
"""What becomes of an occurrence while an earlier run has not ended: left out, one may wait, all may run."""
LIVING: Final[tuple[ScheduleState, ...]] = ("pending", "active", "paused")


@dataclass(frozen=True, slots=True)
class NewSchedule:
    """What `insert` stores; the database adds the ids and its own clock."""

    name: str | None
    state: ScheduleState
    instruction: str
    task: str
    rule: str
    recurring: bool
    timezone: str
    sameness: str
    plan_id: int
    overlap: Overlap
    catch_up: timedelta | None
    jitter: timedelta | None
    next_fire_at: datetime | None
    computed_with: str
    created_by: str
    approved_by: str | None
    replaces: int | None
    budget: Budget = NO_BUDGET


@dataclass(frozen=True, slots=True)
class ScheduleRow:
    """A schedule as stored, with its plan's document."""

    schedule_id: int
    name: str | None
    state: ScheduleState
    reason: str | None
    instruction: str
    task: str
    rule: str
    recurring: bool
    timezone: str
    sameness: str
    plan_id: int
    plan: dict[str, Any]
    plan_digest: str
    risk: str
    overlap: str
    catch_up: timedelta | None
    jitter: timedelta | None
    budget: dict[str, int] | None
    settled_through: datetime
    next_fire_at: datetime | None
    computed_with: str
    failures_in_a_row: int
    created_at: datetime
    created_by: str
    created_role: str
    approved_at: datetime | None
    approved_by: str | None
    replaces: int | None

    def rhythm(self) -> Rhythm:
        """When it fires; ValueError where its rule cannot be read."""
        return Rhythm(rule.parse(self.rule), self.jitter or NONE, self.sameness)


@dataclass(frozen=True, slots=True)
class Moved:
    """A schedule whose next instant another edition of zone rules or holidays puts elsewhere."""

    schedule_id: int
    before: datetime
    after: datetime


COLUMNS: Final = """
    SELECT schedule_id, name, state, reason, instruction, task, rule, recurring, timezone, sameness,
           schedule.plan_id, plan.document AS plan, plan.digest AS plan_digest, plan.risk, overlap, catch_up, jitter,
           schedule.budget,
           settled_through, next_fire_at, computed_with, failures_in_a_row, created_at, created_by, created_role,
           approved_at, approved_by, replaces
      FROM schedctl.schedule JOIN schedctl.plan USING (plan_id)
"""
BY_ID: Final = COLUMNS + " WHERE schedule_id = %s"
BY_ID_FOR_UPDATE: Final = BY_ID + " FOR UPDATE OF schedule"
LIVING_BY_NAME: Final = COLUMNS + " WHERE name = %s AND state IN ('pending', 'active', 'paused')"
LATEST_BY_NAME: Final = COLUMNS + " WHERE name = %s ORDER BY schedule_id DESC LIMIT 1"
LIST: Final = COLUMNS + " WHERE state = ANY (%s) AND schedule_id > %s ORDER BY schedule_id LIMIT %s"
INSERT: Final = """
    INSERT INTO schedctl.schedule (name, state, instruction, task, rule, recurring, timezone, sameness, plan_id,
                                   overlap, catch_up, jitter, budget, next_fire_at, computed_with,
                                   settled_through, created_by, approved_at, approved_by, replaces)
    VALUES (%(name)s, %(state)s, %(instruction)s, %(task)s, %(rule)s, %(recurring)s, %(timezone)s, %(sameness)s,
            %(plan_id)s, %(overlap)s, %(catch_up)s, %(jitter)s, %(budget)s,
            %(next_fire_at)s, %(computed_with)s, schedctl.now(), %(created_by)s,
            CASE WHEN %(approved_by)s::text IS NULL THEN NULL ELSE schedctl.now() END, %(approved_by)s, %(replaces)s)
    RETURNING schedule_id
"""
SAME: Final = """
    SELECT schedule_id FROM schedctl.schedule WHERE sameness = %s AND state IN ('pending', 'active')
"""
APPROVE: Final = """
    UPDATE schedctl.schedule
       SET state = 'active', approved_at = schedctl.now(), approved_by = %s, settled_through = %s, next_fire_at = %s
     WHERE schedule_id = %s
"""
RESUME: Final = """
    UPDATE schedctl.schedule
       SET state = 'active', reason = NULL, failures_in_a_row = 0, settled_through = %s, next_fire_at = %s
     WHERE schedule_id = %s
"""
CLOSE: Final = """
    UPDATE schedctl.schedule SET state = %s, reason = %s, next_fire_at = NULL WHERE schedule_id = %s
"""
HOLD_LIVING: Final = (
    COLUMNS + " WHERE state IN ('pending', 'active', 'paused') ORDER BY schedule_id FOR UPDATE OF schedule"
)
COMPUTED_OTHERWISE: Final = (
    COLUMNS
    + """
     WHERE next_fire_at > schedctl.now() AND computed_with <> %s AND schedule_id > %s
     ORDER BY schedule_id LIMIT %s FOR UPDATE OF schedule SKIP LOCKED
"""
)
RECOMPUTE: Final = """
    WITH before AS (SELECT schedule_id, next_fire_at FROM schedctl.schedule WHERE schedule_id = ANY (%(ids)s))
    UPDATE schedctl.schedule SET next_fire_at = x.next_fire_at, computed_with = %(edition)s
      FROM unnest(%(ids)s::bigint[], %(instants)s::timestamptz[]) AS x (schedule_id, next_fire_at)
      JOIN before USING (schedule_id)
     WHERE schedule.schedule_id = x.schedule_id
    RETURNING schedule.schedule_id, before.next_fire_at, x.next_fire_at
"""
CANCEL_QUEUED: Final = "SELECT schedctl.cancel_queued(%s, %s)"


def insert(db: Database, new: NewSchedule) -> int:
    """Store a schedule; its id. `Refused` (`duplicate`, `name_taken`) when the database holds a living one like it."""
    values = {field: getattr(new, field) for field in NewSchedule.__slots__}
    limits = new.budget.document()
    values["budget"] = Jsonb(limits) if limits else None
    try:
        with db.transaction():
            row = db.execute(INSERT, values).fetchone()
    except psycopg.errors.UniqueViolation as error:
        raise _refusal(db, new, error.diag.constraint_name or "") from None
    assert row is not None  # noqa: S101 - INSERT … RETURNING gives one row
    return row[0]


def by_id(db: Database, schedule_id: int) -> ScheduleRow | None:
    """One schedule."""
    with db.cursor(row_factory=class_row(ScheduleRow)) as cursor:
        return cursor.execute(BY_ID, (schedule_id,)).fetchone()


def hold(db: Database, schedule_id: int) -> ScheduleRow | None:
    """One schedule, locked until the transaction ends."""
    with db.cursor(row_factory=class_row(ScheduleRow)) as cursor:
        return cursor.execute(BY_ID_FOR_UPDATE, (schedule_id,)).fetchone()


def by_name(db: Database, name: str) -> ScheduleRow | None:
    """The living schedule of that name, else the latest one that had it."""
    with db.cursor(row_factory=class_row(ScheduleRow)) as cursor:
        living = cursor.execute(LIVING_BY_NAME, (name,)).fetchone()
        return living or cursor.execute(LATEST_BY_NAME, (name,)).fetchone()


def listed(db: Database, states: tuple[ScheduleState, ...], after: int, limit: int) -> tuple[ScheduleRow, ...]:
    """Schedules in these states by id, from the one behind `after` on."""
    with db.cursor(row_factory=class_row(ScheduleRow)) as cursor:
        return tuple(cursor.execute(LIST, (list(states), after, limit)).fetchall())


def hold_living(db: Database) -> tuple[ScheduleRow, ...]:
    """Every pending, active or paused schedule, locked until the transaction ends."""
    with db.cursor(row_factory=class_row(ScheduleRow)) as cursor:
        return tuple(cursor.execute(HOLD_LIVING).fetchall())


def recompute(db: Database, instants: dict[int, datetime], edition: str) -> tuple[Moved, ...]:
    """Give schedules the next instants of this edition of zone rules and holidays; those that really moved."""
    values = {"ids": list(instants), "instants": list(instants.values()), "edition": edition}
    rows = db.execute(RECOMPUTE, values).fetchall()
    return tuple(Moved(*row) for row in rows if row[1] != row[2])


def computed_otherwise(db: Database, edition: str, after: int, limit: int) -> tuple[ScheduleRow, ...]:
    """Waiting schedules whose next instant was computed by another edition, locked; none that is due already.

    The first `limit` of them whose ids are greater than `after`.
    """
    with db.cursor(row_factory=class_row(ScheduleRow)) as cursor:
        return tuple(cursor.execute(COMPUTED_OTHERWISE, (edition, after, limit)).fetchall())


def approve(db: Database, schedule_id: int, by: str, since: datetime, next_fire_at: datetime) -> None:
    """Make a pending schedule active; what passed up to `since` never fires."""
    db.execute(APPROVE, (by, since, next_fire_at, schedule_id))


def resume(db: Database, row: ScheduleRow, since: datetime, next_fire_at: datetime) -> None:
    """Make a paused schedule active; what passed up to `since` never fires.

    `Refused` (`duplicate`) when another one took its place meanwhile.
    """
    try:
        with db.transaction():
            db.execute(RESUME, (since, next_fire_at, row.schedule_id))
    except psycopg.errors.UniqueViolation:
        raise _duplicate(db, row.sameness) from None


def close(db: Database, schedule_id: int, state: Literal["paused", "finished", "archived"], reason: str | None) -> int:
    """End or pause a schedule and cancel its queued runs; how many those were."""
    db.execute(CLOSE, (state, reason, schedule_id))
    if state == "finished":
        return 0
    row = db.execute(CANCEL_QUEUED, (schedule_id, state)).fetchone()
    return row[0] if row else 0


def _refusal(db: Database, new: NewSchedule, constraint: str) -> Refused:
    if constraint == "names_of_living_schedules_are_unique":
        return Refused(
            "name_taken",
            Text(f"「{new.name}」という名前の予定がすでにあります", f"There is already a schedule named “{new.name}”"),
            Text(
                f"別の名前にするか、--replaces {new.name} で置き換えてください",
                f"Choose another name, or replace it with --replaces {new.name}",
            ),
        )
    return _duplicate(db, new.sameness)


def _duplicate(db: Database, sameness: str) -> Refused:
    row = db.execute(SAME, (sameness,)).fetchone()
    other = row[0] if row else "?"
    return Refused(
        "duplicate",
        Text(
            f"同じ指示と同じ時刻の予定がすでにあります（予定 {other}）",
            f"Schedule {other} has the same instruction and timing already",
        ),
        Text(
            f"確かめるには schedctl show {other}、置き換えるには --replaces {other} を付けてください",
            f"Look at it with schedctl show {other}, or replace it with --replaces {other}",
        ),
    )
