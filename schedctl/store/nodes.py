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
    """Why a node takes no changing work now; `run_id` is the lost run that holds it, None where a person does."""

    node: str
    held_at: datetime
    held_by: str
    reason: str
    run_id: int | None


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
