"""Arm and disarm (点火 / 未点火): whether the whole installation fires, or only records what it would have fired."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.store import installation
from schedctl.store.events import record

if TYPE_CHECKING:
    from schedctl.store.installation import Installation
    from schedctl.usecases.site import Site

RESTORED: Final = Text(
    "データベースが前回の tick のときと別の場所にあります（バックアップからの復元か複製）。"
    "同じ回を二度実行しないよう、未点火にして実行待ちを取り消しました。"
    "実行の記録を確かめてから schedctl arm としてください",
    "The database is not where it was at the last tick: it was restored from a backup, or copied. So that nothing runs "
    "twice it was disarmed, and what was queued is cancelled; look at what ran since, then say schedctl arm",
)

WILL_DISARM: Final = Text(
    "データベースは復元または複製されたものです。次の tick か worker で未点火になり、実行待ちは取り消されます。"
    "実行の記録を確かめたら → schedctl arm",
    "The database was restored or copied: the next tick or worker disarms it and cancels what is queued; "
    "once you have seen what ran → schedctl arm",
)
HAS_DISARMED: Final = Text(
    "データベースが復元または複製されたので、自動で未点火になりました。実行の記録を確かめたら → schedctl arm",
    "The database was restored or copied, so it disarmed itself; once you have seen what ran → schedctl arm",
)


@dataclass(frozen=True, slots=True)
class Switched:
    """The installation after `arm` or `disarm`; `changed` is False when it was so already."""

    state: Installation
    changed: bool
    cancelled_runs: int = 0


def restored(state: Installation, *, moved: bool) -> Text | None:
    """What to say of a database that was restored or copied while no person has looked yet; None for any other."""
    if moved:
        return WILL_DISARM
    return HAS_DISARMED if not state.armed and state.changed_reason == installation.RESTORED else None


def arm(site: Site, reason: str | None) -> Switched:
    """Fire from this moment on. What was due before never fires."""
    with site.transaction():
        installation.settle_place(site.db)
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
