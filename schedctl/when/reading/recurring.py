"""Parts that repeat: their days, what limits and moves them, their period, count and interval."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Final

from schedctl.when.model import (
    At,
    BusinessDays,
    Daily,
    Dates,
    DayRule,
    InMonths,
    MonthDays,
    Months,
    MonthWeekdays,
    Move,
    Recurring,
    TimeRule,
    Weekly,
)
from schedctl.when.reading import refusals, refusals_periods, refusals_times
from schedctl.when.reading.day_parts import Days, merged, recurring_days, rule_of
from schedctl.when.reading.draft import DAY_PARTS, Block, Draft, Item, Moment, blocks_of
from schedctl.when.reading.edges import day_of_month, edge, period_of, span_of, whole_month
from schedctl.when.reading.grammar import Found
from schedctl.when.reading.narrow import narrowed
from schedctl.when.reading.parts import (
    Anchor,
    BusinessDaysLater,
    Clock,
    Coming,
    Count,
    CountedFrom,
    DaysOfMonth,
    Except,
    InMonth,
    InZone,
    OnCalendar,
    OnceOnly,
    Only,
    Part,
    Period,
    Relative,
    Repeat,
    Weekdays,
)
from schedctl.when.reading.search import first_anchor
from schedctl.when.reading.time_parts import night_clock
from schedctl.when.zones import first_instant_at, zone_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NAMES_A_DAY: Final = (DaysOfMonth, Weekdays)
LONGEST_LIST: Final = 366
HALF_A_YEAR: Final = timedelta(days=182)


def recurring(
    draft: Draft, blocks: list[Block], times: tuple[TimeRule, ...], moves: tuple[Move, ...], moment: Moment
) -> Recurring:
    """The repetition that the parts say."""
    _refuse_days_from_now(draft)
    _add_weekday_of_start(draft, blocks, moment)
    days = recurring_days(draft, blocks)
    start, until = period_of(draft, moment, _first_day(times, moment)) if draft.has(Period, Relative) else (None, None)
    within, excluded = _limits(draft, days, moment) if days.within or draft.has(Only) else ((), ())
    without = (*_rules(draft.of(Except), moment), *excluded)
    if len(without) < len(draft.of(Except)):
        raise refusals_periods.empty_period()
    timing = Recurring(
        days=days.rules,
        times=times,
        zone=_zone(draft, moment),
        within=within,
        without=merged(without),
        moves=moves,
        start=start,
        until=until,
        calendar=_calendar(draft),
    )
    timing = timing if days.repeat else _tidy(timing)
    _refuse_night_of_named_days(draft, timing, days)
    timing = _with_interval(draft, timing, days.repeat, moment)
    if _is_limited(timing) and first_anchor(timing, moment) is None:
        raise refusals_periods.empty_period()
    return _counted(draft, timing, moment)


def _add_weekday_of_start(draft: Draft, blocks: list[Block], moment: Moment) -> None:
    """`from Monday on every 2 weeks`: the day of the start is the day of each, as where a step counts from it."""
    starts = [
        period.start for period in draft.of(Period) if any(isinstance(part, NAMES_A_DAY) for part in period.start)
    ]
    block = blocks[0]
    repeat = block.repeat
    alone = len(blocks) == len(starts) == 1 and not block.items and not block.yearly
    if alone and repeat is not None and repeat.unit == "week" and repeat.every > 1:
        first = edge(starts[0], moment, moment.today, last=False)
        block.items.append(Item(Weekdays((first.weekday(),)), None, limits=False))


def _first_day(times: tuple[TimeRule, ...], moment: Moment) -> date:
    """Today where it has a time left, else tomorrow: `3日間` said after the last of today's times has three days."""
    last = max(time.minute_of_day if isinstance(time, At) else time.last for time in times)
    passed = last <= moment.wall.hour * 60 + moment.wall.minute
    return moment.today + timedelta(days=passed)


