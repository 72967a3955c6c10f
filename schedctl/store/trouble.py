"""What did not go as wished: runs that failed, were lost, missed or refused, and whether their schedules paused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from psycopg.rows import class_row

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from schedctl.store.database import Database

TroubleState = Literal["failed", "timed_out", "lost", "missed", "refused"]


@dataclass(frozen=True, slots=True)
class Trouble:
    """A run that somebody should know of. `recovered`: a later run of its schedule succeeded."""

    run_id: int
    schedule_id: int | None
    schedule_name: str | None
    instruction: str | None
    timezone: str | None
    trigger: str
    scheduled_for: datetime | None
    state: TroubleState
    reason: str | None
    error: dict[str, Any] | None
    count: int
    finished_at: datetime
    recovered: bool
    pause_reason: str | None
    """Why its schedule is paused now, None where it is not."""


RUNS: Final = """
    SELECT run.run_id, run.schedule_id, schedule.name AS schedule_name, instruction, timezone, trigger, scheduled_for,
           run.state, run.reason, error, count, finished_at,
           EXISTS (SELECT FROM schedctl.run AS later
                    WHERE later.schedule_id = run.schedule_id AND later.run_id > run.run_id
                      AND later.state = 'succeeded') AS recovered,
           CASE WHEN schedule.state = 'paused' THEN schedule.reason END AS pause_reason
      FROM schedctl.run LEFT JOIN schedctl.schedule USING (schedule_id)
     WHERE run.state IN ('failed', 'timed_out', 'lost', 'missed', 'refused')
"""
FOUND_NOW: Final = (
    RUNS
    + """
       AND finished_at = schedctl.now() AND run.state IN ('lost', 'missed')
     ORDER BY run_id DESC LIMIT %s
"""
)
OF_RUNS: Final = RUNS + " AND run_id = ANY (%s) ORDER BY run_id"
SINCE: Final = RUNS + " AND finished_at >= %s AND trigger <> 'manual' ORDER BY run_id DESC LIMIT %s"
COUNTS: Final = """
    SELECT state, sum(count)::bigint FROM schedctl.run
     WHERE state IN ('failed', 'timed_out', 'lost', 'missed', 'refused') AND finished_at >= %s AND trigger <> 'manual'
     GROUP BY state
"""


def found_now(db: Database, limit: int) -> tuple[Trouble, ...]:
    """What this very transaction recorded as lost or missed, newest first: their end is its now."""
    with db.cursor(row_factory=class_row(Trouble)) as cursor:
        return tuple(cursor.execute(FOUND_NOW, (limit,)).fetchall())


def of_runs(db: Database, run_ids: Sequence[int]) -> tuple[Trouble, ...]:
    """Those of these runs that did not go as wished."""
    with db.cursor(row_factory=class_row(Trouble)) as cursor:
        return tuple(cursor.execute(OF_RUNS, (list(run_ids),)).fetchall())


def since(db: Database, instant: datetime, limit: int) -> tuple[Trouble, ...]:
    """What ended badly since then, newest first; runs by hand left out: whoever started them saw their end."""
    with db.cursor(row_factory=class_row(Trouble)) as cursor:
        return tuple(cursor.execute(SINCE, (instant, limit)).fetchall())


def counts(db: Database, instant: datetime) -> dict[str, int]:
    """How many occurrences ended in each of those states since then."""
    return dict(db.execute(COUNTS, (instant,)).fetchall())
