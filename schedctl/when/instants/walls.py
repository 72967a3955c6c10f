"""The wall clocks of a timing: its days x its minutes, in either direction, listed or counted; zones come later."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final

from schedctl.when.instants.anchors import bounds, moved_days
from schedctl.when.months import days_in, length_of, month_after

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.when.calendar import BusinessCalendar
    from schedctl.when.instants.minutes import Minutes
    from schedctl.when.model import Recurring

HORIZON: Final = 400 * 12
"""Months that are looked through for a next day: after 400 years the Gregorian calendar repeats itself."""
ONE_DAY: Final = timedelta(days=1)
ONE_MINUTE: Final = timedelta(minutes=1)
MIDNIGHT: Final = time()


@dataclass(frozen=True, slots=True)
class Walls:
    """The naive wall clocks at which `timing` is due."""

    timing: Recurring
    calendar: BusinessCalendar

    def between(self, low: datetime, high: datetime, minutes: Minutes, *, back: bool = False) -> Iterator[datetime]:
        """Those with `low` <= wall < `high` in order, the last first when going back."""
        for day, of_day in self._dates(low.date(), high.date(), minutes, back=back):
            midnight = datetime.combine(day, MIDNIGHT)
            begin = bisect_left(of_day, (low - midnight) / ONE_MINUTE) if low > midnight else 0
            end = bisect_left(of_day, (high - midnight) / ONE_MINUTE) if high < midnight + ONE_DAY else None
            chosen = of_day[begin:end]
            for minute in reversed(chosen) if back else chosen:
                yield midnight + timedelta(minutes=minute)

    def count(self, low: datetime, high: datetime, minutes: Minutes) -> int:
        """How many there are with `low` <= wall < `high`; the minutes of whole days are not listed."""
        first, last = low.date() + ONE_DAY, high.date() - ONE_DAY
        if first > last:
            return sum(1 for _ in self.between(low, high, minutes))
        opening = self.between(low, datetime.combine(first, MIDNIGHT), minutes)
        closing = self.between(datetime.combine(high.date(), MIDNIGHT), high, minutes)
        inner = sum(
            (days & ~carried).bit_count() * len(minutes.early)
            + (carried & ~days).bit_count() * len(minutes.late)
            + (carried & days).bit_count() * len(minutes.both)
            for _, _, days, carried in self._months(first, last, minutes, back=False)
        )
        return inner + sum(1 for _ in opening) + sum(1 for _ in closing)

    def nearest_month(self, day: date, *, back: bool) -> date | None:
        """The 1st of the month of `day`, or of the next (when going back: an earlier) one that has a due day.

        None where there is none, or none within `HORIZON`.
        """
        low, high = bounds(self.timing, self.calendar)
        day = min(day, high) if back else max(day, low)
        year, month = day.year, day.month
        for _ in range(HORIZON):
            if not (low.year, low.month) <= (year, month) <= (high.year, high.month):
                return None
            if moved_days(self.timing, year, month, self.calendar):
                return date(year, month, 1)
            year, month = month_after(year, month, -1 if back else 1)
        return None

    def _dates(
        self, first: date, last: date, minutes: Minutes, *, back: bool
    ) -> Iterator[tuple[date, tuple[int, ...]]]:
        """The calendar dates from `first` to `last` on which something is due, with their minutes."""
        for year, month, days, carried in self._months(first, last, minutes, back=back):
            found = days_in(days | carried)
            for day in reversed(found) if back else found:
                bit = 1 << day
                yield date(year, month, day), minutes.on(is_day=bool(days & bit), follows_day=bool(carried & bit))

    def _months(self, first: date, last: date, minutes: Minutes, *, back: bool) -> Iterator[tuple[int, int, int, int]]:
        """Year, month, and the masks of the days and of the days after days, from `first` to `last`."""
        begin, end = first.year * 12 + first.month - 1, last.year * 12 + last.month - 1
        for index in range(end, begin - 1, -1) if back else range(begin, end + 1):
            year, month = index // 12, index % 12 + 1
            clip = -1
            if index == begin:
                clip &= -1 << first.day
            if index == end:
                clip &= (2 << last.day) - 1
            days = moved_days(self.timing, year, month, self.calendar)
            carried = self._carried(days, year, month) if minutes.late else 0
            yield year, month, days & clip, carried & clip

    def _carried(self, days: int, year: int, month: int) -> int:
        """The days after `days`; the first of a month follows the last day of the month before it."""
        before = month_after(year, month, -1)
        last_before = moved_days(self.timing, *before, self.calendar) >> length_of(*before) & 1 if before[0] else 0
        return (days << 1 | last_before << 1) & (2 << length_of(year, month)) - 1
