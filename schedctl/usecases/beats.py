"""A beat of an agent, sent from the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedctl.store import agents

if TYPE_CHECKING:
    from datetime import timedelta

    from schedctl.usecases.site import Site


def beat(
    site: Site,
    name: str,
    status: str,
    tokens: int | None = None,
    detail: str | None = None,
    stops_for: timedelta | None = None,
) -> None:
    """Record that the agent is alive, in which status, and (where it stops) for how long."""
    with site.transaction():
        agents.beat(site.db, name, status, tokens, detail, stops_for)
