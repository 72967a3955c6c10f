"""Parts that name one day, or a few: `明日の9時`, `来週の水曜10時`, `12月24日の15時`, `30分後`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.when.calendar import add_business_days
from schedctl.when.model import (
    At,
    Dates,
    DayClass,
    Move,
    Once,
    Recurring,
    TimeRule,
    Timing,
)
from schedctl.when.reading import refusals, refusals_periods, refusals_times
from schedctl.when.reading.day_parts import merged, refuse_never, rule_of
from schedctl.when.reading.edges import Span, coming, impossible_date, span_of, very_day
from schedctl.when.reading.grammar import Found, Refusal
from schedctl.when.reading.narrow import narrowed
from schedctl.when.reading.parts import (
    BusinessDaysLater,
    Clock,
    Coming,
    DaysOfMonth,
    InMonth,
    InZone,
    Later,
    OnCalendar,
    Relative,
    ShortMonths,
    Unit,
    Weekdays,
)
from schedctl.when.reading.search import at_minute, due_days
from schedctl.when.reading.years import counted_in, of_their_years
from schedctl.when.zones import first_instant_at, instants_at, offset_text, utc

if TYPE_CHECKING:
    from schedctl.when.reading.draft import Block, Draft, Item, Moment

NOON: Final = (At(12),)
FARTHEST: Final[dict[Unit, int]] = {"day": 36_525, "week": 5_218, "month": 1_200, "year": 100}
MINUTE: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Frame:
    """Between which days the day lies; `exact` where the frame is that day, `open` where it has no end."""

    first: date
    last: date | None
    whole: Relative | None = None


def later(draft: Draft, moment: Moment) -> Once:
    """`30分後`: from now, rounded up to the full minute that a tick can meet."""
    minutes = sum(part.minutes for part in draft.of(Later))
    if minutes > FARTHEST["day"] * 24 * 60:
        raise too_far(draft.places(Later)[0])
    at = moment.now + timedelta(minutes=minutes)
    whole = at.replace(second=0, microsecond=0)
    return Once(whole if whole == at else whole + MINUTE, moment.zone)


def too_far(place: Found) -> Refusal:
    """A distance of more than a hundred years."""
    return Refusal(
        "impossible_time",
        Text("100年より先の予定は立てられません", "Nothing can be planned more than a hundred years ahead"),
        (refusals.replace(place, "3日後", "in 3 days"),),
    )


def frame_of(draft: Draft, moment: Moment) -> Frame:
    """The stretch of days that the sentence speaks of; without any, all days from today on."""
    frames = draft.places(Relative, BusinessDaysLater)
    if len({place.part for place in frames}) > 1:
        raise refusals.two_schedules()
    for place in frames:
        if isinstance(place.part, Relative):
            return _relative_frame(place, place.part, draft, moment)
        if isinstance(place.part, BusinessDaysLater):
            return _business_frame(place, place.part, moment)
    years = {part.year for part in draft.of(InMonth)}
    said = {year for year in years if year is not None}
    if said and None in years:
        return Frame(moment.today, date(max(said) + 1, 12, 31))
    if said:
        return Frame(date(min(said), 1, 1), date(max(said), 12, 31))
    return Frame(*coming(draft.of(Weekdays), moment.today)) if draft.has(Coming) else Frame(moment.today, None)


def _relative_frame(place: Found, relative: Relative, draft: Draft, moment: Moment) -> Frame:
    if abs(relative.number) > FARTHEST[relative.unit]:
        raise too_far(place)
    if relative.later and not draft.has(Weekdays, DaysOfMonth, InMonth):
        day = very_day(relative, moment.today)
        return Frame(day, day, relative)
    span: Span = span_of(relative, moment.today)
    return Frame(span.first, span.last, relative)


def _business_frame(place: Found, part: BusinessDaysLater, moment: Moment) -> Frame:
    if abs(part.days) > FARTHEST["year"] * 100:
        raise too_far(place)
    day = add_business_days(moment.calendars.default, moment.today, part.days)
    return Frame(day, day)


def named_days(
    draft: Draft, blocks: list[Block], times: tuple[TimeRule, ...], moves: tuple[Move, ...], moment: Moment
) -> Timing:
    """The day or days that the parts name, once each."""
    items = [item for block in blocks for item in block.items]
    dates = _listed_days(draft, items, moves, moment)
    if not dates:
        frame = frame_of(draft, moment)
        dates = _dates(draft, items, times, moves, frame, moment)
        if len(dates) > 1 and not _means_many(items):
            raise refusals.which_weekday(draft.places(Weekdays, DaysOfMonth)[0])
    if len(dates) == 1 and len(times) == 1 and isinstance(times[0], At):
        return settle(draft, dates[0], times[0], moment)
    _refuse_past(draft, dates, times, moment)
    calendar = next((part.name for part in draft.of(OnCalendar)), "")
    return Recurring(days=(Dates(dates),), times=times, zone=moment.zone, calendar=calendar)


def _listed_days(draft: Draft, items: list[Item], moves: tuple[Move, ...], moment: Moment) -> tuple[date, ...]:
    """`明日と明後日`: days counted from today, in a list."""
    frames = draft.places(Relative)
    if items or moves or len(frames) < 2 or not all(place.joined for place in frames[1:]):
        return ()
    days = [part for part in draft.of(Relative) if part.unit == "day" and abs(part.number) <= FARTHEST["day"]]
    return tuple(sorted({very_day(part, moment.today) for part in days})) if len(days) == len(frames) else ()


def _place_of_days(draft: Draft) -> Found:
    return (draft.places(Relative, Weekdays, DaysOfMonth) or list(draft.found))[0]


def _means_many(items: list[Item]) -> bool:
    """Whether the days can be several within one week or month: `月・水・金`, `平日`."""
    if len([item for item in items if not item.limits]) > 1:
        return True
    return any(
        isinstance(item.core, DayClass)
        or (isinstance(item.core, Weekdays) and (len(item.core.weekdays) > 1 or item.core.each))
        or (isinstance(item.core, DaysOfMonth) and len(item.core.days) > 1)
        or not isinstance(item.core, Weekdays | DaysOfMonth)
        for item in items
    )


def _dates(
    draft: Draft,
    items: list[Item],
    times: tuple[TimeRule, ...],
    moves: tuple[Move, ...],
    frame: Frame,
    moment: Moment,
) -> tuple[date, ...]:
    if not items:
        return _whole_frame(draft, moves, frame, moment)
    weekday = _weekday_beside(items)
    short = draft.of(ShortMonths)
    main = [item for item in items if not item.limits]
    limits = [item for item in items if item.limits and item is not weekday]
    unit = frame.whole.unit if frame.whole else "day"
    rules = merged(counted_in(unit, rule_of(item, short[0] if short else None), draft) for item in main)
    for rule in rules:
        refuse_never(draft, rule, once=True)
    filters = narrowed([(rule_of(item, None),) for item in limits])
    if filters is None:
        raise refusals.too_many_limits(_place_of_days(draft))
    rule = Recurring(rules, NOON, moment.zone, *filters, moves, start=frame.first, until=frame.last)
    found = of_their_years(main, _matching(rule, times, frame, moment))
    if not found:
        raise _nothing_in(draft, items, frame)
    if weekday is not None and isinstance(weekday.core, Weekdays):
        _check_weekday(draft, weekday.core, found)
    return found


def _whole_frame(draft: Draft, moves: tuple[Move, ...], frame: Frame, moment: Moment) -> tuple[date, ...]:
    if frame.last != frame.first:
        unit: Unit = frame.whole.unit if frame.whole else "month"
        raise refusals.no_day_of(unit, _place_of_days(draft))
    rule = Recurring((Dates((frame.first,)),), NOON, moment.zone, moves=moves)
    return tuple(day for _, day in due_days(rule, moment, frame.first))[:1]


def _matching(rule: Recurring, times: tuple[TimeRule, ...], frame: Frame, moment: Moment) -> tuple[date, ...]:
    """All days of a frame with an end; without one, the first day whose time is still to come."""
    days = (day for _, day in due_days(rule, moment, frame.first))
    if frame.last is not None:
        return tuple(sorted(set(days)))
    minute = min(_first_minute(time) for time in times)
    first = next((day for day in days if at_minute(day, minute) > moment.wall), None)
    return () if first is None else (first,)


def _first_minute(time: TimeRule) -> int:
    return time.minute_of_day if isinstance(time, At) else time.first


def _weekday_beside(items: list[Item]) -> Item | None:
    """The weekday that stands beside a date and must agree with it."""
    dated = any(isinstance(item.core, DaysOfMonth) for item in items)
    return next(
        (item for item in items if dated and item.limits and isinstance(item.core, Weekdays)),
        None,
    )


def _check_weekday(draft: Draft, weekdays: Weekdays, dates: tuple[date, ...]) -> None:
    wrong = next((day for day in dates if day.weekday() not in weekdays.weekdays), None)
    if wrong is not None:
        raise refusals.weekday_mismatch(draft.places(Weekdays)[-1], wrong)


def _nothing_in(draft: Draft, items: list[Item], frame: Frame) -> Refusal:
    if frame.first == frame.last and all(isinstance(item.core, Weekdays) for item in items):
        return refusals.weekday_mismatch(draft.places(Weekdays)[-1], frame.first)
    relative = next(iter(draft.of(Relative)), None)
    if relative is not None and (draft.has(InMonth) or relative.unit in {"day", "week"}):
        return refusals.days_disagree(draft.places(Relative)[0])
    months = [month for part in draft.of(InMonth) for month in part.months] or [frame.first.month]
    for part in draft.of(DaysOfMonth):
        return impossible_date(frame.first.year, months[0], part.days[0])
    return refusals_periods.empty_period()


def settle(draft: Draft, day: date, at: At, moment: Moment) -> Once:
    """The instant at which the zone's clock shows this time of this day; refused where it does so never or twice."""
    wall = at_minute(day, at.minute_of_day)
    offset = next((part.zone for part in draft.of(InZone) if isinstance(part.zone, timedelta)), None)
    if offset is not None:
        once = Once(wall.replace(tzinfo=timezone(offset)), moment.zone)
        named = any(isinstance(part.zone, str) for part in draft.of(InZone))
        if named and utc(once.at) not in map(utc, instants_at(wall, once.zone)):
            raise refusals.two_schedules()
    else:
        once = Once(_only_instant(draft, wall, moment), moment.zone)
    if once.at <= moment.now:
        raise past(draft, wall, at, moment)
    return once


