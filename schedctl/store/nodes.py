"""Nodes that are kept free of changing work: by hand, or because a lost leg may still be running there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from psycopg.rows import class_row

if TYPE_CHECKING:
    from datetime import datetime

    from schedctl.store.database import Database


@dataclass(frozen=True, slots=True)
class Hold:
    """Why a node takes no changing work now; `run_id` is the run that holds it, None where a person does."""

    node: str
    held_at: datetime
    held_by: str
    reason: str
    run_id: int | None

    @property
    def goes_on(self) -> bool:
        """Whether it is a run that is being carried out there: it gives the node free at its end."""
        return self.run_id is not None and self.reason == "running"


@dataclass(frozen=True, slots=True)
class HeldUp:
    """A run with queued changing work, and what keeps its node from taking it."""

    run_id: int
    by: Hold


HOLD: Final = """
    INSERT INTO schedctl.node_hold (node, held_by, reason) VALUES (%s, %s, %s) ON CONFLICT (node) DO NOTHING
"""
RELEASE: Final = "DELETE FROM schedctl.node_hold WHERE node = %s"
RELEASE_LOST: Final = """
    UPDATE schedctl.leg SET holds_node = false WHERE node = %s AND holds_node AND state = 'lost'
"""
HOLDS: Final = """
    SELECT node, held_at, held_by, reason, NULL::bigint AS run_id FROM schedctl.node_hold
     WHERE %(node)s::text IS NULL OR node = %(node)s
    UNION ALL
    SELECT node, finished_at, worker, 'lost', run_id FROM schedctl.leg
     WHERE holds_node AND state = 'lost' AND (%(node)s::text IS NULL OR node = %(node)s)
     ORDER BY 1, 2
"""
HELD_UP: Final = """
    SELECT queued.run_id, hold.node, hold.held_at, hold.held_by, hold.reason, hold.by_run
      FROM (SELECT DISTINCT run_id, node, host FROM schedctl.leg
             WHERE state = 'queued' AND NOT waits AND changes
               AND (%(ids)s::bigint[] IS NULL OR run_id = ANY (%(ids)s))) AS queued
      JOIN LATERAL (
            SELECT node, held_at, held_by, reason, NULL::bigint AS by_run FROM schedctl.node_hold
             WHERE node = queued.node
            UNION ALL
            SELECT node, coalesce(finished_at, claimed_at), worker, state, run_id FROM schedctl.leg
             WHERE holds_node AND node = queued.node AND host = queued.host) AS hold ON true
     ORDER BY 1, 2, 3
"""


def hold(db: Database, node: str, by: str, reason: str) -> bool:
    """Keep a node free of changing work; False when a person holds it already."""
    return db.execute(HOLD, (node, by, reason)).rowcount == 1


def release(db: Database, node: str) -> bool:
    """Give a node free, from a person's hold and from lost legs; False when nothing held it."""
    by_hand = db.execute(RELEASE, (node,)).rowcount
    lost = db.execute(RELEASE_LOST, (node,)).rowcount
    return by_hand + lost > 0


def holds(db: Database, node: str | None = None) -> tuple[Hold, ...]:
    """What holds this node, or (None) any node."""
    with db.cursor(row_factory=class_row(Hold)) as cursor:
        return tuple(cursor.execute(HOLDS, {"node": node}).fetchall())


def held_up(db: Database, run_ids: tuple[int, ...] | None = None) -> tuple[HeldUp, ...]:
    """Which of these runs, or (None) of all, wait for a node that something holds; once for each thing that does."""
    found = db.execute(HELD_UP, {"ids": list(run_ids) if run_ids is not None else None}).fetchall()
    return tuple(HeldUp(run_id, Hold(*hold)) for run_id, *hold in found)
