"""Whether a stored plan is still what the catalog would build: asked when another catalog is adopted."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, cast

from schedctl.catalog.changed_values import value_change
from schedctl.errors import PlanError
from schedctl.language import Text
from schedctl.plan.order import order_faults
from schedctl.plan.request import Request
from schedctl.plan.step import make_step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.catalog.model import Catalog
    from schedctl.plan.model import Plan, Step

SAID_ONLY = ("label",)
"""Fields of a step that people read and nothing runs by."""


def still_means_the_same(plan: Plan, catalog: Catalog) -> tuple[Text, ...]:
    """What the catalog would do differently from the plan, each difference once; empty where nothing would."""
    differences = [difference for step in plan.steps for difference in _differences(step, catalog)]
    if not differences:
        differences = list(order_faults(plan.steps, catalog))
    return tuple(dict.fromkeys(differences))


def _differences(step: Step, catalog: Catalog) -> Iterator[Text]:
    request = Request(step.target.node, step.action, step.parameters, step.stage)
    try:
        today = make_step(request, catalog, step.target.host or "")
    except PlanError as error:
        yield error.message
        return
    for field in dataclasses.fields(step):
        before, after = (cast("object", getattr(one, field.name)) for one in (step, today))
        if before != after and field.name not in SAID_ONLY:
            said = f"{step.target.node} {step.action}: {field.name} {value_change(before, after)}"
            yield Text(said, said)
