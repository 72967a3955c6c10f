"""What a report says of agents: rows of figures become the report's values."""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.notify.about import Notice
from schedctl.notify.message import sentence
from schedctl.report.agent_model import AgentEvent, AgentReport
from schedctl.report.figures import Need
from schedctl.report.period import ONE_DAY, WEEK, start_of
from schedctl.report.restarts import RestartAt, grouped
from schedctl.report.sentences import alive_said
from schedctl.report.strip import Life, Silence, alive_share, strip_of
from schedctl.report.words import title_of
from schedctl.store import report_agents
from schedctl.usecases.site import adopted_catalog
from schedctl.usecases.unwell import agent_needs
from schedctl.when.saying.moments import moment_said
from schedctl.when.zones import zone_named

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from schedctl.report.figures import Period
    from schedctl.store.agents import AgentRow
    from schedctl.store.report_agents import EventRow, Watched
    from schedctl.usecases.report_costs import Spent
    from schedctl.usecases.site import Site

TYPES: Final = ("agent_unhealthy", "agent_restarted", "agent_escalated", "agent_recovered", "cost_alarm")
MOST_AGENTS: Final = 200
MOST_EVENTS: Final = 2000
"""Of all agents in a week."""
EVENTS_EACH: Final = 12
MOST_LOOKED_BESIDE: Final = 60
"""Restarts, the latest ones, whose neighbours are looked for."""
LOOP_WITHIN: Final = timedelta(hours=1)
LOOP_OF: Final = 3
RECOVERY_LOOKED_FOR: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Scene:
    """Which time a report is about, when it is written, and what was spent."""

    site: Site
    now: datetime
    period: Period
    spent: Spent


@dataclass(slots=True)
class Known:
    """What is known of one agent beside its own row."""

    silences: list[Silence] = field(default_factory=list[Silence])
    unwell: list[tuple[datetime, datetime]] = field(default_factory=list[tuple[datetime, datetime]])
    events: list[EventRow] = field(default_factory=list["EventRow"])
    """Of the week up to the period's end, oldest first."""


def agents_in(scene: Scene, rows: Sequence[AgentRow]) -> tuple[AgentReport, ...]:
    """The watched agents of a period, the noteworthy ones first; inside a transaction."""
    watched = report_agents.watched(scene.site.db, MOST_AGENTS)
    if not watched:
        return ()
    labels = {agent.name: agent.label for agent in adopted_catalog(scene.site).agents}
    known = _known(scene, watched)
    beside = _beside(scene, known)
    by_name = {row.name: row for row in rows}
    told = [
        _agent(scene, by_name[one.name], one, known[one.name], beside, labels.get(one.name, Text(one.name, one.name)))
        for one in watched
        if one.name in by_name
    ]
    told.sort(key=lambda one: not one.noteworthy)
    return tuple(told)


def told(event: EventRow, zone: str) -> Text:
    """What is said of an event, as a notice says it."""
    return sentence(
        Notice(
            event_id=event.event_id,
            type=event.type,
            severity=event.severity,
            at=event.at,
            actor=event.actor,
            host=event.host,
            detail=event.detail,
            schedule_id=event.schedule_id,
            schedule_name=event.schedule_name,
            instruction=event.instruction,
            timezone=event.timezone,
            run_id=event.run_id,
        ),
        zone,
    )


def _agent(
    scene: Scene,
    row: AgentRow,
    watched: Watched,
    known: Known,
    beside: Mapping[datetime, tuple[tuple[int, str], ...]],
    label: Text,
) -> AgentReport:
    period, zone = scene.period, zone_named(scene.period.zone)
    strip = strip_of(period, scene.now, Life(watched.watched_since, tuple(known.silences), tuple(known.unwell)))
    share = alive_share(strip)
    restarts = [event for event in known.events if event.type == "agent_restarted"]
    recent = [event for event in known.events if _within(period, event.at)]
    shown = [AgentEvent(one.at.astimezone(zone), one.type, told(one, period.zone)) for one in recent]
    called = Text(f"エージェント {row.name}", f"agent {row.name}")
    return AgentReport(
        name=row.name,
        label=label,
        state=row.state,
        strip=strip,
        alive_share=share,
        alive=alive_said(strip, share, period),
        restarts=grouped([RestartAt(one.at, beside.get(one.at, ())) for one in restarts], period, _days(period)),
        loops=_loops(recent, period.zone),
        cooldowns=_in_vain(known.events, period),
        events=tuple(shown[-EVENTS_EACH:]),
        more_events=max(0, len(shown) - EVENTS_EACH),
        cost=scene.spent.cost(f"agent {row.name}", called),
        needs=tuple(Need(kind, message) for kind, message in agent_needs(row)),
    )


