"""The status page as values: how the installation is now, what comes, and the runs of its last seven days. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from schedctl.report.agent_model import AgentReport
    from schedctl.report.figures import Need, Period
    from schedctl.report.kept import Kept
    from schedctl.report.model import Calendar
    from schedctl.report.schedule_model import ScheduleReport


@dataclass(frozen=True, slots=True)
class Switch:
    """Whether it fires, since when, by whom and why."""

    since: datetime
    by: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class TickSeen:
    """The last tick of a host, and how long ago it was by the real clock."""

    host: str
    age: timedelta


@dataclass(frozen=True, slots=True)
class Running:
    """A leg that is being carried out; where `schedule_id` is None, the restart of the agent that `title` names."""

    run_id: int
    schedule_id: int | None
    title: str
    node: str
    since: datetime


@dataclass(frozen=True, slots=True)
class Held:
    """A node that takes no changing work."""

    node: str
    since: datetime
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs of the page's seven days, as of an instant; `key`: see `Kept`."""

    key: str
    as_of: datetime
    schedules: tuple[ScheduleReport, ...]
    """The noteworthy ones first; cut."""
    more_schedules: int


@dataclass(frozen=True, slots=True)
class Page:
    """The whole page. Somebody else's text in it is redacted, as in the report."""

    title: str | None
    """What the installation is called; None: nothing of its own."""
    written_at: datetime
    period: Period
    """The seven days up to and with the one on which the page is written."""
    rehearsal: bool
    """The clock was moved for a rehearsal."""
    armed: bool
    needs: tuple[Need, ...]
    switch: Switch
    ticks: tuple[TickSeen, ...]
    """The hosts that tick or ticked, the latest first; cut."""
    running: tuple[Running, ...]
    """Cut; `running_legs` counts all."""
    running_legs: int
    queued: int
    """Legs that could be claimed, and those behind an earlier stage."""
    held: tuple[Held, ...]
    notices_waiting: int
    ahead: Calendar
    agents: tuple[AgentReport, ...]
    """The noteworthy ones first."""
    runs: Runs | Kept
