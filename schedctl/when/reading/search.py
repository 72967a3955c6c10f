"""The first days that a rule names: what an interval counts from, and what a one-shot means."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Final

from schedctl.when.instants.anchors import anchor_days, move
from schedctl.when.model import MINUTES_A_DAY, At, Recurring, TimeRule
from schedctl.when.months import days_in, month_after
from schedctl.when.zones import first_instant_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.when.reading.draft import Moment

FARTHEST: Final = 12 * 13
"""Months that are searched: 29 February is at most eight years away, one on a given weekday is left to refusal."""


def due_days(timing: Recurring, moment: Moment, since: date) -> Iterator[tuple[date, date]]:
    """Each anchor from the month of `since` on, with the day that the moves take it to."""
    calendar = moment.calendars.get(timing.calendar)
    year, month = since.year, since.month
    for _ in range(FARTHEST):
        for number in days_in(anchor_days(timing, year, month, calendar)):
            anchor = date(year, month, number)
            day = move(anchor, timing.moves, calendar)
            if day is not None:
                yield anchor, day
        if timing.until is not None and (timing.until.year, timing.until.month) <= (year, month):
            return
        year, month = month_after(year, month)
        if year > date.max.year:
            return


def first_anchor(timing: Recurring, moment: Moment) -> date | None:
    """The anchor of the first occurrence strictly after now; None where there is none."""
    last = max(_last_minute(time) for time in timing.times)
    since = _earlier(max(moment.today, timing.start or date.min))
    for anchor, day in due_days(timing, moment, since):
        if first_instant_at(at_minute(day, last), timing.zone) > moment.now:
            return anchor
    return None


def at_minute(day: date, minute: int) -> datetime:
    """The wall clock at `minute` of `day`, which may reach into the next calendar day."""
    return datetime(day.year, day.month, day.day) + timedelta(minutes=minute)  # noqa: DTZ001 (a wall clock)


def _last_minute(time: TimeRule) -> int:
    if isinstance(time, At):
        return time.minute_of_day
    return time.first + (time.last - time.first) // time.minutes * time.minutes


def _earlier(day: date) -> date:
    """A month earlier, since moves may take an anchor of last month past today."""
    return date(*month_after(day.year, day.month, -1), 1) if day.year > 1 else day


DAY: Final = timedelta(minutes=MINUTES_A_DAY)
