"""The daily report's own records: when one is due, which were written, and how long its figures are kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date, datetime, time

    from schedctl.store.database import Database
    from schedctl.store.events import Actor

NEVER_FURTHER_AHEAD: Final = timedelta(hours=26)
"""The next report is never due later than the longest day from now: what is, was put there by a clock gone wrong."""


@dataclass(frozen=True, slots=True)
class Reporting:
    """When reports are written: at `hour` (None: never by themselves) in `timezone`. `due_at` is the next instant."""

    hour: time | None
    timezone: str
    due_at: datetime | None
    may_try: bool
    """False for a while after an attempt that failed."""

    def is_due(self, now: datetime) -> bool:
        """Whether there is anything to do: a report to write, or its next instant to be computed."""
        if self.hour is None or not self.may_try:
            return False
        return self.due_at is None or self.due_at <= now or self.due_at > now + NEVER_FURTHER_AHEAD


@dataclass(frozen=True, slots=True)
class Unwritten:
    """Days, both included, whose reports were due and not written."""

    first: date
    last: date

    @property
    def days(self) -> int:
        """How many."""
        return (self.last - self.first).days + 1


READ: Final = "SELECT hour, timezone, due_at, not_before <= clock_timestamp() AS may_try FROM schedctl.reporting"
SET: Final = """
    UPDATE schedctl.reporting SET hour = %(hour)s, timezone = %(timezone)s, due_at = %(due_at)s
     WHERE hour IS DISTINCT FROM %(hour)s OR timezone <> %(timezone)s OR due_at IS NULL
"""
ALONE: Final = "SELECT pg_try_advisory_xact_lock(hashtext('schedctl.report'))"
IS_WRITTEN: Final = "SELECT EXISTS (SELECT FROM schedctl.report WHERE day = %s)"
UNWRITTEN: Final = """
    SELECT (detail -> 'unwritten' ->> 'first')::date AS first, (detail -> 'unwritten' ->> 'last')::date AS last
      FROM schedctl.report JOIN schedctl.event USING (event_id) WHERE day = %s AND detail ? 'unwritten'
"""
WRITE: Final = """
    WITH told AS (
        INSERT INTO schedctl.event (type, actor, host, detail)
        VALUES ('report_written', %(actor)s, %(host)s, %(detail)s) RETURNING event_id)
    INSERT INTO schedctl.report (day, timezone, host, event_id)
    SELECT %(day)s, %(timezone)s, %(host)s, event_id FROM told
"""
MOVE: Final = "UPDATE schedctl.reporting SET due_at = %s"
PUT_OFF: Final = "UPDATE schedctl.reporting SET not_before = clock_timestamp() + %s::interval"
FORGET_AHEAD: Final = "DELETE FROM schedctl.report WHERE written_at > schedctl.now()"
PRUNE_SPENT: Final = """
    DELETE FROM schedctl.spent WHERE (at, subject) IN (
        SELECT at, subject FROM schedctl.spent
         WHERE at < schedctl.now() - (SELECT make_interval(days => retention_days) FROM schedctl.installation)
         ORDER BY at LIMIT 5000)
"""
PRUNE_SILENCES: Final = """
    DELETE FROM schedctl.agent_silence WHERE (ended_at, name) IN (
        SELECT ended_at, name FROM schedctl.agent_silence
         WHERE ended_at < schedctl.now() - (SELECT make_interval(days => retention_days) FROM schedctl.installation)
         ORDER BY ended_at LIMIT 1000)
"""
PRUNE_REPORTS: Final = """
    DELETE FROM schedctl.report
     WHERE written_at < schedctl.now() - (SELECT make_interval(days => retention_days) FROM schedctl.installation)
"""


def read(db: Database) -> Reporting:
    """When reports are written."""
    with db.cursor(row_factory=class_row(Reporting)) as cursor:
        row = cursor.execute(READ).fetchone()
    assert row is not None  # noqa: S101 - the row is inserted with the schema
    return row


def adopt(db: Database, hour: time | None, timezone: str, due_at: datetime | None) -> None:
    """Let reports be written then, the next one at `due_at`; nothing happens where that is so already."""
    db.execute(SET, {"hour": hour, "timezone": timezone, "due_at": due_at})


def alone(db: Database) -> bool:
    """Whether nobody else is writing a report now; until the transaction ends, nobody else will."""
    row = db.execute(ALONE).fetchone()
    return bool(row and row[0])


def is_written(db: Database, day: date) -> bool:
    """Whether the report on a day was written."""
    row = db.execute(IS_WRITTEN, (day,)).fetchone()
    return bool(row and row[0])


def unwritten(db: Database, day: date) -> Unwritten | None:
    """The days before it that the report on a day, which was written, says were not reported."""
    with db.cursor(row_factory=class_row(Unwritten)) as cursor:
        return cursor.execute(UNWRITTEN, (day,)).fetchone()


def write(db: Database, day: date, timezone: str, actor: Actor, detail: Mapping[str, object]) -> None:
    """Keep that the report on a day was written, and tell it: the event fills the outbox in the same transaction."""
    values = {"day": day, "timezone": timezone, "actor": actor.name, "host": actor.host, "detail": Jsonb(detail)}
    db.execute(WRITE, values)


def move(db: Database, due_at: datetime) -> None:
    """Let the next report be due then."""
    db.execute(MOVE, (due_at,))


def put_off(db: Database, wait: timedelta) -> None:
    """Let nobody try again before so long, by the real clock."""
    db.execute(PUT_OFF, (wait,))


def forget_ahead(db: Database) -> None:
    """Forget what was written by a clock that was ahead of this one: those days come yet."""
    db.execute(FORGET_AHEAD)


def prune(db: Database) -> None:
    """Remove some of what is older than runs are kept."""
    for query in (PRUNE_SPENT, PRUNE_SILENCES, PRUNE_REPORTS):
        db.execute(query)
