"""The schedules that will fire within a span: what `upcoming` begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from psycopg.rows import class_row

from schedctl.store.schedules import COLUMNS, ScheduleRow

if TYPE_CHECKING:
    from datetime import datetime

    from schedctl.store.database import Database

FIRING_UNTIL: Final = (
    COLUMNS
    + """
     WHERE next_fire_at <= %(until)s AND schedule.state = 'active'
       AND (%(node)s::text IS NULL OR EXISTS (
               SELECT FROM schedctl.plan_leg WHERE plan_leg.plan_id = schedule.plan_id AND plan_leg.node = %(node)s))
     ORDER BY next_fire_at, schedule_id LIMIT %(limit)s
"""
)
PENDING: Final = "SELECT count(*) FROM schedctl.schedule WHERE state = 'pending'"


def firing_until(db: Database, until: datetime, node: str | None, limit: int) -> tuple[ScheduleRow, ...]:
    """The active schedules that fire by `until` (on this node), those that fire first at the front.

    The first `limit` occurrences of an installation never come from more than that many schedules.
    """
    values = {"until": until, "node": node, "limit": limit}
    with db.cursor(row_factory=class_row(ScheduleRow)) as cursor:
        return tuple(cursor.execute(FIRING_UNTIL, values).fetchall())


def pending(db: Database) -> int:
    """How many schedules wait for approval, and so are in no forecast."""
    row = db.execute(PENDING).fetchone()
    return row[0] if row else 0
