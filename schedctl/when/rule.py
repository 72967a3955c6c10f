"""The rule: a timing as one stable, readable line. It is what the database stores and what `rule` shows.

    weekly sun at 03:00 in Asia/Tokyo
    monthdays 25 shift previous if closed at 10:00 in Asia/Tokyo
    nth 2 tue of months 1,7 at 03:00 starting 2026-12-01 in Asia/Tokyo
    business except dates 2026-12-30 at 09:00-18:00/30m calendar "factory" in Asia/Tokyo
    daily every 3 from 2026-12-01 at 26:00 count 5 since 2026-11-30T10:00:00+09:00 in Asia/Tokyo
    cron "0 3 * * 1" in UTC
    once 2026-12-01T09:00:00+09:00 in Asia/Tokyo

The line never changes for a given timing, so equal rules are equal timings. The parts stand in this order: days,
`within`, `except`, moves, `at`, `starting`, `until`, `count`, `calendar`, `in`. Several day rules are joined by `or`.
A step is `first-last/minutes`; a last time after 23:59 lies in the next calendar day. Zones are not looked up when a
rule is read.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, assert_never
from zoneinfo import ZoneInfo

from schedctl.when.model import (
    EVERY_MONTH,
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
from schedctl.when.rule_scan import WEEKDAYS, Scanner, read_rule

if TYPE_CHECKING:
    from datetime import date, datetime


def write(timing: Timing) -> str:
    """The rule of `timing`: one line, in which only calendar and holiday names may leave ASCII."""
    match timing:
        case Once():
            return f"once {_instant(timing.at, timing.zone)} in {timing.zone}"
        case Recurring():
            return " ".join(_parts(timing))
        case _:
            assert_never(timing)


@lru_cache(maxsize=4096)
def parse(rule: str) -> Timing:
    """The timing that `write` wrote as `rule`; ValueError for any other text."""
    return read_rule(Scanner(rule))


def _parts(timing: Recurring) -> list[str]:
    parts = [_union(timing.days)]
    parts += [f"within {_union(timing.within)}"] if timing.within else []
    parts += [f"except {_union(timing.without)}"] if timing.without else []
    parts += [_move(move) for move in timing.moves]
    parts += [f"at {','.join(_time(time) for time in timing.times)}"] if timing.times else []
    parts += [f"starting {timing.start.isoformat()}"] if timing.start else []
    parts += [f"until {timing.until.isoformat()}"] if timing.until else []
    if timing.count is not None and timing.counted_from is not None:
        parts.append(f"count {timing.count} since {_instant(timing.counted_from, timing.zone)}")
    parts += [f"calendar {_quoted(timing.calendar)}"] if timing.calendar else []
    return [*parts, f"in {timing.zone}"]


def _instant(instant: datetime, zone: str) -> str:
    # Equal instants must give equal rules, whatever offset they were computed in.
    return instant.astimezone(ZoneInfo(zone)).isoformat()


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=not name.isprintable())


def _numbers(numbers: tuple[int, ...]) -> str:
    return ",".join(str(number) for number in numbers)


def _weekdays(weekdays: tuple[int, ...]) -> str:
    return ",".join(WEEKDAYS[day] for day in weekdays)


def _union(rules: tuple[DayRule, ...]) -> str:
    return " or ".join(_day_rule(rule) for rule in rules)


def _day_rule(rule: DayRule) -> str:
    match rule:
        case Daily():
            return "daily" + _interval(rule.every, rule.anchor)
        case Weekly():
            return f"weekly {_weekdays(rule.weekdays)}" + _interval(rule.every, rule.anchor)
        case MonthDays() | MonthWeekdays() | BusinessDays():
            return _days_of_month(rule)
        case DayClass():
            return rule.kind
        case NamedHoliday():
            return f"named {_quoted(rule.name)}"
        case InMonths():
            return f"months {_numbers(rule.months)}"
        case Dates():
            return f"dates {','.join(day.isoformat() for day in rule.dates)}"
        case Cron():
            return f"cron {_quoted(rule.expression)}"
        case _:
            assert_never(rule)


def _days_of_month(rule: MonthDays | MonthWeekdays | BusinessDays) -> str:
    match rule:
        case MonthDays():
            clamped = " clamped" if rule.short_months == "last_day" else ""
            return f"monthdays {_numbers(rule.days)}{clamped}{_months(rule.months)}"
        case MonthWeekdays():
            return f"nth {_numbers(rule.ordinals)} {_weekdays(rule.weekdays)}{_months(rule.months)}"
        case BusinessDays():
            return f"businessdays {_numbers(rule.ordinals)} a {rule.of}{_months(rule.months)}"
        case _:
            assert_never(rule)


def _interval(every: int, anchor: date | None) -> str:
    return f" every {every} from {anchor.isoformat()}" if anchor else ""


def _months(months: Months) -> str:
    if months == EVERY_MONTH:
        return ""
    only = f" {_numbers(months.only)}" if months.only else ""
    return f" of months{only}{_interval(months.every, months.anchor)}"


def _move(move: Move) -> str:
    match move:
        case Shift():
            return f"shift {move.to} if {_day_rule(move.when)}"
        case Offset():
            return f"offset {move.days:+d} {'business-days' if move.business else 'days'}"
        case _:
            assert_never(move)


def _time(time: TimeRule) -> str:
    match time:
        case At():
            return _clock(time.minute_of_day)
        case Every():
            return f"{_clock(time.first)}-{_clock(time.last)}/{time.minutes}m"
        case _:
            assert_never(time)


def _clock(minute_of_day: int) -> str:
    return f"{minute_of_day // 60:02d}:{minute_of_day % 60:02d}"
