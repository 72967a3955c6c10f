"""The oracle: every rule by looking at each day, and every minute, one after the other. Slow, and written apart.

Nothing here comes from the code that it judges but the values of `model` and the calendar's answers about one day.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from cronsim import CronSim

from schedctl.when.calendar import BusinessCalendar, holiday_names, is_business_day, is_holiday
from schedctl.when.model import (
    At,
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
    Recurring,
    Shift,
    Weekly,
)
from schedctl.when.zones import zone_named

if TYPE_CHECKING:
    from collections.abc import Iterator

DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)
FARTHEST_MOVE = 90
NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


def is_named(rule: DayRule, day: date, calendar: BusinessCalendar) -> bool:
    """Whether `rule` names `day`."""
    match rule:
        case Daily(every, anchor):
            return anchor is None or (day >= anchor and (day - anchor).days % every == 0)
        case Weekly(weekdays, every, anchor):
            monday = day - timedelta(days=day.weekday())
            due = anchor is None or (monday >= anchor and (monday - anchor).days % (7 * every) == 0)
            return due and day.weekday() in weekdays
        case MonthDays() | MonthWeekdays() | BusinessDays():
            return in_months(rule.months, day) and is_named_in_month(rule, day, calendar)
        case DayClass(kind):
            return is_of_class(kind, day, calendar)
        case NamedHoliday(name):
            return name in holiday_names(calendar, day)
        case InMonths(only):
            return day.month in only
        case Dates(dates):
            return day in dates
        case Cron(expression):
            sim = CronSim(expression, NEW_YEAR)
            return day.month in sim.months and sim.match_day(day)


def is_named_in_month(rule: MonthDays | MonthWeekdays | BusinessDays, day: date, calendar: BusinessCalendar) -> bool:
    match rule:
        case MonthDays(wanted, _, short):
            return any(is_month_day(day, number, short == "last_day") for number in wanted)
        case MonthWeekdays(ordinals, weekdays):
            last = monthrange(day.year, day.month)[1]
            ranks = {(day.day + 6) // 7, -((last - day.day) // 7 + 1)}
            return day.weekday() in weekdays and bool(ranks & set(ordinals))
        case BusinessDays(ordinals, of):
            return bool(set(business_ranks(day, of, calendar)) & set(ordinals))


def is_of_class(kind: str, day: date, calendar: BusinessCalendar) -> bool:
    return is_holiday(calendar, day) if kind == "holiday" else is_business_day(calendar, day) == (kind == "business")


def in_months(months: Months, day: date) -> bool:
    if months.only and day.month not in months.only:
        return False
    passed = 0 if months.anchor is None else (day.year - months.anchor.year) * 12 + day.month - months.anchor.month
    return passed >= 0 and passed % months.every == 0


def is_month_day(day: date, wanted: int, clamped: bool) -> bool:
    last = monthrange(day.year, day.month)[1]
    if wanted < 0:
        return day.day - last - 1 == wanted
    return day.day == wanted or (clamped and day.day == last and wanted > last)


def business_ranks(day: date, of: str, calendar: BusinessCalendar) -> tuple[int, ...]:
    """The day's places among the business days of its week or month, from the start and from the end."""
    if not is_business_day(calendar, day):
        return ()

    def together(other: date) -> bool:
        return other.isocalendar()[:2] == day.isocalendar()[:2] if of == "week" else other.month == day.month

    def rank(step: timedelta) -> int:
        count, other = 0, day
        while together(other):
            count += is_business_day(calendar, other)
            other += step
        return count

    return (rank(-DAY), -rank(DAY))


def moved(timing: Recurring, day: date, calendar: BusinessCalendar) -> date | None:
    """Where the moves take an anchor."""
    for step in timing.moves:
        if isinstance(step, Shift):
            if not is_named(step.when, day, calendar):
                continue
            if step.to == "skip":
                return None
            day = walk(day, 1 if step.to == "next" else -1, calendar)
        elif step.business:
            for _ in range(abs(step.days)):
                day = walk(day, 1 if step.days > 0 else -1, calendar)
        else:
            day += step.days * DAY
    return day


