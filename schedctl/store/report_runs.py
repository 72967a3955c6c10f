"""The figures of a report about runs: set-based, over a stretch of time that the index on their ends finds.

A run belongs to the time in which it ended: so each is in one day's report, whatever was late. Runs by hand are counted
apart, as everywhere: whoever started them saw their end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from psycopg.rows import class_row

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from schedctl.store.database import Database


@dataclass(frozen=True, slots=True)
class ScheduleFigures:
    """A schedule of which something ended, as it stands now, with its counts by state."""

    schedule_id: int
    name: str | None
    instruction: str
    timezone: str
    state: str
    reason: str | None
    by_itself: bool
    risk: str
    nodes: list[str]
    counts: dict[str, int]
    by_hand: int
    of_all: int
    """How many schedules there were, also beyond the limit."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a schedule's strip: the number of it, and how many runs of a state began in it."""

    schedule_id: int
    cell: int
    state: str
    count: int


@dataclass(frozen=True, slots=True)
class Took:
    """How long a schedule's runs that succeeded took, in seconds, and those before (`before` of them, 20 at most)."""

    schedule_id: int
    slowest_s: float
    slowest_run: int
    median_s: float
    before: int
    usual_s: float | None
    usual_long_s: float | None


@dataclass(frozen=True, slots=True)
class Fact:
    """A run that was no plain success; `left_out` is how many more of its schedule there are than were asked for."""

    run_id: int
    schedule_id: int
    at: datetime
    state: str
    reason: str | None
    error: dict[str, Any] | None
    first_at: datetime | None
    count: int
    recovered: bool
    left_out: int


@dataclass(frozen=True, slots=True)
class NotRecovered:
    """The last trouble of a schedule that has had no success since; `of_all`: how many such schedules there are."""

    schedule_id: int
    name: str | None
    instruction: str
    run_id: int
    at: datetime
    state: str
    of_all: int


@dataclass(frozen=True, slots=True)
class LostLeg:
    """What is known of a lost leg."""

    run_id: int
    node: str
    worker: str | None
    holds_node: bool
    step: int | None
    """The last step that it began, from 1."""
    seen_to_end: str | None
    """How its command was seen to have ended afterwards."""


