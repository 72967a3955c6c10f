"""Events: who did what, from where. Append-only, by trigger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from psycopg.types.json import Jsonb

if TYPE_CHECKING:
    from schedctl.store.database import Database

RECORD: Final = """
    INSERT INTO schedctl.event (type, actor, host, schedule_id, run_id, detail) VALUES (%s, %s, %s, %s, %s, %s)
"""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: a name (a label, not a proof of identity) and the host it acts from."""

    name: str
    host: str


def record(
    db: Database,
    type: str,
    actor: Actor,
    *,
    schedule_id: int | None = None,
    run_id: int | None = None,
    detail: dict[str, object] | None = None,
) -> None:
    """Add one event."""
    db.execute(RECORD, (type, actor.name, actor.host, schedule_id, run_id, Jsonb(detail or {})))
