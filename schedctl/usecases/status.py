"""Status: the installation on one screen, and what of it needs a person."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal

from schedctl.language import Text
from schedctl.store import agents, catalogs, installation, nodes, outbox, status, trouble
from schedctl.usecases.installation import restored
from schedctl.usecases.unwell import AgentNeed, agent_needs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.catalog.basics import Freeze
    from schedctl.store.agents import AgentRow
    from schedctl.store.catalogs import AdoptedCatalog
    from schedctl.store.installation import Installation
    from schedctl.store.nodes import HeldUp, Hold
    from schedctl.store.outbox import OutboxState
    from schedctl.store.status import LegCounts, PausedSchedule, TickBeat
    from schedctl.store.trouble import Trouble
    from schedctl.usecases.site import Site

LOOK_BACK: Final = timedelta(hours=24)
TICKS_STOPPED_AFTER: Final = timedelta(minutes=2)
IN_THE_FUTURE: Final = timedelta(minutes=-1)
"""A beat of such an age was written by a clock that was wrong: it says nothing of now."""
NOTICES_STUCK_AFTER: Final = timedelta(minutes=15)
SHOWN: Final = 20
"""Rows of each kind."""

NeedType = (
    Literal[
        "restored",
        "ticks_stopped",
        "went_wrong",
        "paused_by_itself",
        "node_held_by_lost_run",
        "notices_given_up",
        "notices_stuck",
    ]
    | AgentNeed
)


@dataclass(frozen=True, slots=True)
class Need:
    """Something that will not get better without a person."""

    type: NeedType
    message: Text


@dataclass(frozen=True, slots=True)
class Status:
    """The installation at `now`. Lists are cut to `SHOWN` rows; `went_wrong` counts all of the last 24 hours."""

    now: datetime
    rehearsal: bool
    installation: Installation
    moved: bool
    """It lies in another place than at the last tick, and has not disarmed itself yet."""
    ticks: tuple[TickBeat, ...]
    schedules: dict[str, int]
    paused: tuple[PausedSchedule, ...]
    legs: LegCounts
    holds: tuple[Hold, ...]
    held_up: tuple[HeldUp, ...]
    went_wrong: dict[str, int]
    troubles: tuple[Trouble, ...]
    catalog: AdoptedCatalog | None
    freezes: tuple[Freeze, ...]
    agents: tuple[AgentRow, ...]
    """The watched ones."""
    outbox: OutboxState
    """Its dead letters are those of the last 24 hours."""

    @property
    def needs(self) -> tuple[Need, ...]:
        """What needs a person; empty when all is well."""
        found = (
            *(_restored(self), _ticks(self), _went_wrong(self), _paused(self)),
            *map(_held, self.holds),
            *_notices(self.outbox),
        )
        of_agents = (Need(kind, message) for agent in self.agents for kind, message in agent_needs(agent))
        return (*(need for need in found if need is not None), *of_agents)


def look(site: Site) -> Status:
    """The installation as it is now; freezes that are over are left out."""
    with site.transaction() as now:
        return seen_at(site, now)


def seen_at(site: Site, now: datetime) -> Status:
    """The same inside a transaction."""
    since = now - LOOK_BACK
    return Status(
        now=now,
        rehearsal=site.settings.rehearsal_now is not None,
        installation=installation.read(site.db),
        moved=installation.moved(site.db),
        ticks=status.ticks(site.db),
        schedules=status.schedule_counts(site.db),
        paused=status.paused(site.db, SHOWN),
        legs=status.leg_counts(site.db),
        holds=nodes.holds(site.db),
        held_up=nodes.held_up(site.db),
        went_wrong=trouble.counts(site.db, since),
        troubles=trouble.since(site.db, since, SHOWN),
        catalog=catalogs.current(site.db),
        freezes=tuple(freeze for freeze in catalogs.freezes(site.db) if freeze.end > now),
        agents=tuple(agent for agent in agents.every_one(site.db) if agent.watched),
        outbox=outbox.state(site.db, LOOK_BACK),
    )


def _restored(seen: Status) -> Need | None:
    said = restored(seen.installation, moved=seen.moved)
    return Need("restored", said) if said is not None else None


def _ticks(seen: Status) -> Need | None:
    """Armed and without any tick for two minutes: nothing fires, and nobody would notice."""
    if seen.installation.armed_since is None:
        return None
    last = next((beat for beat in seen.ticks if beat.age > IN_THE_FUTURE), None)
    if last is None:
        if seen.now - seen.installation.armed_since <= TICKS_STOPPED_AFTER:
            return None
        said = Text(
            "点火していますが、tick がまだ一度も来ていません → schedctl doctor",
            "Armed, but no tick has ever come → schedctl doctor",
        )
    elif last.age <= TICKS_STOPPED_AFTER:
        return None
    else:
        minutes = int(last.age.total_seconds() // 60)
        said = Text(
            f"点火していますが、tick が {minutes} 分来ていません → schedctl doctor",
            f"Armed, but there was no tick for {minutes} min → schedctl doctor",
        )
    return Need("ticks_stopped", said)


def _went_wrong(seen: Status) -> Need | None:
    count = sum(seen.went_wrong.values())
    if not count:
        return None
    occurrences = f"{count:,} occurrence{'s' if count > 1 else ''}"
    return Need(
        "went_wrong",
        Text(
            f"この24時間に、うまくいかなかった回が {count:,} 回あります → schedctl runs --errors",
            f"{occurrences} went wrong in the last 24 hours → schedctl runs --errors",
        ),
    )


def _paused(seen: Status) -> Need | None:
    by_itself = [one.schedule_id for one in seen.paused if one.by_itself]
    if not by_itself:
        return None
    ids = ", ".join(map(str, by_itself))
    return Need(
        "paused_by_itself",
        Text(
            f"自動で止まった予定があります（{ids}）→ schedctl show {by_itself[0]}",
            f"Schedules paused by themselves ({ids}) → schedctl show {by_itself[0]}",
        ),
    )


def _held(hold: Hold) -> Need | None:
    if hold.run_id is None:
        return None
    return Need(
        "node_held_by_lost_run",
        Text(
            f"{hold.node} では、行方不明の実行 {hold.run_id} がまだ動いているかもしれません。"
            f"終わったことを確かめたら → schedctl node release {hold.node}",
            f"Lost run {hold.run_id} may still be going on at {hold.node}; "
            f"when you have seen that it ended → schedctl node release {hold.node}",
        ),
    )


def _notices(outbox: OutboxState) -> Iterator[Need]:
    """Somebody was not told: for good, or for longer than a channel is usually away."""
    if outbox.dead:
        said = Text(
            f"この24時間に {outbox.dead} 件の通知の送信を断念しました。直したら → schedctl deliver --again",
            f"{outbox.dead} notices were given up in the last 24 hours; once repaired → schedctl deliver --again",
        )
        yield Need("notices_given_up", said)
    if outbox.stuck_for is not None and outbox.stuck_for > NOTICES_STUCK_AFTER:
        minutes = int(outbox.stuck_for.total_seconds() // 60)
        said = Text(
            f"通知が {minutes} 分前から送れていません → schedctl deliver",
            f"Notices have not been sent for {minutes} min → schedctl deliver",
        )
        yield Need("notices_stuck", said)