def _limits(draft: Draft, days: Days, moment: Moment) -> tuple[tuple[DayRule, ...], tuple[DayRule, ...]]:
    """What all days are limited to, each limit being one more condition; and what must be left out for that."""
    only = merged(_rules(draft.of(Only), moment))
    conditions = [(rule,) for rule in days.within] + ([only] if only else [])
    limits = narrowed(conditions)
    if limits is None:
        raise refusals.too_many_limits(draft.places(*DAY_PARTS, Only)[-1])
    return limits


def _refuse_days_from_now(draft: Draft) -> None:
    """`3営業日後に毎週…`: a day counted from now and a repetition are two schedules."""
    of_one_day = any(relative.unit == "day" for relative in draft.of(Relative))
    if draft.has(BusinessDaysLater, Coming) or (of_one_day and draft.has(Repeat)):
        raise refusals.two_schedules()


def _tidy(timing: Recurring) -> Recurring:
    """`毎年8月は毎日`: all days of August, said as such."""
    match timing.days, timing.within:
        case (Daily(every=1),), (InMonths() as months,):
            return replace(timing, days=(months,), within=())
        case _:
            return timing


def _is_limited(timing: Recurring) -> bool:
    """Whether it could be that no day is left."""
    return bool(timing.until or timing.within or timing.without or timing.moves)


def _refuse_night_of_named_days(draft: Draft, timing: Recurring, days: Days) -> None:
    """`毎日夜1時` is clear since each day has one; `月曜の夜1時` is not."""
    place = night_clock(draft)
    plain = timing.days == (Daily(),) and days.repeat is None and not _is_limited(timing) and timing.start is None
    if place is not None and not plain and isinstance(place.part, Clock):
        raise refusals_times.night_of_which_day(place, place.part.times)


def _zone(draft: Draft, moment: Moment) -> str:
    """The zone of a repetition. A bare offset names no zone: it is accepted where the zone always has it."""
    for place in draft.places(InZone):
        if isinstance(place.part, InZone) and isinstance(place.part.zone, timedelta):
            offset = place.part.zone
            if offset == timedelta(0):
                return "UTC"
            later = (moment.now + HALF_A_YEAR).astimezone(zone_named(moment.zone))
            if moment.now.astimezone(zone_named(moment.zone)).utcoffset() == later.utcoffset() == offset:
                continue
            raise refusals_times.offset_of_repetition(place)
    return moment.zone


def _calendar(draft: Draft) -> str:
    named = draft.of(OnCalendar)
    return named[0].name if named else ""


def _counted(draft: Draft, timing: Recurring, moment: Moment) -> Recurring:
    since = draft.of(CountedFrom)
    counts = draft.of(Count)
    once = draft.places(OnceOnly) or [place for place in draft.places(Count) if place.part == Count(1)]
    if once and not since:
        raise refusals_times.once_or_again(once[0])
    if not counts and not once:
        return timing
    if any(count.number == 0 for count in counts):
        raise refusals_periods.empty_period()
    start = moment.now if not since else _counted_from(since[0], timing.zone)
    return replace(timing, count=counts[0].number if counts else 1, counted_from=start)


def _counted_from(part: CountedFrom, zone: str) -> datetime:
    if part.offset is not None:
        return part.wall.replace(tzinfo=timezone(part.offset))
    return first_instant_at(part.wall, zone)


def _with_interval(draft: Draft, timing: Recurring, repeat: Repeat | None, moment: Moment) -> Recurring:
    """Intervals count from the anchor that is given, else from the first occurrence after now."""
    anchors = draft.of(Anchor)
    if repeat is None:
        if anchors:
            raise refusals.two_schedules()
        return timing
    origin = anchors[0].origin if anchors else first_anchor(timing, moment)
    if origin is None:
        raise refusals_periods.empty_period()
    only = anchors[0].months if anchors else ()
    place = draft.places(Repeat)[0]
    return replace(timing, days=tuple(_anchored(rule, repeat, origin, only, place) for rule in timing.days))


