"""One action that a sentence asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schedctl.catalog.model import Action
    from schedctl.plan.places import Places
    from schedctl.plan.tokens import Token


@dataclass(frozen=True, slots=True)
class Use:
    """One action that was asked for; `places` is None until (or unless) nodes are named for it."""

    token: Token
    action: Action
    stage: int
    places: Places | None = None
    parameters: tuple[tuple[str, str], ...] = ()
    bare: bool = False
    """Whether it was said by its verb alone, without the node as its object (…、再起動して)."""
