"""A timing: what the part of a sentence that says "when" means, as a value.

`Recurring` is days x times x zone. Its days are found in this order:

1. the *anchors*: days that match any rule of `days`, and any rule of `within` (where given), and no rule of `without`,
   and lie between `start` and `until` (both included);
2. each anchor is moved by `moves`, in their order (`15日(休日なら前営業日)の2営業日前`: shift, then offset);
3. equal results collapse; each resulting day is combined with every time of `times`.

Wall-clock hours 24 to 29 belong to the day that they are written on and happen on the calendar day after it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from datetime import date, datetime

MINUTES_A_DAY: Final = 24 * 60
LAST_HOUR: Final = 29


def _require(condition: bool, rule: str) -> None:
    if not condition:
        raise ValueError(f"not a timing: {rule}")


def _require_interval(every: int, anchor: date | None) -> None:
    _require(every >= 1 and (every > 1) == (anchor is not None), "an interval above 1 has an anchor, and only that")


def _require_weekdays(weekdays: tuple[int, ...]) -> None:
    _require(bool(weekdays) and all(0 <= day <= 6 for day in weekdays), "weekdays are 0 (Monday) to 6")
    _require(weekdays == tuple(sorted(set(weekdays))), "weekdays are sorted and distinct")


def _require_ordinals(ordinals: tuple[int, ...], highest: int) -> None:
    _require(
        bool(ordinals) and all(1 <= abs(n) <= highest for n in ordinals), f"ordinals are 1 to {highest} or negative"
    )
    _require(ordinals == tuple(sorted(set(ordinals))), "ordinals are sorted and distinct")


@dataclass(frozen=True, slots=True)
class Months:
    """Which months: the named ones (`only`, 1-12; empty: all), or every n-th from the month of `anchor`."""

    only: tuple[int, ...] = ()
    every: int = 1
    anchor: date | None = None

    def __post_init__(self) -> None:
        _require(all(1 <= month <= 12 for month in self.only), "months are 1 to 12")
        _require(self.only == tuple(sorted(set(self.only))), "months are sorted and distinct")
        _require_interval(self.every, self.anchor)
        _require(self.anchor is None or self.anchor.day == 1, "the anchor of a month interval is the first of a month")


EVERY_MONTH: Final = Months()


@dataclass(frozen=True, slots=True)
class Daily:
    """Every day, or every n-th day counted from `anchor`."""

    every: int = 1
    anchor: date | None = None

    def __post_init__(self) -> None:
        _require_interval(self.every, self.anchor)


@dataclass(frozen=True, slots=True)
class Weekly:
    """These weekdays (0 = Monday), every week or every n-th week counted from the week whose Monday is `anchor`."""

    weekdays: tuple[int, ...]
    every: int = 1
    anchor: date | None = None

    def __post_init__(self) -> None:
        _require_weekdays(self.weekdays)
        _require_interval(self.every, self.anchor)
        _require(self.anchor is None or self.anchor.weekday() == 0, "the anchor of a week interval is a Monday")


@dataclass(frozen=True, slots=True)
class MonthDays:
    """Days of a month: 1 to 31 from its start, -1 to -31 from its end (-1 is the last day).

    `short_months` says what a month without the 29th, 30th or 31st does: leave it out, or take its last day.
    """

    days: tuple[int, ...]
    months: Months = EVERY_MONTH
    short_months: Literal["leave_out", "last_day"] = "leave_out"

    def __post_init__(self) -> None:
        _require(bool(self.days), "at least one day")
        _require(all(1 <= abs(day) <= 31 for day in self.days), "days are 1 to 31 or -1 to -31")
        _require(self.days == tuple(sorted(set(self.days))), "days are sorted and distinct")


@dataclass(frozen=True, slots=True)
class MonthWeekdays:
    """The n-th (1 to 5) or n-th last (-1 to -5) of these weekdays in a month; months without one are left out."""

    ordinals: tuple[int, ...]
    weekdays: tuple[int, ...]
    months: Months = EVERY_MONTH

    def __post_init__(self) -> None:
        _require_ordinals(self.ordinals, 5)
        _require_weekdays(self.weekdays)


@dataclass(frozen=True, slots=True)
class BusinessDays:
    """The n-th or n-th last business day of each week or month."""

    ordinals: tuple[int, ...]
    of: Literal["week", "month"] = "month"
    months: Months = EVERY_MONTH

    def __post_init__(self) -> None:
        _require_ordinals(self.ordinals, 23)
        _require(self.of == "month" or self.months == EVERY_MONTH, "weeks are not counted by months")


@dataclass(frozen=True, slots=True)
class DayClass:
    """All days of a class: `business` (平日, 営業日), `closed` (休日: every other day), `holiday` (祝日)."""

    kind: Literal["business", "closed", "holiday"]


@dataclass(frozen=True, slots=True)
class NamedHoliday:
    """One public holiday by its Japanese name (`成人の日`), on whatever date it falls each year."""

    name: str


@dataclass(frozen=True, slots=True)
class InMonths:
    """All days of these months."""

    months: tuple[int, ...]

    def __post_init__(self) -> None:
        _require(bool(self.months) and all(1 <= month <= 12 for month in self.months), "months are 1 to 12")
        _require(self.months == tuple(sorted(set(self.months))), "months are sorted and distinct")


@dataclass(frozen=True, slots=True)
class Dates:
    """These calendar dates."""

    dates: tuple[date, ...]

    def __post_init__(self) -> None:
        _require(bool(self.dates) and self.dates == tuple(sorted(set(self.dates))), "dates are sorted and distinct")


@dataclass(frozen=True, slots=True)
class Cron:
    """A five-field cron expression, normalised to single spaces. It brings its own times: `times` stays empty."""

    expression: str


DayRule = Daily | Weekly | MonthDays | MonthWeekdays | BusinessDays | DayClass | NamedHoliday | InMonths | Dates | Cron


@dataclass(frozen=True, slots=True)
class Shift:
    """What happens to a day that falls on `when`: it moves to the previous or next business day, or is skipped."""

    to: Literal["previous", "next", "skip"]
    when: DayClass | Weekly = DayClass("closed")


@dataclass(frozen=True, slots=True)
class Offset:
    """So many days, or business days, later (earlier where negative)."""

    days: int
    business: bool = False

    def __post_init__(self) -> None:
        _require(self.days != 0, "an offset of no day is none")


Move = Shift | Offset


@dataclass(frozen=True, slots=True)
class At:
    """A wall-clock time; hours 24 to 29 are the early hours of the next calendar day."""

    hour: int
    minute: int = 0

    def __post_init__(self) -> None:
        _require(0 <= self.hour <= LAST_HOUR and 0 <= self.minute <= 59, "a time is 00:00 to 29:59")

    @property
    def minute_of_day(self) -> int:
        """Minutes since 00:00 of the day that it is written on."""
        return self.hour * 60 + self.minute


@dataclass(frozen=True, slots=True)
class Every:
    """Every `minutes` from minute `first` of the day up to minute `last`, which is included where the step meets it.

    `last` may reach into the next calendar day (22:00 to 29:00). Where `minutes` divides an hour, every real minute
    whose wall clock matches counts; otherwise the step is a list of wall-clock times like any other.
    """

    minutes: int
    first: int = 0
    last: int = MINUTES_A_DAY - 1

    def __post_init__(self) -> None:
        _require(1 <= self.minutes <= MINUTES_A_DAY, "a step is 1 minute to a day")
        _require(0 <= self.first < MINUTES_A_DAY, "a window starts within its day")
        _require(self.first <= self.last < self.first + MINUTES_A_DAY, "a window is shorter than a day")

    @property
    def follows_real_minutes(self) -> bool:
        """Whether the step divides an hour, so that a repeated hour counts twice and a missing one is left out."""
        return 60 % self.minutes == 0


TimeRule = At | Every


@dataclass(frozen=True, slots=True)
class Once:
    """One instant, with the zone whose wall clock named it."""

    at: datetime
    zone: str

    def __post_init__(self) -> None:
        _require(self.at.tzinfo is not None, "an instant has an offset")


@dataclass(frozen=True, slots=True)
class Recurring:
    """Days x times x zone. See the top of this file for how the days are found."""

    days: tuple[DayRule, ...]
    times: tuple[TimeRule, ...]
    zone: str
    within: tuple[DayRule, ...] = ()
    without: tuple[DayRule, ...] = ()
    moves: tuple[Move, ...] = ()
    start: date | None = None
    until: date | None = None
    count: int | None = None
    counted_from: datetime | None = None
    calendar: str = ""

    def __post_init__(self) -> None:
        by_cron = any(isinstance(rule, Cron) for rule in self.days)
        _require(bool(self.days), "at least one day rule")
        _require(bool(self.times) != by_cron, "times, or a cron expression that brings its own")
        _require(not by_cron or len(self.days) == 1, "a cron expression stands alone")
        _require(not any(isinstance(rule, Cron) for rule in self.within + self.without), "cron is no filter")
        _require((self.count is None) == (self.counted_from is None), "a count needs the instant that it counts from")
        _require(self.count is None or self.count >= 1, "a count is 1 or more")


Timing = Once | Recurring


@dataclass(frozen=True, slots=True)
class Reading:
    """What a sentence means: when, and the rest of it (the task)."""

    timing: Timing
    task: str
