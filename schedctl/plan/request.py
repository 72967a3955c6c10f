"""What a planner asks for, before the catalog has made a plan of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """One action wanted on one node, by their catalog names. Requests of a later `stage` wait for the earlier ones."""

    node: str
    action: str
    parameters: tuple[tuple[str, str], ...] = ()
    stage: int = 0
