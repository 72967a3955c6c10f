"""The report: what happened in a period, what did not, what needs a person, and what comes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Final, Literal

from schedctl.errors import Refused
from schedctl.language import Text
from schedctl.report.figures import Need
from schedctl.report.first_lines import first_lines
from schedctl.report.model import Change, Healed, Report
from schedctl.report.period import ONE_DAY, day_period, local_day, week_period
from schedctl.report.redacting import redacted
from schedctl.report.sentences import by_hand_said, in_order, unwritten_said
from schedctl.store import report_agents, report_runs, reports
from schedctl.usecases import report_ahead, status
from schedctl.usecases.report_agents import Scene, agents_in, told
from schedctl.usecases.report_costs import spent_in
from schedctl.usecases.report_schedules import not_recovered, schedules_in
from schedctl.usecases.unwritten import unwritten_before
from schedctl.when.zones import zone_named

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from schedctl.redact import Redactor
    from schedctl.report.agent_model import AgentReport
    from schedctl.report.figures import Cost, Period
    from schedctl.report.schedule_model import ScheduleReport
    from schedctl.store.report_agents import EventRow
    from schedctl.usecases.report_ahead import Horizon
    from schedctl.usecases.report_costs import Spent
    from schedctl.usecases.site import Site
    from schedctl.usecases.status import Status

PEOPLE: Final = (
    "registered",
    "approved",
    "paused",
    "resumed",
    "archived",
    "auto_paused",
    "armed",
    "disarmed",
    "cancelled",
    "catalog_adopted",
    "node_held",
    "node_released",
)
"""Events that are told as what somebody did (or schedctl by itself to a schedule)."""
HEALED: Final = ("recovered", "agent_recovered")
MOST_CHANGES: Final = 50
MOST_LOOKED_AT: Final = 500
MOST_HEALED: Final = 100
MOST_BY_HAND: Final = 5
EARLIEST: Final = date(1970, 1, 1)
STILL_NOW: Final = 1
"""What needs a person now belongs to a report up to so many days after its period."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which report: of a day or of the seven days up to it, and how many days of the calendar to look ahead.

    `days_ahead` counts today; None: up to tomorrow for a day, eight for a week.
    """

    kind: Literal["day", "week"] = "day"
    day: date | Literal["today", "yesterday"] = "yesterday"
    days_ahead: int | None = None


def make(site: Site, wanted: Wanted, redactor: Redactor) -> Report:
    """The report; `Refused` (`usage`) for a day that is still to come. Nothing is written."""
    with site.transaction() as now:
        zone = reports.read(site.db).timezone
        last = _day(wanted.day, local_day(now, zone))
        period = day_period(last, zone) if wanted.kind == "day" else week_period(last, zone)
        days_ahead = wanted.days_ahead or (2 if wanted.kind == "day" else 8)
        return gather(site, now, period, report_ahead.Horizon(days_ahead), redactor)


def gather(
    site: Site, now: datetime, period: Period, horizon: Horizon, redactor: Redactor, go_on: Callable[[], object] = int
) -> Report:
    """The same inside a transaction. `go_on` is called between the parts and may raise, when time is over."""
    today = local_day(now, period.zone)
    is_current = (today - period.last).days <= STILL_NOW
    seen = status.seen_at(site, now)
    go_on()
    spent = spent_in(site, period)
    go_on()
    healed = _healed(site, period)
    schedules, more_schedules = schedules_in(
        site, period, spent, {one.schedule_id: one.message for one in healed if one.schedule_id is not None}
    )
    go_on()
    agents = agents_in(Scene(site, now, period, spent), seen.agents)
    go_on()
    counts, by_hand = report_runs.totals(site.db, period.start, period.end)
    by_hand_failed = by_hand_said(by_hand, *report_runs.failed_by_hand(site.db, period.start, period.end, MOST_BY_HAND))
    changes = _changes(site, period)
    go_on()
    ahead = report_ahead.calendar(site, now, period.zone, horizon if is_current else report_ahead.Horizon(0))
    needs = _needs(site, now, period, seen) if is_current else ()
    report = Report(
        period=period,
        written_at=now.astimezone(zone_named(period.zone)),
        rehearsal=seen.rehearsal,
        armed=seen.installation.armed,
        first_lines=(),
        needs=(*needs, *not_recovered(site, period)),
        healed=healed,
        counts=in_order(counts),
        by_hand=by_hand,
        agents=agents,
        schedules=schedules,
        more_schedules=more_schedules,
        costs=_costs(agents, schedules, spent),
        changes=changes[:MOST_CHANGES],
        more_changes=max(0, len(changes) - MOST_CHANGES),
        ahead=ahead,
        by_hand_failed=by_hand_failed,
    )
    return redacted(replace(report, first_lines=first_lines(report)), redactor)


def _needs(site: Site, now: datetime, period: Period, seen: Status) -> tuple[Need, ...]:
    """What needs a person now: first the days that nobody was told of, then what status says."""
    unwritten = unwritten_before(site, now, period.last)
    untold = [Need("not_reported", unwritten_said(unwritten.first, unwritten.last))] if unwritten is not None else []
    return (*untold, *(Need(need.type, need.message) for need in seen.needs))


def _day(wanted: date | Literal["today", "yesterday"], today: date) -> date:
    match wanted:
        case "today":
            return today
        case "yesterday":
            return today - ONE_DAY
        case day if day < EARLIEST:
            raise Refused(
                "usage",
                Text(f"{day.isoformat()} に schedctl はまだありません", f"There was no schedctl on {day.isoformat()}"),
                Text("2026-11-30 のような日付を書いてください", "Name a day like 2026-11-30"),
            )
        case day if day <= today:
            return day
        case day:
            raise Refused(
                "usage",
                Text(f"{day.isoformat()} はまだ来ていません", f"{day.isoformat()} is still to come"),
                Text(
                    "これからの予定は schedctl upcoming で見られます", "What is to come is shown by schedctl upcoming"
                ),
            )


def _healed(site: Site, period: Period) -> tuple[Healed, ...]:
    zone = zone_named(period.zone)
    found = report_agents.events(site.db, period.start, period.end, HEALED, MOST_HEALED)
    return tuple(
        Healed(event.at.astimezone(zone), told(event, period.zone), event.detail.get("agent"), event.schedule_id)
        for event in _in_order(found)
    )


def _changes(site: Site, period: Period) -> tuple[Change, ...]:
    """What people did, oldest first."""
    zone = zone_named(period.zone)
    found = report_agents.events(site.db, period.start, period.end, PEOPLE, MOST_LOOKED_AT)
    return tuple(
        Change(event.at.astimezone(zone), event.type, event.actor, event.schedule_id, told(event, period.zone))
        for event in _in_order(found)
        if not _follows_by_itself(event)
    )


def _in_order(events: Sequence[EventRow]) -> list[EventRow]:
    return sorted(events, key=lambda event: (event.at.timestamp(), event.event_id))


def _follows_by_itself(event: EventRow) -> bool:
    """What nobody did: an approval that the policy does not ask for, a run that a worker's end cancelled."""
    return (event.type == "approved" and event.detail.get("by") == "policy") or (
        event.type == "cancelled" and event.detail.get("reason") == "shutdown"
    )


def _costs(agents: Sequence[AgentReport], schedules: Sequence[ScheduleReport], spent: Spent) -> tuple[Cost, ...]:
    every = (*(agent.cost for agent in agents), *(one.cost for one in schedules), spent.planner())
    return tuple(cost for cost in every if cost is not None)
