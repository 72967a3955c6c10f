"""Watch over schedctl itself: say so when ticks stop or queued work does not start. Has a timer of its own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.store import agents, installation, watching
from schedctl.store.events import record

if TYPE_CHECKING:
    from schedctl.store.agents import AgentRow
    from schedctl.usecases.site import Site

TICK_LIMIT: Final = timedelta(minutes=2)
QUEUE_LIMIT: Final = timedelta(minutes=5)
NEEDS_A_PERSON: Final = ("unhealthy", "escalated")


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that needs a person; `type` is the event's."""

    type: str
    message: Text


@dataclass(frozen=True, slots=True)
class Watched:
    """What is wrong now, and every agent."""

    troubles: tuple[Trouble, ...]
    agents: tuple[AgentRow, ...]
    armed: bool


def watch(site: Site) -> Watched:
    """Look once. Each trouble becomes one event an episode, however often `watch` runs."""
    with site.transaction():
        armed = installation.read(site.db).armed
        found = watching.silence(site.db)
        everyone = agents.every_one(site.db)
        troubles: list[Trouble] = []
        if armed and (found.since_tick is None or found.since_tick > TICK_LIMIT):
            troubles.append(Trouble("tick_silent", _ticks_stopped(found.since_tick)))
            if not found.told_since_tick:
                record(site.db, "tick_silent", site.actor, detail={"seconds": _seconds(found.since_tick)})
        if found.oldest_leg is not None and found.oldest_leg > QUEUE_LIMIT:
            troubles.append(Trouble("queue_stuck", _queue_waits(found.oldest_leg)))
            if not found.told_since_queued:
                record(site.db, "queue_stuck", site.actor, detail={"seconds": _seconds(found.oldest_leg)})
    troubles += [_agent_trouble(one) for one in everyone if one.watched and one.state in NEEDS_A_PERSON]
    return Watched(tuple(troubles), everyone, armed)


def _ticks_stopped(since: timedelta | None) -> Text:
    if since is None:
        return Text("点火しているのに、tick が一度もありません", "Armed, but no tick has ever come")
    minutes = round(since.total_seconds() / 60)
    return Text(
        f"tick が {minutes} 分前から止まっています。schedctl-tick.timer を確かめてください",
        f"Ticks stopped {minutes} min ago; check schedctl-tick.timer",
    )


def _queue_waits(since: timedelta) -> Text:
    minutes = round(since.total_seconds() / 60)
    return Text(
        f"実行待ちが {minutes} 分のあいだ引き受けられていません。worker を確かめてください",
        f"Work that may start has waited for {minutes} min; check the workers",
    )


def _agent_trouble(agent: AgentRow) -> Trouble:
    if agent.state == "escalated":
        said = Text(
            f"エージェント {agent.name} は {agent.attempts_made} 回の再起動でも戻りません。人の手が要ります",
            f"Agent {agent.name} did not come back after {agent.attempts_made} restarts; it needs a person",
        )
        return Trouble("agent_escalated", said)
    return Trouble(
        "agent_unhealthy", Text(f"エージェント {agent.name} から便りがありません", f"Agent {agent.name} is silent")
    )


def _seconds(span: timedelta | None) -> int | None:
    return round(span.total_seconds()) if span is not None else None
