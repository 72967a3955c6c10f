"""The canonical English sentence of a timing. The reader reads each of these forms back to the same value.

    Once              on Tuesday 1 December 2026 at 09:00
                      on Sunday 1 November 2026 at 01:30 UTC-04:00 (where the clock shows 01:30 twice)
    Daily             every day                           every 3 days (counted from 1 December 2026)
    Weekly            every Monday and Wednesday          every Monday to Friday (a run of three or more)
                      every 2 weeks on Friday (counted from the week of 30 November 2026)
    MonthDays         on the 1st, 15th and last day of every month          on the third last day of every month
                      on the 31st of every month (skipping months without it)
                      on the 31st of every month (or the last day of shorter months)
    MonthWeekdays     on the first and third Sunday of every month          on the last Friday of every month
    BusinessDays      on the third business day of every month              on the first business day of every week
    ...Months         on the 1st of every April           on the second Tuesday of every January and July
                      on the 15th of every second month (counted from December 2026)
    DayClass          every business day                  every non-business day              every public holiday
    NamedHoliday      every Coming of Age Day
    InMonths          every day of every July and August
    Dates             on 24 December 2026 and 31 December 2026
    Cron              0 3 * * 1
    several rules     every Monday as well as on the 1st of every month
    within            (only in July and August)           (only on business days)
    without           (except on public holidays and on 31 December 2026)   (except on Wednesdays)
    Shift             (if a non-business day, the previous business day)            (if a public holiday, not at all)
    Offset            (then 2 business days earlier)      (then 1 day later)
    At                at 09:00                            at 09:00 and 18:00            at 26:00
    Every             every 30 minutes  every 2 hours     every hour at minute 15
                      every 30 minutes from 09:00 to 18:00        every hour from 22:00 to 05:00 the next day
    start, until      ..., from 1 December 2026           ..., until 31 December 2026   (or both)
    count             ..., 5 times (counted from 30 November 2026 at 10:00)
    calendar          ... (calendar "factory")
    zone              ... (America/New_York)

In this order: days (within) (without) (moves) times, period, count (calendar) (zone). `every day` is left out before a
step where nothing else hangs on it: `every 15 minutes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never
from zoneinfo import ZoneInfo

from schedctl.when.english.words import HOLIDAYS
from schedctl.when.model import (
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
    Weekly,
)
from schedctl.when.saying.shape import clock_of_instant, from_start_to_end, has_short_months, is_run, needs_no_day

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
ORDINALS: Final = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
    *("eleventh", "twelfth"),
)
HOLIDAY_NAMES: Final = {
    ja: en.title().replace("'S", "'s").replace(" Of ", " of ").replace(" The ", " the ") for en, ja in HOLIDAYS.items()
}
CLASSES: Final = {"business": "business day", "closed": "non-business day", "holiday": "public holiday"}
CLASSES_ON: Final = {"business": "on business days", "closed": "on non-business days", "holiday": "on public holidays"}


def once_en(timing: Once) -> str:
    """One instant as the wall clock of its zone shows it, without the zone."""
    wall = timing.at.astimezone(ZoneInfo(timing.zone))
    return f"on {WEEKDAYS[wall.weekday()]} {date_en(wall.date())} at {clock_of_instant(wall)}"


def recurring_en(timing: Recurring) -> str:
    """Days and times with all that limits them, without the zone."""
    days = " as well as ".join(day_rule_en(rule) for rule in timing.days)
    parts = [] if needs_no_day(timing) else [days]
    parts += [f"(only {_filter(timing.within)})"] if timing.within else []
    parts += [f"(except {_filter(timing.without)})"] if timing.without else []
    parts += [_move(move) for move in timing.moves]
    parts += [_times(timing.times)] if timing.times else []
    return f"{' '.join(parts)}{_period(timing.start, timing.until)}{_count(timing)}"


def listed(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _filter(rules: tuple[DayRule, ...]) -> str:
    return listed([_filter_rule(rule) for rule in rules])


def _filter_rule(rule: DayRule) -> str:
    match rule:
        case Weekly(every=1):
            return f"on {listed([f'{WEEKDAYS[day]}s' for day in rule.weekdays])}"
        case DayClass():
            return CLASSES_ON[rule.kind]
        case NamedHoliday():
            return f"on {holiday_en(rule.name)}"
        case InMonths():
            return f"in {_months_list(rule.months)}"
        case MonthDays():
            return _rule_of_month(rule).removesuffix(_short_months(rule))
        case _:
            return day_rule_en(rule)


def day_rule_en(rule: DayRule) -> str:
    """The days of one rule: `every Sunday`."""
    match rule:
        case Daily() | Weekly():
            return _interval_rule(rule)
        case MonthDays() | MonthWeekdays() | BusinessDays():
            return _rule_of_month(rule)
        case DayClass():
            return f"every {CLASSES[rule.kind]}"
        case NamedHoliday():
            return f"every {holiday_en(rule.name)}"
        case InMonths():
            return f"every day of every {_months_list(rule.months)}"
        case Dates():
            return f"on {listed([date_en(day) for day in rule.dates])}"
        case Cron():
            return rule.expression
        case _:
            assert_never(rule)


def holiday_en(name: str) -> str:
    """The English name of a Japanese holiday; any other as it is."""
    return HOLIDAY_NAMES.get(name, name)


def _interval_rule(rule: Daily | Weekly) -> str:
    if isinstance(rule, Daily):
        return f"every {rule.every} days (counted from {date_en(rule.anchor)})" if rule.anchor else "every day"
    if rule.anchor is None:
        return f"every {weekdays_en(rule.weekdays)}"
    origin = f"(counted from the week of {date_en(rule.anchor)})"
    return f"every {rule.every} weeks on {weekdays_en(rule.weekdays)} {origin}"


def _rule_of_month(rule: MonthDays | MonthWeekdays | BusinessDays) -> str:
    months, origin = _months(rule.months)
    match rule:
        case MonthDays():
            return f"on the {_days_of_month(rule.days)} of {months}{origin}{_short_months(rule)}"
        case MonthWeekdays():
            nth = listed([ordinal_en(number) for number in from_start_to_end(rule.ordinals)])
            return f"on the {nth} {listed([WEEKDAYS[day] for day in rule.weekdays])} of {months}{origin}"
        case BusinessDays():
            nth = listed([ordinal_en(number) for number in from_start_to_end(rule.ordinals)])
            return f"on the {nth} business day of {months if rule.of == 'month' else 'every week'}{origin}"
        case _:
            assert_never(rule)


def _days_of_month(days: tuple[int, ...]) -> str:
    words = [numbered(day) if day > 0 else ordinal_en(day) for day in from_start_to_end(days)]
    return f"{listed(words)}{' day' if min(days) < 0 else ''}"


def numbered(number: int) -> str:
    """`1st`, `22nd`, `13th`."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def ordinal_en(number: int) -> str:
    """`first`, `13th`, `last`, `second last`."""
    if number == -1:
        return "last"
    word = ORDINALS[abs(number) - 1] if abs(number) <= len(ORDINALS) else numbered(abs(number))
    return word if number > 0 else f"{word} last"


