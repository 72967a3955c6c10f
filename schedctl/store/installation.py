"""What holds for the whole installation: armed or not, the catch-up limit, and when ticks came."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, LiteralString

from psycopg.rows import class_row

if TYPE_CHECKING:
    from schedctl.store.database import Database


@dataclass(frozen=True, slots=True)
class Installation:
    """The one row that decides firing. `armed_since` is None while disarmed (未点火)."""

    armed: bool
    armed_since: datetime | None
    changed_at: datetime
    changed_by: str
    changed_reason: str | None
    catch_up: timedelta
    lease: timedelta
    catalog_id: int | None
    computed_with: str
    """The newest edition of zone rules and holidays by which every next instant has been computed."""
    tidied_at: datetime


RESTORED: Final = "restored"
"""The reason with which it was disarmed when it was found in another place (sql/013_place_and_views.sql)."""

READ: Final[LiteralString] = """
    SELECT armed, armed_since, changed_at, changed_by, changed_reason, catch_up, lease, catalog_id,
           computed_with, tidied_at
      FROM schedctl.installation
"""
READ_AND_KEEP: Final[LiteralString] = READ + " FOR SHARE"

ARM: Final = """
    UPDATE schedctl.installation
       SET armed = true, armed_since = schedctl.now(), changed_at = schedctl.now(), changed_by = %s, changed_reason = %s
     WHERE NOT armed
"""

DISARM: Final = """
    UPDATE schedctl.installation
       SET armed = false, armed_since = NULL, changed_at = schedctl.now(), changed_by = %s, changed_reason = %s
     WHERE armed
"""

CANCEL_ALL_QUEUED: Final = "SELECT schedctl.cancel_queued(NULL, 'disarmed')"

PRUNE: Final = "SELECT schedctl.prune()"
TIDY: Final = """
    UPDATE schedctl.installation SET tidied_at = clock_timestamp()
     WHERE tidied_at < clock_timestamp() - interval '1 hour'
"""
NOTE_COMPUTED_WITH: Final = "UPDATE schedctl.installation SET computed_with = %s"

SETTLE_PLACE: Final = "SELECT schedctl.settle_place()"

# What settle_place() will find (sql/013_place_and_views.sql), asked without doing anything.
MOVED: Final = """
    SELECT armed AND place IS NOT NULL AND NOT coalesce(
               place = schedctl.place()
               AND (installation.timeline IS NULL OR here.timeline IS NULL OR installation.timeline = here.timeline
                    OR (SELECT max(beat_at) FROM schedctl.tick_beat) > clock_timestamp() - interval '10 minutes'),
               false)
      FROM schedctl.installation, schedctl.timeline() AS here (timeline)
"""

NOTE_TICK: Final = "SELECT schedctl.note_tick(%s), schedctl.now()"


def read(db: Database) -> Installation:
    """The installation as it is now."""
    return _read(db, READ)


def read_and_keep(db: Database) -> Installation:
    """The installation, held as it is until the transaction ends: nobody arms or disarms under a tick."""
    return _read(db, READ_AND_KEEP)


def arm(db: Database, by: str, reason: str | None) -> bool:
    """Fire from now on; False when it was armed already."""
    return db.execute(ARM, (by, reason)).rowcount == 1


def disarm(db: Database, by: str, reason: str | None) -> int | None:
    """Fire no more and cancel what is queued; how many runs that were, or None when it was disarmed already."""
    if db.execute(DISARM, (by, reason)).rowcount == 0:
        return None
    row = db.execute(CANCEL_ALL_QUEUED).fetchone()
    return row[0] if row else 0


def settle_place(db: Database) -> None:
    """Remember where the database lies; if that is not where it was at the last tick, it is disarmed."""
    db.execute(SETTLE_PLACE)


def moved(db: Database) -> bool:
    """Whether it is armed and lies where it did not lie at the last tick: the next tick or worker disarms it."""
    row = db.execute(MOVED).fetchone()
    return row is not None and row[0]


def prune(db: Database) -> int:
    """Remove some of what retention no longer keeps; how many runs went (zero: nothing was left in this turn)."""
    row = db.execute(PRUNE).fetchone()
    return row[0] if row else 0


def tidy_is_due(db: Database) -> bool:
    """Whether an hour has passed since a tick of any host tidied; the caller is the one who does it now."""
    return db.execute(TIDY).rowcount == 1


def note_computed_with(db: Database, edition: str) -> None:
    """Remember by which edition of zone rules and holidays every next instant is computed."""
    db.execute(NOTE_COMPUTED_WITH, (edition,))


def note_tick(db: Database, host: str) -> timedelta:
    """Remember that this host ticks; how far the clock went back since the latest tick of any (zero: it did not)."""
    row = db.execute(NOTE_TICK, (host,)).fetchone()
    latest, now = row if row else (None, None)
    if latest is None or now is None or latest <= now:
        return timedelta(0)
    return latest - now


def _read(db: Database, query: LiteralString) -> Installation:
    with db.cursor(row_factory=class_row(Installation)) as cursor:
        row = cursor.execute(query).fetchone()
    assert row is not None  # noqa: S101 - the row is inserted with the schema
    return row
