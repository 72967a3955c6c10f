"""Day rules: the days of a month that a rule names, as a bit mask (bit n is day n).

A month at a time keeps every question short, whichever year it is about: nothing walks from an anchor to today.
An interval counts from its anchor on: before the anchor there is nothing.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final, Literal, assert_never

from schedctl.when import calendar as business
from schedctl.when import cron
from schedctl.when.model import (
    EVERY_MONTH,
    BusinessDays,
    Cron,
    Daily,
    Dates,
    DayClass,
    DayRule,
    InMonths,
    MonthDays,
    Months,
    MonthWeekdays,
    NamedHoliday,
    Weekly,
)
from schedctl.when.months import days_in, length_of, whole_month

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schedctl.when.calendar import BusinessCalendar

WEEK: Final = 7
EVERY_SEVENTH: Final = sum(1 << day for day in (1, 8, 15, 22, 29))


def month_mask(rule: DayRule, year: int, month: int, calendar: BusinessCalendar) -> int:
    """The days of a month that match `rule`."""
    match rule:
        case Daily():
            return _daily(rule, year, month)
        case Weekly():
            return _weekly(rule, year, month)
        case MonthDays() | MonthWeekdays() | BusinessDays():
            return _monthly(rule, year, month, calendar)
        case DayClass():
            return class_mask(rule.kind, year, month, calendar)
        case NamedHoliday():
            return _mask_of(business.named_holiday_dates(calendar, rule.name, year), year, month)
        case InMonths():
            return whole_month(year, month) if month in rule.months else 0
        case Dates():
            return _mask_of(rule.dates, year, month)
        case Cron():
            return cron.parse(rule.expression).month_mask(year, month)
        case _:
            assert_never(rule)


def matches(rule: DayRule, day: date, calendar: BusinessCalendar) -> bool:
    """Whether one day matches `rule`."""
    return bool(month_mask(rule, day.year, day.month, calendar) >> day.day & 1)


def class_mask(
    kind: Literal["business", "closed", "holiday"], year: int, month: int, calendar: BusinessCalendar
) -> int:
    """The business days, the closed days or the public holidays of a month."""
    match kind:
        case "business":
            return business.business_days_in(calendar, year, month)
        case "closed":
            return whole_month(year, month) & ~business.business_days_in(calendar, year, month)
        case "holiday":
            days = range(1, length_of(year, month) + 1)
            return sum(1 << day for day in days if business.is_holiday(calendar, date(year, month, day)))


def _daily(rule: Daily, year: int, month: int) -> int:
    if rule.anchor is None:
        return whole_month(year, month)
    first = date(year, month, 1).toordinal() - rule.anchor.toordinal()
    start = max(first, 0) - first + 1
    start += -(first + start - 1) % rule.every
    return sum(1 << day for day in range(start, length_of(year, month) + 1, rule.every))


def _weekly(rule: Weekly, year: int, month: int) -> int:
    mask = _weekday_mask(rule.weekdays, year, month)
    if rule.anchor is None:
        return mask
    first = date(year, month, 1).toordinal() - rule.anchor.toordinal()
    return sum(1 << day for day in days_in(mask) if _is_due((first + day - 1) // WEEK, rule.every))


def _weekday_mask(weekdays: tuple[int, ...], year: int, month: int) -> int:
    first = date(year, month, 1).weekday()
    mask = 0
    for weekday in weekdays:
        mask |= EVERY_SEVENTH << (weekday - first) % WEEK
    return mask & whole_month(year, month)


def _monthly(rule: MonthDays | MonthWeekdays | BusinessDays, year: int, month: int, calendar: BusinessCalendar) -> int:
    if rule.months != EVERY_MONTH and not _has_month(rule.months, year, month):
        return 0
    match rule:
        case MonthDays():
            return _month_days(rule, year, month)
        case MonthWeekdays():
            return _month_weekdays(rule, year, month)
        case BusinessDays():
            if rule.of == "week":
                return _business_days_of_weeks(rule.ordinals, year, month, calendar)
            return _pick(days_in(business.business_days_in(calendar, year, month)), rule.ordinals)
        case _:
            assert_never(rule)


def _has_month(months: Months, year: int, month: int) -> bool:
    if months.only and month not in months.only:
        return False
    if months.anchor is None:
        return True
    return _is_due((year - months.anchor.year) * 12 + month - months.anchor.month, months.every)


def _is_due(passed: int, every: int) -> bool:
    return passed >= 0 and passed % every == 0


def _month_days(rule: MonthDays, year: int, month: int) -> int:
    last = length_of(year, month)
    mask = 0
    for day in rule.days:
        counted = day if day > 0 else last + 1 + day
        if counted > last and rule.short_months == "last_day":
            counted = last
        if 1 <= counted <= last:
            mask |= 1 << counted
    return mask


def _month_weekdays(rule: MonthWeekdays, year: int, month: int) -> int:
    mask = 0
    for weekday in rule.weekdays:
        mask |= _pick(days_in(_weekday_mask((weekday,), year, month)), rule.ordinals)
    return mask


def _business_days_of_weeks(ordinals: tuple[int, ...], year: int, month: int, calendar: BusinessCalendar) -> int:
    """The n-th business days of the weeks (Monday to Sunday) that touch a month, as far as they fall in it."""
    first = date(year, month, 1).toordinal()
    last = first + length_of(year, month) - 1
    picked: list[int] = []
    for monday in range(first - date(year, month, 1).weekday(), last + 1, WEEK):
        week = range(max(monday, date.min.toordinal()), min(monday + WEEK, date.max.toordinal() + 1))
        open_days = [number for number in week if business.is_business_day(calendar, date.fromordinal(number))]
        picked.extend(_at_ordinals(open_days, ordinals))
    return sum(1 << number - first + 1 for number in set(picked) if first <= number <= last)


def _pick(days: list[int], ordinals: tuple[int, ...]) -> int:
    mask = 0
    for day in _at_ordinals(days, ordinals):
        mask |= 1 << day
    return mask


def _at_ordinals(days: list[int], ordinals: tuple[int, ...]) -> Iterable[int]:
    """The n-th (1 is the first) and n-th last (-1 is the last) of `days`, where there are so many."""
    return (days[n - 1 if n > 0 else n] for n in ordinals if abs(n) <= len(days))


def _mask_of(dates: Iterable[date], year: int, month: int) -> int:
    mask = 0
    for day in dates:
        if day.year == year and day.month == month:
            mask |= 1 << day.day
    return mask
