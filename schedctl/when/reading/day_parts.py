"""Day parts -> the day rules of a recurring timing, without their intervals' anchors (see `anchors.py`)."""

from __future__ import annotations

import calendar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, assert_never

from schedctl.language import Text
from schedctl.when.model import (
    EVERY_MONTH,
    BusinessDays,
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
from schedctl.when.reading import refusals
from schedctl.when.reading.draft import CORES
from schedctl.when.reading.parts import (
    DaysOfMonth,
    InMonth,
    NthBusinessDays,
    NthWeekdays,
    Repeat,
    ShortMonths,
    TimesPerUnit,
    Weekdays,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from schedctl.when.reading.draft import Block, Draft, Item
    from schedctl.when.reading.grammar import Found

WORKDAYS: Final = (0, 1, 2, 3, 4)

SAFE_DAY: Final = 28
"""Every month has the days up to here."""
WHOLE_YEAR: Final = tuple(range(1, 13))
LEAP_YEAR: Final = 2028
LAST_OF_ALL_MONTHS: Final = 28
COMMON_YEAR: Final = 2027


@dataclass(frozen=True, slots=True)
class Days:
    """Day rules, what limits them, and the interval that still needs its anchor."""

    rules: tuple[DayRule, ...]
    within: tuple[DayRule, ...] = ()
    repeat: Repeat | None = None


def rule_of(item: Item, short: ShortMonths | None) -> DayRule:
    """The rule of one day part in its months."""
    months = EVERY_MONTH if item.months is None else Months(only=item.months.months)
    match item.core:
        case Weekdays(weekdays=weekdays):
            return Weekly(weekdays)
        case DaysOfMonth(days=days):
            return MonthDays(days, months, _short_months(days, short))
        case NthWeekdays(ordinals=ordinals, weekdays=weekdays):
            return MonthWeekdays(ordinals, weekdays, months)
        case NthBusinessDays(ordinals=ordinals, of=of):
            return BusinessDays(ordinals, of, months if of == "month" else EVERY_MONTH)
        case DayClass() | NamedHoliday() as rule:
            return rule
        case _:
            assert_never(item.core)


def _short_months(days: tuple[int, ...], short: ShortMonths | None) -> Literal["leave_out", "last_day"]:
    return short.choice if short is not None and max(days) > 28 else "leave_out"


def recurring_days(draft: Draft, blocks: Sequence[Block]) -> Days:
    """The days of all blocks together: joined days are alternatives, unjoined ones limit each other."""
    short = draft.of(ShortMonths)
    choice = short[0] if short else None
    parts = [_days_of_block(draft, block, choice) for block in blocks]
    intervals = {part.repeat for part in parts if part.repeat is not None}
    rules = parts[0].rules if len(parts) == 1 and len(parts[0].rules) == 1 else _all_rules(parts)
    apart = len(rules) > 1 or any(part.repeat != parts[0].repeat for part in parts)
    if len(parts) > 1 and ((intervals and apart) or any(part.within for part in parts)):
        raise refusals.two_intervals(draft.places(Repeat)[-1] if draft.has(Repeat) else draft.found[-1])
    for part in parts:
        for rule in part.rules:
            refuse_never(draft, rule)
    return Days(rules, parts[0].within, next(iter(intervals), None))


def _all_rules(parts: Sequence[Days]) -> tuple[DayRule, ...]:
    return merged(rule for part in parts for rule in part.rules)


def _days_of_block(draft: Draft, block: Block, short: ShortMonths | None) -> Days:
    rules = [rule_of(item, short) for item in block.items if not item.limits]
    within: list[DayRule] = [rule_of(item, short) for item in block.items if item.limits]
    months_used = any(item.months is not None for item in block.items)
    if block.months is not None and not months_used:
        _require_every_year(draft, block, block.months)
        within.append(InMonths(block.months.months))
    unit = block.repeat.unit if block.repeat else None
    if block.yearly and block.months is None and _interval(block) is not None:
        raise refusals.two_intervals(draft.places(Repeat, TimesPerUnit)[0])
    _check_times_per_unit(draft, rules)
    if not rules and unit in {"week", "month", "year"}:
        place = draft.places(Repeat, TimesPerUnit)[-1]
        raise refusals.no_day_of(unit, place)
    if unit == "day" and rules and not (_interval(block) is None and all(_is_of_several_days(rule) for rule in rules)):
        raise refusals.interval_against_days(draft.places(Repeat, TimesPerUnit)[-1])
    if not rules:
        return Days((Daily(),), tuple(within), _interval(block))
    if unit == "month" and any(isinstance(rule, Weekly | DayClass | NamedHoliday) for rule in rules):
        raise refusals.interval_against_days(draft.places(Repeat, TimesPerUnit)[-1])
    if unit == "week":
        return _weekly(draft, block, rules, within)
    if unit == "year" and block.months is None and _have_no_month(rules):
        raise refusals.which_month(draft.places(*CORES)[0])
    return Days(tuple(rules), tuple(within), _interval(block))


def _check_times_per_unit(draft: Draft, rules: Sequence[DayRule]) -> None:
    """`週2回、火曜の9時`: two times a week are not one."""
    for place in draft.places(TimesPerUnit):
        said = place.part
        match rules:
            case [Weekly(weekdays=days)] | [MonthDays(days=days)] if isinstance(said, TimesPerUnit):
                of_unit = {"week": Weekly, "month": MonthDays}.get(said.unit)
                if of_unit is not None and isinstance(rules[0], of_unit) and len(days) != said.number:
                    raise refusals.times_against_days(place)
            case _:
                pass


def _is_of_several_days(rule: DayRule) -> bool:
    """`月曜から金曜まで毎日`: each of these days."""
    return isinstance(rule, DayClass) or (isinstance(rule, Weekly) and len(rule.weekdays) > 1)


def _interval(block: Block) -> Repeat | None:
    return block.repeat if block.repeat is not None and block.repeat.every > 1 else None


def _weekly(draft: Draft, block: Block, rules: list[DayRule], within: list[DayRule]) -> Days:
    """`隔週の平日`: the weekdays of every other week that are business days."""
    interval = _interval(block)
    if any(isinstance(rule, MonthDays | MonthWeekdays | NamedHoliday) or _is_of_named_months(rule) for rule in rules):
        raise refusals.interval_against_days(draft.places(Repeat, TimesPerUnit)[-1])
    rules = [replace(rule, of="week") if isinstance(rule, BusinessDays) else rule for rule in rules]
    if interval is not None and rules == [DayClass("business")]:
        return Days((Weekly(WORKDAYS),), (DayClass("business"), *within), interval)
    if interval is not None and not all(isinstance(rule, Weekly) for rule in rules):
        raise refusals.interval_against_days(draft.places(Repeat)[0])
    return Days(tuple(rules), tuple(within), interval)


def _is_of_named_months(rule: DayRule) -> bool:
    return isinstance(rule, BusinessDays) and rule.months != EVERY_MONTH


def _have_no_month(rules: Sequence[DayRule]) -> bool:
    """Whether days come in every month: of which one is `毎年15日`? Beside a holiday 毎年 is said of the holiday."""
    if any(isinstance(rule, NamedHoliday) for rule in rules):
        return False
    return any(
        rule.months == EVERY_MONTH
        if isinstance(rule, MonthDays | MonthWeekdays | BusinessDays)
        else isinstance(rule, Weekly | DayClass) and rule != DayClass("holiday")
        for rule in rules
    )


def _require_every_year(draft: Draft, block: Block, months: InMonth) -> None:
    yearly = block.yearly or months.each or block.repeat == Repeat("year")
    if not yearly:
        place = draft.places(InMonth)[0]
        raise refusals.every_year_or_once(place, months.months)


def merged(rules: Iterable[DayRule]) -> tuple[DayRule, ...]:
    """Rules of one kind as one rule where that says the same: `毎月1日と15日`, `月曜と木曜`."""
    result: list[DayRule] = []
    for rule in rules:
        if rule in result:
            continue
        place = next((index for index, other in enumerate(result) if _merge(other, rule) is not None), None)
        if place is None:
            result.append(rule)
        else:
            both = _merge(result[place], rule)
            result[place] = rule if both is None else both
    return tuple(result)


def _merge(one: DayRule, other: DayRule) -> DayRule | None:
    match one, other:
        case Weekly(), Weekly() if one.every == other.every:
            return replace(one, weekdays=_union(one.weekdays, other.weekdays))
        case MonthDays(), MonthDays() if one.months == other.months and _agree(one, other):
            clamped = "last_day" in (one.short_months, other.short_months)
            return MonthDays(_union(one.days, other.days), one.months, "last_day" if clamped else "leave_out")
        case MonthDays(), MonthDays() if one.days == other.days and one.short_months == other.short_months:
            return _over_months(one, other)
        case MonthWeekdays(), MonthWeekdays() if one.months == other.months and one.weekdays == other.weekdays:
            return replace(one, ordinals=_union(one.ordinals, other.ordinals))
        case Dates(), Dates():
            return Dates(tuple(sorted({*one.dates, *other.dates})))
        case BusinessDays(), BusinessDays() if (one.of, one.months) == (other.of, other.months):
            return replace(one, ordinals=_union(one.ordinals, other.ordinals))
        case _:
            return None


def _agree(one: MonthDays, other: MonthDays) -> bool:
    """Whether both do the same in short months; days that every month has do not mind."""
    return one.short_months == other.short_months or min(max(one.days), max(other.days)) <= LAST_OF_ALL_MONTHS


def _over_months(one: MonthDays, other: MonthDays) -> MonthDays | None:
    if not one.months.only or not other.months.only:
        return None
    return replace(one, months=Months(only=_union(one.months.only, other.months.only)))


def _union(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted({*one, *other}))


def refuse_never(draft: Draft, rule: DayRule, *, once: bool = False) -> None:
    """Refuse days that no month has, and long days of which the sentence does not say what short months do."""
    if not isinstance(rule, MonthDays) or max(map(abs, rule.days)) <= SAFE_DAY:
        return
    place = draft.places(DaysOfMonth)[0]
    months = rule.months.only or WHOLE_YEAR
    longest = max(calendar.monthrange(LEAP_YEAR, month)[1] for month in months)
    shortest = min(calendar.monthrange(COMMON_YEAR, month)[1] for month in months)
    for day in rule.days:
        if abs(day) > longest:
            raise no_such_day(place, min(months), day)
        if day > shortest and not once and not draft.has(ShortMonths):
            raise refusals.leap_day(place) if rule.months.only == (2,) else refusals.short_months(place)


def no_such_day(place: Found, month: int, day: int) -> refusals.Refusal:
    """`2月30日`, offering the month's last day."""
    name = calendar.month_name[month]
    return refusals.no_such_date(
        place, Text(f"{month}月{day}日", f"{name} {day}"), Text("末日", f"the last day of {name}")
    )
