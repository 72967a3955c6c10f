"""What `status` shows of the installation beside what went wrong: ticks, schedules, legs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from psycopg.rows import class_row

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from schedctl.store.database import Database


@dataclass(frozen=True, slots=True)
class TickBeat:
    """The last tick of a host: the instant that it acted for, and how long ago that was by the real clock."""

    host: str
    at: datetime
    age: timedelta


@dataclass(frozen=True, slots=True)
class PausedSchedule:
    """A schedule that does not fire; `by_itself` where no person paused it."""

    schedule_id: int
    name: str | None
    instruction: str
    reason: str
    by_itself: bool


@dataclass(frozen=True, slots=True)
class LegCounts:
    """Legs that have not ended: queued, queued behind an earlier stage, running."""

    queued: int
    waiting: int
    running: int


@dataclass(frozen=True, slots=True)
class RunningLeg:
    """A leg that a worker has claimed and not ended."""

    run_id: int
    schedule_id: int | None
    schedule_name: str | None
    instruction: str | None
    started_by: str | None
    """Of a restart: `agent NAME`."""
    node: str
    claimed_at: datetime


TICKS: Final = """
    SELECT host, at, clock_timestamp() - beat_at AS age FROM schedctl.tick_beat ORDER BY beat_at DESC, host
"""
SCHEDULES: Final = """
    SELECT state, count(*) FROM schedctl.schedule WHERE state IN ('pending', 'active', 'paused') GROUP BY state
"""
PAUSED: Final = """
    SELECT schedule_id, name, instruction, reason, schedctl.paused_by_itself(schedule_id) AS by_itself
      FROM schedctl.schedule WHERE state = 'paused' ORDER BY by_itself DESC, schedule_id LIMIT %s
"""
LEGS: Final = """
    SELECT count(*) FILTER (WHERE state = 'queued' AND NOT waits) AS queued,
           count(*) FILTER (WHERE state = 'queued' AND waits) AS waiting,
           count(*) FILTER (WHERE state = 'running') AS running
      FROM schedctl.leg WHERE state IN ('queued', 'running')
"""

RUNNING: Final = """
    SELECT run_id, schedule_id, schedule.name AS schedule_name, instruction, run.created_by AS started_by,
           node, claimed_at
      FROM schedctl.leg JOIN schedctl.run USING (run_id) LEFT JOIN schedctl.schedule USING (schedule_id)
     WHERE leg.state = 'running' ORDER BY claimed_at, leg_id LIMIT %s
"""


def ticks(db: Database) -> tuple[TickBeat, ...]:
    """The hosts that tick or ticked, the latest first."""
    with db.cursor(row_factory=class_row(TickBeat)) as cursor:
        return tuple(cursor.execute(TICKS).fetchall())


def schedule_counts(db: Database) -> dict[str, int]:
    """How many schedules are pending, active and paused; a state without any is left out."""
    return dict(db.execute(SCHEDULES).fetchall())


def paused(db: Database, limit: int) -> tuple[PausedSchedule, ...]:
    """The paused schedules, those that paused by themselves first."""
    with db.cursor(row_factory=class_row(PausedSchedule)) as cursor:
        return tuple(cursor.execute(PAUSED, (limit,)).fetchall())


def leg_counts(db: Database) -> LegCounts:
    """The legs that have not ended."""
    with db.cursor(row_factory=class_row(LegCounts)) as cursor:
        counted = cursor.execute(LEGS).fetchone()
    assert counted is not None  # noqa: S101 - an aggregate gives one row
    return counted


def running(db: Database, limit: int) -> tuple[RunningLeg, ...]:
    """The legs that are being carried out now, those that began first at the front."""
    with db.cursor(row_factory=class_row(RunningLeg)) as cursor:
        return tuple(cursor.execute(RUNNING, (limit,)).fetchall())
