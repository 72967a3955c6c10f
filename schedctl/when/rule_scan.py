"""The reading side of `rule.py`: a rule's text, clause by clause, into a timing."""

from __future__ import annotations

import json
import re
from datetime import date, datetime
from functools import cache
from typing import Final, Literal, assert_never, cast

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

WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DATE: Final = r"\d{4}-\d\d-\d\d"
INSTANT: Final = rf"{DATE}T\d\d:\d\d:\d\d(?:\.\d{{6}})?[+-]\d\d:\d\d(?::\d\d)?"
NUMBERS: Final = r"-?\d{1,4}(?:,-?\d{1,4})*"
NAMES_OF_DAYS: Final = rf"(?:{'|'.join(WEEKDAYS)})(?:,(?:{'|'.join(WEEKDAYS)}))*"
CLOCK: Final = r"\d\d:\d\d"
TIMES: Final = rf"{CLOCK}(?:-{CLOCK}/\d{{1,4}}m)?(?:,{CLOCK}(?:-{CLOCK}/\d{{1,4}}m)?)*"
QUOTED: Final = r'"(?:[^"\\]|\\.)*"'
ZONE: Final = r"[A-Za-z][A-Za-z0-9_+/-]*"


class Scanner:
    """A place in a rule that moves forward over what it expects."""

    def __init__(self, rule: str) -> None:
        self._rule = rule
        self._at = 0

    @property
    def done(self) -> bool:
        """Whether nothing is left."""
        return self._at == len(self._rule)

    def take(self, pattern: str) -> re.Match[str] | None:
        """Move over `pattern` and give its match; None, without moving, where it is not next."""
        found = _compiled(pattern).match(self._rule, self._at)
        if found:
            self._at = found.end()
        return found

    def need(self, pattern: str, what: str) -> str:
        """Move over `pattern` and give its text; ValueError where it is not next."""
        found = self.take(pattern)
        if found is None:
            raise self.error(what)
        return found[0]

    def error(self, expected: str) -> ValueError:
        """What to raise where `expected` does not stand here."""
        return ValueError(f"not a rule: expected {expected} at character {self._at + 1} of {self._rule!r}")


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """The few patterns of this module: to ask re.compile each time costs more than the match."""
    return re.compile(pattern, re.ASCII)


def read_rule(scan: Scanner) -> Timing:
    """The timing of the whole rule that `scan` stands before; ValueError where it is none."""
    timing = _read_once(scan) if scan.take("once ") else _read_recurring(scan)
    if not scan.done:
        raise scan.error("the end")
    return timing


def _read_once(scan: Scanner) -> Once:
    at = datetime.fromisoformat(scan.need(INSTANT, "an instant"))
    scan.need(" in ", "`in`")
    return Once(at=at, zone=scan.need(ZONE, "a zone"))


def _read_recurring(scan: Scanner) -> Recurring:
    days = _read_union(scan)
    within = _read_union(scan) if scan.take(" within ") else ()
    without = _read_union(scan) if scan.take(" except ") else ()
    moves = _read_moves(scan)
    times = _read_times(scan.need(TIMES, "times")) if scan.take(" at ") else ()
    start = _read_date(scan) if scan.take(" starting ") else None
    until = _read_date(scan) if scan.take(" until ") else None
    count = int(found[1]) if (found := scan.take(r" count (\d{1,9}) since ")) else None
    counted_from = datetime.fromisoformat(scan.need(INSTANT, "an instant")) if count is not None else None
    calendar = _read_name(scan) if scan.take(" calendar ") else ""
    scan.need(" in ", "`in`")
    zone = scan.need(ZONE, "a zone")
    return Recurring(days, times, zone, within, without, moves, start, until, count, counted_from, calendar)


def _read_union(scan: Scanner) -> tuple[DayRule, ...]:
    rules = [_read_day_rule(scan)]
    while scan.take(" or "):
        rules.append(_read_day_rule(scan))
    return tuple(rules)


