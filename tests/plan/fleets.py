"""A fleet to plan for: the shipped actions on mars (web), venus (gpu), jupiter (gpu, web), this machine, an agent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from schedctl.catalog.files import read_folder
from schedctl.catalog.parse import parse
from schedctl.plan.build import build
from schedctl.plan.model import Origin, Plan
from schedctl.plan.resolve import resolve

if TYPE_CHECKING:
    from schedctl.catalog.model import Catalog

SHIPPED = Path(__file__).parents[2] / "catalog"
HERE = Path(__file__).parent
FLEET = HERE / "fleet"
HOST = "this-host"
LITERAL = Origin("literal")


def fleet_catalog() -> Catalog:
    """The shipped catalog with the fleet's files laid over it."""
    shipped, fleet = (cast("dict[str, object]", read_folder(folder)["files"]) for folder in (SHIPPED, FLEET))
    return parse({"files": {**shipped, **fleet}})


def plan_for(task: str, catalog: Catalog) -> Plan:
    """The plan of a task, literally."""
    return build(resolve(task, catalog), catalog, HOST, LITERAL)


def shown(plan: Plan) -> str:
    """A plan in one line: node:action(parameters), stages divided by /."""
    stages: dict[int, list[str]] = {}
    for step in plan.steps:
        values = ",".join(f"{name}={value}" for name, value in step.parameters)
        said = f"{step.target.node}:{step.action}" + (f"({values})" if values else "")
        stages.setdefault(step.stage, []).append(said)
    return " / ".join(" ".join(steps) for steps in stages.values())


def rows(name: str) -> list[tuple[str, ...]]:
    """The rows of a golden table beside this file."""
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("\t")) for line in lines if not line.startswith("#")]
