"""Dates of several years in one sentence (`2026年12月24日と1月5日`), and days counted within one year or week."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from schedctl.when.model import EVERY_MONTH, BusinessDays, DayRule, MonthWeekdays
from schedctl.when.months import length_of
from schedctl.when.reading import refusals
from schedctl.when.reading.draft import CORES
from schedctl.when.reading.parts import DaysOfMonth, Unit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from schedctl.when.reading.draft import Draft, Item


def of_their_years(items: Sequence[Item], dates: tuple[date, ...]) -> tuple[date, ...]:
    """Of all matching dates in these years those that were said with their year, or are the first of their kind."""
    if len({item.months.year for item in items if item.months}) < 2:
        return dates
    first = {(day.month, day.day): day for day in reversed(dates)}
    years = {day: (day.year, None) if first[day.month, day.day] == day else (day.year,) for day in dates}
    return tuple(
        day
        for day in dates
        if any(item.months and item.months.year in years[day] and _names(item, day) for item in items)
    )


def _names(item: Item, day: date) -> bool:
    """Whether one day part names this month and this day of it."""
    if item.months is None or day.month not in item.months.months:
        return False
    from_end = day.day - length_of(day.year, day.month) - 1
    return not isinstance(item.core, DaysOfMonth) or day.day in item.core.days or from_end in item.core.days


def counted_in(unit: Unit, rule: DayRule, draft: Draft) -> DayRule:
    """`今週の最終営業日` counts within the week; `来年の第2月曜` does not say in which month."""
    if unit == "week" and isinstance(rule, BusinessDays):
        return replace(rule, of="week")
    if unit == "year" and isinstance(rule, BusinessDays | MonthWeekdays) and rule.months == EVERY_MONTH:
        raise refusals.which_month(draft.places(*CORES)[0])
    return rule
