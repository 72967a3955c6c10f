"""What a report says of a schedule. Pure values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from schedctl.language import Text
    from schedctl.report.figures import Cost, RunState, StateCount


@dataclass(frozen=True, slots=True)
class RunCell:
    """A cell of a run strip in which something ran: how much, and the worst state of it. Empty cells are left out."""

    start: datetime
    end: datetime
    state: RunState
    count: int


@dataclass(frozen=True, slots=True)
class Durations:
    """How long the runs of a schedule that succeeded took, in seconds, against the twenty before the period."""

    slowest_s: float
    slowest_run: int
    median_s: float
    usual_s: float | None
    """The median of those before; None where there were fewer than five."""
    slower: bool
    """Half as long again as the usual median, longer than nine in ten of those before, and by 2 s at least."""
    message: Text


@dataclass(frozen=True, slots=True)
class RunFact:
    """A run of the period that was not a plain success, with the reason: failed, missed, skipped, lost, …"""

    run_id: int
    at: datetime
    """Its occurrence, else when it ended."""
    state: RunState
    reason: str | None
    count: int
    """A summary stands for several occurrences."""
    recovered: bool
    """A later run of its schedule succeeded."""
    known: tuple[Text, ...]
    """Of a lost run, what is known node by node: worker, last step, seen to have ended or not, node held or not."""
    message: Text
    """What happened, in one sentence; the schedule is not named in it."""


@dataclass(frozen=True, slots=True)
class ScheduleReport:
    """A schedule in the period."""

    schedule_id: int
    title: str
    """Its name, else its instruction; cut where it is very long."""
    instruction: str
    state: str
    """As it stands when the report is written: pending, active, paused, finished, archived."""
    paused: Text | None
    """Why it is paused, where it is; whether by itself."""
    paused_by_itself: bool
    risk: str
    nodes: tuple[str, ...]
    counts: tuple[StateCount, ...]
    """Worst first; runs by hand left out."""
    by_hand: int
    strip: tuple[RunCell, ...]
    durations: Durations | None
    facts: tuple[RunFact, ...]
    """The worst and newest first, cut; `more_facts` says how many are left out."""
    more_facts: int
    healed: Text | None
    """Failed, then fine."""
    cost: Cost | None

    @property
    def noteworthy(self) -> bool:
        """Whether there is more to say of it than that it ran."""
        return bool(self.facts or self.healed or self.paused_by_itself or (self.durations and self.durations.slower))

    @property
    def went_well(self) -> bool:
        """Whether it ran at its times and there is no more to say; runs by hand alone say neither this nor trouble."""
        return bool(self.counts) and not self.noteworthy
