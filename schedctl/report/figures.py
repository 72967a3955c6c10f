"""The parts of a report that agents and schedules share: the period, states, needs, and what things cost. Pure values.

Instants are aware and in the period's zone. A sentence is a `Text`; what it quotes (names, instructions, reasons,
errors) is somebody else's text: a renderer escapes it in its own way.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from schedctl.language import Text

RunState = Literal[
    "queued",
    "running",
    "succeeded",
    "failed",
    "timed_out",
    "lost",
    "cancelled",
    "missed",
    "skipped",
    "rehearsed",
    "refused",
]
WORST_FIRST: Final[tuple[RunState, ...]] = (
    "lost",
    "failed",
    "timed_out",
    "refused",
    "missed",
    "cancelled",
    "skipped",
    "running",
    "queued",
    "rehearsed",
    "succeeded",
)
"""The states of runs in the order in which a person wants to hear of them."""
NOT_AS_WISHED: Final[frozenset[RunState]] = frozenset({"failed", "timed_out", "lost", "missed", "refused"})


@dataclass(frozen=True, slots=True)
class Period:
    """Calendar days of a zone, both included: from `start` to before `end`, be they 23, 24 or 25 hours long."""

    kind: Literal["day", "week"]
    first: date
    last: date
    start: datetime
    end: datetime
    zone: str

    @property
    def cell(self) -> timedelta:
        """How long a cell of a run strip is; the last one of a period may be shorter."""
        return timedelta(minutes=15) if self.kind == "day" else timedelta(hours=1)

    @property
    def length(self) -> timedelta:
        """How long it really is."""
        return timedelta(seconds=self.end.timestamp() - self.start.timestamp())

    def share(self, instant: datetime) -> float:
        """Where an instant lies in it: 0.0 at its start, 1.0 at its end, and held between them."""
        passed, whole = instant.timestamp() - self.start.timestamp(), self.length.total_seconds()
        return min(1.0, max(0.0, passed / whole)) if whole else 1.0


@dataclass(frozen=True, slots=True)
class Need:
    """Something that needs a person, in one sentence, as `schedctl status` says it; `type` is a word for programs."""

    type: str
    message: Text


@dataclass(frozen=True, slots=True)
class StateCount:
    """How many occurrences (and runs by hand) ended or stand in a state."""

    state: RunState
    count: int


@dataclass(frozen=True, slots=True)
class DayCost:
    """What one day cost: so many cycles (beats or runs that told a count) and their tokens together."""

    day: date
    cycles: int
    tokens: int

    @property
    def mean(self) -> float | None:
        """Tokens per cycle; None on a day without any."""
        return self.tokens / self.cycles if self.cycles else None


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens per cycle in the period, against those before, and how they drift."""

    subject: Text
    """`エージェント executor`, `予定 3「…」`, `言語モデル`."""
    days: tuple[DayCost, ...]
    """The seven days up to the period's last one, oldest first, days without any cycle included."""
    tokens: int
    """All of the period."""
    cycles: int
    mean: float | None
    """Per cycle, in the period."""
    baseline: float | None
    """Per cycle, in those of the seven days that lie before the period (of a week: in the seven days before it)."""
    drift: float | None
    """How much a cycle's cost grew over the days shown, by a straight line through them (0.4: 40 % more).

    None where fewer than three days had any."""
    message: Text
    """`1周 1,234 トークン（これまでの平均 1,180、7日で +4 %）`."""

    @property
    def ratio(self) -> float | None:
        """The period against the baseline; None where either is unknown or the baseline is nothing."""
        return self.mean / self.baseline if self.mean is not None and self.baseline else None
