"""Timings in the form in which a reader makes them, for `read(describe(t)) == t`.

`strategies.timings()` gives every value of the model. Some of them nobody can say: two intervals at once, dates that
are limited to other dates, a step of a whole day. `spoken()` turns each into the nearest one that a sentence can mean.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from schedctl.when.model import (
    EVERY_MONTH,
    MINUTES_A_DAY,
    At,
    BusinessDays,
    Cron,
    Daily,
    Dates,
    DayRule,
    InMonths,
    MonthDays,
    Months,
    MonthWeekdays,
    Once,
    Recurring,
    Shift,
    TimeRule,
    Timing,
    Weekly,
)
from tests.when.strategies import timings

if TYPE_CHECKING:
    from hypothesis import strategies as st

HALF_A_DAY: Final = MINUTES_A_DAY // 2


def spoken() -> st.SearchStrategy[Timing]:
    """Every kind of timing that a sentence can mean."""
    return timings().map(as_said)


def as_said(timing: Timing) -> Timing:
    """The nearest timing that a reader makes."""
    match timing:
        case Once():
            return timing
        case Recurring(days=(Cron(),)):
            return Recurring(days=timing.days, times=(), zone=timing.zone)
        case Recurring():
            return _without_double_meaning(_recurring(timing))


def _recurring(timing: Recurring) -> Recurring:
    dates = [rule for rule in timing.days if isinstance(rule, Dates)]
    times = _times(timing.times)
    if dates:
        several = times if len(dates[0].dates) > 1 or len(times) > 1 else (At(9), At(18))
        return Recurring(days=(dates[0],), times=several, zone=timing.zone)
    return replace(
        timing,
        days=_days(timing.days),
        times=times,
        within=tuple(_as_filter(rule) for rule in timing.within),
        without=tuple(_as_filter(rule) for rule in timing.without),
    )


def _times(times: tuple[TimeRule, ...]) -> tuple[TimeRule, ...]:
    """Either clocks or one step, which is shorter than a day."""
    first = times[0]
    if isinstance(first, At):
        return tuple(time for time in times if isinstance(time, At))
    return (replace(first, minutes=first.minutes if first.minutes < MINUTES_A_DAY else HALF_A_DAY),)


def _days(rules: tuple[DayRule, ...]) -> tuple[DayRule, ...]:
    """An interval stands alone, and `every day` leaves nothing to add."""
    alone = [rule for rule in rules if isinstance(rule, Daily) or _has_interval(rule)]
    return (alone[0],) if alone else rules


def _has_interval(rule: DayRule) -> bool:
    match rule:
        case Weekly():
            return rule.every > 1
        case MonthDays() | MonthWeekdays() | BusinessDays():
            return rule.months.every > 1
        case _:
            return False


def _as_filter(rule: DayRule) -> DayRule:
    """Days that are left out, or limited to, have no interval and no choice about short months."""
    match rule:
        case MonthDays():
            return MonthDays(rule.days, _without_interval(rule.months))
        case MonthWeekdays() | BusinessDays():
            return replace(rule, months=_without_interval(rule.months))
        case _:
            return rule


def _without_interval(months: Months) -> Months:
    return EVERY_MONTH if months.every > 1 else months


def _without_double_meaning(timing: Recurring) -> Recurring:
    """`every day, only in July` is every day in July; two days after every day is every day."""
    match timing:
        case Recurring(days=(Daily(every=1),), within=(InMonths() as months,)):
            return _without_double_meaning(replace(timing, days=(months,), within=()))
        case Recurring(days=(Daily(every=1) | InMonths(),), within=(), without=()):
            return replace(timing, moves=tuple(move for move in timing.moves if isinstance(move, Shift))[:1])
        case _:
            return timing
