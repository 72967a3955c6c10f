"""Make a catalog the one that counts: the document, the policy that the database acts on, the routes of its notices,
and the agents it watches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedctl.plan.build import build
from schedctl.plan.model import Origin
from schedctl.plan.request import Request
from schedctl.store import agents, catalogs, outbox, plans

if TYPE_CHECKING:
    from schedctl.catalog.model import Catalog
    from schedctl.store.database import Database


def make_current(db: Database, catalog: Catalog, by: str, host: str) -> None:
    """Adopt a checked catalog, inside a transaction that holds the installation. `host` is what a local node means."""
    catalogs.adopt(db, catalog, by)
    outbox.adopt_routes(db, catalog)
    restart_plans = {
        agent.name: plans.insert(
            db,
            build(
                (Request(agent.restart.node, agent.restart.action, agent.restart.parameters),),
                catalog,
                host,
                Origin("agents.toml"),
            ),
        )
        for agent in catalog.agents
        if agent.restart is not None
    }
    agents.watch(db, catalog.agents, restart_plans)