def walk(day: date, step: int, calendar: BusinessCalendar) -> date:
    day += step * DAY
    while not is_business_day(calendar, day):
        day += step * DAY
    return day


def days(timing: Recurring, first: date, last: date, calendar: BusinessCalendar) -> set[date]:
    """The days from `first` to `last` on which the timing is due."""
    reach = FARTHEST_MOVE if timing.moves else 0
    found = {
        moved(timing, anchor, calendar)
        for anchor in (first + n * DAY for n in range(-reach, (last - first).days + 1 + reach))
        if any(is_named(rule, anchor, calendar) for rule in timing.days)
        and (not timing.within or any(is_named(rule, anchor, calendar) for rule in timing.within))
        and not any(is_named(rule, anchor, calendar) for rule in timing.without)
        and (timing.start is None or anchor >= timing.start)
        and (timing.until is None or anchor <= timing.until)
    }
    return {day for day in found if day is not None and first <= day <= last}


def minutes(timing: Recurring) -> tuple[set[int], set[int]]:
    """The minutes of a day that are named, and those that follow real time."""
    rule = timing.days[0]
    if isinstance(rule, Cron):
        minute, hour = rule.expression.split()[:2]
        sim = CronSim(rule.expression, NEW_YEAR)
        found = {h * 60 + m for h in sim.hours for m in sim.minutes}
        return (set(), found) if "*" in (minute[0], hour[0]) else (found, set())
    named: set[int] = set()
    real: set[int] = set()
    for time in timing.times:
        if isinstance(time, At):
            named.add(time.hour * 60 + time.minute)
            continue
        step = {minute for minute in range(2880) if time.first <= minute <= time.last}
        step = {minute for minute in step if (minute - time.first) % time.minutes == 0}
        if 60 % time.minutes == 0:
            real |= step
        else:
            named |= step
    return named, real


def instants(timing: Recurring, after: datetime, until: datetime, calendar: BusinessCalendar) -> Iterator[datetime]:
    """Each minute (UTC) with `after` < minute <= `until` at which the timing is due."""
    zone = zone_named(timing.zone)
    first, last = (edge.astimezone(zone).date() for edge in (after, until))
    due = days(timing, first - 4 * DAY, last + 4 * DAY, calendar)
    named, real = (walls(due, of_day) for of_day in minutes(timing))
    for minute, wall, fresh in clock(timing.zone, after, until):
        if minute > after and (wall in real or not named.isdisjoint(fresh)):
            yield minute


@lru_cache(maxsize=64)
def clock(name: str, after: datetime, until: datetime) -> list[tuple[datetime, datetime, set[datetime]]]:
    """Each minute (UTC), its wall clock, and the wall clocks that have their first chance at it: shown or skipped."""
    zone = zone_named(name)
    minute = after.astimezone(UTC).replace(second=0, microsecond=0) - 1500 * MINUTE
    found: list[tuple[datetime, datetime, set[datetime]]] = []
    shown: set[datetime] = set()
    before = minute.astimezone(zone).replace(tzinfo=None, fold=0)
    while minute <= until:
        wall = minute.astimezone(zone).replace(tzinfo=None, fold=0)
        skipped = {before + n * MINUTE for n in range(1, (wall - before) // MINUTE)}
        found.append((minute, wall, ({wall} - shown) | skipped))
        shown.add(wall)
        before = wall
        minute += MINUTE
    return found


def walls(due: set[date], of_day: set[int]) -> set[datetime]:
    midnights = [datetime(day.year, day.month, day.day) for day in due]  # noqa: DTZ001 - wall clocks
    return {midnight + minute * MINUTE for midnight in midnights for minute in of_day}
