"""Which instants a report covers: calendar days of a zone, however long they are. Pure."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Final

from schedctl.report.figures import Period
from schedctl.when.zones import first_instant_at, utc, zone_named

ONE_DAY: Final = timedelta(days=1)
WEEK: Final = 7
"""Days of a week's report, and those over which costs and restarts are looked at."""


def day_period(day: date, zone: str) -> Period:
    """One day."""
    return Period("day", day, day, start_of(day, zone), start_of(day + ONE_DAY, zone), zone)


def week_period(last: date, zone: str) -> Period:
    """The seven days up to `last`."""
    first = last - (WEEK - 1) * ONE_DAY
    return Period("week", first, last, start_of(first, zone), start_of(last + ONE_DAY, zone), zone)


def start_of(day: date, zone: str) -> datetime:
    """The first instant of a day: midnight, or the first one after it where clocks jump over it."""
    return first_instant_at(datetime.combine(day, time()), zone)


def local_day(instant: datetime, zone: str) -> date:
    """The day that a zone's calendar shows at an instant."""
    return instant.astimezone(zone_named(zone)).date()


def days_up_to(last: date, count: int) -> tuple[date, ...]:
    """So many days in a row, the last of them `last`."""
    return tuple(last - back * ONE_DAY for back in reversed(range(count)))


def due_after(instant: datetime, hour: time, zone: str) -> datetime:
    """The next instant after this one at which a report is written: `hour` of a day in the zone."""
    today = local_day(instant, zone)
    ahead = (first_instant_at(datetime.combine(today + number * ONE_DAY, hour), zone) for number in range(-1, 4))
    return next(one for one in ahead if utc(one) > utc(instant))


def day_due_at(instant: datetime, hour: time, zone: str) -> date:
    """The day that is reported on at an instant: the one before the day whose `hour` came last."""
    today = local_day(instant, zone)
    written_today = utc(first_instant_at(datetime.combine(today, hour), zone)) <= utc(instant)
    return today - ONE_DAY * (1 if written_today else 2)
