"""The geometry of a run strip: what ran when, as bars on the period's own time. Pure.

Positions are per cent of the strip's width, so that it fills any screen while letters and heights keep their size. A
state is told by its bar's shape and by a letter, never by its colour alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING, Final, Literal
from zoneinfo import ZoneInfo

from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from schedctl.report.figures import Period, RunState
    from schedctl.report.schedule_model import RunCell

Tone = Literal["ok", "bad", "warn", "note", "live", "faint"]

TONES: Final[dict[RunState, Tone]] = {
    "succeeded": "ok",
    "failed": "bad",
    "timed_out": "bad",
    "lost": "bad",
    "refused": "bad",
    "missed": "warn",
    "cancelled": "note",
    "skipped": "note",
    "running": "live",
    "queued": "live",
    "rehearsed": "faint",
}
LETTERS: Final[dict[RunState, str]] = {
    "succeeded": "",
    "failed": "×",
    "timed_out": "T",
    "lost": "?",
    "refused": "R",
    "missed": "M",
    "cancelled": "C",
    "skipped": "S",
    "running": "▸",
    "queued": "…",
    "rehearsed": "r",
}
TOPS: Final[dict[Tone, int]] = {"ok": 18, "bad": 13, "warn": 14, "note": 20, "live": 15, "faint": 25}
"""Where a bar begins, in pixels from the top of its strip: a part of its shape."""
FLOOR: Final = 32
LEAST: Final = 0.45
"""Per cent of the strip: the narrowest bar that is drawn."""
HOURS: Final = (0, 6, 12, 18)
LETTER_ROOM: Final = 3.2
"""Per cent that a letter takes on the narrowest screen: nearer ones are left to the bars and the text beside them."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: cells of one state that follow each other. `letter_at` is the middle of its first cell."""

    state: RunState
    start: datetime
    end: datetime
    count: int
    x: float
    width: float
    letter_at: float
    letter: str = ""

    @property
    def tone(self) -> Tone:
        """What its shape and colour tell."""
        return TONES[self.state]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A strip: what went well as one path (a strip of a week may have hundreds of such bars), all else bar by bar."""

    well: Markup
    """Path data, in hundredths of a per cent across and pixels down: no text, so that none of it is ever cut."""
    others: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A thin line at a position, and what stands above it."""

    x: float
    label: str


def bars(cells: Iterable[RunCell], period: Period) -> tuple[Bar, ...]:
    """The bars of a strip, oldest first; a letter where it has room, beginning with the worst states."""
    found: list[Bar] = []
    for cell in sorted(cells, key=lambda one: one.start.timestamp()):
        last = found[-1] if found else None
        if last is not None and last.state == cell.state and last.end.timestamp() == cell.start.timestamp():
            width = _percent(period.share(cell.end)) - last.x
            found[-1] = replace(last, end=cell.end, count=last.count + cell.count, width=_rounded(width))
        else:
            found.append(_bar(cell, period))
    return _lettered(found)


def drawn(cells: Iterable[RunCell], period: Period) -> Drawn:
    """The same as a drawing needs it."""
    found = bars(cells, period)
    well = Markup("").join(_outline(bar) for bar in found if bar.tone == "ok")
    return Drawn(well, tuple(bar for bar in found if bar.tone != "ok"))


def _outline(bar: Bar) -> str:
    x, width = round(100 * bar.x), round(100 * max(bar.width, LEAST))
    return f"M{x} {TOPS['ok']}h{width}V{FLOOR}h-{width}z"


def _bar(cell: RunCell, period: Period) -> Bar:
    x, end = _percent(period.share(cell.start)), _percent(period.share(cell.end))
    return Bar(cell.state, cell.start, cell.end, cell.count, x, _rounded(end - x), _rounded((x + end) / 2))


def _lettered(found: Sequence[Bar]) -> tuple[Bar, ...]:
    """Letters never touch: the bad ones choose their places first."""
    order: tuple[Tone, ...] = ("bad", "warn", "live", "note", "faint")
    taken: list[float] = []
    letters: dict[int, str] = {}
    for number, one in sorted(
        enumerate(found), key=lambda pair: order.index(pair[1].tone) if pair[1].tone in order else 9
    ):
        if LETTERS[one.state] and all(abs(one.letter_at - other) >= LETTER_ROOM for other in taken):
            letters[number] = LETTERS[one.state]
            taken.append(one.letter_at)
    return tuple(replace(one, letter=letters.get(number, "")) for number, one in enumerate(found))


def lines(period: Period) -> tuple[Line, ...]:
    """Where the hours (of a day: every sixth) or the days (of a week) begin, by the wall clock."""
    zone, hours = ZoneInfo(period.zone), HOURS if period.kind == "day" else HOURS[:1]
    days = (period.first + timedelta(days=number) for number in range((period.last - period.first).days + 1))
    return tuple(
        Line(
            _percent(period.share(datetime.combine(day, time(hour), zone))),
            f"{hour}" if period.kind == "day" else f"{day.month}/{day.day}",
        )
        for day in days
        for hour in hours
    )


def _percent(share: float) -> float:
    return _rounded(100 * share)


def _rounded(number: float) -> float:
    return round(number, 2)
