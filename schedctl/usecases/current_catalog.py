"""Make a catalog the one that counts: the document, the policy that the database acts on, the routes of its notices,
and the agents it watches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedctl.catalog.parse import AGENTS
from schedctl.catalog.problems import CatalogInvalid, Problem
from schedctl.errors import PlanError
from schedctl.language import Text
from schedctl.plan.build import build
from schedctl.plan.model import Origin
from schedctl.plan.request import Request
from schedctl.report.period import due_after
from schedctl.store import agents, catalogs, database, outbox, plans, reports

if TYPE_CHECKING:
    from schedctl.catalog.model import Catalog, DailyReport
    from schedctl.plan.model import Plan
    from schedctl.store.database import Database


def make_current(db: Database, catalog: Catalog, by: str, host: str) -> None:
    """Adopt a checked catalog, inside a transaction that holds the installation. `host` is what a local node means."""
    restarts = restarts_of(catalog, host)
    catalogs.adopt(db, catalog, by)
    outbox.adopt_routes(db, catalog)
    _adopt_reporting(db, catalog.policy.report)
    agents.watch(db, catalog.agents, {name: plans.insert(db, plan) for name, plan in restarts.items()})


def _adopt_reporting(db: Database, report: DailyReport) -> None:
    """From now on reports are written at this hour, the next one when it comes again."""
    hour = report.hour
    due_at = due_after(database.now(db), hour, report.timezone) if hour is not None else None
    reports.adopt(db, hour, report.timezone, due_at)


def restarts_of(catalog: Catalog, host: str) -> dict[str, Plan]:
    """The plan that restarts each agent that can be; `CatalogInvalid` names those of which no plan can be made."""
    found: dict[str, Plan] = {}
    problems: list[Problem] = []
    for agent in catalog.agents:
        if agent.restart is not None:
            request = Request(agent.restart.node, agent.restart.action, agent.restart.parameters)
            try:
                found[agent.name] = build((request,), catalog, host, Origin("agents.toml"))
            except PlanError as error:
                fix = error.hint or Text("docs/catalog.md の例を見てください", "See the examples in docs/catalog.md")
                problems.append(Problem(AGENTS, f"agents.{agent.name}.restart", error.message, fix))
    if problems:
        raise CatalogInvalid(tuple(problems))
    return found
