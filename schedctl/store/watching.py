"""What `watch` asks: do ticks come, does queued work start, does the outbox move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from psycopg.rows import class_row

if TYPE_CHECKING:
    from datetime import timedelta

    from schedctl.store.database import Database


@dataclass(frozen=True, slots=True)
class Silence:
    """How long nothing moved, by the real clock; None where there is nothing that could move."""

    since_tick: timedelta | None
    oldest_leg: timedelta | None
    told_since_tick: bool
    """Whether `tick_silent` was told already since the last tick."""
    told_since_queued: bool
    """Whether `queue_stuck` was told already since the oldest claimable leg is due."""


SILENCE: Final = """
    WITH beat AS (SELECT max(beat_at) AS at FROM schedctl.tick_beat),
    leg AS (
        SELECT min(greatest(leg.due_at, run.created_at)) AS due FROM schedctl.leg JOIN schedctl.run USING (run_id)
         WHERE leg.state = 'queued' AND NOT leg.waits AND schedctl.may_start(run, leg.claimable_until)
           AND (NOT leg.changes OR schedctl.node_is_free(leg.node, leg.host)))
    SELECT clock_timestamp() - beat.at AS since_tick, schedctl.now() - leg.due AS oldest_leg,
           EXISTS (SELECT FROM schedctl.event WHERE type = 'tick_silent' AND event.at >= beat.at) AS told_since_tick,
           EXISTS (SELECT FROM schedctl.event WHERE type = 'queue_stuck' AND event.at >= leg.due) AS told_since_queued
      FROM beat, leg
"""


def silence(db: Database) -> Silence:
    """How long ticks and workers have been silent."""
    with db.cursor(row_factory=class_row(Silence)) as cursor:
        row = cursor.execute(SILENCE).fetchone()
    assert row is not None  # noqa: S101 - aggregates give one row
    return row