def _anchored(rule: DayRule, repeat: Repeat, origin: date, only: tuple[int, ...], place: Found) -> DayRule:
    match rule:
        case Daily() if repeat.unit == "day":
            return Daily(repeat.every, origin)
        case Weekly() if repeat.unit == "week":
            return replace(rule, every=repeat.every, anchor=origin - timedelta(days=origin.weekday()))
        case MonthDays() | MonthWeekdays() | BusinessDays() if repeat.unit == "month" and rule.months.only and not only:
            if rule.months.only != _months_apart(rule.months.only[0], repeat.every):
                raise refusals.interval_against_months(place)
            return rule
        case MonthDays() | MonthWeekdays() | BusinessDays() if repeat.unit == "month":
            return replace(rule, months=Months(only, repeat.every, origin.replace(day=1)))
        case MonthDays() | MonthWeekdays() | BusinessDays() if repeat.unit == "year" and len(rule.months.only) == 1:
            return replace(rule, months=Months((), repeat.every * 12, origin.replace(day=1)))
        case _:
            raise refusals.interval_against_days(place)


def _months_apart(first: int, every: int) -> tuple[int, ...]:
    """`半年ごとに4月1日と10月1日`: the months that an interval from the first of them meets each year."""
    return tuple(range(first, 13, every)) if first <= every and 12 % every == 0 else ()


def _rules(filters: Iterable[Except | Only], moment: Moment) -> list[DayRule]:
    """The rules of days that are left out, or that others are limited to."""
    return [rule for each in filters for rule in _rules_of(each.days, moment)]


def _rules_of(parts: Sequence[Part], moment: Moment) -> list[DayRule]:
    rules: list[DayRule] = []
    for run in _runs(parts):
        for block in blocks_of(Draft([Found(part, 0, 0, joined=True) for part in run])):
            rules.extend(_rules_of_block(block))
        for part in run:
            if isinstance(part, Relative):
                span = span_of(part, moment.today)
                rules.append(Dates(_all_days(span.first, span.last)))
            if isinstance(part, Period):
                rules.extend(_rules_of_period(part, moment))
    return rules


def _runs(parts: Sequence[Part]) -> list[list[Part]]:
    """`4月と毎月第2水曜`, `祝日と4月`: each interval and each month begins anew."""
    runs: list[list[Part]] = []
    for part in parts:
        begins = isinstance(part, Repeat) or (
            isinstance(part, InMonth) and bool(runs) and not all(isinstance(each, Repeat) for each in runs[-1])
        )
        if begins or not runs:
            runs.append([])
        runs[-1].append(part)
    return runs


def _rules_of_block(block: Block) -> list[DayRule]:
    months = block.months if not any(item.months is not None for item in block.items) else None
    rules: list[DayRule] = []
    if months is not None and months.year is not None:
        spans = [whole_month(months.year, month) for month in months.months]
        rules.append(Dates(tuple(day for span in spans for day in _all_days(span.first, span.last))))
    elif months is not None:
        rules.append(InMonths(months.months))
    return rules + [_filter_rule(item, block.repeat) for item in block.items]


def _filter_rule(item: Item, repeat: Repeat | None) -> DayRule:
    """The rule of days that are left out; with a year, those dates."""
    months = item.months
    if isinstance(item.core, DaysOfMonth) and months is not None and months.year is not None:
        year = months.year
        return Dates(
            tuple(sorted({day_of_month(year, month, day) for day in item.core.days for month in months.months}))
        )
    rule = rule_of(item, None)
    return replace(rule, of="week") if isinstance(rule, BusinessDays) and repeat == Repeat("week") else rule


def _rules_of_period(period: Period, moment: Moment) -> list[DayRule]:
    """`12月29日から1月3日`: those days of every year; with a year, those dates."""
    first = edge(period.start, moment, moment.today, last=False)
    last = edge(period.until, moment, first, last=True)
    if first > last or (last - first).days >= LONGEST_LIST:
        raise refusals_periods.empty_period()
    days = _all_days(first, last)
    if any(isinstance(part, Relative) or (isinstance(part, InMonth) and part.year) for part in period.start):
        return [Dates(days)]
    by_month: dict[int, list[int]] = {}
    for day in days:
        by_month.setdefault(day.month, []).append(day.day)
    return [MonthDays(tuple(numbers), Months((month,))) for month, numbers in by_month.items()]


def _all_days(first: date, last: date) -> tuple[date, ...]:
    return tuple(first + timedelta(days=number) for number in range((last - first).days + 1))
