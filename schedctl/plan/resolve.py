"""A task in words -> requests, literally: by the words of the catalog and nothing else. No network, no guess.

Every character of the task is accounted for. A word that is neither in the catalog nor in the grammar is a refusal that
names it; so is a negation, a condition, a question or a quotation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from schedctl.catalog.model import Action
from schedctl.errors import PlanError
from schedctl.plan.clauses import Walk, uses_of
from schedctl.plan.grammar import NEVER_ORDERS, Mark
from schedctl.plan.lookup import nodes_for
from schedctl.plan.places import with_places
from schedctl.plan.refusals import (
    Undecided,
    no_node,
    not_an_order,
    nothing_to_do,
    too_long,
    words_without_a_home,
)
from schedctl.plan.request import Request
from schedctl.plan.sequence import in_sequence
from schedctl.plan.tokens import UNKNOWN, Token, tokens_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedctl.catalog.model import Catalog
    from schedctl.plan.uses import Use


LONGEST_TASK: Final = 2000
"""Reading takes about 0.2 ms a character that no word accounts for."""


def resolve(task: str, catalog: Catalog) -> tuple[Request, ...]:
    """The requests that a task means, in their order; `PlanError` (`unknown_action`, `unknown_node`) says why not."""
    if len(task) > LONGEST_TASK:
        raise too_long(LONGEST_TASK)
    tokens = tokens_of(task, catalog)
    refusal = _never_an_order(tokens)
    if refusal is not None:
        raise refusal
    if any(token.meaning is UNKNOWN for token in tokens):
        raise words_without_a_home(tokens, catalog)
    if not any(isinstance(token.meaning, Action) for token in tokens):
        raise nothing_to_do(catalog)
    walk = uses_of(with_places(in_sequence(tokens), catalog), catalog)
    return _requests(walk, catalog)


def never_an_order(task: str, catalog: Catalog) -> PlanError | None:
    """The refusal of a task that negates, conditions, asks, quotes or is undecided: nobody may plan it."""
    task = task[:LONGEST_TASK]
    try:
        resolve(task, catalog)
    except Undecided as refusal:
        return refusal
    except PlanError:
        return _never_an_order(tokens_of(task, catalog))
    return None


def _never_an_order(tokens: Sequence[Token]) -> PlanError | None:
    for token in tokens:
        if token.meaning in NEVER_ORDERS:
            return not_an_order(token, cast("Mark", token.meaning))
    return None


def _requests(walk: Walk, catalog: Catalog) -> tuple[Request, ...]:
    """One request a use and node; where the nodes go one by one, each is a stage of its own."""
    placed: list[tuple[int, int, Request]] = []
    for use, nodes in zip(walk.uses, _all_nodes(walk, catalog), strict=True):
        for turn, node in enumerate(nodes):
            order = (use.stage, turn if walk.one_by_one else 0)
            placed.append((*order, Request(node, use.action.name, use.parameters)))
    stages = {order: number for number, order in enumerate(sorted({(stage, turn) for stage, turn, _ in placed}))}
    return tuple(
        Request(request.node, request.action, request.parameters, stages[stage, turn])
        for stage, turn, request in placed
    )


def _all_nodes(walk: Walk, catalog: Catalog) -> list[tuple[str, ...]]:
    """The nodes of each use: its own, else those of the use before it, else the only one that there can be."""
    result: list[tuple[str, ...]] = []
    before: Use | None = None
    disrupting = {use.stage for use in walk.uses if use.action.risk == "disrupts"}
    for use in walk.uses:
        source = use if use.places is not None else before
        result.append(_suitable(source, use, disrupting, catalog) if source else _only_node(use.action, catalog))
        before = source
    return result


def _suitable(source: Use, use: Use, disrupting: set[int], catalog: Catalog) -> tuple[str, ...]:
    """The nodes of `source` for `use`; this machine last, where it was not named itself and something disrupts."""
    places = source.places
    assert places is not None  # noqa: S101 - a source is a use whose places are known
    is_request = use.action.request is not None
    kinds = {node.name: node.transport for node in catalog.nodes if (node.transport == "http") == is_request}
    nodes = tuple(name for name in places.nodes if name in kinds or not places.any_kind)
    if use.stage not in disrupting:
        return nodes
    return tuple(sorted(nodes, key=lambda name: kinds.get(name) == "local" and name not in places.named))


def _only_node(action: Action, catalog: Catalog) -> tuple[str, ...]:
    able = catalog.nodes if len(catalog.nodes) == 1 else nodes_for(action, catalog)
    if len(able) != 1:
        raise no_node(action, catalog)
    return (able[0].name,)
