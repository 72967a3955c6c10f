"""A beat of an agent, sent from the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedctl.store import agents

if TYPE_CHECKING:
    from schedctl.usecases.site import Site


def beat(site: Site, name: str, status: str, tokens: int | None, detail: str | None) -> None:
    """Record that the agent is alive, and in which status."""
    with site.transaction():
        agents.beat(site.db, name, status, tokens, detail)