TOTALS: Final = """
    SELECT state, trigger = 'manual' AS by_hand, sum(count)::bigint AS count
      FROM schedctl.run
     WHERE finished_at >= %(start)s AND finished_at < %(end)s AND trigger <> 'restart'
     GROUP BY 1, 2
"""
# The period first, here and below: by its partial index the planner would read all that ever went wrong.
FAILED_BY_HAND: Final = """
    WITH by_hand AS MATERIALIZED (
        SELECT run_id, schedule_id, state FROM schedctl.run
         WHERE finished_at >= %(start)s AND finished_at < %(end)s AND trigger = 'manual')
    SELECT run_id, schedule_id, count(*) OVER () AS of_all
      FROM by_hand WHERE state IN ('failed', 'timed_out', 'lost')
     ORDER BY run_id DESC LIMIT %(limit)s
"""
NOT_RECOVERED: Final = """
    WITH ended AS MATERIALIZED (
        SELECT run_id, schedule_id, state, coalesce(scheduled_for, finished_at) AS at FROM schedctl.run
         WHERE finished_at >= %(start)s AND finished_at < %(end)s AND trigger <> 'manual' AND schedule_id IS NOT NULL
           AND state NOT IN ('succeeded', 'rehearsed')),
    latest AS (
        SELECT DISTINCT ON (schedule_id) * FROM ended
         WHERE state IN ('failed', 'timed_out', 'lost', 'missed', 'refused') ORDER BY schedule_id, run_id DESC)
    SELECT schedule_id, name, instruction, run_id, at, latest.state, count(*) OVER () AS of_all
      FROM latest JOIN schedctl.schedule USING (schedule_id)
     WHERE schedule.state IN ('active', 'finished')
       AND NOT EXISTS (SELECT FROM schedctl.run AS later
                        WHERE later.schedule_id = latest.schedule_id AND later.run_id > latest.run_id
                          AND later.state = 'succeeded')
     ORDER BY run_id DESC LIMIT %(limit)s
"""
UNFINISHED: Final = """
    SELECT state, count(*) FROM schedctl.run
     WHERE finished_at IS NULL AND trigger = 'timer' AND created_at < %(end)s
     GROUP BY state
"""
SCHEDULES: Final = """
    WITH ended AS (
        SELECT schedule_id, state, trigger = 'manual' AS by_hand, sum(count)::bigint AS count,
               max(finished_at - started_at) AS longest
          FROM schedctl.run
         WHERE finished_at >= %(start)s AND finished_at < %(end)s AND schedule_id IS NOT NULL
         GROUP BY 1, 2, 3),
    figures AS (
        SELECT schedule_id,
               coalesce(jsonb_object_agg(state, count) FILTER (WHERE NOT by_hand), '{}') AS counts,
               coalesce(sum(count) FILTER (WHERE by_hand), 0)::bigint AS by_hand,
               bool_or(NOT by_hand AND state IN ('failed', 'timed_out', 'lost', 'missed', 'refused')) AS bad,
               bool_or(NOT by_hand AND state IN ('skipped', 'cancelled')) AS odd,
               max(longest) AS longest, count(*) OVER () AS of_all
          FROM ended GROUP BY schedule_id),
    shown AS (
        SELECT * FROM figures
         ORDER BY bad DESC, odd DESC, longest DESC NULLS LAST, schedule_id LIMIT %(limit)s)
    SELECT schedule_id, name, instruction, timezone, schedule.state, reason,
           schedule.state = 'paused' AND schedctl.paused_by_itself(schedule_id) AS by_itself, plan.risk,
           ARRAY (SELECT node FROM schedctl.plan_leg WHERE plan_leg.plan_id = plan.plan_id
                   GROUP BY node ORDER BY min(position)) AS nodes,
           counts, by_hand, of_all
      FROM shown JOIN schedctl.schedule USING (schedule_id) JOIN schedctl.plan USING (plan_id)
     ORDER BY bad DESC, odd DESC, longest DESC NULLS LAST, schedule_id
"""
CELLS: Final = """
    SELECT schedule_id,
           greatest(0, floor(extract(epoch FROM coalesce(started_at, scheduled_for, finished_at) - %(start)s)
                             / %(cell_s)s))::int AS cell,
           state, sum(count)::bigint AS count
      FROM schedctl.run
     WHERE finished_at >= %(start)s AND finished_at < %(end)s AND schedule_id = ANY (%(ids)s) AND trigger <> 'manual'
     GROUP BY 1, 2, 3 ORDER BY 1, 2
"""
TOOK: Final = """
    WITH ended AS (
        SELECT schedule_id, run_id, extract(epoch FROM finished_at - started_at)::float AS seconds
          FROM schedctl.run
         WHERE finished_at >= %(start)s AND finished_at < %(end)s AND schedule_id = ANY (%(ids)s)
           AND state = 'succeeded' AND trigger = 'timer' AND started_at IS NOT NULL),
    took AS (
        SELECT schedule_id, max(seconds) AS slowest_s,
               (array_agg(run_id ORDER BY seconds DESC, run_id))[1] AS slowest_run, min(run_id) AS first_run,
               percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS median_s
          FROM ended GROUP BY schedule_id)
    SELECT schedule_id, slowest_s, slowest_run, median_s, coalesce(usual.before, 0) AS before, usual_s, usual_long_s
      FROM took
      LEFT JOIN LATERAL (
            SELECT count(*) AS before,
                   percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS usual_s,
                   percentile_cont(0.9) WITHIN GROUP (ORDER BY seconds) AS usual_long_s
              FROM (SELECT extract(epoch FROM finished_at - started_at)::float AS seconds
                      FROM schedctl.run
                     WHERE run.schedule_id = took.schedule_id AND run_id < took.first_run
                       AND state = 'succeeded' AND trigger = 'timer' AND started_at IS NOT NULL
                     ORDER BY run_id DESC LIMIT 20) AS earlier) AS usual ON true
"""
FACTS: Final = """
    WITH odd AS (
        SELECT run.*, row_number() OVER (
                   PARTITION BY schedule_id
                   ORDER BY state IN ('failed', 'timed_out', 'lost', 'missed', 'refused') DESC, run_id DESC) AS place,
               count(*) OVER (PARTITION BY schedule_id) AS all_of_them
          FROM schedctl.run
         WHERE finished_at >= %(start)s AND finished_at < %(end)s AND schedule_id = ANY (%(ids)s)
           AND trigger <> 'manual' AND state NOT IN ('succeeded', 'rehearsed'))
    SELECT run_id, schedule_id, coalesce(scheduled_for, finished_at) AS at, state, reason, error, first_at, count,
           EXISTS (SELECT FROM schedctl.run AS later
                    WHERE later.schedule_id = odd.schedule_id AND later.run_id > odd.run_id
                      AND later.state = 'succeeded') AS recovered,
           greatest(0, all_of_them - %(each)s) AS left_out
      FROM odd WHERE place <= %(each)s ORDER BY schedule_id, place
"""
LOST_LEGS: Final = """
    SELECT leg.run_id, node, worker, holds_node, last.position + 1 AS step,
           (SELECT detail ->> 'state' FROM schedctl.event
             WHERE event.schedule_id = run.schedule_id AND event.run_id = leg.run_id AND type = 'lost_leg_ended'
               AND (detail ->> 'leg')::bigint = leg.leg_id ORDER BY event_id DESC LIMIT 1) AS seen_to_end
      FROM schedctl.leg JOIN schedctl.run USING (run_id)
      LEFT JOIN LATERAL (SELECT max(step.position) AS position FROM schedctl.step
                          WHERE step.leg_id = leg.leg_id) AS last ON true
     WHERE leg.run_id = ANY (%s) AND leg.state = 'lost' ORDER BY leg.run_id, leg.position
"""


