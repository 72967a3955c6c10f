"""A month's days as a bit mask: bit n is day n."""

from __future__ import annotations

from typing import Final

LENGTHS: Final = (0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def length_of(year: int, month: int) -> int:
    """The number of days of a month."""
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return LENGTHS[month] + leap


def whole_month(year: int, month: int) -> int:
    """The mask of all days of a month."""
    return (2 << length_of(year, month)) - 2


def days_in(mask: int) -> list[int]:
    """The day numbers of a mask, in order."""
    return [day for day in range(1, 32) if mask >> day & 1]


def month_after(year: int, month: int, step: int = 1) -> tuple[int, int]:
    """The month `step` months later, as year and month."""
    index = year * 12 + month - 1 + step
    return index // 12, index % 12 + 1
