"""The catalog as values: the nodes, the actions, and the policy that a person wrote."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import time
from typing import TYPE_CHECKING

from schedctl.catalog.budget import NO_BUDGET, Budget
from schedctl.settings import DEFAULT_TIMEZONE

if TYPE_CHECKING:
    from schedctl.catalog.basics import Freeze, HttpRequest, Risk, Transport
    from schedctl.catalog.telling import Channel, Route
    from schedctl.language import Text
    from schedctl.when.calendar import Calendars


@dataclass(frozen=True, slots=True)
class Node:
    """A machine (or, for `http`, a service) on which actions run."""

    name: str
    transport: Transport
    label: Text
    address: str | None = None
    user: str | None = None
    port: int | None = None
    groups: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """A set of nodes with a name of its own; the nodes say that they belong to it."""

    name: str
    label: Text
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A word of an action that the operator chooses, from closed `values` or by an anchored `pattern`."""

    name: str
    label: Text
    values: tuple[str, ...] = ()
    pattern: str | None = None
    default: str | None = None
    aliases: tuple[tuple[str, str], ...] = ()
    """Pairs of an operator's word and the value that it stands for."""


@dataclass(frozen=True, slots=True)
class Action:
    """One operation: an argv (or an HTTP request), its risk and its limits."""

    name: str
    label: Text
    risk: Risk
    timeout_s: int
    argv: tuple[str, ...] = ()
    request: HttpRequest | None = None
    aliases: tuple[str, ...] = ()
    as_root: bool = False
    prerequisites: tuple[str, ...] = ()
    """Actions that a plan puts before this one, on the same node."""
    conflicts: tuple[str, ...] = ()
    """Actions that may not stand in one plan with this one."""
    final: bool = False
    """Nothing may come after it on its node (a reboot)."""
    parameters: tuple[Parameter, ...] = ()
    groups: tuple[str, ...] = ()
    """Only nodes of these groups can do it; empty: every node."""
    repeatable: bool = False
    retries: int = 0
    success_exit_codes: tuple[int, ...] = (0,)
    environment: tuple[tuple[str, str], ...] = ()
    stdin: str = ""


@dataclass(frozen=True, slots=True)
class DailyReport:
    """When the report on the day before is written, by itself: a wall-clock time of a zone."""

    at: str = "08:00"
    """`HH:MM`, or `off`: never by itself."""
    timezone: str = DEFAULT_TIMEZONE

    @property
    def hour(self) -> time | None:
        """The wall-clock time; None for `off`."""
        return None if self.at == "off" else time.fromisoformat(self.at)


@dataclass(frozen=True, slots=True)
class Policy:
    """What needs approval, when a schedule pauses by itself, how much is kept."""

    approval: tuple[Risk, ...] = ("changes", "disrupts")
    second_person: bool = False
    auto_pause_after: int = 3
    freezes: tuple[Freeze, ...] = ()
    output_limit_bytes: int = 262_144
    """Kept of each stream of each step: half as its head, half as its tail."""
    budget: Budget = NO_BUDGET
    """What a run may use up where `register` names no other limit."""
    retention_days: int = 400
    retention_runs: int = 10_000
    """Runs kept per schedule at most."""
    channels: tuple[Channel, ...] = ()
    routes: tuple[Route, ...] = ()
    dead_man_url: str | None = None
    """A reference (`${secret:NAME}`) to the URL that is called as long as ticks come."""
    report: DailyReport = DailyReport()


@dataclass(frozen=True, slots=True)
class Restart:
    """The action that brings an agent back: a step of the catalog, approved by standing in agents.toml."""

    action: str
    node: str
    parameters: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Agent:
    """A long-running program outside schedctl that sends beats, and what is done when it does not. Times in seconds."""

    name: str
    label: Text
    every_s: int = 60
    missed_beats: int = 2
    restart: Restart | None = None
    cooldown_s: int = 300
    attempts: int = 3
    cost_window: int = 50
    cost_factor: int = 10
    stopping_for_s: int = 600
    tell: tuple[str, ...] = ()
    """Channels of the policy that hear of it, beside those that a route leads to."""


@dataclass(frozen=True, slots=True)
class Catalog:
    """All that may run, and where. `digest` changes when any of it does."""

    nodes: tuple[Node, ...]
    groups: tuple[Group, ...]
    actions: tuple[Action, ...]
    policy: Policy
    calendars: Calendars
    document: dict[str, object] = field(compare=False, repr=False)
    """The files as one JSON document: what is stored in the database and parsed back."""
    digest: str
    agents: tuple[Agent, ...] = ()
