"""Timing -> instants: the next, the last, those between, and how many; daylight saving is settled here.

Named wall-clock times happen once a day: in a gap at the first instant after it, in a repeated hour the first time.
Steps that divide an hour, and cron jobs with a `*` minute or hour, follow real minutes. Equal results are one.

Answers are aware, in the timing's own zone. Compare them with other instants in UTC (`.astimezone(UTC)`) or by
`.timestamp()`: Python compares two values of one zone by their wall clocks, and so mistakes a repeated hour.

Nothing is found outside the years 1 to 9999, nor after 400 years without a due day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final, assert_never

from schedctl.errors import Refused
from schedctl.language import Text
from schedctl.when.instants.minutes import Times, times_of
from schedctl.when.instants.walls import HORIZON, MIDNIGHT, Walls
from schedctl.when.model import Once, Recurring
from schedctl.when.zones import EARLIEST, LATEST, Stretch, stretch_at, utc, zone_named

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.when.calendar import Calendars
    from schedctl.when.model import Timing

TICK: Final = timedelta(microseconds=1)
MARGIN: Final = timedelta(days=2)
"""A UTC date and a wall clock's date differ by less."""
WHOLE_MONTH: Final = timedelta(days=31) + MARGIN


def next_after(timing: Timing, instant: datetime, calendars: Calendars) -> datetime | None:
    """The first occurrence strictly after `instant`; None where there is none."""
    match timing:
        case Once():
            return _once(timing) if utc(instant) < utc(timing.at) else None
        case Recurring():
            return _first_after(timing, utc(instant), calendars)
        case _:
            assert_never(timing)


def last_until(timing: Timing, instant: datetime, calendars: Calendars) -> datetime | None:
    """The last occurrence at or before `instant`; None where there is none."""
    match timing:
        case Once():
            return _once(timing) if utc(timing.at) <= utc(instant) else None
        case Recurring():
            return _last_until(timing, utc(instant), calendars)
        case _:
            assert_never(timing)


# Ten thousand schedules that are due together share a minute, and so few rules: each is asked once.
# (The instant is naive: of two aware ones in a repeated hour Python would take one for the other.)
@lru_cache(maxsize=1024)
def _first_after(timing: Recurring, instant: datetime, calendars: Calendars) -> datetime | None:
    return next(_forward(timing, instant, LATEST, calendars), None)


@lru_cache(maxsize=1024)
def _last_until(timing: Recurring, instant: datetime, calendars: Calendars) -> datetime | None:
    after, until = _counted(timing, EARLIEST, instant, calendars)
    return next(_Due.of(timing, calendars).instants(after, until, back=True), None)


def upcoming(timing: Timing, after: datetime, count: int, calendars: Calendars) -> tuple[datetime, ...]:
    """The next `count` occurrences strictly after `after`; fewer where the timing ends."""
    return tuple(islice(_forward(timing, utc(after), LATEST, calendars), count))


def between(timing: Timing, after: datetime, until: datetime, calendars: Calendars) -> Iterator[datetime]:
    """The occurrences with `after` < occurrence <= `until`, in order, found as they are asked for."""
    return _forward(timing, utc(after), utc(until), calendars)


def count_between(timing: Timing, after: datetime, until: datetime, calendars: Calendars) -> int:
    """How many occurrences there are with `after` < occurrence <= `until`; those of whole days are not listed."""
    match timing:
        case Once():
            return int(utc(after) < utc(timing.at) <= utc(until))
        case Recurring():
            begin, end = _counted(timing, utc(after), utc(until), calendars)
            return _Due.of(timing, calendars).count(begin, end)
        case _:
            assert_never(timing)


def _forward(timing: Timing, after: datetime, until: datetime, calendars: Calendars) -> Iterator[datetime]:
    match timing:
        case Once():
            return iter((_once(timing),) if after < utc(timing.at) <= until else ())
        case Recurring():
            after, until = _counted(timing, after, until, calendars)
            return _Due.of(timing, calendars).instants(after, until)
        case _:
            assert_never(timing)


def _once(timing: Once) -> datetime:
    return timing.at.astimezone(zone_named(timing.zone))


def _counted(timing: Recurring, after: datetime, until: datetime, calendars: Calendars) -> tuple[datetime, datetime]:
    """The same span (naive UTC), cut to the occurrences that a `count` allows."""
    if timing.count is None or timing.counted_from is None:
        return after, until
    last = _last_counted(timing, timing.count, timing.counted_from, calendars)
    return max(after, utc(timing.counted_from) - TICK), min(until, last)


