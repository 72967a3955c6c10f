"""The geometry of an agent's strip: alive, silent, unwell, and where it was restarted. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from schedctl.report.agent_model import AgentReport, Segment, SegmentKind
    from schedctl.report.figures import Period

DRAWN: Final[frozenset[SegmentKind]] = frozenset({"alive", "silent", "unwell", "stopped", "unwatched"})
"""What is still ahead stays empty."""
LETTERS: Final[dict[SegmentKind, str]] = {"silent": "–", "unwell": "!"}
LEAST: Final = 0.35
"""Per cent: a gap of a minute has to be seen."""
LETTER_FROM: Final = 3.2
"""Per cent: narrower segments have no room for a letter on the narrowest screen."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A segment on the strip."""

    segment: Segment
    x: float
    width: float
    letter: str

    @property
    def middle(self) -> float:
        """Where its letter stands."""
        return round(self.x + self.width / 2, 2)


@dataclass(frozen=True, slots=True)
class Tick:
    """An instant on the strip."""

    x: float
    at: datetime


def pieces(agent: AgentReport, period: Period) -> tuple[Piece, ...]:
    """The segments that are drawn; short gaps are drawn last and a little wider, so that none is hidden."""
    found = [_piece(one, period) for one in agent.strip if one.kind in DRAWN]
    return tuple(sorted(found, key=lambda piece: piece.segment.kind in LETTERS))


def _piece(segment: Segment, period: Period) -> Piece:
    x, end = 100 * period.share(segment.start), 100 * period.share(segment.end)
    width = end - x
    if segment.kind in LETTERS and width < LEAST:
        x, width = max(0.0, x - (LEAST - width) / 2), LEAST
    letter = LETTERS.get(segment.kind, "") if width >= LETTER_FROM else ""
    return Piece(segment, round(x, 2), round(width, 2), letter)


def restarts(agent: AgentReport, period: Period) -> tuple[Tick, ...]:
    """Its restarts within the period."""
    instants = sorted({at for group in agent.restarts for at in group.instants})
    within = [at for at in instants if period.start.timestamp() <= at.timestamp() < period.end.timestamp()]
    return tuple(Tick(round(100 * period.share(at), 2), at) for at in within)


def kinds(agents: Sequence[AgentReport]) -> frozenset[SegmentKind]:
    """The kinds of segments that these strips show."""
    return DRAWN.intersection(segment.kind for agent in agents for segment in agent.strip)


def any_restart(agents: Sequence[AgentReport], period: Period) -> bool:
    """Whether these strips show a restart."""
    return any(restarts(agent, period) for agent in agents)
