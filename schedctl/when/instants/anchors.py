"""The days of a recurring timing, month by month: its anchors, and where `moves` take them."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, assert_never

from schedctl.when import calendar as business
from schedctl.when.instants.days import matches, month_mask
from schedctl.when.model import Dates, DayClass, Offset, Shift
from schedctl.when.months import days_in, length_of, whole_month

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from schedctl.when.calendar import BusinessCalendar
    from schedctl.when.model import DayRule, Move, Recurring, Weekly


def moved_days(timing: Recurring, year: int, month: int, calendar: BusinessCalendar) -> int:
    """The days of a month on which `timing` is due, as a mask; anchors of other months may have moved into it."""
    if not timing.moves:
        return anchor_days(timing, year, month, calendar)
    first, last = date(year, month, 1), date(year, month, length_of(year, month))
    origins = _origins(first, last, timing.moves, calendar)
    mask = 0
    for anchor in _anchors_between(timing, *origins, calendar) if origins else ():
        day = move(anchor, timing.moves, calendar)
        if day is not None and first <= day <= last:
            mask |= 1 << day.day
    return mask


def anchor_days(timing: Recurring, year: int, month: int, calendar: BusinessCalendar) -> int:
    """The anchors of a month as a mask: days that match `days`, `within` and not `without`, from `start` to `until`."""
    mask = _any(timing.days, year, month, calendar)
    if mask and timing.within:
        mask &= _any(timing.within, year, month, calendar)
    if mask and timing.without:
        mask &= ~_any(timing.without, year, month, calendar)
    if mask and (timing.start or timing.until):
        mask &= _bounded(timing.start, timing.until, year, month)
    return mask


def bounds(timing: Recurring, calendar: BusinessCalendar) -> tuple[date, date]:
    """No day of `timing` lies before the first or after the last of these."""
    low, high = timing.start or date.min, timing.until or date.max
    if all(isinstance(rule, Dates) for rule in timing.days):
        named = [day for rule in timing.days if isinstance(rule, Dates) for day in rule.dates]
        low, high = max(low, min(named)), min(high, max(named))
    first, last = _spread(low, low, timing.moves, calendar), _spread(high, high, timing.moves, calendar)
    return first[0] if first else date.min, last[1] if last else date.max


def move(day: date, moves: Sequence[Move], calendar: BusinessCalendar) -> date | None:
    """Where `moves` take an anchor, in their order; None where one skips it or leads out of the calendar."""
    moved: date | None = day
    for step in moves:
        if moved is None:
            return None
        match step:
            case Shift():
                moved = _shifted(moved, step, calendar)
            case Offset(business=True):
                moved = _business_days_later(moved, step.days, calendar)
            case Offset():
                moved = _days_later(moved, step.days)
            case _:
                assert_never(step)
    return moved


def _any(rules: Iterable[DayRule], year: int, month: int, calendar: BusinessCalendar) -> int:
    mask = 0
    for rule in rules:
        mask |= month_mask(rule, year, month, calendar)
    return mask


def _bounded(start: date | None, until: date | None, year: int, month: int) -> int:
    mask = whole_month(year, month)
    if start is not None:
        since = (start.year - year) * 12 + start.month - month
        mask = 0 if since > 0 else mask & -(1 << start.day) if since == 0 else mask
    if until is not None:
        since = (until.year - year) * 12 + until.month - month
        mask = 0 if since < 0 else mask & (2 << until.day) - 1 if since == 0 else mask
    return mask


def _anchors_between(timing: Recurring, low: date, high: date, calendar: BusinessCalendar) -> Iterable[date]:
    for index in range(low.year * 12 + low.month - 1, high.year * 12 + high.month):
        year, month = index // 12, index % 12 + 1
        for day in days_in(anchor_days(timing, year, month, calendar)):
            yield date(year, month, day)


def _shifted(day: date, shift: Shift, calendar: BusinessCalendar) -> date | None:
    if not _falls_on(day, shift.when, calendar):
        return day
    match shift.to:
        case "previous":
            return business.previous_business_day(calendar, day)
        case "next":
            return business.next_business_day(calendar, day)
        case "skip":
            return None


def _falls_on(day: date, when: DayClass | Weekly, calendar: BusinessCalendar) -> bool:
    """Asked day by day, so that a Saturday is known to be closed without the table of holidays."""
    if isinstance(when, DayClass) and when.kind != "holiday":
        return business.is_business_day(calendar, day) == (when.kind == "business")
    return matches(when, day, calendar)


def _business_days_later(day: date, n: int, calendar: BusinessCalendar) -> date | None:
    for _ in range(abs(n)):
        step = business.next_business_day if n > 0 else business.previous_business_day
        neighbour = step(calendar, day)
        if neighbour is None:
            return None
        day = neighbour
    return day


def _days_later(day: date, n: int) -> date | None:
    number = day.toordinal() + n
    return date.fromordinal(number) if 1 <= number <= date.max.toordinal() else None


def _origins(first: date, last: date, moves: Sequence[Move], calendar: BusinessCalendar) -> tuple[date, date] | None:
    """Between which days an anchor must lie for `moves` to take it to a day from `first` to `last`."""
    return _spread(first, last, tuple(_undone(step) for step in reversed(moves)), calendar)


def _undone(step: Move) -> Move:
    match step:
        case Shift(to="previous"):
            return Shift("next")
        case Shift(to="next"):
            return Shift("previous")
        case Shift():
            return step
        case Offset():
            return Offset(-step.days, step.business)
        case _:
            assert_never(step)


def _spread(low: date, high: date, moves: Sequence[Move], calendar: BusinessCalendar) -> tuple[date, date] | None:
    """Between which days `moves` can take days from `low` to `high`, a business day wider than exact; None: no idea.

    It is not known where the calendar ends or has no business day for `LONGEST_CLOSURE` months.
    """
    for step in moves:
        ends = _spread_once(low, high, step, calendar)
        if ends[0] is None or ends[1] is None:
            return None
        low, high = ends[0], ends[1]
    return low, high


def _spread_once(low: date, high: date, step: Move, calendar: BusinessCalendar) -> tuple[date | None, date | None]:
    match step:
        case Shift(to="previous"):
            return business.previous_business_day(calendar, low), high
        case Shift(to="next"):
            return low, business.next_business_day(calendar, high)
        case Shift():
            return low, high
        case Offset(business=True):
            earlier = _business_days_later(low, step.days - 1, calendar)
            return earlier, _business_days_later(high, step.days + 1, calendar)
        case Offset():
            return _days_later(low, step.days), _days_later(high, step.days)
        case _:
            assert_never(step)
