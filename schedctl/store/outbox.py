"""The outbox: which routes count, which notices have to be sent, and what became of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from schedctl.catalog.facts import SEVERITIES
from schedctl.store.stored_error import error_document

if TYPE_CHECKING:
    from datetime import datetime, timedelta
    from uuid import UUID

    from schedctl.catalog.model import Catalog
    from schedctl.catalog.telling import Route
    from schedctl.errors import SchedctlError
    from schedctl.store.database import Database


@dataclass(frozen=True, slots=True)
class ClaimedNotice:
    """A notice that this attempt may send, with the event that it tells of. `attempts` counts this one."""

    outbox_id: int
    channel: str
    idempotency_key: UUID
    attempts: int
    event_id: int
    type: str
    severity: str
    at: datetime
    actor: str
    host: str
    detail: dict[str, Any]
    schedule_id: int | None
    schedule_name: str | None
    instruction: str | None
    timezone: str | None
    run_id: int | None
    risk: str | None
    nodes: list[str]
    attempt_at: datetime
    """By the real clock."""


@dataclass(frozen=True, slots=True)
class OutboxState:
    """What `status` shows: notices that wait, how long the oldest of them is stuck, and dead letters."""

    waiting: int
    failing: int
    """Of those, how many were tried in vain already."""
    stuck_for: timedelta | None
    """How long the oldest one waits that was tried in vain, or that nobody has tried though it was due."""
    dead: int
    """Dead letters of the span that was asked for."""


CLEAR_ROUTES: Final = "DELETE FROM schedctl.route"
ADD_ROUTE: Final = """
    INSERT INTO schedctl.route (events, weight, risks, nodes, channels) VALUES (%s, %s, %s, %s, %s)
"""
SET_DEAD_MAN: Final = "UPDATE schedctl.installation SET dead_man = %s WHERE dead_man <> %s"
DUE_CHANNELS: Final = """
    SELECT DISTINCT channel FROM schedctl.outbox
     WHERE state = 'queued' AND next_attempt_at <= clock_timestamp() ORDER BY channel
"""
# The attempt is counted and put off before it is made: one that is killed in it is made again later, with the same key.
CLAIM: Final = """
    WITH next AS (
        SELECT outbox_id FROM schedctl.outbox
         WHERE channel = %(channel)s AND state = 'queued' AND next_attempt_at <= clock_timestamp()
         ORDER BY outbox_id LIMIT 1 FOR UPDATE SKIP LOCKED),
    claimed AS (
        UPDATE schedctl.outbox
           SET attempts = attempts + 1, next_attempt_at = clock_timestamp() + %(lease)s::interval,
               error = %(unfinished)s
          FROM next WHERE outbox.outbox_id = next.outbox_id
        RETURNING outbox.*)
    SELECT outbox_id, channel, idempotency_key, attempts, event_id, event.type, severity, event.at, event.actor,
           event.host, detail, event.schedule_id, schedule.name AS schedule_name, instruction, timezone, event.run_id,
           plan.risk, ARRAY (SELECT node FROM schedctl.plan_leg WHERE plan_leg.plan_id = plan.plan_id
                              GROUP BY node ORDER BY min(position)) AS nodes,
           clock_timestamp() AS attempt_at
      FROM claimed
      JOIN schedctl.event USING (event_id)
      JOIN schedctl.event_type ON event_type.type = event.type
      LEFT JOIN schedctl.schedule ON schedule.schedule_id = event.schedule_id
      LEFT JOIN schedctl.run ON run.run_id = event.run_id
      LEFT JOIN schedctl.plan ON plan.plan_id = coalesce(run.plan_id, schedule.plan_id)
"""
SENT: Final = """
    UPDATE schedctl.outbox SET state = 'sent', ended_at = clock_timestamp(), error = NULL
     WHERE outbox_id = %s AND attempts = %s AND state = 'queued'
"""
PUT_OFF: Final = """
    UPDATE schedctl.outbox SET next_attempt_at = clock_timestamp() + %s::interval, error = %s
     WHERE outbox_id = %s AND attempts = %s AND state = 'queued'
"""
GIVE_UP: Final = """
    UPDATE schedctl.outbox SET state = 'dead', ended_at = clock_timestamp(), error = %s
     WHERE outbox_id = %s AND attempts = %s AND state = 'queued'
"""
GIVE_UP_OLD: Final = """
    UPDATE schedctl.outbox SET state = 'dead', ended_at = clock_timestamp(), error = %s
     WHERE channel = %s AND state = 'queued' AND queued_at < clock_timestamp() - %s::interval
       AND NOT (next_attempt_at > clock_timestamp() AND error ->> 'type' = 'channel_unfinished')
"""
REVIVE: Final = """
    UPDATE schedctl.outbox
       SET state = 'queued', ended_at = NULL, queued_at = clock_timestamp(), next_attempt_at = clock_timestamp()
     WHERE state = 'dead'
