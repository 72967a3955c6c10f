"""A plan: the fixed, ordered list of steps that a schedule carries out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schedctl.catalog.basics import HttpRequest, Risk, Transport
    from schedctl.language import Text


@dataclass(frozen=True, slots=True)
class Target:
    """Where a step runs, as the catalog said at registration. `host` is the machine that a `local` node means."""

    node: str
    transport: Transport
    address: str | None = None
    user: str | None = None
    port: int | None = None
    host: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One action on one node, with its argv final. Steps of a later `stage` wait for every step of the earlier ones."""

    target: Target
    action: str
    label: Text
    risk: Risk
    timeout_s: int
    argv: tuple[str, ...] = ()
    request: HttpRequest | None = None
    stage: int = 0
    as_root: bool = False
    environment: tuple[tuple[str, str], ...] = ()
    stdin: str = ""
    success_exit_codes: tuple[int, ...] = (0,)
    repeatable: bool = False
    retries: int = 0
    parameters: tuple[tuple[str, str], ...] = ()
    """The values that went into argv: kept so that the step can be built again and compared."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Who planned: `literal`, or a model with what it answered and used."""

    planner: str
    answer: str | None = None
    tokens: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps in order, and who planned them."""

    steps: tuple[Step, ...]
    origin: Origin


@dataclass(frozen=True, slots=True)
class LegPlan:
    """The steps of one stage on one node: what a worker claims as a whole."""

    target: Target
    stage: int
    steps: tuple[Step, ...]

    @property
    def changes(self) -> bool:
        """Whether any step is more than a reading one, so that the leg holds its node."""
        return any(step.risk != "reads" for step in self.steps)
