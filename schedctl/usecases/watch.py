"""Watch over schedctl itself and the agents: say so when something stopped. Has a timer of its own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.store import agents, installation, watching
from schedctl.store.events import record
from schedctl.usecases.unwell import agent_needs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.store.agents import AgentRow
    from schedctl.store.watching import Silence
    from schedctl.usecases.site import Site

TICK_LIMIT: Final = timedelta(minutes=2)
QUEUE_LIMIT: Final = timedelta(minutes=5)
OUTBOX_LIMIT: Final = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that needs a person; `type` is the event's, where there is one."""

    type: str
    message: Text


@dataclass(frozen=True, slots=True)
class Watched:
    """What is wrong now, and every agent."""

    troubles: tuple[Trouble, ...]
    agents: tuple[AgentRow, ...]
    armed: bool


def watch(site: Site) -> Watched:
    """Look once. What ticks and workers do not do becomes one event an episode, however often `watch` runs."""
    with site.transaction():
        armed = installation.read(site.db).armed
        found = watching.silence(site.db)
        everyone = agents.every_one(site.db)
        troubles = [*_of_ticks(site, found, armed), *_of_the_queue(site, found), *_of_the_outbox(found)]
    for agent in everyone:
        troubles += [Trouble(kind, message) for kind, message in agent_needs(agent)]
    return Watched(tuple(troubles), everyone, armed)


def _of_ticks(site: Site, found: Silence, armed: bool) -> Iterator[Trouble]:
    if not armed or found.since_tick is None or found.since_tick <= TICK_LIMIT:
        return
    minutes = _minutes(found.since_tick)
    if found.ever_ticked:
        said = Text(
            f"tick が {minutes} 分前から止まっています。schedctl-tick.timer を確かめてください",
            f"Ticks stopped {minutes} min ago; check schedctl-tick.timer",
        )
    else:
        said = Text(
            f"点火して {minutes} 分たちますが、tick が一度もありません。schedctl-tick.timer を確かめてください",
            f"Armed {minutes} min ago, but no tick has ever come; check schedctl-tick.timer",
        )
    if not found.told_since_tick:
        record(site.db, "tick_silent", site.actor, detail={"seconds": round(found.since_tick.total_seconds())})
    yield Trouble("tick_silent", said)


def _of_the_queue(site: Site, found: Silence) -> Iterator[Trouble]:
    if found.oldest_leg is None or found.oldest_leg <= QUEUE_LIMIT:
        return
    if not found.told_since_queued:
        record(site.db, "queue_stuck", site.actor, detail={"seconds": round(found.oldest_leg.total_seconds())})
    minutes = _minutes(found.oldest_leg)
    said = Text(
        f"実行待ちが {minutes} 分のあいだ引き受けられていません。worker を確かめてください",
        f"Work that may start has waited for {minutes} min; check the workers",
    )
    yield Trouble("queue_stuck", said)


def _of_the_outbox(found: Silence) -> Iterator[Trouble]:
    """No event: a notice that notices are not sent would not be sent either."""
    if found.oldest_notice is None or found.oldest_notice <= OUTBOX_LIMIT:
        return
    minutes = _minutes(found.oldest_notice)
    said = Text(
        f"通知が {minutes} 分前から送れていません。schedctl deliver の結果を確かめてください",
        f"Notices have not been sent for {minutes} min; look at what schedctl deliver says",
    )
    yield Trouble("outbox_stuck", said)


def _minutes(span: timedelta) -> int:
    return round(span.total_seconds() / 60)
