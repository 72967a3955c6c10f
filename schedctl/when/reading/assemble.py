"""Parts -> one timing, or the reason why there is none."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from schedctl.when.model import At, DayClass, NamedHoliday, Offset, Shift, Timing
from schedctl.when.reading import oneshot, refusals, refusals_periods, refusals_times
from schedctl.when.reading.draft import CORES, MOVES, Block, Core, Draft, Item, Moment, blocks_of
from schedctl.when.reading.parts import (
    BusinessDaysLater,
    Clock,
    Coming,
    Count,
    DaysOfMonth,
    Except,
    Hourly,
    InMonth,
    InZone,
    Later,
    NthBusinessDays,
    NthWeekdays,
    OnCalendar,
    Only,
    Part,
    PartOfDay,
    Period,
    Relative,
    Repeat,
    Step,
    TimesPerUnit,
    Weekdays,
    Window,
)
from schedctl.when.reading.recurring import recurring
from schedctl.when.reading.time_parts import night_clock, times_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedctl.when.reading.grammar import Found

SCHEDULE: tuple[type[Part], ...] = (
    Repeat,
    TimesPerUnit,
    *CORES,
    InMonth,
    Relative,
    BusinessDaysLater,
    Clock,
    Hourly,
    Step,
)
"""Parts of which a timing needs at least one."""


def assemble(found: Sequence[Found], moment: Moment) -> Timing:
    """The timing that these parts say together; `Refusal` where they say none, or more than one."""
    draft = Draft(_with_yearly_periods(found))
    draft.refuse_unclear()
    _refuse_second_meaning(draft)
    moment = _by_calendar(draft, _in_zone(draft, moment))
    if draft.has(Later):
        return _later(draft, moment)
    times = times_of(draft)
    blocks = blocks_of(draft)
    moves = tuple(place.part for place in draft.places(*MOVES) if isinstance(place.part, Shift | Offset))
    if _recurs(draft, blocks):
        _refuse_open_period(draft)
        return recurring(draft, blocks, times, moves, moment)
    if not draft.has(*CORES, Relative, BusinessDaysLater, InMonth):
        raise _no_day(draft, moment)
    _refuse_night(draft)
    _refuse_repetition_words(draft)
    if draft.has(Coming):
        _refuse_several_coming(draft, blocks)
    return oneshot.named_days(draft, blocks, times, moves, moment)


def _with_yearly_periods(found: Sequence[Found]) -> Sequence[Found]:
    """`毎年12月29日から1月3日まで毎日`: the period comes again every year, and limits the days to its own."""
    yearly = Repeat("year")
    pairs = [(each, later) for each, later in pairwise(found) if each.part == yearly and _comes_every_year(later.part)]
    if not pairs:
        return found
    said, place = pairs[0]
    limit = replace(place, part=Only((place.part,)))
    return [limit if each is place else each for each in found if each is not said]


def _comes_every_year(part: Part) -> bool:
    if not isinstance(part, Period) or not part.start or not part.until:
        return False
    edges = (*part.start, *part.until)
    return all(isinstance(each, DaysOfMonth) or (isinstance(each, InMonth) and each.year is None) for each in edges)


def _refuse_second_meaning(draft: Draft) -> None:
    """Refuse two counts, two zones, two calendars; an offset beside a zone is no second one."""
    zones = [part.zone for part in draft.of(InZone)]
    named = {zone for zone in zones if isinstance(zone, str)}
    if any(len(said) > 1 for said in (set(draft.of(Count)), set(draft.of(OnCalendar)), named, {*zones} - named)):
        raise refusals.two_schedules()


def _in_zone(draft: Draft, moment: Moment) -> Moment:
    """The moment on the clock of the zone that the sentence names, if it names one."""
    for part in draft.of(InZone):
        if isinstance(part.zone, str):
            return moment.moved_to(part.zone)
    return moment


def _by_calendar(draft: Draft, moment: Moment) -> Moment:
    """The moment with the calendar that the sentence names as the one that counts."""
    for part in draft.of(OnCalendar):
        calendars = replace(moment.calendars, default=moment.calendars.get(part.name))
        return replace(moment, calendars=calendars)
    return moment


def _later(draft: Draft, moment: Moment) -> Timing:
    if draft.has(*SCHEDULE, Period, Except, PartOfDay, Window, *MOVES):
        raise refusals.two_schedules()
    return oneshot.later(draft, moment)


def _recurs(draft: Draft, blocks: list[Block]) -> bool:
    """Whether the parts mean a repetition: said so, or days that come again by their nature."""
    if draft.has(Repeat, TimesPerUnit, Period, Except, Only):
        return True
    items = [item for block in blocks for item in block.items]
    if draft.has(Relative, BusinessDaysLater, Coming) or any(part.year for part in draft.of(InMonth)):
        return False
    if not items:
        return draft.has(Step, Hourly)
    main = [item for item in items if not item.limits]
    if draft.has(Shift) or any(_comes_again(item) for item in main):
        return True
    if draft.has(Step, Hourly) and not all(_is_one_date(item) for item in main):
        return True
    _refuse_several_dates(draft, items)
    return False


def _refuse_open_period(draft: Draft) -> None:
    """`12/5以降の9時`: once on some day after it, or every day? `12月1日から5日の9時` names each of its days."""
    periods = draft.of(Period)
    ends = any(period.days or period.months or (period.start and period.until) for period in periods)
    says_days = draft.has(Repeat, TimesPerUnit, *CORES, InMonth, Relative, Except, Only, Step, Hourly)
    if periods and not ends and not says_days:
        raise refusals_periods.no_day_in_period((draft.places(Clock) or draft.places(Period))[0])


def _comes_again(item: Item) -> bool:
    """`平日`, `月・水・金`, `第2火曜`, `末日`: several days, a class, or days counted within the month."""
    match item.core:
        case Weekdays(weekdays=weekdays, each=each):
            return each or len(weekdays) > 1
        case DayClass():
            return True
        case NthWeekdays() | NthBusinessDays():
            return _of_any_month(item) or len(item.months.months if item.months else ()) > 1
        case DaysOfMonth(each=each):
            return (each and _of_any_month(item)) or (item.months is not None and item.months.each)
        case NamedHoliday():
            return False


def _is_one_date(item: Item) -> bool:
    """`12月5日の3時から5時まで10分おき`: the steps of that one day."""
    if not isinstance(item.core, DaysOfMonth) or item.core.each or len(item.core.days) > 1:
        return False
    return item.months is not None and len(item.months.months) == 1


def _of_any_month(item: Item) -> bool:
    return item.months is None or item.months.each


def _refuse_several_dates(draft: Draft, items: list[Item]) -> None:
    """`10日と25日`, and `1月の第1日曜`: not said whether they repeat."""
    main = [item for item in items if not item.limits]
    place = draft.places(InMonth, *CORES)[0]
    several_months = any(item.months and len(item.months.months) > 1 for item in main)
    if several_months or len(main) > 1 or any(isinstance(i.core, DaysOfMonth) and len(i.core.days) > 1 for i in main):
        raise refusals.several_dates(place, "year" if draft.has(InMonth, NamedHoliday) else "month")
    for item in main:
        if isinstance(item.core, NthWeekdays | NthBusinessDays) and item.months is not None:
            raise refusals.every_year_or_once(place, item.months.months)


def _refuse_several_coming(draft: Draft, blocks: list[Block]) -> None:
    """`次の1日と15日`: the next of both, or of each? Several weekdays are those of the next seven days."""
    cores = [item.core for block in blocks for item in block.items if not item.limits]
    if all(isinstance(core, Weekdays) for core in cores):
        return
    several = len(cores) > 1 or any(_names_several(core) for core in cores)
    if several:
        raise refusals.several_dates(draft.places(*CORES)[0], "month")


def _names_several(core: Core) -> bool:
    match core:
        case DaysOfMonth(days=days):
            return len(days) > 1
        case NthWeekdays(ordinals=ordinals, weekdays=weekdays):
            return len(ordinals) * len(weekdays) > 1
        case NthBusinessDays(ordinals=ordinals):
            return len(ordinals) > 1
        case _:
            return False


def _no_day(draft: Draft, moment: Moment) -> refusals.Refusal:
    clocks = draft.places(Clock)
    first = clocks[0].part if clocks else None
    at = first.times[0] if isinstance(first, Clock) else At(9)
    passed = timedelta(minutes=at.minute_of_day) <= timedelta(hours=moment.wall.hour, minutes=moment.wall.minute)
    return refusals.no_day(clocks[0] if clocks else None, passed=passed)


def _refuse_night(draft: Draft) -> None:
    place = night_clock(draft)
    if place is not None and isinstance(place.part, Clock):
        raise refusals_times.night_of_which_day(place, place.part.times)


def _refuse_repetition_words(draft: Draft) -> None:
    """`明日の9時に3回`: a one-shot has no count above one, and leaves out no days."""
    if any(count.number != 1 for count in draft.of(Count)):
        raise refusals.two_schedules()