"""
PRUNE: Final = """
    DELETE FROM schedctl.outbox
     WHERE outbox_id IN (SELECT outbox_id FROM schedctl.outbox ORDER BY outbox_id LIMIT 1000)
       AND state <> 'queued' AND ended_at < clock_timestamp() - interval '30 days'
"""
STATE: Final = """
    SELECT count(*) FILTER (WHERE state = 'queued') AS waiting,
           count(*) FILTER (WHERE state = 'queued' AND error IS NOT NULL) AS failing,
           clock_timestamp() - min(queued_at) FILTER (
                WHERE state = 'queued'
                  AND (error IS NOT NULL OR next_attempt_at < clock_timestamp() - interval '2 minutes')) AS stuck_for,
           count(*) FILTER (WHERE state = 'dead') AS dead
      FROM schedctl.outbox WHERE state = 'queued' OR (state = 'dead' AND ended_at >= clock_timestamp() - %s::interval)
"""
TELL_FREEZES_AHEAD: Final = "SELECT schedctl.tell_freezes_ahead()"
CLOCK: Final = "SELECT clock_timestamp()"
LAST_TICK: Final = """
    SELECT clock_timestamp() - max(beat_at) FROM schedctl.tick_beat
     WHERE beat_at < clock_timestamp() + interval '1 minute'
"""


def adopt_routes(db: Database, catalog: Catalog) -> None:
    """Make the routes of this catalog the ones that count, and remember whether a dead-man URL is to be called."""
    db.execute(CLEAR_ROUTES)
    for route in catalog.policy.routes:
        weight, nodes = SEVERITIES.index(route.severity), _nodes(catalog, route)
        db.execute(ADD_ROUTE, (list(route.events), weight, list(route.risks), nodes, list(route.channels)))
    calls = catalog.policy.dead_man_url is not None
    db.execute(SET_DEAD_MAN, (calls, calls))


def due_channels(db: Database) -> tuple[str, ...]:
    """The channels that have something to send now."""
    return tuple(row[0] for row in db.execute(DUE_CHANNELS).fetchall())


def claim(db: Database, channel: str, lease: timedelta, unfinished: SchedctlError) -> ClaimedNotice | None:
    """Take the oldest notice that is due on a channel; nobody else takes it before the lease is over."""
    values = {"channel": channel, "lease": lease, "unfinished": Jsonb(error_document(unfinished))}
    with db.cursor(row_factory=class_row(ClaimedNotice)) as cursor:
        return cursor.execute(CLAIM, values).fetchone()


def sent(db: Database, notice: ClaimedNotice) -> None:
    """The channel took it."""
    db.execute(SENT, (notice.outbox_id, notice.attempts))


def put_off(db: Database, notice: ClaimedNotice, wait: timedelta, error: SchedctlError) -> None:
    """This attempt failed; the next one comes after `wait`."""
    db.execute(PUT_OFF, (wait, Jsonb(error_document(error)), notice.outbox_id, notice.attempts))


def give_up(db: Database, notice: ClaimedNotice, error: SchedctlError) -> int:
    """Make it a dead letter; how many that were (0: it was ended already)."""
    return db.execute(GIVE_UP, (Jsonb(error_document(error)), notice.outbox_id, notice.attempts)).rowcount


def give_up_old(db: Database, channel: str, age: timedelta, error: SchedctlError) -> int:
    """Make everything of a channel that waits longer than `age` a dead letter, but what another delivery is sending."""
    return db.execute(GIVE_UP_OLD, (Jsonb(error_document(error)), channel, age)).rowcount


def revive(db: Database) -> int:
    """Queue every dead letter anew, with its old key; how many that were."""
    return db.execute(REVIVE).rowcount


def prune(db: Database) -> int:
    """Remove what ended a month ago, a little at a time; how many rows."""
    return db.execute(PRUNE).rowcount


def tell_freezes_ahead(db: Database) -> None:
    """Tell of the freezes that begin within a day, each once, where a route asks for it."""
    db.execute(TELL_FREEZES_AHEAD)


def state(db: Database, look_back: timedelta) -> OutboxState:
    """How the outbox stands; dead letters of the last `look_back` only."""
    with db.cursor(row_factory=class_row(OutboxState)) as cursor:
        found = cursor.execute(STATE, (look_back,)).fetchone()
    assert found is not None  # noqa: S101 - an aggregate gives one row
    return found


def clock(db: Database) -> datetime:
    """The real time, also during a rehearsal."""
    row = db.execute(CLOCK).fetchone()
    assert row is not None  # noqa: S101 - a SELECT without FROM gives one row
    return row[0]


def since_last_tick(db: Database) -> timedelta | None:
    """How long ago any host ticked, by the real clock; None: never."""
    row = db.execute(LAST_TICK).fetchone()
    return row[0] if row else None


def _nodes(catalog: Catalog, route: Route) -> list[str]:
    """The nodes that a route names, groups resolved."""
    return sorted(
        node.name
        for node in catalog.nodes
        if node.name in route.nodes or any(group in route.nodes for group in node.groups)
    )
