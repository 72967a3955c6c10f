"""The first and last day of a period, and the stretch of days that `来週` or `来月` means."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final, TypeVar

from schedctl.language import Text
from schedctl.when.calendar import add_business_days
from schedctl.when.months import length_of, month_after
from schedctl.when.reading import refusals, refusals_periods
from schedctl.when.reading.grammar import Refusal
from schedctl.when.reading.parts import (
    BusinessDaysLater,
    Coming,
    DaysOfMonth,
    InMonth,
    Part,
    Period,
    Relative,
    Weekdays,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from schedctl.when.reading.draft import Draft, Moment

HALF_A_YEAR: Final = timedelta(days=183)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Span:
    """From `first` to `last`, both included."""

    first: date
    last: date


def span_of(relative: Relative, today: date) -> Span:
    """The days that a relative day, week, month or year means; a distance means the very day."""
    match relative.unit:
        case "day":
            day = today + timedelta(days=relative.number)
            return Span(day, day)
        case "week":
            day = today + timedelta(weeks=relative.number)
            monday = day - timedelta(days=day.weekday())
            return Span(monday, monday + timedelta(days=6))
        case "month":
            return whole_month(*month_after(today.year, today.month, relative.number))
        case "year":
            year = today.year + relative.number
            return Span(date(year, 1, 1), date(year, 12, 31))


def very_day(relative: Relative, today: date) -> date:
    """`3週間後`, `2か月後`: the same weekday or day of month (the last day of a month that is too short)."""
    match relative.unit:
        case "day":
            return today + timedelta(days=relative.number)
        case "week":
            return today + timedelta(weeks=relative.number)
        case "month" | "year":
            months = relative.number * (12 if relative.unit == "year" else 1)
            year, month = month_after(today.year, today.month, months)
            return date(year, month, min(today.day, length_of(year, month)))


def whole_month(year: int, month: int) -> Span:
    """All days of a month."""
    return Span(date(year, month, 1), date(year, month, length_of(year, month)))


def period_of(draft: Draft, moment: Moment, first_day: date) -> tuple[date | None, date | None]:
    """The start and the end that the sentence gives to a repetition; a mere length counts from `first_day`."""
    start: date | None = None
    until: date | None = None
    for period in draft.of(Period):
        first, last = bounds(period, moment, first_day)
        if (start and first) or (until and last):
            raise refusals.two_schedules()
        start, until = start or first, until or last
    for relative in draft.of(Relative):
        if relative.later:
            raise refusals.two_schedules()
        span = span_of(relative, moment.today)
        if start or until:
            raise refusals.two_schedules()
        start, until = span.first, span.last
    if start and until and start > until:
        raise refusals_periods.empty_period()
    if until and until < moment.today:
        raise refusals_periods.period_over(until)
    return start, until


def bounds(period: Period, moment: Moment, first_day: date) -> tuple[date | None, date | None]:
    """The dates of one period."""
    if period.days is not None:
        start = edge(period.start, moment, moment.today, last=False) if period.start else first_day
        return start, start + timedelta(days=period.days - 1)
    if period.months is not None:
        start = edge(period.start, moment, moment.today, last=False) if period.start else first_day
        return start, very_day(Relative("month", period.months), start) - timedelta(days=1)
    until: date | None = None
    if period.until:
        fixed = _fixed(period.start)
        since = edge(period.start, moment, moment.today, last=False) if period.start and fixed else moment.today
        until = edge(_with_month(period.until, period.start), moment, since, last=True)
    if not period.start:
        return None, until
    if until is None or _fixed(period.start):
        first = edge(period.start, moment, moment.today, last=False)
        if period.origin and not _fixed(period.start) and first > moment.today + HALF_A_YEAR:
            raise refusals_periods.which_origin(first)
        return first, until
    return _last_such_day(period.start, until, moment), until


def _fixed(parts: Sequence[Part]) -> bool:
    """Whether a date says its year, or counts from today."""
    return any(
        isinstance(part, Relative | BusinessDaysLater) or (isinstance(part, InMonth) and part.year is not None)
        for part in parts
    )


def _with_month(until: tuple[Part, ...], start: tuple[Part, ...]) -> tuple[Part, ...]:
    """`12月1日から31日まで`: the end is in the start's month where it names none."""
    if any(isinstance(part, InMonth | Relative | Weekdays) for part in until):
        return until
    return tuple(part for part in start if isinstance(part, InMonth | Relative)) + until