def _only_instant(draft: Draft, wall: datetime, moment: Moment) -> datetime:
    instants = instants_at(wall, moment.zone)
    if not instants:
        after = first_instant_at(wall, moment.zone)
        raise refusals_times.no_such_wall_time(wall, moment.zone, after)
    if len(instants) == 2 and all(instant > moment.now for instant in instants[-1:]):
        offsets = tuple(offset_text(instant) for instant in instants)
        clocks = draft.places(Clock)
        raise refusals_times.wall_time_twice(wall, moment.zone, offsets, clocks[-1] if clocks else None)
    return instants[0]


def past(draft: Draft, wall: datetime, at: At, moment: Moment) -> Refusal:
    """A one-shot that is over, with the next time that its clock shows that hour."""
    soon = Text("明日", "tomorrow")
    if at_minute(moment.today, at.minute_of_day) > moment.wall:
        soon = Text("今日", "today")
    places = tuple(draft.places(Relative, InMonth, DaysOfMonth, Weekdays, BusinessDaysLater))
    return refusals_times.past(wall, moment.wall, places, (*_same_again(draft), soon))


def _same_again(draft: Draft) -> tuple[Text, ...]:
    """`今週の月曜` is over: `来週の月曜` is the nearest of its kind."""
    for relative in draft.of(Relative):
        for weekdays in draft.of(Weekdays):
            name = refusals.WEEKDAY_NAMES[weekdays.weekdays[0]]
            if relative.unit == "week":
                return (Text(f"来週の{name.ja}", f"next {name.en}"),)
        for days in draft.of(DaysOfMonth):
            if relative.unit == "month" and days.days[0] > 0:
                return (Text(f"来月{days.days[0]}日", f"day {days.days[0]} of next month"),)
    return ()


def _refuse_past(draft: Draft, dates: tuple[date, ...], times: tuple[TimeRule, ...], moment: Moment) -> None:
    """Refuse when nothing is left to come, or when one of several times of a single day is over."""
    for time in times:
        last = time.minute_of_day if isinstance(time, At) else time.last
        named = isinstance(time, At) and len(dates) == 1
        if (named or time is times[-1]) and _utc(at_minute(dates[-1], last), moment) <= utc(moment.now):
            at = time if isinstance(time, At) else At(last // 60 % 30, last % 60)
            raise past(draft, at_minute(dates[-1], last), at, moment)


def _utc(wall: datetime, moment: Moment) -> datetime:
    return utc(first_instant_at(wall, moment.zone))