def _known(scene: Scene, watched: Sequence[Watched]) -> dict[str, Known]:
    site, period = scene.site, scene.period
    known = {one.name: Known() for one in watched}
    for row in report_agents.silences(site.db, period.start, period.end, list(known)):
        known[row.name].silences.append(Silence(row.started_at, row.ended_at, row.announced))
    for one in watched:
        if one.unwell_since is not None:
            known[one.name].unwell.append((one.unwell_since, scene.now))
    start = start_of(period.last - (_days(period) - 1) * ONE_DAY, period.zone)
    found = report_agents.events(site.db, start, period.end + RECOVERY_LOOKED_FOR, TYPES, MOST_EVENTS)
    for event in reversed(found):
        _note(known.get(str(event.detail.get("agent"))), event, period)
    return known


def _note(agent: Known | None, event: EventRow, period: Period) -> None:
    if agent is None:
        return
    since = event.detail.get("unwell_since")
    if event.type == "agent_recovered" and isinstance(since, str):
        agent.unwell.append((datetime.fromisoformat(since), event.at))
    if event.at.timestamp() < period.end.timestamp():
        agent.events.append(event)


def _beside(scene: Scene, known: Mapping[str, Known]) -> dict[datetime, tuple[tuple[int, str], ...]]:
    """The schedules that ran just when an agent was restarted, by that instant."""
    restarts = sorted(
        {event.at for one in known.values() for event in one.events if event.type == "agent_restarted"}, reverse=True
    )[:MOST_LOOKED_BESIDE]
    found: defaultdict[datetime, list[tuple[int, str]]] = defaultdict(list)
    for row in report_agents.beside(scene.site.db, restarts) if restarts else ():
        found[row.restarted_at].append((row.schedule_id, title_of(row.name, row.instruction)))
    return {instant: tuple(ran) for instant, ran in found.items()}


def _loops(events: Sequence[EventRow], zone: str) -> tuple[Text, ...]:
    """Restarts that did not last: three or more within an hour, told as one episode."""
    said: list[Text] = []
    episode: list[datetime] = []
    for at in [*(event.at for event in events if event.type == "agent_restarted"), None]:
        if at is not None and (not episode or at - episode[-1] <= LOOP_WITHIN / (LOOP_OF - 1)):
            episode.append(at)
            continue
        if len(episode) >= LOOP_OF:
            said.append(_loop(episode, zone))
        episode = [at] if at is not None else []
    return tuple(said)


def _loop(episode: Sequence[datetime], zone: str) -> Text:
    (ja, en), (until_ja, until_en) = (
        (moment_said(at, zone, "ja"), moment_said(at, zone, "en")) for at in (episode[0], episode[-1])
    )
    return Text(
        f"{ja} から {until_ja} までに {len(episode)} 回の再起動を繰り返しました",
        f"restarted {len(episode)} times in a loop, from {en} to {until_en}",
    )


def _in_vain(events: Sequence[EventRow], period: Period) -> int:
    """How many restarts of the period were followed by another one, or by the end of all attempts."""
    judged = [event for event in events if event.type in ("agent_restarted", "agent_escalated", "agent_recovered")]
    return sum(
        before.type == "agent_restarted" and after.type != "agent_recovered" and _within(period, before.at)
        for before, after in itertools.pairwise(judged)
    )


def _days(period: Period) -> int:
    """Over how many days restarts are looked at: the period's own seven, or those up to its day."""
    return max(WEEK, (period.last - period.first).days + 1)


def _within(period: Period, at: datetime) -> bool:
    return period.start.timestamp() <= at.timestamp() < period.end.timestamp()
