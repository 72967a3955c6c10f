"""What a report says of an agent. Pure values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import datetime, time

    from schedctl.language import Text
    from schedctl.report.figures import Cost, Need

SegmentKind = Literal["alive", "silent", "unwell", "stopped", "unwatched", "ahead"]


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of an agent's strip. The segments of a strip follow each other and fill the period.

    `silent`: no beat for longer than it may be; `unwell`: it beat and said `error`, or kept starting; `stopped`: it had
    announced its end; `unwatched`: before it was watched; `ahead`: not yet.
    """

    kind: SegmentKind
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Beside:
    """A schedule that ran just when an agent was restarted; `days` is on how many of the restarts' days."""

    schedule_id: int
    name: str
    days: int


@dataclass(frozen=True, slots=True)
class RestartGroup:
    """Restarts of an agent near one time of day, in the seven days up to the period's end; one at least is in it."""

    around: time
    instants: tuple[datetime, ...]
    in_period: int
    days: int
    """On how many different days."""
    of_days: int
    """Of how many days that were looked at."""
    beside: tuple[Beside, ...]
    """The most frequent first."""
    message: Text
    """`毎日 03:05 ごろ（7日のうち7日）、予定 3「backup」と同じころ`."""


@dataclass(frozen=True, slots=True)
class AgentEvent:
    """Something that was recorded of an agent in the period: silent, restarted, back, escalated, a burst of tokens."""

    at: datetime
    type: str
    message: Text


@dataclass(frozen=True, slots=True)
class AgentReport:
    """A watched agent in the period."""

    name: str
    label: Text
    state: str
    """As it stands when the report is written: a word of docs/agents.md."""
    strip: tuple[Segment, ...]
    alive_share: float | None
    """Of the time in which it was watched and had not announced its end; None where there was no such time."""
    alive: Text
    """`一日中生きていた`, or how often and how long it was silent."""
    restarts: tuple[RestartGroup, ...]
    loops: tuple[Text, ...]
    """Restarts that did not last: three or more within an hour; attempts that were used up."""
    cooldowns: int
    """Restarts of the period after whose cooldown it was still not well."""
    events: tuple[AgentEvent, ...]
    more_events: int
    cost: Cost | None
    """None where it told no tokens in the days shown."""
    needs: tuple[Need, ...]

    @property
    def noteworthy(self) -> bool:
        """Whether there is more to say of it than that it lived."""
        return bool(self.needs or self.restarts or self.events or self.loops) or (self.alive_share or 1.0) < 1.0
