"""The report as values: what happened in a period, what did not, what comes. Every way to show it begins here.

The parts are in figures.py, agent_model.py and schedule_model.py. Instants are aware and in the period's zone. A
sentence is a `Text`; what it quotes (names, instructions, reasons, errors) is somebody else's text: a renderer escapes
it in its own way. Nothing secret is in it: it is redacted when it is gathered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date, datetime

    from schedctl.language import Text
    from schedctl.report.agent_model import AgentReport
    from schedctl.report.figures import Cost, Need, Period, StateCount
    from schedctl.report.schedule_model import ScheduleReport


@dataclass(frozen=True, slots=True)
class Healed:
    """Something that went wrong in the period and is well again without anybody's help."""

    at: datetime
    message: Text
    agent: str | None = None
    schedule_id: int | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What somebody did in the period: registered, approved, paused, armed, adopted a catalog, held a node, …"""

    at: datetime
    type: str
    actor: str
    schedule_id: int | None
    message: Text


@dataclass(frozen=True, slots=True)
class Coming:
    """An occurrence that lies ahead, or (`count` above 1) those of one day, from `at` to `last`."""

    at: datetime
    last: datetime
    count: int
    schedule_id: int
    title: str
    nodes: tuple[str, ...]
    actions: tuple[str, ...]
    risk: str
    frozen: str | None
    """The reason of the freeze that will skip it."""
    moved_from: date | None
    """The day that a rule for holidays moved it away from."""
    collides_with: tuple[int, ...]
    """Schedules that it may have to wait for, or keep waiting, at a node."""
    notes: tuple[Text, ...]
    """All of the three above in words, and what daylight saving does."""


@dataclass(frozen=True, slots=True)
class DayAhead:
    """A day of the calendar: its holidays, its freezes, and what comes. Days without anything are in it too."""

    day: date
    holidays: tuple[Text, ...]
    """Names of public holidays; of another closed day, that it is one."""
    freezes: tuple[str, ...]
    """The reasons of the freezes that touch it."""
    coming: tuple[Coming, ...]


@dataclass(frozen=True, slots=True)
class Calendar:
    """What comes after the report is written; empty for a period that is long over."""

    days: tuple[DayAhead, ...]
    more: bool
    """It was cut."""
    pending: int
    """Schedules that wait for approval and so are not in it."""

    @property
    def coming(self) -> int:
        """How many occurrences it holds, frozen ones left out."""
        return sum(one.count for day in self.days for one in day.coming if one.frozen is None)


@dataclass(frozen=True, slots=True)
class Report:
    """The whole report."""

    period: Period
    written_at: datetime
    rehearsal: bool
    """The clock was moved for a rehearsal."""
    armed: bool
    first_lines: tuple[Text, ...]
    """What needs a person, one sentence each; where nothing does, one sentence that says how it was. Never empty."""
    needs: tuple[Need, ...]
    """As `schedctl status` says them when the report is written, and what of the period is still not well."""
    healed: tuple[Healed, ...]
    counts: tuple[StateCount, ...]
    """Of all schedules, worst first; runs by hand left out."""
    by_hand: int
    agents: tuple[AgentReport, ...]
    """The noteworthy ones first."""
    schedules: tuple[ScheduleReport, ...]
    """Those of which something ran or should have run in the period, the noteworthy ones first; cut."""
    more_schedules: int
    costs: tuple[Cost, ...]
    """Of the agents, the schedules shown, and the planner: those that spent tokens in the days shown."""
    changes: tuple[Change, ...]
    more_changes: int
    ahead: Calendar
    by_hand_failed: Text | None = None
    """Of the runs by hand, those that failed, in one sentence; None where none did."""

    @property
    def complete(self) -> bool:
        """Whether the period was over when the report was written."""
        return self.written_at.timestamp() >= self.period.end.timestamp()

    @property
    def quiet(self) -> bool:
        """Nothing happened that a person would want to hear of: then the first line says it all."""
        told = any(one.noteworthy for one in (*self.agents, *self.schedules))
        return not (self.needs or self.healed or self.changes or self.by_hand_failed or told)
