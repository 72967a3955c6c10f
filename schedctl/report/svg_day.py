"""The geometry of a day of the calendar: what comes, on its hours. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from datetime import date

    from schedctl.report.model import Calendar, Coming, DayAhead

HOURS: Final = (0, 6, 12, 18)
ROOM: Final = 2.6
"""Per cent that a mark takes on the narrowest screen: nearer ones take another lane, at last the same one."""
LANES: Final = 3


@dataclass(frozen=True, slots=True)
class Mark:
    """An occurrence: its shape is its risk (round, square, diamond), empty where a freeze stops it."""

    coming: Coming
    x: float
    until: float
    """Where the last of several stands."""
    lane: int


def marks(day: DayAhead, zone: str) -> tuple[Mark, ...]:
    """The marks of a day, each in the first lane that has room."""
    ends = [-ROOM] * LANES
    found: list[Mark] = []
    for one in sorted(day.coming, key=lambda coming: coming.at.timestamp()):
        x, until = (_place(at, day.day, zone) for at in (one.at, one.last))
        lane = next((number for number, edge in enumerate(ends) if x - edge >= ROOM), LANES - 1)
        ends[lane] = max(ends[lane], until)
        found.append(Mark(one, x, until, lane))
    return tuple(found)


def hours(day: date, zone: str) -> tuple[tuple[float, int], ...]:
    """Where the wall clock shows 0, 6, 12 and 18, also on a day of 23 or 25 hours."""
    place = ZoneInfo(zone)
    return tuple((_place(datetime.combine(day, time(hour), place), day, zone), hour) for hour in HOURS)


def _place(at: datetime, day: date, zone: str) -> float:
    """Per cent of the day that have passed, held between 0 and 100."""
    begin, end = (datetime.combine(one, time(), ZoneInfo(zone)).timestamp() for one in (day, day + timedelta(days=1)))
    return round(100 * min(1.0, max(0.0, (at.timestamp() - begin) / (end - begin))), 2)


def shapes(ahead: Calendar) -> frozenset[str]:
    """The risks of which a calendar shows a mark, and `frozen` where a freeze stops one."""
    shown = [one for day in ahead.days for one in day.coming]
    return frozenset("frozen" if one.frozen is not None else one.risk for one in shown)
