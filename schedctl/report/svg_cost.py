"""The geometry of a cost plot: tokens per cycle on each day, beside the baseline. Pure; in units of its view box."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from schedctl.report.figures import Cost, DayCost, Period

WIDTH: Final = 300
HEIGHT: Final = 96
LEFT: Final = 6
RIGHT: Final = 294
TOP: Final = 18
BOTTOM: Final = 74


@dataclass(frozen=True, slots=True)
class Point:
    """A day: a round mark, or a square one where the report is about that day. `y` is None on a day without cycles."""

    day: DayCost
    x: float
    y: float | None
    of_period: bool


@dataclass(frozen=True, slots=True)
class Plot:
    """A cost plot. `lines` join the days that follow each other."""

    points: tuple[Point, ...]
    lines: tuple[str, ...]
    baseline: float | None
    top: float
    """Tokens at the top."""


def plot(cost: Cost, period: Period) -> Plot:
    """The plot of a cost. It begins at nothing, so that twice as high is twice as much."""
    means = [day.mean for day in cost.days if day.mean is not None]
    top = max([*means, cost.baseline or 0.0, 1.0])
    step = (RIGHT - LEFT - 16) / max(1, len(cost.days) - 1)
    points = tuple(
        Point(day, round(LEFT + 8 + number * step, 1), _height(day.mean, top), period.first <= day.day <= period.last)
        for number, day in enumerate(cost.days)
    )
    return Plot(points, _joined(points), _height(cost.baseline, top), top)


def _height(tokens: float | None, top: float) -> float | None:
    return None if tokens is None else round(BOTTOM - (BOTTOM - TOP) * tokens / top, 1)


def _joined(points: tuple[Point, ...]) -> tuple[str, ...]:
    """The points of each line; a day without cycles interrupts it."""
    found: list[list[str]] = [[]]
    for point in points:
        if point.y is None:
            found.append([])
        else:
            found[-1].append(f"{point.x},{point.y}")
    return tuple(" ".join(line) for line in found if len(line) > 1)
