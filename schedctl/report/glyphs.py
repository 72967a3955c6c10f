"""Strips and sparklines of letters, for terminals and chats: told by shape, never by colour alone. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.report.figures import NOT_AS_WISHED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedctl.report.agent_model import Segment, SegmentKind
    from schedctl.report.figures import Period, RunState
    from schedctl.report.schedule_model import RunCell

CELLS: Final = 48
"""Letters of a strip: half an hour each on an ordinary day."""
BARS: Final = "▁▂▃▄▅▆▇█"
NONE: Final = "·"
SEGMENTS: Final[dict[SegmentKind, str]] = {
    "alive": "█",
    "silent": "▁",
    "unwell": "▒",
    "stopped": "-",
    "unwatched": NONE,
    "ahead": NONE,
}
GRAVEST_FIRST: Final[tuple[SegmentKind, ...]] = ("silent", "unwell", "stopped", "alive", "unwatched", "ahead")
"""What a letter shows when several kinds share it: a gap of a minute is to be seen."""
LEGEND: Final = Text("█ 生きている ▁ 応答なし ▒ 不調 - 予告した停止", "█ alive ▁ silent ▒ unwell - announced stop")
RUN_LEGEND: Final = Text("■ 成功 x うまくいかず / 見送り・取り消し", "■ fine x went wrong / left out")


def sparkline(values: Sequence[float | None]) -> str:
    """A bar for each value, from nothing to the greatest; a dot where there is none."""
    most = max((value for value in values if value is not None), default=0.0)
    return "".join(NONE if value is None else _bar(value, most) for value in values)


def agent_strip(strip: Sequence[Segment], period: Period) -> str:
    """An agent's time as letters; a letter shows the gravest that it holds."""
    letters: list[str] = []
    for number in range(CELLS):
        low, high = number / CELLS, (number + 1) / CELLS
        kinds = {one.kind for one in strip if period.share(one.start) < high and period.share(one.end) > low}
        letters.append(next((SEGMENTS[kind] for kind in GRAVEST_FIRST if kind in kinds), NONE))
    return "".join(letters)


def run_strip(strip: Sequence[RunCell], period: Period) -> str:
    """When a schedule ran, as letters; a letter shows the worst that it holds."""
    letters = [NONE] * CELLS
    for cell in strip:
        place = min(CELLS - 1, int(period.share(cell.start) * CELLS))
        letters[place] = min(letters[place], _letter(cell.state), key=_gravity)
    return "".join(letters)


def _letter(state: RunState) -> str:
    if state in NOT_AS_WISHED:
        return "x"
    return "■" if state in ("succeeded", "running", "queued") else "/"


def _gravity(letter: str) -> int:
    return f"x/■{NONE}".index(letter)


def _bar(value: float, most: float) -> str:
    return BARS[min(len(BARS) - 1, int(value / most * len(BARS)))] if most > 0 else BARS[0]
