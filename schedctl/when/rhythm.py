"""When a schedule really fires: its occurrences, each a little later where jitter was asked for.

Jitter spreads schedules that would all start at the same minute. It only ever adds, and the same occurrence always gets
the same delay, on every host. It is shorter than half the smallest interval, so the order of occurrences stays.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from schedctl.when import occurrences

if TYPE_CHECKING:
    from schedctl.when.calendar import Calendars
    from schedctl.when.model import Timing

NONE: Final = timedelta(0)
MOMENT: Final = timedelta(microseconds=1)
GAPS_LOOKED_AT: Final = 500


@dataclass(frozen=True, slots=True)
class Rhythm:
    """A timing with its jitter; `seed` makes the delays of two schedules differ."""

    timing: Timing
    jitter: timedelta = NONE
    seed: str = ""

    def fires_at(self, occurrence: datetime) -> datetime:
        """The occurrence with its own delay, in whole seconds from zero up to (not including) the jitter."""
        seconds = int(self.jitter.total_seconds())
        if seconds == 0:
            return occurrence
        key = f"{self.seed} {int(occurrence.timestamp())}".encode()
        delay = int.from_bytes(hashlib.sha256(key).digest()[:8], "big") % seconds
        return datetime.fromtimestamp(occurrence.timestamp() + delay, occurrence.tzinfo)


def next_after(rhythm: Rhythm, instant: datetime, calendars: Calendars) -> datetime | None:
    """The first firing strictly after `instant`, or None."""
    if rhythm.jitter:
        last = occurrences.last_until(rhythm.timing, instant, calendars)
        if last is not None and _later(rhythm.fires_at(last), instant):
            return rhythm.fires_at(last)
    following = occurrences.next_after(rhythm.timing, instant, calendars)
    return rhythm.fires_at(following) if following is not None else None


def last_until(rhythm: Rhythm, instant: datetime, calendars: Calendars) -> datetime | None:
    """The latest firing at or before `instant`, or None."""
    last = occurrences.last_until(rhythm.timing, instant, calendars)
    if rhythm.jitter and last is not None and _later(rhythm.fires_at(last), instant):
        last = occurrences.last_until(rhythm.timing, last.astimezone(UTC) - MOMENT, calendars)
    return rhythm.fires_at(last) if last is not None else None


def upcoming(rhythm: Rhythm, after: datetime, count: int, calendars: Calendars) -> tuple[datetime, ...]:
    """The next `count` firings strictly after `after`."""
    found: list[datetime] = []
    while (
        len(found) < count and (following := next_after(rhythm, found[-1] if found else after, calendars)) is not None
    ):
        found.append(following)
    return tuple(found)


def count_between(rhythm: Rhythm, after: datetime, until: datetime, calendars: Calendars) -> int:
    """How many firings lie in (after, until]."""
    count = occurrences.count_between(rhythm.timing, after, until, calendars)
    return count + _delayed_past(rhythm, after, calendars) - _delayed_past(rhythm, until, calendars)


def smallest_gap(timing: Timing, after: datetime, calendars: Calendars) -> timedelta | None:
    """The smallest interval among the next 500 occurrences; None where there are fewer than two."""
    found = occurrences.upcoming(timing, after, GAPS_LOOKED_AT, calendars)
    gaps = [later.timestamp() - earlier.timestamp() for earlier, later in pairwise(found)]
    return timedelta(seconds=min(gaps)) if gaps else None


def _delayed_past(rhythm: Rhythm, instant: datetime, calendars: Calendars) -> bool:
    """Whether the latest occurrence at or before `instant` fires only after it."""
    if not rhythm.jitter:
        return False
    last = occurrences.last_until(rhythm.timing, instant, calendars)
    return last is not None and _later(rhythm.fires_at(last), instant)


def _later(one: datetime, other: datetime) -> bool:
    """Compared as instants: Python compares two datetimes of one zone by their wall clocks."""
    return one.timestamp() > other.timestamp()
