"""Timings of every kind, for properties.

`timings()` gives timings in the form in which the reader makes them: rules of one kind are merged, numbers are sorted,
nothing contradicts itself on its face (no 30 February, no period that ends before it starts), and one-shots, periods
and anchors lie within a few years after `NOW`.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

from schedctl.when.calendar import BusinessCalendar, Calendars
from schedctl.when.model import (
    EVERY_MONTH,
    MINUTES_A_DAY,
    At,
    BusinessDays,
    Cron,
    Daily,
    Dates,
    DayClass,
    DayRule,
    Every,
    InMonths,
    MonthDays,
    Months,
    MonthWeekdays,
    Move,
    NamedHoliday,
    Offset,
    Once,
    Recurring,
    Shift,
    TimeRule,
    Timing,
    Weekly,
)
from schedctl.when.saying.shape import has_short_months

if TYPE_CHECKING:
    from collections.abc import Hashable

NOW: Final = datetime(2026, 11, 30, 10, 0, tzinfo=timezone(timedelta(hours=9)))
ZONES: Final = ("Asia/Tokyo", "UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Etc/GMT-14")
CALENDARS: Final = Calendars(
    named=(
        ("工場", BusinessCalendar(closed_yearly=frozenset({(12, 30), (12, 31)}))),
        ("factory", BusinessCalendar(country="", open=frozenset({date(2026, 12, 5)}))),
    )
)
HOLIDAYS: Final = ("成人の日", "春分の日", "昭和の日", "海の日", "スポーツの日", "勤労感謝の日")
CRONS: Final = (
    "0 3 * * 1",
    "*/20 9-17 * * MON-FRI",
    "15,45 * 1,15 * 0",
    "0 0 L * *",
    "30 4 * 1-3,12 MON#2",
    "5 0 29 2 *",
)
LONGEST_MONTH: Final = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

dates: Final = st.dates(date(2026, 12, 1), date(2030, 12, 31))
weekdays: Final = st.sets(st.integers(0, 6), min_size=1).map(lambda days: tuple(sorted(days)))
zones: Final = st.sampled_from(ZONES)
mondays: Final = dates.map(lambda day: day - timedelta(days=day.weekday()))
month_names: Final = st.sets(st.integers(1, 12), min_size=1, max_size=6).map(lambda months: tuple(sorted(months)))


def numbers(highest: int, most: int) -> st.SearchStrategy[tuple[int, ...]]:
    """One to `most` numbers from 1 to `highest` and from -1 to -`highest`, in order."""
    number = st.integers(1, highest) | st.integers(-min(highest, 9), -1)
    return st.sets(number, min_size=1, max_size=most).map(lambda chosen: tuple(sorted(chosen)))


months: Final = st.one_of(
    st.just(EVERY_MONTH),
    st.builds(Months, only=month_names),
    st.builds(Months, every=st.integers(2, 12), anchor=dates.map(lambda day: day.replace(day=1))),
)


def _falls_somewhere(rule: MonthDays) -> bool:
    """Whether each day exists in each of the named months: nobody can say 30 February."""
    longest = min((LONGEST_MONTH[month - 1] for month in rule.months.only), default=31)
    return all(abs(day) <= longest for day in rule.days)


def _clamps(rule: MonthDays) -> bool:
    """Whether the choice about short months is a choice at all."""
    return rule.short_months == "leave_out" or has_short_months(rule)


def _is_a_one_shot(timing: Recurring) -> bool:
    """Whether this is one date at one time: nobody reads that as recurring."""
    match timing:
        case Recurring(days=(Dates(dates=(_,)),), times=(At(),)):
            return True
        case _:
            return False


daily: Final = st.just(Daily()) | st.builds(Daily, every=st.integers(2, 60), anchor=dates)
plain_weekly: Final = st.builds(Weekly, weekdays=weekdays)
weekly: Final = plain_weekly | st.builds(Weekly, weekdays=weekdays, every=st.integers(2, 8), anchor=mondays)
month_days: Final = (
    st.builds(MonthDays, numbers(31, 3), months, st.sampled_from(("leave_out", "last_day")))
    .filter(_falls_somewhere)
    .filter(_clamps)
)
month_weekdays: Final = st.builds(MonthWeekdays, numbers(5, 2), weekdays, months)
business_days: Final = st.builds(BusinessDays, numbers(20, 2), st.just("month"), months) | st.builds(
    BusinessDays, numbers(5, 1), st.just("week")
)
day_classes: Final = st.sampled_from((DayClass("business"), DayClass("closed"), DayClass("holiday")))
named_holidays: Final = st.builds(NamedHoliday, st.sampled_from(HOLIDAYS))
in_months: Final = st.builds(InMonths, month_names)
some_dates: Final = st.builds(Dates, st.sets(dates, min_size=1, max_size=3).map(lambda days: tuple(sorted(days))))
crons: Final = st.builds(Cron, st.sampled_from(CRONS))
day_rules: Final[st.SearchStrategy[DayRule]] = st.one_of(
    daily, weekly, month_days, month_weekdays, business_days, day_classes, named_holidays, some_dates
)
filters: Final[st.SearchStrategy[DayRule]] = st.one_of(
    plain_weekly, month_days, month_weekdays, business_days, day_classes, named_holidays, in_months, some_dates
)


def _kind(rule: DayRule) -> Hashable:
    return (type(rule), rule.kind if isinstance(rule, DayClass) else None)


def several(rules: st.SearchStrategy[DayRule], least: int, most: int) -> st.SearchStrategy[tuple[DayRule, ...]]:
    """`least` to `most` rules, no two of one kind."""
    return st.lists(rules, min_size=least, max_size=most, unique_by=_kind).map(tuple)


at_times: Final = st.builds(At, hour=st.integers(0, 29), minute=st.integers(0, 59))


@st.composite
def steps(draw: st.DrawFn) -> Every:
    """A step all day, or inside a window that may reach over midnight."""
    minutes = draw(st.sampled_from((1, 5, 10, 15, 20, 30, 60)) | st.integers(1, 24).map(lambda hours: hours * 60))
    minutes = draw(st.just(minutes) | st.integers(1, 600))
    if draw(st.booleans()):
        return Every(minutes)
    first = draw(st.integers(0, MINUTES_A_DAY - 1))
    return Every(minutes, first, first + draw(st.integers(1, MINUTES_A_DAY - 1)))


def _starts(time: TimeRule) -> int:
    return time.minute_of_day if isinstance(time, At) else time.first


times: Final = st.one_of(
    st.lists(at_times, min_size=1, max_size=3, unique_by=_starts).map(lambda found: tuple(sorted(found, key=_starts))),
    steps().map(lambda step: (step,)),
    st.tuples(steps(), at_times),
)
closed_days: Final = st.one_of(st.just(DayClass("closed")), st.just(DayClass("holiday")), plain_weekly)
shifts: Final = st.builds(Shift, st.sampled_from(("previous", "next", "skip")), closed_days)
offsets: Final = st.builds(Offset, st.integers(-20, 20).filter(bool), st.booleans())
moves: Final[st.SearchStrategy[tuple[Move, ...]]] = st.one_of(
    st.just(()),
    shifts.map(lambda shift: (shift,)),
    offsets.map(lambda offset: (offset,)),
    st.tuples(shifts, offsets),
    st.tuples(offsets, shifts),
)


TWICE: Final = (
    ("2027-11-07T01:30:00-04:00", "America/New_York"),
    ("2027-11-07T01:30:00-05:00", "America/New_York"),
    ("2027-10-31T02:15:00+01:00", "Europe/Berlin"),
    ("2027-04-04T01:45:00+11:00", "Australia/Lord_Howe"),
)
"""Instants that a zone's clock shows twice that day."""
shown_twice: Final = st.sampled_from(TWICE).map(lambda each: Once(datetime.fromisoformat(each[0]), each[1]))


