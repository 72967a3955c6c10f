"""Requests -> a plan: prerequisites put in, duplicates collapsed, every step checked against the catalog and final."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedctl.errors import PlanError
from schedctl.language import Text
from schedctl.plan.lookup import action_named
from schedctl.plan.model import Origin, Plan
from schedctl.plan.order import in_stages, order_faults
from schedctl.plan.request import Request
from schedctl.plan.step import make_step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from schedctl.catalog.model import Catalog


def build(requests: Iterable[Request], catalog: Catalog, host: str, origin: Origin) -> Plan:
    """The plan that these requests mean; `PlanError` where the catalog does not allow it.

    A `local` node means the machine `host`. The same action said twice in one stage is done once; said again in a later
    stage, it is done again.
    """
    ordered = sorted(requests, key=lambda request: request.stage)
    if not ordered:
        raise PlanError("unknown_action", Text("実行することがありません", "There is nothing to do"))
    steps = in_stages([make_step(request, catalog, host) for request in _expanded(ordered, catalog)])
    for fault in order_faults(steps, catalog):
        raise PlanError(
            "unknown_action",
            fault,
            Text("別々の予定として登録してください", "Register them as separate schedules"),
        )
    return Plan(steps, origin)


def _expanded(requests: list[Request], catalog: Catalog) -> Iterator[Request]:
    """The requests with their prerequisites before them, each once."""
    placed: set[Request] = set()
    done: set[tuple[str, str]] = set()
    for request in requests:
        wanted = [first for first in _before(request, catalog) if (first.node, first.action) not in done]
        for each in (*wanted, request):
            if each not in placed:
                placed.add(each)
                done.add((each.node, each.action))
                yield each


def _before(request: Request, catalog: Catalog) -> Iterator[Request]:
    """The prerequisites of a request, and theirs before them. The catalog has no circles."""
    for name in action_named(catalog, request.action).prerequisites:
        first = Request(request.node, name, stage=request.stage)
        yield from _before(first, catalog)
        yield first
