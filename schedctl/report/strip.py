"""An agent's day as a strip: alive, silent, unwell, stopped, not watched yet, not yet there. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from schedctl.report.agent_model import Segment
from schedctl.when.zones import zone_named

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schedctl.report.agent_model import SegmentKind
    from schedctl.report.figures import Period

Span = tuple[float, float]
"""From a POSIX time up to another: instants of one zone compare by wall clock, which autumn repeats."""
Layers: TypeAlias = "tuple[tuple[SegmentKind, list[Span]], ...]"


@dataclass(frozen=True, slots=True)
class Silence:
    """A time without a beat, longer than the agent may be silent; `announced`: it had said that it stops."""

    start: datetime
    end: datetime
    announced: bool


@dataclass(frozen=True, slots=True)
class Life:
    """What is known of an agent's life."""

    watched_since: datetime
    silences: tuple[Silence, ...] = ()
    unwell: tuple[tuple[datetime, datetime], ...] = ()
    """From when it was called unhealthy up to its recovery (or now)."""


def strip_of(period: Period, now: datetime, life: Life) -> tuple[Segment, ...]:
    """The segments of a period, in order, neighbours of one kind as one."""
    layers = _layers(period, now, life)
    low, high = period.start.timestamp(), period.end.timestamp()
    edges = {low, high, *(edge for _, spans in layers for span in spans for edge in span if low < edge < high)}
    zone, segments = zone_named(period.zone), list[Segment]()
    for start, end in pairwise(sorted(edges)):
        kind = _kind(layers, start, end)
        if segments and segments[-1].kind == kind:
            start = segments.pop().start.timestamp()
        segments.append(Segment(kind, datetime.fromtimestamp(start, zone), datetime.fromtimestamp(end, zone)))
    return tuple(segments)


def alive_share(strip: Iterable[Segment]) -> float | None:
    """How much of the time that counts (watched, not announced as a stop, not ahead) it was alive; None without any."""
    lengths: dict[SegmentKind, float] = {"alive": 0.0, "silent": 0.0, "unwell": 0.0}
    for segment in strip:
        if segment.kind in lengths:
            lengths[segment.kind] += segment.end.timestamp() - segment.start.timestamp()
    counted = sum(lengths.values())
    return lengths["alive"] / counted if counted else None


def _layers(period: Period, now: datetime, life: Life) -> Layers:
    """What may cover a part of the strip, the one that hides the others first."""
    begin, end = period.start.timestamp(), period.end.timestamp()
    watched = life.watched_since.timestamp()
    return (
        ("ahead", [(max(begin, now.timestamp()), end)] if now.timestamp() < end else []),
        ("unwatched", [(begin, min(end, watched))] if watched > begin else []),
        ("stopped", [_span(one.start, one.end) for one in life.silences if one.announced]),
        ("silent", [_span(one.start, one.end) for one in life.silences if not one.announced]),
        ("unwell", [_span(start, end) for start, end in life.unwell]),
    )


def _kind(layers: Layers, start: float, end: float) -> SegmentKind:
    for kind, spans in layers:
        if any(low <= start and end <= high for low, high in spans):
            return kind
    return "alive"


def _span(start: datetime, end: datetime) -> Span:
    return start.timestamp(), end.timestamp()
