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


TICKS: Final = """
    SELECT host, at, clock_timestamp() - beat_at AS age FROM schedctl.tick_beat ORDER BY beat_at DESC, host
"""
SCHEDULES: Final = """
    SELECT state, count(*) FROM schedctl.schedule WHERE state IN ('pending', 'active', 'paused') GROUP BY state
"""
# A person's pause is an event `paused` with another reason; what pauses by itself says so in its last event.
PAUSED: Final = """
    SELECT schedule_id, name, instruction, reason,
           coalesce((SELECT type <> 'paused' OR detail ->> 'reason' = 'catalog_changed'
                       FROM schedctl.event
                      WHERE event.schedule_id = schedule.schedule_id AND type IN ('paused', 'auto_paused', 'refused')
                      ORDER BY event_id DESC LIMIT 1), true) AS by_itself
      FROM schedctl.schedule WHERE state = 'paused' ORDER BY by_itself DESC, schedule_id LIMIT %s
"""
LEGS: Final = """
    SELECT count(*) FILTER (WHERE state = 'queued' AND NOT waits) AS queued,
           count(*) FILTER (WHERE state = 'queued' AND waits) AS waiting,
           count(*) FILTER (WHERE state = 'running') AS running
      FROM schedctl.leg WHERE state IN ('queued', 'running')
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