def _short_months(rule: MonthDays) -> str:
    if not has_short_months(rule):
        return ""
    unit = "year" if rule.months.only == (2,) else "month"
    if rule.short_months == "leave_out":
        return f" (skipping {unit}s without it)"
    return f" (or the last day of shorter {unit}s)" if unit == "month" else " (or the 28th in other years)"


def _months(months: Months) -> tuple[str, str]:
    """Which months, and the origin that stands after them."""
    if months.anchor is None:
        return f"every {_months_list(months.only) if months.only else 'month'}", ""
    only = f", only in {_months_list(months.only)}" if months.only else ""
    origin = f"{MONTHS[months.anchor.month - 1]} {months.anchor.year}"
    return f"every {ordinal_en(months.every)} month", f" (counted from {origin}{only})"


def _months_list(months: tuple[int, ...]) -> str:
    return listed([MONTHS[month - 1] for month in months])


def weekdays_en(weekdays: tuple[int, ...]) -> str:
    """`Monday and Wednesday`; a run of three or more as `Monday to Friday`."""
    if is_run(weekdays):
        return f"{WEEKDAYS[weekdays[0]]} to {WEEKDAYS[weekdays[-1]]}"
    return listed([WEEKDAYS[day] for day in weekdays])


def _move(move: Move) -> str:
    match move:
        case Shift():
            if isinstance(move.when, DayClass):
                day = CLASSES[move.when.kind]
            else:
                day = " or ".join(WEEKDAYS[weekday] for weekday in move.when.weekdays)
            to = "not at all" if move.to == "skip" else f"the {move.to} business day"
            return f"(if a {day}, {to})"
        case Offset():
            unit = f"{'business ' if move.business else ''}day{'s' if abs(move.days) > 1 else ''}"
            return f"(then {abs(move.days)} {unit} {'later' if move.days > 0 else 'earlier'})"
        case _:
            assert_never(move)


WHOLE_HOURS: Final = Every(60, 0, MINUTES_A_DAY - 1)


def _times(times: tuple[TimeRule, ...]) -> str:
    if all(isinstance(time, At) for time in times):
        return f"at {listed([time_en(time) for time in times])}"
    return listed([f"at {time_en(time)}" if isinstance(time, At) else _one_of(time, times) for time in times])


def _one_of(time: Every, times: tuple[TimeRule, ...]) -> str:
    """`every hour at minute 0 and every hour at minute 30`: of several, none may be heard as the whole."""
    return "every hour at minute 0" if len(times) > 1 and time == WHOLE_HOURS else time_en(time)


def time_en(time: TimeRule) -> str:
    """`09:00`, or a step with its window: `every hour from 22:00 to 05:00 the next day`."""
    match time:
        case At():
            return f"{time.hour:02d}:{time.minute:02d}"
        case Every(minutes=60) if 0 < time.first < 60 and time.last == MINUTES_A_DAY - 1:
            return f"every hour at minute {time.first}"
        case Every():
            step = f"every {_step(time.minutes)}"
            all_day = (time.first, time.last) == (0, MINUTES_A_DAY - 1)
            return step if all_day else f"{step} from {_clock(time.first)} to {_clock(time.last)}"
        case _:
            assert_never(time)


def _step(minutes: int) -> str:
    number, unit = (minutes // 60, "hour") if minutes % 60 == 0 else (minutes, "minute")
    return unit if number == 1 else f"{number} {unit}s"


def _clock(minute: int) -> str:
    next_day, minute = divmod(minute, MINUTES_A_DAY)
    return f"{minute // 60:02d}:{minute % 60:02d}{' the next day' if next_day else ''}"


def date_en(day: date) -> str:
    """`1 December 2026`."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _period(start: date | None, until: date | None) -> str:
    first = f", from {date_en(start)}" if start else ""
    last = f"{'' if start else ','} until {date_en(until)}" if until else ""
    return first + last


def _count(timing: Recurring) -> str:
    if timing.count is None or timing.counted_from is None:
        return ""
    since = timing.counted_from.astimezone(ZoneInfo(timing.zone))
    times = "once" if timing.count == 1 else f"{timing.count} times"
    return f", {times} (counted from {date_en(since.date())} at {clock_of_instant(since)})"