def _read_day_rule(scan: Scanner) -> DayRule:
    match scan.need(r"[a-z]+", "a day rule"):
        case "daily":
            return Daily(*_read_interval(scan))
        case "weekly":
            return _read_weekly(scan)
        case "monthdays" | "nth" | "businessdays" as kind:
            return _read_days_of_month(scan, kind)
        case "business" | "closed" | "holiday" as kind:
            return DayClass(kind)
        case word:
            return _read_listed(scan, word)


def _read_listed(scan: Scanner, word: str) -> DayRule:
    match word:
        case "named":
            scan.need(" ", "a space")
            return NamedHoliday(_read_name(scan))
        case "months":
            return InMonths(_read_numbers(scan))
        case "dates":
            dates = scan.need(rf" {DATE}(?:,{DATE})*", "dates")
            return Dates(tuple(date.fromisoformat(day) for day in dates.strip().split(",")))
        case "cron":
            scan.need(" ", "a space")
            return Cron(_read_name(scan))
        case _:
            raise scan.error("a day rule before here")


def _read_weekly(scan: Scanner) -> Weekly:
    weekdays = _read_weekdays(scan)
    return Weekly(weekdays, *_read_interval(scan))


def _read_days_of_month(scan: Scanner, kind: Literal["monthdays", "nth", "businessdays"]) -> DayRule:
    numbers = _read_numbers(scan)
    match kind:
        case "monthdays":
            clamped = scan.take(" clamped")
            return MonthDays(numbers, _read_months(scan), "last_day" if clamped else "leave_out")
        case "nth":
            weekdays = _read_weekdays(scan)
            return MonthWeekdays(numbers, weekdays, _read_months(scan))
        case "businessdays":
            of = "week" if scan.need(" a (?:week|month)", "`a week` or `a month`") == " a week" else "month"
            return BusinessDays(numbers, of, _read_months(scan))
        case _:
            assert_never(kind)


def _read_interval(scan: Scanner) -> tuple[int, date | None]:
    found = scan.take(rf" every (\d{{1,4}}) from ({DATE})")
    return (int(found[1]), date.fromisoformat(found[2])) if found else (1, None)


def _read_months(scan: Scanner) -> Months:
    if not scan.take(" of months"):
        return EVERY_MONTH
    only = scan.take(rf" {NUMBERS}")
    return Months(_split_numbers(only[0]) if only else (), *_read_interval(scan))


def _read_numbers(scan: Scanner) -> tuple[int, ...]:
    return _split_numbers(scan.need(rf" {NUMBERS}", "numbers"))


def _split_numbers(numbers: str) -> tuple[int, ...]:
    return tuple(int(number) for number in numbers.split(","))


def _read_weekdays(scan: Scanner) -> tuple[int, ...]:
    return tuple(WEEKDAYS.index(name) for name in scan.need(rf" {NAMES_OF_DAYS}", "weekdays").strip().split(","))


def _read_name(scan: Scanner) -> str:
    return cast("str", json.loads(scan.need(QUOTED, "a quoted name")))


def _read_date(scan: Scanner) -> date:
    return date.fromisoformat(scan.need(DATE, "a date"))


def _read_moves(scan: Scanner) -> tuple[Move, ...]:
    moves: list[Move] = []
    while found := scan.take(r" shift (previous|next|skip) if | offset ([+-]\d{1,5}) (business-days|days)"):
        moves.append(_read_shift(scan, found[1]) if found[1] else Offset(int(found[2]), found[3] == "business-days"))
    return tuple(moves)


def _read_shift(scan: Scanner, to: str) -> Shift:
    when = _read_day_rule(scan)
    if not isinstance(when, DayClass | Weekly):
        raise scan.error("a class of days or weekdays before here")
    return Shift(cast("Literal['previous', 'next', 'skip']", to), when)


def _read_times(times: str) -> tuple[TimeRule, ...]:
    return tuple(_read_time(time) for time in times.split(","))


def _read_time(time: str) -> TimeRule:
    window, _, step = time.partition("/")
    first, _, last = window.partition("-")
    if not step:
        return At(*map(int, first.split(":")))
    return Every(int(step.removesuffix("m")), _minute_of_day(first), _minute_of_day(last))


def _minute_of_day(clock: str) -> int:
    hour, minute = map(int, clock.split(":"))
    return hour * 60 + minute
