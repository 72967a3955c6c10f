"""Which hour a clock means beside a part of the day: `morning at 9`, `at 6 in the evening`, `tonight at 1am`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from schedctl.when.english.clocks import with_half
from schedctl.when.model import At
from schedctl.when.reading.parts import Clock, Part, PartOfDay, Relative

if TYPE_CHECKING:
    from schedctl.when.english.scan import Hit

Hours = tuple[int, ...]
MIDNIGHT: Final = 24
SMALL_HOURS: Final = 6
"""Hours of a night that are past midnight."""
TODAY: Final = Relative("day", 0)


def settled(run: list[Hit]) -> list[Hit]:
    """The run with each clock as the one that the part of the day beside it means."""
    said = [hours for hit in run if (hours := _hours(hit))]
    if not said:
        return run
    tonight = any(found.part == TODAY for hit in run for found in hit.parts)
    beside = _beside(run) if len(set(said)) > 1 else [said[0]] * len(run)
    hits = [_with_clock(hit, hours, tonight=tonight) for hit, hours in zip(run, beside, strict=True)]
    if len(set(said)) > 1 and all(_agrees(hit, hours) for hit, hours in zip(hits, beside, strict=True)):
        any_of_them = PartOfDay(tuple(sorted({hour for hours in said for hour in hours})))
        return [_with_part_of_day(hit, any_of_them) for hit in hits]
    return hits


def _hours(hit: Hit) -> Hours | None:
    return next((found.part.hours for found in hit.parts if isinstance(found.part, PartOfDay)), None)


def _has_clock(hit: Hit) -> bool:
    return any(isinstance(found.part, Clock) for found in hit.parts)


def _beside(run: list[Hit]) -> list[Hours]:
    """For each hit the part of the day ahead of it, or behind it where a clock comes first (`6 in the morning`)."""
    first = next(hit for hit in run if _hours(hit) or _has_clock(hit))
    ordered = run if _hours(first) else run[::-1]
    last = next(hours for hit in ordered if (hours := _hours(hit)))
    beside: list[Hours] = []
    for hit in ordered:
        last = _hours(hit) or last
        beside.append(last)
    return beside if ordered is run else beside[::-1]


def _with_clock(hit: Hit, hours: Hours, *, tonight: bool) -> Hit:
    parts = tuple(
        replace(found, part=_meant(found.part, hours, bare=hit.bare, tonight=tonight))
        if isinstance(found.part, Clock)
        else found
        for found in hit.parts
    )
    return replace(hit, parts=parts)


def _meant(clock: Clock, hours: Hours, *, bare: bool, tonight: bool) -> Part:
    times = tuple(with_half(at, hours) for at in clock.times) if bare else clock.times
    if MIDNIGHT not in hours or (not bare and any(at.hour >= MIDNIGHT for at in times)):
        return Clock(times)  # `Sunday night at 25:00` says whose night it is
    if tonight and all(at.hour < SMALL_HOURS for at in times):
        return Clock(tuple(At(at.hour + MIDNIGHT, at.minute) for at in times))
    if not tonight and any(at.hour < SMALL_HOURS or at.hour >= MIDNIGHT for at in times):
        return Clock(tuple(At(at.hour % MIDNIGHT, at.minute) for at in times), night=True)
    return Clock(times)


def _agrees(hit: Hit, hours: Hours) -> bool:
    """Whether each time of the hit is one of its own part of the day."""
    return all(at.hour in hours for found in hit.parts if isinstance(found.part, Clock) for at in found.part.times)


def _with_part_of_day(hit: Hit, part: PartOfDay) -> Hit:
    parts = tuple(replace(found, part=part) if isinstance(found.part, PartOfDay) else found for found in hit.parts)
    return replace(hit, parts=parts)
