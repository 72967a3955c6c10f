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
    """How long nothing moved; None where there is nothing that could move."""

    since_tick: timedelta | None
    """Since the last tick of any host, by the real clock; before the first one, since the installation was armed."""
    ever_ticked: bool
    oldest_leg: timedelta | None
    oldest_notice: timedelta | None
    """How long the oldest notice that is neither sent nor given up waits, by the real clock."""
    told_since_tick: bool
    """Whether `tick_silent` was told already since then."""
    told_since_queued: bool
    """Whether `queue_stuck` was told already since the oldest claimable leg is due."""


SILENCE: Final = """
    WITH beat AS (
        SELECT max(beat_at) AS last,
               coalesce(clock_timestamp() - max(beat_at),
                        schedctl.now() - (SELECT armed_since FROM schedctl.installation)) AS since,
               coalesce(max(beat_at), (SELECT armed_since FROM schedctl.installation)) AS silent_from
          FROM schedctl.tick_beat
         -- one of a clock that was wrong would hide a silence for as long as that clock was ahead
         WHERE beat_at < clock_timestamp() + interval '1 minute'),
    leg AS (
        SELECT min(greatest(leg.due_at, run.created_at)) AS due FROM schedctl.leg JOIN schedctl.run USING (run_id)
         WHERE leg.state = 'queued' AND NOT leg.waits AND schedctl.may_start(run, leg.claimable_until)
           AND (NOT leg.changes OR schedctl.node_is_free(leg.node, leg.host)))
    SELECT beat.since AS since_tick, beat.last IS NOT NULL AS ever_ticked, schedctl.now() - leg.due AS oldest_leg,
           (SELECT clock_timestamp() - min(queued_at) FROM schedctl.outbox WHERE state = 'queued') AS oldest_notice,
           EXISTS (SELECT FROM schedctl.event WHERE type = 'tick_silent' AND at >= silent_from) AS told_since_tick,
           EXISTS (SELECT FROM schedctl.event WHERE type = 'queue_stuck' AND event.at >= leg.due) AS told_since_queued
      FROM beat, leg
"""


def silence(db: Database) -> Silence:
    """How long ticks, workers and the outbox have been silent."""
    with db.cursor(row_factory=class_row(Silence)) as cursor:
        row = cursor.execute(SILENCE).fetchone()
    assert row is not None  # noqa: S101 - aggregates give one row
    return row
