"""The figures of a report about agents: when they were silent, what was recorded of them, and what they spent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from psycopg.rows import class_row

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from schedctl.store.database import Database


@dataclass(frozen=True, slots=True)
class Watched:
    """Since when an agent is watched, and since when it is unwell (None: it is not)."""

    name: str
    watched_since: datetime
    unwell_since: datetime | None


@dataclass(frozen=True, slots=True)
class SilenceRow:
    """A time without a beat, longer than the agent may be silent; one that goes on ends now."""

    name: str
    started_at: datetime
    ended_at: datetime
    announced: bool


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event, with what a notice needs to tell it."""

    event_id: int
    type: str
    severity: str
    at: datetime
    actor: str
    host: str
    detail: dict[str, Any]
    run_id: int | None
    schedule_id: int | None
    schedule_name: str | None
    instruction: str | None
    timezone: str | None


@dataclass(frozen=True, slots=True)
class RanBeside:
    """A schedule of which a run was under way when an agent was restarted."""

    restarted_at: datetime
    schedule_id: int
    name: str | None
    instruction: str


@dataclass(frozen=True, slots=True)
class SpentRow:
    """What a subject (`agent NAME`, `schedule N`, `planner`) spent on a day, counted from 0."""

    subject: str
    day: int
    cycles: int
    tokens: int


WATCHED: Final = """
    SELECT name, watched_since, CASE WHEN state <> 'ok' THEN unwell_since END AS unwell_since
      FROM schedctl.agent WHERE watched ORDER BY state = 'ok' AND NOT cost_alarm, name LIMIT %s
"""
SILENCES: Final = """
    SELECT name, started_at, ended_at, announced FROM schedctl.agent_silence
     WHERE ended_at >= %(start)s AND started_at < %(end)s AND name = ANY (%(names)s)
     UNION ALL
    SELECT name, greatest(beat_at, watched_since), schedctl.now(), state IN ('stopping', 'stopped')
      FROM schedctl.agent
     WHERE watched AND name = ANY (%(names)s)
       AND schedctl.now() - greatest(beat_at, watched_since) > schedctl.patience(every, missed_beats)
     ORDER BY 1, 2
"""
EVENTS_COLUMNS: Final = """
    SELECT event_id, event.type, coalesce(severity, 'info') AS severity, event.at, event.actor, event.host, detail,
           event.run_id, event.schedule_id, schedule.name AS schedule_name, instruction, timezone
      FROM schedctl.event
      LEFT JOIN schedctl.event_type ON event_type.type = event.type
      LEFT JOIN schedctl.schedule ON schedule.schedule_id = event.schedule_id
"""
EVENTS: Final = (
    EVENTS_COLUMNS
    + """
     WHERE event.at >= %(start)s AND event.at < %(end)s AND event.type = ANY (%(types)s)
     ORDER BY event_id DESC LIMIT %(limit)s
"""
)
# A schedule that ran twelve times in the twelve hours before runs beside everything: it is left out.
BESIDE: Final = """
    WITH ran AS (
        SELECT restarted_at, run.schedule_id, max(run_id) AS run_id
          FROM unnest(%(instants)s::timestamptz[]) AS restarted_at
          JOIN schedctl.run ON run.finished_at >= restarted_at - interval '5 minutes'
                           AND run.finished_at < restarted_at + interval '2 hours'
                           AND run.started_at <= restarted_at + interval '1 minute'
         WHERE trigger = 'timer'
         GROUP BY 1, 2)
    SELECT restarted_at, schedule_id, name, instruction
      FROM ran JOIN schedctl.schedule USING (schedule_id)
     WHERE coalesce((SELECT run.scheduled_for FROM schedctl.run
                      WHERE run.schedule_id = ran.schedule_id AND run.run_id <= ran.run_id AND trigger = 'timer'
                      ORDER BY run.run_id DESC OFFSET 12 LIMIT 1) < restarted_at - interval '12 hours', true)
     ORDER BY restarted_at, schedule_id
"""
SPENT: Final = """
    WITH every AS (
        SELECT subject, at, cycles, tokens FROM schedctl.spent WHERE at >= %(start)s AND at < %(end)s
         UNION ALL
        SELECT 'agent ' || name, quarter_at, quarter_cycles, quarter_tokens
          FROM schedctl.agent WHERE quarter_cycles > 0 AND quarter_at >= %(start)s AND quarter_at < %(end)s)
    SELECT subject, width_bucket(at, %(starts)s::timestamptz[]) - 1 AS day, sum(cycles)::bigint AS cycles,
           sum(tokens)::bigint AS tokens
      FROM every GROUP BY 1, 2 ORDER BY 1, 2
"""


def watched(db: Database, limit: int) -> tuple[Watched, ...]:
    """The watched agents."""
    with db.cursor(row_factory=class_row(Watched)) as cursor:
        return tuple(cursor.execute(WATCHED, (limit,)).fetchall())


def silences(db: Database, start: datetime, end: datetime, names: Sequence[str]) -> tuple[SilenceRow, ...]:
    """The silences of these agents that touch that time, and those that go on."""
    with db.cursor(row_factory=class_row(SilenceRow)) as cursor:
        return tuple(cursor.execute(SILENCES, {"start": start, "end": end, "names": list(names)}).fetchall())


def events(db: Database, start: datetime, end: datetime, types: Sequence[str], limit: int) -> tuple[EventRow, ...]:
    """The latest events of these types in that time, newest first."""
    values = {"start": start, "end": end, "types": list(types), "limit": limit}
    with db.cursor(row_factory=class_row(EventRow)) as cursor:
        return tuple(cursor.execute(EVENTS, values).fetchall())


def beside(db: Database, instants: Sequence[datetime]) -> tuple[RanBeside, ...]:
    """The schedules of which a run was under way at these instants, or had just ended."""
    with db.cursor(row_factory=class_row(RanBeside)) as cursor:
        return tuple(cursor.execute(BESIDE, {"instants": list(instants)}).fetchall())


def spent(db: Database, starts: Sequence[datetime], end: datetime) -> tuple[SpentRow, ...]:
    """What every subject spent on each of the days that begin then, one after the other; the last one ends at `end`."""
    values = {"starts": list(starts), "start": starts[0], "end": end}
    with db.cursor(row_factory=class_row(SpentRow)) as cursor:
        return tuple(cursor.execute(SPENT, values).fetchall())
