"""Budgets: what a run may use up at most, written `tokens=50000,time=10m,steps=5,output=10M`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Limit = Literal["tokens", "time", "steps", "output"]
NUMBER: Final = re.compile(r"([1-9]\d{0,11})([A-Za-z]?)")
UNITS: Final[dict[Limit, dict[str, int]]] = {
    "tokens": {"": 1, "k": 1000, "M": 1_000_000},
    "time": {"s": 1, "m": 60, "h": 3600},
    "steps": {"": 1},
    "output": {"": 1, "k": 1024, "M": 1024**2, "G": 1024**3},
}
EXAMPLE: Final = "tokens=50000,time=10m,steps=5,output=10M"


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may use up at most; None where there is no limit. Time is counted for each node by itself."""

    tokens: int | None = None
    time_s: int | None = None
    steps: int | None = None
    output_bytes: int | None = None

    def or_else(self, default: Budget) -> Budget:
        """These limits, and the default's where there is none."""
        return Budget(**{name: getattr(self, name) or getattr(default, name) for name in Budget.__slots__})

    def document(self) -> dict[str, int] | None:
        """As it is stored; None when nothing is limited."""
        return {name: getattr(self, name) for name in Budget.__slots__ if getattr(self, name) is not None} or None

    def written(self) -> str:
        """As one writes it; the empty string when nothing is limited."""
        limits = {"tokens": self.tokens, "time": self.time_s, "steps": self.steps, "output": self.output_bytes}
        return ",".join(
            f"{name}={_number(value, UNITS[name])}" for name in UNITS if (value := limits[name]) is not None
        )


NO_BUDGET: Final = Budget()


def parse_budget(text: str) -> Budget:
    """Read what `written` writes, spaces after commas allowed; ValueError names the part that cannot be read."""
    limits: dict[Limit, int] = {}
    for part in text.split(","):
        name, _, value = part.strip().partition("=")
        number = NUMBER.fullmatch(value)
        if name not in UNITS or name in limits or number is None or number[2] not in UNITS[name]:
            raise ValueError(part.strip())
        limits[name] = int(number[1]) * UNITS[name][number[2]]
    return Budget(limits.get("tokens"), limits.get("time"), limits.get("steps"), limits.get("output"))


def stored_budget(document: Mapping[str, Any] | None) -> Budget:
    """The budget that `document` stored."""
    return Budget(**document) if document else NO_BUDGET


def _number(value: int, units: Mapping[str, int]) -> str:
    """By the largest unit that divides it."""
    unit = max((unit for unit, size in units.items() if value % size == 0), key=lambda unit: units[unit])
    return f"{value // units[unit]}{unit}"