@st.composite
def onces(draw: st.DrawFn) -> Once:
    """One instant to the minute, never one that its zone's clock shows twice."""
    zone = draw(zones)
    wall = draw(st.datetimes(datetime(2026, 12, 2), datetime(2030, 12, 31)))  # noqa: DTZ001 (a wall clock has no zone)
    at = wall.replace(second=0, microsecond=0, tzinfo=ZoneInfo(zone))
    settled = at.astimezone(UTC).astimezone(ZoneInfo(zone))
    offset = settled.utcoffset()
    assert offset is not None
    return Once(settled.replace(tzinfo=timezone(offset), fold=0), zone)


@st.composite
def recurrings(draw: st.DrawFn) -> Recurring:
    """Days and times with any filters, moves, period, count and calendar; or a cron expression."""
    by_cron = draw(st.integers(0, 9)) == 0
    start = draw(st.none() | dates)
    counted = draw(st.none() | st.integers(1, 100))
    return Recurring(
        days=(draw(crons),) if by_cron else draw(several(day_rules, 1, 2)),
        times=() if by_cron else draw(times),
        zone=draw(zones),
        within=() if by_cron else draw(several(filters, 0, 1)),
        without=() if by_cron else draw(several(filters, 0, 2)),
        moves=() if by_cron else draw(moves),
        start=start,
        until=draw(st.none() | st.integers(0, 400).map(lambda days: (start or date(2026, 12, 1)) + timedelta(days))),
        count=counted,
        counted_from=NOW if counted else None,
        calendar=draw(st.sampled_from(("", "", "工場", "factory"))),
    )


def timings() -> st.SearchStrategy[Timing]:
    """Every kind of timing."""
    return onces() | shown_twice | recurrings().filter(lambda timing: not _is_a_one_shot(timing))
