"""A report as sections of lines: what the terminal, Markdown and chats show, each in its own dress. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from schedctl.language import Text
from schedctl.report import glyphs
from schedctl.report.sentences import counts_said
from schedctl.report.spans import number_said
from schedctl.report.words import AGENT_STATES
from schedctl.when.saying.moments import day_said, moment_said

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from schedctl.report.agent_model import AgentReport
    from schedctl.report.figures import Cost, Period
    from schedctl.report.model import Calendar, Coming, DayAhead, Report
    from schedctl.report.schedule_model import RunFact, ScheduleReport

Tone = Literal["plain", "need", "bad", "good", "note"]
SectionName = Literal["needs", "runs", "agents", "healed", "costs", "changes", "ahead"]
HEADINGS: Final[dict[SectionName, Text]] = {
    "needs": Text("人の手が要るもの", "Needs a person"),
    "runs": Text("予定", "Schedules"),
    "agents": Text("エージェント", "Agents"),
    "healed": Text("ひとりでに直ったもの", "Healed by itself"),
    "costs": Text("トークン", "Tokens"),
    "changes": Text("人がしたこと", "What people did"),
    "ahead": Text("これから", "What comes"),
}

MOST_HEALED: Final = 20
MOST_OF_A_DAY: Final = 12
"""Entries of a day that comes."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line; `level` 1 belongs to the line of level 0 before it, 2 to 1. `letters` is a strip that stands below."""

    text: Text
    tone: Tone = "plain"
    level: int = 0
    letters: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report with its heading; never without lines."""

    name: SectionName
    lines: tuple[Line, ...]

    @property
    def heading(self) -> Text:
        """What stands above it."""
        return HEADINGS[self.name]


def outline(report: Report) -> tuple[Section, ...]:
    """The sections that have something to say, in their order."""
    sections = (
        Section("needs", tuple(Line(need.message, "need") for need in report.needs)),
        Section("runs", tuple(_runs(report))),
        Section("agents", tuple(line for agent in report.agents for line in _agent(agent, report))),
        Section("healed", tuple(_healed(report))),
        Section("costs", tuple(_cost(cost) for cost in report.costs)),
        Section("changes", tuple(_changes(report))),
        Section("ahead", tuple(_ahead(report.ahead))),
    )
    return tuple(section for section in sections if section.lines)


def next_step(report: Report) -> str:
    """The command that shows the same report again."""
    week = " --week" if report.period.kind == "week" else ""
    return f"schedctl report --day {report.period.last.isoformat()}{week}"


# ---------------------------------------------------------------- schedules


def _runs(report: Report) -> Iterator[Line]:
    if report.counts:
        hand = 0 if report.by_hand_failed else report.by_hand
        by_hand = Text(f"（ほかに手動 {hand}）", f" (and {hand} by hand)") if hand else Text("", "")
        said = counts_said(report.counts)
        yield Line(Text(f"{said.ja}{by_hand.ja}", f"{said.en}{by_hand.en}"))
    if report.by_hand_failed:
        yield Line(report.by_hand_failed, "bad")
    for one in report.schedules:
        if one.noteworthy:
            yield from _schedule(one, report)
    fine = sum(one.went_well for one in report.schedules)
    if fine and any(one.noteworthy for one in report.schedules):
        others = f"{fine} other schedule{'s' if fine > 1 else ''} went well"
        yield Line(Text(f"ほかの {fine} 件の予定は順調でした", others), "good")
    if report.more_schedules:
        yield Line(
            Text(
                f"ほかに {report.more_schedules:,} 件の予定が動きました",
                f"{report.more_schedules:,} more schedules had runs",
            ),
            "note",
        )


def _schedule(one: ScheduleReport, report: Report) -> Iterator[Line]:
    said = counts_said(one.counts)
    yield Line(
        Text(
            f"予定 {one.schedule_id}「{one.title}」: {said.ja}", f"schedule {one.schedule_id} “{one.title}”: {said.en}"
        ),
        letters=glyphs.run_strip(one.strip, report.period),
    )
    if one.paused is not None:
        paused = Text(f"いまは停止中（{one.paused.ja}）", f"now paused ({one.paused.en})")
        yield Line(paused, "bad" if one.paused_by_itself else "note", level=1)
    for fact in one.facts:
        yield from _fact(fact, report.period)
    if one.more_facts:
        yield Line(Text(f"ほかに {one.more_facts} 件", f"{one.more_facts} more"), "note", level=1)
    if one.durations is not None and one.durations.slower:
        yield Line(one.durations.message, "bad", level=1)


def _fact(fact: RunFact, period: Period) -> Iterator[Line]:
    run, said = fact.run_id, fact.message
    said = _at(fact.at, period, Text(f"実行 {run}: {said.ja}", f"run {run}: {said.en}"))
    since = Text("。その後は成功", "; succeeded since") if fact.recovered else Text("", "")
    tone: Tone = "note" if fact.recovered or fact.state in ("skipped", "cancelled") else "bad"
    yield Line(Text(f"{said.ja}{since.ja}", f"{said.en}{since.en}"), tone, level=1)
    for known in fact.known:
        yield Line(known, "note", level=2)


# ---------------------------------------------------------------- agents


def _agent(agent: AgentReport, report: Report) -> Iterator[Line]:
    state = AGENT_STATES.get(agent.state, Text(agent.state, agent.state))
    label = Text(*(f"（{word}）" if word != agent.name else "" for word in (agent.label.ja, agent.label.en)))
    yield Line(
        Text(
            f"{agent.name}{label.ja}: {agent.alive.ja}。いまは{state.ja}",
            f"{agent.name}{label.en}: {agent.alive.en}; now {state.en}",
        ),
        "bad" if agent.needs else "plain",
        letters=glyphs.agent_strip(agent.strip, report.period),
    )
    for group in agent.restarts:
        said = group.message
        yield Line(Text(f"再起動: {said.ja}", f"restarted: {said.en}"), "bad", level=1)
    for loop in agent.loops:
        yield Line(loop, "bad", level=1)
    if agent.cooldowns:
        count = agent.cooldowns
        yield Line(
            Text(
                f"様子見のあいだに戻らなかった再起動: {count} 回",
                f"{count} restart{'s' if count > 1 else ''} did not help within the cooldown",
            ),
            "bad",
            level=1,
        )
    for event in agent.events:
        if event.type not in ("agent_restarted", "agent_recovered"):
            yield Line(_at(event.at, report.period, event.message), "bad", level=1)


def _cost(cost: Cost) -> Line:
    said = cost.message
    return Line(
        Text(f"{cost.subject.ja}: {said.ja}", f"{cost.subject.en}: {said.en}"),
        letters=f"{glyphs.sparkline([day.mean for day in cost.days])} {_range(cost)}",
    )


def _range(cost: Cost) -> str:
    """What the lowest and the highest bar stand for."""
    means = [day.mean for day in cost.days if day.mean is not None]
    low, high = number_said(min(means)), number_said(max(means))
    return low if low == high else f"{low}–{high}"


def _healed(report: Report) -> Iterator[Line]:
    for one in report.healed[:MOST_HEALED]:
        yield Line(_at(one.at, report.period, one.message), "good")
    if len(report.healed) > MOST_HEALED:
        count = len(report.healed) - MOST_HEALED
        yield Line(Text(f"ほかに {count} 件", f"{count} more"), "note")


# ---------------------------------------------------------------- people, and what comes


def _changes(report: Report) -> Iterator[Line]:
    for one in report.changes:
        yield Line(_at(one.at, report.period, one.message))
    if report.more_changes:
        count = report.more_changes
        yield Line(Text(f"ほかに {count} 件", f"{count} more"), "note")


def _ahead(ahead: Calendar) -> Iterator[Line]:
    for day in ahead.days:
        if day.coming or day.freezes:
            yield from _day(day)
    if ahead.pending:
        count = ahead.pending
        yield Line(
            Text(
                f"承認待ちの予定 {count} 件は入っていません → schedctl list --state pending",
                f"not in it: {count} pending schedule{'s' if count > 1 else ''} → schedctl list --state pending",
            ),
            "note",
        )
    if ahead.more:
        yield Line(Text("多いので途中までです → schedctl upcoming", "cut here → schedctl upcoming"), "note")


def _day(day: DayAhead) -> Iterator[Line]:
    count = sum(one.count for one in day.coming if one.frozen is None)
    notes = [*day.holidays, *(Text(f"変更凍結: {reason}", f"freeze: {reason}") for reason in day.freezes)]
    ja, en = "、".join(note.ja for note in notes), ", ".join(note.en for note in notes)
    yield Line(
        Text(
            f"{day_said(day.day, 'ja')}: {count:,} 回" + (f"（{ja}）" if notes else ""),
            f"{day_said(day.day, 'en')}: {count:,} run{'' if count == 1 else 's'}" + (f" ({en})" if notes else ""),
        )
    )
    for one in day.coming[:MOST_OF_A_DAY]:
        yield from _coming(one)
    if len(day.coming) > MOST_OF_A_DAY:
        rest = len(day.coming) - MOST_OF_A_DAY
        more = Text(f"ほかに {rest} 件 → schedctl upcoming", f"{rest} more → schedctl upcoming")
        yield Line(more, "note", level=1)


def _coming(one: Coming) -> Iterator[Line]:
    until = Text(f" から {one.last:%H:%M} まで {one.count:,} 回", f" to {one.last:%H:%M}, {one.count:,} times")
    many = until if one.count > 1 else Text("", "")
    nodes, actions = ", ".join(one.nodes), ", ".join(one.actions)
    yield Line(
        Text(
            f"{one.at:%H:%M}{many.ja}  {nodes}  {actions}（予定 {one.schedule_id}）",
            f"{one.at:%H:%M}{many.en}  {nodes}  {actions} (schedule {one.schedule_id})",
        ),
        "note" if one.frozen else "plain",
        level=1,
    )
    for note in one.notes:
        yield Line(note, "bad", level=2)


def _at(at: datetime, period: Period, said: Text) -> Text:
    """A sentence with its time before it; the date only where it is not the report's own day."""
    if period.kind == "day" and at.date() == period.last:
        return Text(f"{at:%H:%M}  {said.ja}", f"{at:%H:%M}  {said.en}")
    zone = period.zone
    return Text(f"{moment_said(at, zone, 'ja')}  {said.ja}", f"{moment_said(at, zone, 'en')}  {said.en}")