def edge(parts: Sequence[Part], moment: Moment, since: date, *, last: bool) -> date:
    """The date that `parts` mean, on or after `since` where they leave the year or the month open."""
    months = _one(parts, InMonth)
    days = _one(parts, DaysOfMonth)
    relative = _one(parts, Relative)
    weekdays = _one(parts, Weekdays)
    later = _one(parts, BusinessDaysLater)
    if later is not None:
        return add_business_days(moment.calendars.default, moment.today, later.days)
    if relative is not None:
        return _relative_edge(relative, months, days, weekdays, moment, last=last)
    if months is not None:
        return _edge_in_months(months, days, since, last=last)
    if days is not None:
        return _next_day_of_month(days.days[-1 if last else 0], since)
    if weekdays is not None:
        return next_weekday(
            weekdays.weekdays[-1 if last else 0], since + timedelta(days=_one(parts, Coming) is not None)
        )
    raise refusals_periods.empty_period()


def _relative_edge(
    relative: Relative,
    months: InMonth | None,
    days: DaysOfMonth | None,
    weekdays: Weekdays | None,
    moment: Moment,
    *,
    last: bool,
) -> date:
    span = span_of(relative, moment.today)
    if months is not None:
        return _edge_in_months(InMonth(months.months, span.first.year), days, span.first, last=last)
    if days is not None:
        return day_of_month(span.first.year, span.first.month, days.days[0])
    if weekdays is not None:
        return span.first + timedelta(days=weekdays.weekdays[0])
    if relative.later:
        return very_day(relative, moment.today)
    return span.last if last else span.first


def _edge_in_months(months: InMonth, days: DaysOfMonth | None, since: date, *, last: bool) -> date:
    month = months.months[-1 if last else 0]
    day = days.days[0] if days is not None else (-1 if last else 1)
    if months.year is not None:
        return day_of_month(months.year, month, day)
    this_year = day_of_month(since.year, month, day)
    if this_year >= since or (not last and days is None and month == since.month):
        return this_year
    return day_of_month(since.year + 1, month, day)


def _last_such_day(parts: Sequence[Part], until: date, moment: Moment) -> date:
    """The start of a period whose end is known: the last such date before it."""
    months = _one(parts, InMonth)
    if months is None:
        start = edge(parts, moment, moment.today, last=False)
        return start if start <= until else edge(parts, moment, until.replace(day=1), last=False)
    start = _edge_in_months(InMonth(months.months, until.year), _one(parts, DaysOfMonth), until, last=False)
    if start <= until:
        return start
    before = _edge_in_months(InMonth(months.months, until.year - 1), _one(parts, DaysOfMonth), until, last=False)
    if before < moment.today and start - moment.today < moment.today - before:
        raise refusals_periods.which_year(start, until)
    return before


def day_of_month(year: int, month: int, day: int) -> date:
    """The date of a day number (negative from the end); a refusal where that month has none."""
    length = length_of(year, month)
    number = day if day > 0 else length + 1 + day
    if not 1 <= number <= length or not date.min.year <= year <= date.max.year:
        raise impossible_date(year, month, day)
    return date(year, month, number)


def impossible_date(year: int, month: int, day: int) -> Refusal:
    """A date that is on no calendar."""
    return Refusal(
        "impossible_time",
        Text(f"{year}年{month}月{day}日という日はありません", f"There is no {year}-{month:02d}-{day:02d}"),
    )


def _next_day_of_month(day: int, since: date) -> date:
    year, month = since.year, since.month
    while True:
        length = length_of(year, month)
        number = day if day > 0 else length + 1 + day
        if 1 <= number <= length and date(year, month, number) >= since:
            return date(year, month, number)
        year, month = month_after(year, month)


def next_weekday(weekday: int, since: date) -> date:
    """The first such weekday on or after `since`."""
    return since + timedelta(days=(weekday - since.weekday()) % 7)


def coming(weekdays: Sequence[Weekdays], today: date) -> tuple[date, date | None]:
    """The stretch of `次の`: from tomorrow on; for several weekdays a week, for a weekend one with both days."""
    tomorrow = today + timedelta(days=1)
    days = [day for each in weekdays for day in each.weekdays]
    if len(days) < 2:
        return tomorrow, None
    first = next_weekday(days[0], tomorrow) if weekdays[0].each else tomorrow
    return first, first + timedelta(days=6)


def _one(parts: Iterable[Part], kind: type[T]) -> T | None:
    return next((part for part in parts if isinstance(part, kind)), None)