def totals(db: Database, start: datetime, end: datetime) -> tuple[dict[str, int], int]:
    """Occurrences by state, and runs by hand, that ended in that time; with them what has not ended yet.

    Restarts are no occurrences: they are told of their agents.
    """
    counts: dict[str, int] = {}
    by_hand = 0
    for state, hand, count in db.execute(TOTALS, {"start": start, "end": end}).fetchall():
        if hand:
            by_hand += count
        else:
            counts[state] = count
    for state, count in db.execute(UNFINISHED, {"end": end}).fetchall():
        counts[state] = counts.get(state, 0) + count
    return counts, by_hand


def failed_by_hand(
    db: Database, start: datetime, end: datetime, limit: int
) -> tuple[int, tuple[tuple[int, int | None], ...]]:
    """How many runs by hand of that time failed, and the newest of them with their schedules."""
    rows = db.execute(FAILED_BY_HAND, {"start": start, "end": end, "limit": limit}).fetchall()
    return (rows[0][2] if rows else 0), tuple((run_id, schedule_id) for run_id, schedule_id, _ in rows)


def schedules(db: Database, start: datetime, end: datetime, limit: int) -> tuple[ScheduleFigures, ...]:
    """The schedules of which something ended in that time: those that were not all well first, then the slowest."""
    with db.cursor(row_factory=class_row(ScheduleFigures)) as cursor:
        return tuple(cursor.execute(SCHEDULES, {"start": start, "end": end, "limit": limit}).fetchall())


def not_recovered(db: Database, start: datetime, end: datetime, limit: int) -> tuple[NotRecovered, ...]:
    """The schedules that something went wrong with in that time and no run succeeded of since, the latest first."""
    with db.cursor(row_factory=class_row(NotRecovered)) as cursor:
        return tuple(cursor.execute(NOT_RECOVERED, {"start": start, "end": end, "limit": limit}).fetchall())


def cells(db: Database, start: datetime, end: datetime, ids: Sequence[int], cell_s: float) -> tuple[Cell, ...]:
    """The strips of these schedules, in cells of so many seconds from the start on."""
    values = {"start": start, "end": end, "ids": list(ids), "cell_s": cell_s}
    with db.cursor(row_factory=class_row(Cell)) as cursor:
        return tuple(cursor.execute(CELLS, values).fetchall())


def took(db: Database, start: datetime, end: datetime, ids: Sequence[int]) -> tuple[Took, ...]:
    """How long these schedules took, those of which a run succeeded in that time."""
    with db.cursor(row_factory=class_row(Took)) as cursor:
        return tuple(cursor.execute(TOOK, {"start": start, "end": end, "ids": list(ids)}).fetchall())


def facts(db: Database, start: datetime, end: datetime, ids: Sequence[int], each: int) -> tuple[Fact, ...]:
    """What of these schedules was no plain success in that time, the gravest and latest first, so many of each."""
    with db.cursor(row_factory=class_row(Fact)) as cursor:
        values = {"start": start, "end": end, "ids": list(ids), "each": each}
        return tuple(cursor.execute(FACTS, values).fetchall())


def lost_legs(db: Database, run_ids: Sequence[int]) -> tuple[LostLeg, ...]:
    """What is known of the lost legs of these runs."""
    with db.cursor(row_factory=class_row(LostLeg)) as cursor:
        return tuple(cursor.execute(LOST_LEGS, (list(run_ids),)).fetchall())
