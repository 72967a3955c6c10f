"""What the status page asks for itself: whether the runs that an earlier page shows are still those that there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from schedctl.store.database import Database

PLACE: Final = "SELECT coalesce(place, '') FROM schedctl.installation"
OTHERWISE_SINCE: Final = """
    SELECT EXISTS (SELECT FROM schedctl.run
                    WHERE finished_at >= %(since)s AND state NOT IN ('succeeded', 'rehearsed'))
        OR EXISTS (SELECT FROM schedctl.event WHERE at >= %(since)s AND type = ANY (%(types)s))
"""


def place(db: Database) -> str:
    """Which database this is: a copy lies in another place."""
    row = db.execute(PLACE).fetchone()
    assert row is not None  # noqa: S101 - the row is inserted with the schema
    return row[0]


def otherwise_since(db: Database, since: datetime, types: Sequence[str]) -> bool:
    """Whether a run ended otherwise than well since then, or an event of these types was recorded."""
    row = db.execute(OTHERWISE_SINCE, {"since": since, "types": list(types)}).fetchone()
    return bool(row and row[0])
