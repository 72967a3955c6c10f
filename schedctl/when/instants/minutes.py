"""Time rules: the minutes of a day, those that name a wall-clock time apart from those that follow real time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, assert_never

from schedctl.when import cron
from schedctl.when.model import MINUTES_A_DAY, At, Cron, Every

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schedctl.when.model import Recurring, TimeRule


@dataclass(frozen=True, slots=True)
class Minutes:
    """Minutes of a day, sorted: `early` on the day itself, `late` (hours 24 and up) on the calendar day after it."""

    early: tuple[int, ...] = ()
    late: tuple[int, ...] = ()
    both: tuple[int, ...] = ()
    """What a date has that is itself a day and follows one."""

    def __bool__(self) -> bool:
        return bool(self.both)

    def on(self, *, is_day: bool, follows_day: bool) -> tuple[int, ...]:
        """The minutes of a calendar date."""
        if is_day:
            return self.both if follows_day else self.early
        return self.late if follows_day else ()


@dataclass(frozen=True, slots=True)
class Times:
    """All minutes; those that a repeated hour repeats (`real`); those that a gap moves to its end (`named`)."""

    all: Minutes
    real: Minutes
    named: Minutes


def times_of(timing: Recurring) -> Times:
    """The minutes at which a timing is due on its days."""
    first = timing.days[0]
    return _times_of_cron(first.expression) if isinstance(first, Cron) else _times_of(timing.times)


@lru_cache(maxsize=1024)
def _times_of_cron(expression: str) -> Times:
    fields = cron.parse(expression)
    minutes = _minutes(fields.minutes_of_day)
    if fields.follows_real_minutes:
        return Times(all=minutes, real=minutes, named=Minutes())
    return Times(all=minutes, real=Minutes(), named=minutes)


@lru_cache(maxsize=1024)
def _times_of(rules: tuple[TimeRule, ...]) -> Times:
    named: set[int] = set()
    real: set[int] = set()
    for rule in rules:
        match rule:
            case At():
                named.add(rule.minute_of_day)
            case Every():
                (real if rule.follows_real_minutes else named).update(range(rule.first, rule.last + 1, rule.minutes))
            case _:
                assert_never(rule)
    return Times(all=_minutes(named | real), real=_minutes(real), named=_minutes(named))


def _minutes(of_day: Iterable[int]) -> Minutes:
    found = sorted(set(of_day))
    early = tuple(minute for minute in found if minute < MINUTES_A_DAY)
    late = tuple(minute - MINUTES_A_DAY for minute in found if minute >= MINUTES_A_DAY)
    return Minutes(early, late, tuple(sorted({*early, *late})))
