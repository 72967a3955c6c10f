"""Plans: stored once, with their legs, and never changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from psycopg.types.json import Jsonb

from schedctl.plan import codec
from schedctl.plan.approval import highest_risk

if TYPE_CHECKING:
    from schedctl.plan.model import Plan
    from schedctl.store.database import Database

INSERT: Final = "INSERT INTO schedctl.plan (digest, risk, document) VALUES (%s, %s, %s) RETURNING plan_id"
INSERT_LEG: Final = """
    INSERT INTO schedctl.plan_leg (plan_id, position, stage, node, host, transport, changes, steps)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
"""


def insert(db: Database, plan: Plan) -> int:
    """Store a plan and its legs; its id."""
    document = codec.to_json(plan)
    row = db.execute(INSERT, (codec.digest(plan), highest_risk(plan), Jsonb(document))).fetchone()
    assert row is not None  # noqa: S101 - INSERT … RETURNING gives one row
    for position, leg in enumerate(codec.legs(plan)):
        steps = [codec.step_to_json(step) for step in leg.steps]
        target = leg.target
        values = (
            row[0],
            position,
            leg.stage,
            target.node,
            target.host or "",
            target.transport,
            leg.changes,
            Jsonb(steps),
        )
        db.execute(INSERT_LEG, values)
    return row[0]
