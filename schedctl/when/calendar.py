"""Business calendars: which days are closed, and why.

Public holidays are those of the `holidays` package (category PUBLIC; Japan's from 1949 to 2099, under their Japanese
names). Years that it does not know have none: there, weekends and the calendar's own days alone decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Final

from schedctl.errors import TimingError
from schedctl.language import Text
from schedctl.when.months import length_of, month_after

SATURDAY: Final = 5
LONGEST_CLOSURE: Final = 12
"""Months: a calendar that is closed for longer than this has no next business day."""
YEARS_OF_NAMES: Final = range(2020, 2060)
"""Where the names of holidays are looked up: holidays of one year alone (大喪の礼, 1989) lie before it."""


@dataclass(frozen=True, slots=True)
class BusinessCalendar:
    """Monday to Friday without the public holidays of `country` (ISO 3166; empty: none); own closed and open days."""

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


def is_business_day(calendar: BusinessCalendar, day: date) -> bool:
    """Whether work is done on `day`: an own open day, or a weekday that is neither closed nor a public holiday."""
    if day in calendar.open:
        return True
    if day.weekday() >= SATURDAY or day in calendar.closed or (day.month, day.day) in calendar.closed_yearly:
        return False
    return not is_holiday(calendar, day)


@lru_cache(maxsize=4096)
def business_days_in(calendar: BusinessCalendar, year: int, month: int) -> int:
    """The business days of a month as a mask."""
    days = range(1, length_of(year, month) + 1)
    return sum(1 << day for day in days if is_business_day(calendar, date(year, month, day)))


def is_holiday(calendar: BusinessCalendar, day: date) -> bool:
    """Whether `day` is a public holiday of the calendar's country (own closed days are none)."""
    return day in _holidays_in(calendar.country, day.year)


def has_holidays(calendar: BusinessCalendar, year: int) -> bool:
    """Whether any public holiday of the calendar's country is known in `year`."""
    return bool(_holidays_in(calendar.country, year))


def holiday_names(calendar: BusinessCalendar, day: date) -> tuple[str, ...]:
    """The names of the public holidays on `day`; empty on any other day."""
    return _holidays_in(calendar.country, day.year).get(day, ())


def named_holiday_dates(calendar: BusinessCalendar, name: str, year: int) -> tuple[date, ...]:
    """The dates of the public holiday called `name` in `year`: its own date, never its substitute.

    A substitute day is called 振替休日 in Japan, whichever holiday it stands for, and can be asked for by that name.
    """
    return tuple(day for day, names in sorted(_holidays_in(calendar.country, year).items()) if name in names)


def known_holiday_names(calendar: BusinessCalendar) -> tuple[str, ...]:
    """The names of the public holidays that still come round, sorted."""
    years = (_holidays_in(calendar.country, year) for year in YEARS_OF_NAMES)
    return tuple(sorted({name for year in years for names in year.values() for name in names}))


def knows_country(country: str) -> bool:
    """Whether public holidays of `country` are known; the empty country has none and is always fine."""
    if not country:
        return True
    from holidays import list_supported_countries

    return country in list_supported_countries()


def add_business_days(calendar: BusinessCalendar, day: date, n: int) -> date:
    """The n-th business day after `day` (before it where `n` is negative); `day` itself where `n` is 0.

    From a closed day the neighbouring business day is the first. `TimingError` (`impossible_time`) where a calendar has
    no business day within `LONGEST_CLOSURE` months.
    """
    for _ in range(abs(n)):
        neighbour = next_business_day(calendar, day) if n > 0 else previous_business_day(calendar, day)
        if neighbour is None:
            raise TimingError(
                "impossible_time",
                Text(
                    f"{day} から数えられる営業日がカレンダーにありません",
                    f"The calendar has no business day near {day}",
                ),
                Text("calendar.toml の休業日を確かめてください", "Check the closed days in calendar.toml"),
            )
        day = neighbour
    return day


def next_business_day(calendar: BusinessCalendar, day: date) -> date | None:
    """The first business day after `day`; None where there is none within `LONGEST_CLOSURE` months."""
    year, month = day.year, day.month
    later = business_days_in(calendar, year, month) >> day.day + 1 << day.day + 1
    for _ in range(LONGEST_CLOSURE):
        if later:
            return date(year, month, (later & -later).bit_length() - 1)
        year, month = month_after(year, month)
        if year > date.max.year:
            return None
        later = business_days_in(calendar, year, month)
    return None


def previous_business_day(calendar: BusinessCalendar, day: date) -> date | None:
    """The last business day before `day`; None where there is none within `LONGEST_CLOSURE` months."""
    year, month = day.year, day.month
    earlier = business_days_in(calendar, year, month) & (1 << day.day) - 1
    for _ in range(LONGEST_CLOSURE):
        if earlier:
            return date(year, month, earlier.bit_length() - 1)
        year, month = month_after(year, month, -1)
        if year < date.min.year:
            return None
        earlier = business_days_in(calendar, year, month)
    return None


def holidays_version() -> str:
    """The version of the holiday data: dates may change only towards a newer one."""
    from importlib.metadata import version

    return version("holidays")


@lru_cache(maxsize=2048)
def _holidays_in(country: str, year: int) -> dict[date, tuple[str, ...]]:
    """The public holidays of one year with their names. The package is imported on first need: it costs 100 ms."""
    if not country:
        return {}
    from holidays import country_holidays

    found = country_holidays(country, years=year, language="ja" if country == "JP" else None, expand=False)
    return {day: tuple(names.split("; ")) for day, names in found.items()}
