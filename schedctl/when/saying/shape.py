"""What both languages ask of a timing before they say it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from schedctl.when.model import Daily, Every, MonthDays, Recurring

SHORTEST: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def clock_of_instant(wall: datetime) -> str:
    """`09:00`; seconds where there are some, and the offset where the clock shows this time twice."""
    precision = "microseconds" if wall.microsecond else "seconds" if wall.second else "minutes"
    clock = wall.time().replace(tzinfo=None).isoformat(timespec=precision)
    other = wall.replace(fold=1 - wall.fold)
    shown_twice = other.utcoffset() != wall.utcoffset() and other.astimezone(UTC).astimezone(wall.tzinfo) == other
    return f"{clock} UTC{wall.isoformat()[-6:]}" if shown_twice else clock


def needs_no_day(timing: Recurring) -> bool:
    """Whether the times alone say it all: `15分ごと`, every day and nothing else."""
    plain = timing.days == (Daily(),) and not (timing.within or timing.without or timing.moves)
    return plain and all(isinstance(time, Every) for time in timing.times)


def from_start_to_end(numbers: tuple[int, ...]) -> list[int]:
    """1, 2, ... and then those counted from the end, the last one last."""
    return sorted(numbers, key=lambda number: (number < 0, number))


def has_short_months(rule: MonthDays) -> bool:
    """Whether some month of the rule is without one of its days, so that a choice has to be said."""
    months = rule.months.only or range(1, 13)
    return max(rule.days) > min(SHORTEST[month - 1] for month in months)


def is_run(weekdays: tuple[int, ...]) -> bool:
    """Whether these are three or more weekdays in a row, so that `from ... to ...` says them."""
    return len(weekdays) >= 3 and weekdays[-1] - weekdays[0] == len(weekdays) - 1
