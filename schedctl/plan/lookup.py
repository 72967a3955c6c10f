"""Names -> entries of the catalog, or a refusal that offers the nearest names."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from schedctl.catalog.words import words_of
from schedctl.errors import PlanError
from schedctl.language import Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schedctl.catalog.model import Action, Catalog, Group, Node

MOST_OFFERED: Final = 5
LIKE: Final = 0.6


def node_named(catalog: Catalog, name: str) -> Node:
    """The node of this name; `PlanError` (`unknown_node`) where there is none."""
    for node in catalog.nodes:
        if node.name == name:
            return node
    raise PlanError(
        "unknown_node",
        Text(f"ノード「{name}」はカタログにありません", f"The catalog has no node “{name}”"),
        offer(nearest_entries((name,), catalog.nodes), catalog),
    )


def action_named(catalog: Catalog, name: str) -> Action:
    """The action of this name; `PlanError` (`unknown_action`) where there is none."""
    for action in catalog.actions:
        if action.name == name:
            return action
    raise PlanError(
        "unknown_action",
        Text(f"アクション「{name}」はカタログにありません", f"The catalog has no action “{name}”"),
        offer(nearest_entries((name,), catalog.actions), catalog),
    )


def can_run(action: Action, node: Node) -> bool:
    """Whether the node's transport carries such an action, and the action's groups (if any) include the node."""
    fits = (action.request is not None) == (node.transport == "http")
    return fits and (not action.groups or bool(set(action.groups) & set(node.groups)))


def nodes_for(action: Action, catalog: Catalog) -> tuple[Node, ...]:
    """The nodes that can run an action."""
    return tuple(node for node in catalog.nodes if can_run(action, node))


def nearest_entries(said: Iterable[str], entries: Iterable[Node | Group | Action]) -> tuple[Node | Group | Action, ...]:
    """The entries with a word most like one of those that were said, the likest first; at most five."""
    scored: list[tuple[float, Node | Group | Action]] = []
    words = [word.lower() for word in said if word]
    for entry in entries:
        likeness = max((_likeness(word, name.lower()) for word in words for name in words_of(entry)), default=0.0)
        if likeness >= LIKE:
            scored.append((likeness, entry))
    scored.sort(key=lambda pair: (-pair[0], pair[1].name))
    return tuple(entry for _, entry in scored[:MOST_OFFERED])


def offer(entries: tuple[Node | Group | Action, ...], catalog: Catalog) -> Text:
    """A hint that names these entries, or, where there are none, where all of them can be seen."""
    if entries:
        ja = "、".join(_both(entry, entry.label.ja) for entry in entries)
        en = ", ".join(_both(entry, entry.label.en) for entry in entries)
        return Text(f"近いもの: {ja}", f"Nearest: {en}")
    nodes = ", ".join(node.name for node in catalog.nodes)
    return Text(
        f"ノードは {nodes}、できることは catalog/actions/ に書かれています",
        f"The nodes are {nodes}; what they can do stands in catalog/actions/",
    )


def _likeness(said: str, name: str) -> float:
    """1 for the same word, 0.6 and more for a similar one or one that contains the other."""
    if len(said) >= 2 and (said in name or name in said):
        return 0.75 + 0.25 * min(len(said), len(name)) / max(len(said), len(name))
    return difflib.SequenceMatcher(None, said, name).ratio()


def _both(entry: Node | Group | Action, label: str) -> str:
    return (
        entry.name
        if label == entry.name
        else f"{entry.name}（{label}）"
        if not label.isascii()
        else f"{entry.name} ({label})"
    )
