"""Business calendars: which days are closed, and why."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final


@dataclass(frozen=True, slots=True)
class BusinessCalendar:
    """Monday to Friday without the public holidays of `country` (ISO 3166, empty: none), plus own closed and open days."""

    country: str = "JP"
    closed: frozenset[date] = frozenset()
    closed_yearly: frozenset[tuple[int, int]] = frozenset()
    """(month, day) pairs that are closed each year, such as 12-31."""
    open: frozenset[date] = frozenset()


@dataclass(frozen=True, slots=True)
class Calendars:
    """The calendar that counts where a sentence names none, and the others by their names."""

    default: BusinessCalendar = BusinessCalendar()
    named: tuple[tuple[str, BusinessCalendar], ...] = ()

    def get(self, name: str) -> BusinessCalendar:
        """The calendar called `name`; the empty name is the default. KeyError where there is none."""
        return self.default if name == "" else dict(self.named)[name]


JAPAN: Final = Calendars()
