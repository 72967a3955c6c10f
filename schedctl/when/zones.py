"""Wall clocks and instants: what a zone's clock shows, where it jumps, and which instants show a given wall clock.

A zone's time is cut into *stretches* in which its clock runs evenly. A stretch that shows again what an earlier one has
shown is `repeated` (the second pass of an autumn hour); one that opens after a jump forward knows what was jumped over.
All arithmetic on instants is done in UTC: Python compares two values of one zone by their wall clocks alone.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from schedctl.settings import check_zone

if TYPE_CHECKING:
    from collections.abc import Iterator

EARLIEST: Final = datetime.combine(date(1, 1, 3), time())
LATEST: Final = datetime.combine(date(9999, 12, 29), time())
"""The wall clocks that are computed with: the calendar without its very ends, which need room for any offset."""
_SAMPLE: Final = timedelta(days=3)
_MOMENT: Final = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Transition:
    """The instant (UTC) at which a zone's offset changes."""

    instant: datetime
    before: timedelta
    after: timedelta


@dataclass(frozen=True, slots=True)
class Stretch:
    """Wall clocks `opens` (included) to `closes` (not included) at one offset; all naive.

    `skipped_from` is where the wall clock stood before it jumped to `opens`; the same where nothing was skipped.
    """

    opens: datetime
    closes: datetime
    offset: timedelta
    repeated: bool
    skipped_from: datetime

    @property
    def opens_utc(self) -> datetime:
        """The instant of `opens`, naive in UTC."""
        return self.opens - self.offset

    @property
    def closes_utc(self) -> datetime:
        """The instant of `closes`, naive in UTC."""
        return self.closes - self.offset


@lru_cache(maxsize=1024)
def zone_named(name: str) -> ZoneInfo:
    """The zone called `name`; `Refused` (`unknown_timezone`) where the zone database has none.

    It is the `tzdata` package's, so that hosts with the same packages agree whatever their systems hold; only a name
    that the package lacks is the system's.
    """
    checked = check_zone(name, "timezone")
    try:
        with _packaged(checked).open("rb") as data:
            return ZoneInfo.from_file(data, key=checked)
    except (ImportError, OSError):
        return ZoneInfo(checked)


def zones_version() -> str:
    """The version of the zone data, such as `2026b`: instants may change only towards a newer one."""
    import tzdata

    return tzdata.IANA_VERSION


def instants_at(wall: datetime, zone: str) -> tuple[datetime, ...]:
    """The instants at which the zone's clock shows `wall` (naive): none in a gap, two in a repeated hour, else one."""
    first = wall.replace(tzinfo=zone_named(zone), fold=0)
    second = first.replace(fold=1)
    jump = _offset(second) - _offset(first)
    if not jump:
        return (first,)
    return (first, second) if jump < timedelta(0) else ()


def first_instant_at(wall: datetime, zone: str) -> datetime:
    """When a named wall-clock time happens: in a gap the first instant after it, in a repeated hour the first pass."""
    found = instants_at(wall, zone)
    if found:
        return found[0]
    return next(
        stretch.opens.replace(tzinfo=zone_named(zone))
        for year in (wall.year - 1, wall.year, wall.year + 1)
        for stretch in stretches(zone, year)
        if stretch.skipped_from <= wall < stretch.opens
    )


def transitions(zone: str, after: datetime, until: datetime) -> tuple[Transition, ...]:
    """The changes of offset with `after` < instant <= `until`, in order."""
    low, high = utc(after), utc(until)
    found = (change for year in range(low.year, high.year + 1) for change in _transitions_in(zone, year))
    return tuple(change for change in found if low < utc(change.instant) <= high)


def offset_text(instant: datetime) -> str:
    """The UTC offset of an aware instant as `+09:00`."""
    return instant.isoformat(timespec="minutes")[len("2026-11-30T10:00") :]


def utc(instant: datetime) -> datetime:
    """An aware instant as a naive UTC clock, kept inside the years that can be computed with."""
    offset = instant.utcoffset()
    if offset is None:
        raise ValueError("an instant has an offset")
    wall = instant.replace(tzinfo=None, fold=0)
    return min(max(wall, EARLIEST), LATEST) - offset


@lru_cache(maxsize=4096)
def stretches(zone: str, year: int) -> tuple[Stretch, ...]:
    """The stretches of one UTC year, in order; a repeated hour is a stretch of its own. Empty outside the calendar."""
    if not EARLIEST.year <= year <= LATEST.year:
        return ()
    start, end = _bounds(year)
    offset = _offset_at(zone, start - _MOMENT)
    earlier = _transitions_in(zone, year - 1)[-1:]
    shown = max([start + offset, *(utc(change.instant) + change.before for change in earlier)])
    found: list[Stretch] = []
    for change in _transitions_in(zone, year):
        instant = utc(change.instant)
        found.extend(_cut(start, instant, offset, shown))
        shown = max(shown, instant + offset)
        start, offset = instant, change.after
    found.extend(_cut(start, end, offset, shown))
    return tuple(found)


def stretch_at(zone: str, instant: datetime) -> Stretch | None:
    """The stretch that contains `instant` (naive UTC); None outside the calendar."""
    found = stretches(zone, instant.year)
    at = bisect_right(found, instant, key=lambda stretch: stretch.opens_utc) - 1
    return found[max(at, 0)] if found else None


def _cut(start: datetime, end: datetime, offset: timedelta, shown: datetime) -> Iterator[Stretch]:
    """One span of constant offset as stretches; `shown` is where the wall clock had got to before it."""
    opens, closes = start + offset, end + offset
    if opens < shown:
        yield Stretch(opens, min(shown, closes), offset, repeated=True, skipped_from=opens)
    if max(opens, shown) < closes:
        yield Stretch(max(opens, shown), closes, offset, repeated=False, skipped_from=shown)


def _packaged(name: str) -> Path:
    import tzdata

    return Path(tzdata.__file__).parent / "zoneinfo" / name


def _bounds(year: int) -> tuple[datetime, datetime]:
    start = EARLIEST if year == EARLIEST.year else datetime.combine(date(year, 1, 1), time())
    end = LATEST if year == LATEST.year else datetime.combine(date(year + 1, 1, 1), time())
    return start, end


@lru_cache(maxsize=4096)
def _transitions_in(zone: str, year: int) -> tuple[Transition, ...]:
    if not EARLIEST.year <= year <= LATEST.year:
        return ()
    start, end = _bounds(year)
    found: list[Transition] = []
    while start < end:
        stop = start + min(_SAMPLE, end - start)
        found.extend(_changes(zone, start, stop))
        start = stop
    return tuple(found)


def _changes(zone: str, start: datetime, end: datetime) -> Iterator[Transition]:
    """The change of offset with `start` <= instant < `end`; no zone has two within a sample (a test holds that)."""
    before, after = _offset_at(zone, start - _MOMENT), _offset_at(zone, end - _MOMENT)
    if before == after:
        return
    low, high = start - _MOMENT, end - _MOMENT
    while high - low > _MOMENT:
        middle = low + (high - low) // _MOMENT // 2 * _MOMENT
        if _offset_at(zone, middle) == before:
            low = middle
        else:
            high = middle
    yield Transition(high.replace(tzinfo=UTC), before, _offset_at(zone, high))


def _offset_at(zone: str, instant: datetime) -> timedelta:
    return _offset(instant.replace(tzinfo=UTC).astimezone(zone_named(zone)))


def _offset(instant: datetime) -> timedelta:
    return instant.utcoffset() or timedelta(0)