@lru_cache(maxsize=1024)
def _last_counted(timing: Recurring, count: int, counted_from: datetime, calendars: Calendars) -> datetime:
    """The `count`-th occurrence at or after `counted_from` (naive UTC).

    It is the calendar's end where there are fewer, or where it lies more than `HORIZON` months away.
    """
    due = _Due.of(timing, calendars)
    after = utc(counted_from) - TICK
    for stretch in due.stretches(after):
        if stretch.opens.year - after.year > HORIZON // 12:
            break
        inside = due.count_in(stretch, after, LATEST)
        if inside >= count:
            last = next(islice(due.in_stretch(stretch, after, LATEST, back=False), count - 1, None))
            return last - stretch.offset
        count -= inside
    return LATEST


@dataclass(frozen=True, slots=True)
class _Due:
    """A recurring timing's wall clocks, laid on the stretches of its zone. Instants inside are naive UTC."""

    walls: Walls
    times: Times
    zone: str

    @classmethod
    def of(cls, timing: Recurring, calendars: Calendars) -> _Due:
        try:
            calendar = calendars.get(timing.calendar)
        except KeyError:
            raise _unknown_calendar(timing.calendar) from None
        return cls(Walls(timing, calendar), times_of(timing), timing.zone)

    def instants(self, after: datetime, until: datetime, *, back: bool = False) -> Iterator[datetime]:
        """The occurrences with `after` < occurrence <= `until`, aware, in order or the last first."""
        zone = zone_named(self.zone)
        for stretch in self.stretches(until if back else after, back=back):
            if stretch.opens_utc > until or stretch.closes_utc <= after:
                return
            for wall in self.in_stretch(stretch, after, until, back=back):
                yield wall.replace(tzinfo=zone, fold=int(stretch.repeated))

    def count(self, after: datetime, until: datetime) -> int:
        """How many there are with `after` < occurrence <= `until`."""
        total = 0
        for stretch in self.stretches(after):
            if stretch.opens_utc > until:
                break
            total += self.count_in(stretch, after, until)
        return total

    def stretches(self, start: datetime, *, back: bool = False) -> Iterator[Stretch]:
        """The zone's stretches from `start` on (or back); those of long spans without a due day are left out."""
        cursor: datetime | None = start
        while cursor is not None and (stretch := stretch_at(self.zone, cursor)) is not None:
            yield stretch
            cursor = self._beyond(stretch, back=back)

    def _beyond(self, stretch: Stretch, *, back: bool) -> datetime | None:
        """Where to go on after a stretch: at its end, or where the next month that has a due day comes near."""
        cursor = stretch.opens_utc - TICK if back else stretch.closes_utc
        if not EARLIEST < cursor < LATEST:
            return None
        month = self.walls.nearest_month(cursor.date() + (MARGIN if back else -MARGIN), back=back)
        if month is None:
            return None
        near = datetime.combine(month, MIDNIGHT)
        if back:
            return near + WHOLE_MONTH if cursor - near > WHOLE_MONTH else cursor
        return near - MARGIN if near - cursor > MARGIN else cursor

    def in_stretch(self, stretch: Stretch, after: datetime, until: datetime, *, back: bool) -> Iterator[datetime]:
        """The wall clocks of one stretch with `after` < instant <= `until`."""
        low, high = _span(stretch, after, until)
        minutes = self.times.real if stretch.repeated else self.times.all
        if not self._opens_late(stretch, low, high):
            yield from self.walls.between(low, high, minutes, back=back)
        elif back:
            yield from self.walls.between(low + TICK, high, minutes, back=True)
            yield stretch.opens
        else:
            yield stretch.opens
            yield from self.walls.between(low + TICK, high, minutes)

    def count_in(self, stretch: Stretch, after: datetime, until: datetime) -> int:
        """How many there are in one stretch with `after` < instant <= `until`."""
        low, high = _span(stretch, after, until)
        minutes = self.times.real if stretch.repeated else self.times.all
        if self._opens_late(stretch, low, high):
            return 1 + self.walls.count(low + TICK, high, minutes)
        return self.walls.count(low, high, minutes)

    def _opens_late(self, stretch: Stretch, low: datetime, high: datetime) -> bool:
        """Whether the stretch opens, within the span, after a gap that swallowed a named time: that is due now."""
        if stretch.skipped_from == stretch.opens or low != stretch.opens or high <= low:
            return False
        swallowed = self.walls.between(stretch.skipped_from, stretch.opens, self.times.named)
        return next(swallowed, None) is not None


def _span(stretch: Stretch, after: datetime, until: datetime) -> tuple[datetime, datetime]:
    """The wall clocks of a stretch with `after` < instant <= `until`: the first, and the end that is not included."""
    low = max(stretch.opens, after + stretch.offset + TICK)
    return low, max(low, min(stretch.closes, until + stretch.offset + TICK))


def _unknown_calendar(name: str) -> Refused:
    return Refused(
        "unknown_calendar",
        Text(f"カレンダー「{name}」がありません", f"There is no calendar “{name}”"),
        Text("calendar.toml にある名前を書いてください", "Use a name that calendar.toml has"),
    )
