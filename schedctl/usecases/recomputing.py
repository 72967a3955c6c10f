"""Next instants that other zone rules, holidays or calendars put elsewhere: moved, with an event that says whence."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from schedctl.store import installation, schedules
from schedctl.store.events import record
from schedctl.usecases.failures import UNREADABLE
from schedctl.usecases.site import Site, adopted_catalog
from schedctl.when import data_version
from schedctl.when.rhythm import next_after

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from schedctl.store.schedules import ScheduleRow
    from schedctl.when.calendar import Calendars

BATCH: Final = 500
BUDGET_S: Final = 10.0


def goes_on_at(site: Site, schedule_id: int, now: datetime, calendars: Calendars) -> datetime | None:
    """The next instant of a schedule that waits for one: an active one, or a one-shot that nobody approved yet."""
    row = schedules.by_id(site.db, schedule_id)
    assert row is not None  # noqa: S101 - schedules are never deleted
    waits = row.state == "active" or (row.state == "pending" and not row.recurring)
    return next_after(row.rhythm(), now, calendars) if waits else None


def recompute(
    site: Site, rows: Iterable[ScheduleRow], calendars: Calendars, now: datetime, why: str
) -> tuple[int, ...]:
    """Compute these waiting schedules' next instants anew, inside a transaction; the ids of those that moved."""
    return _move(site, {row.schedule_id: next_after(row.rhythm(), now, calendars) for row in rows}, why)


def follow_newer_data(site: Site) -> int:
    """Recompute by this host's zone rules and holidays where they are newer than what was used; how many moved.

    An older host leaves everything as it is, so that hosts of different age do not move instants to and fro. Each
    schedule is looked at once; what the time does not suffice for is left to the next hour.
    """
    mine = data_version.at_hand()
    ends_at = time.monotonic() + BUDGET_S
    count = last = 0
    while time.monotonic() < ends_at:
        with site.transaction() as now:
            if not mine.newer_than(data_version.parse(installation.read(site.db).computed_with)):
                break
            rows = schedules.computed_otherwise(site.db, str(mine), last, BATCH)
            older = [row for row in rows if mine.newer_than(data_version.parse(row.computed_with))]
            count += len(_move(site, _readable(older, adopted_catalog(site).calendars, now), "data"))
            if len(rows) < BATCH:
                installation.note_computed_with(site.db, str(mine))
                break
        last = rows[-1].schedule_id
    return count


def _readable(rows: Iterable[ScheduleRow], calendars: Calendars, now: datetime) -> dict[int, datetime | None]:
    """The next instants of those that can be read; the others stay as they are, and are paused when they are due."""
    found: dict[int, datetime | None] = {}
    for row in rows:
        with suppress(*UNREADABLE):
            found[row.schedule_id] = next_after(row.rhythm(), now, calendars)
    return found


def _move(site: Site, instants: Mapping[int, datetime | None], why: str) -> tuple[int, ...]:
    known = {schedule_id: instant for schedule_id, instant in instants.items() if instant is not None}
    moved = schedules.recompute(site.db, known, str(data_version.at_hand())) if known else ()
    for one in moved:
        detail: dict[str, object] = {"by": why, "from": one.before.isoformat(), "to": one.after.isoformat()}
        record(site.db, "next_instant_moved", site.actor, schedule_id=one.schedule_id, detail=detail)
    return tuple(one.schedule_id for one in moved)
