"""Hold a node (not today on mars), and release it again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedctl.language import Text
from schedctl.store import nodes
from schedctl.store.events import record
from schedctl.usecases.failures import node_not_found
from schedctl.usecases.site import Site, adopted_catalog

if TYPE_CHECKING:
    from schedctl.store.nodes import HeldUp, Hold


def why_it_waits(hold: Hold) -> Text:
    """Why queued work does not begin on that node."""
    node = hold.node
    if hold.goes_on:
        return Text(
            f"{node} で実行 {hold.run_id} が終わるのを待っています", f"Waits for run {hold.run_id} on {node} to end"
        )
    if hold.run_id is not None:
        return Text(
            f"{node} では行方不明の実行 {hold.run_id} がまだ動いているかもしれないので、始まりません",
            f"Waits, as lost run {hold.run_id} may still be going on at {node}",
        )
    return Text(
        f"{node} が保留中なので、始まりません（{hold.held_by}: {hold.reason}）",
        f"Waits, as {node} is held ({hold.held_by}: {hold.reason})",
    )


def waits_for(hold: Hold) -> Text:
    """The same, and what to do."""
    why, release = why_it_waits(hold), f"→ schedctl node release {hold.node}"
    if hold.goes_on:
        return why
    if hold.run_id is not None:
        return Text(
            f"{why.ja}。終わったことを確かめたら {release}", f"{why.en}; when you have seen that it ended {release}"
        )
    return Text(f"{why.ja} {release}", f"{why.en} {release}")


@dataclass(frozen=True, slots=True)
class NodeState:
    """A node after `hold` or `release`; `changed` is False when it was so already."""

    name: str
    holds: tuple[Hold, ...]
    changed: bool


def hold(site: Site, name: str, reason: str) -> NodeState:
    """Let no changing work start on the node until it is released; what runs goes on."""
    with site.transaction():
        require_known(site, name)
        changed = nodes.hold(site.db, name, site.actor.name, reason)
        if changed:
            record(site.db, "node_held", site.actor, detail={"node": name, "reason": reason})
        return NodeState(name, nodes.holds(site.db, name), changed)


def release(site: Site, name: str) -> NodeState:
    """Give the node free. An operator who says so vouches that nothing of a lost run is still going on there."""
    with site.transaction():
        require_known(site, name)
        before = nodes.holds(site.db, name)
        changed = nodes.release(site.db, name)
        if changed:
            detail: dict[str, object] = {"node": name, "lost_runs": [hold.run_id for hold in before if hold.run_id]}
            record(site.db, "node_released", site.actor, detail=detail)
        return NodeState(name, nodes.holds(site.db, name), changed)


def held_up(site: Site, names: tuple[str, ...]) -> tuple[HeldUp, ...]:
    """The runs that wait for one of these nodes (none given: any), as something holds it."""
    with site.transaction():
        return tuple(one for one in nodes.held_up(site.db) if not names or one.by.node in names)


def require_known(site: Site, name: str) -> None:
    """A node of the adopted catalog, or one that something holds: it may have left the catalog since."""
    known = [node.name for node in adopted_catalog(site).nodes]
    if name not in known and not nodes.holds(site.db, name):
        raise node_not_found(name, tuple(known))
