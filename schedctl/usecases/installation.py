"""Arm and disarm (点火 / 未点火): whether the whole installation fires, or only records what it would have fired."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedctl.store import installation
from schedctl.store.events import record

if TYPE_CHECKING:
    from schedctl.store.installation import Installation
    from schedctl.usecases.site import Site


@dataclass(frozen=True, slots=True)
class Switched:
    """The installation after `arm` or `disarm`; `changed` is False when it was so already."""

    state: Installation
    changed: bool
    cancelled_runs: int = 0


def arm(site: Site, reason: str | None) -> Switched:
    """Fire from this moment on. What was due before never fires."""
    with site.transaction():
        changed = installation.arm(site.db, site.actor.name, reason)
        if changed:
            record(site.db, "armed", site.actor, detail={"reason": reason})
        return Switched(installation.read(site.db), changed)


def disarm(site: Site, reason: str | None) -> Switched:
    """Fire no more: queued runs are cancelled, running ones go on."""
    with site.transaction():
        cancelled = installation.disarm(site.db, site.actor.name, reason)
        if cancelled is not None:
            record(site.db, "disarmed", site.actor, detail={"reason": reason, "cancelled_runs": cancelled})
        return Switched(installation.read(site.db), cancelled is not None, cancelled or 0)
