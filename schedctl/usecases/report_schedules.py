"""What a report says of schedules: rows of figures become the report's values."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import TYPE_CHECKING, Final, TypeVar, cast

from schedctl.language import Text
from schedctl.report.figures import Need
from schedctl.report.schedule_model import Durations, RunCell, RunFact, ScheduleReport
from schedctl.report.sentences import Happened, durations_said, happened_said, in_order, lost_said
from schedctl.report.words import STATES, reason_text, title_of
from schedctl.store import report_runs
from schedctl.when.saying.moments import moment_said
from schedctl.when.zones import zone_named

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from schedctl.report.figures import Period, RunState
    from schedctl.store.report_runs import Cell, Fact, NotRecovered, ScheduleFigures, Took
    from schedctl.usecases.report_costs import Spent
    from schedctl.usecases.site import Site

Row = TypeVar("Row", "Cell", "Fact")
MOST: Final = 200
"""Schedules that are told of one by one."""
FACTS_EACH: Final = 5
MOST_NEEDS: Final = 20
ENOUGH_BEFORE: Final = 5
"""Runs before the period, for "usual" to mean anything."""
SLOWER_BY: Final = 1.5
SLOWER_BY_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Gathered:
    """Everything about the schedules shown, by their ids."""

    period: Period
    cells: Mapping[int, Sequence[Cell]]
    took: Mapping[int, Took]
    facts: Mapping[int, Sequence[Fact]]
    known: Mapping[int, tuple[Text, ...]]
    """Of lost runs, by their ids."""
    healed: Mapping[int, Text]
    spent: Spent


def schedules_in(
    site: Site, period: Period, spent: Spent, healed: Mapping[int, Text]
) -> tuple[tuple[ScheduleReport, ...], int]:
    """The schedules of a period, the noteworthy ones first, and how many more there were; inside a transaction."""
    rows = report_runs.schedules(site.db, period.start, period.end, MOST)
    ids = [row.schedule_id for row in rows]
    cell_s = period.cell.total_seconds()
    facts = report_runs.facts(site.db, period.start, period.end, ids, FACTS_EACH)
    gathered = Gathered(
        period=period,
        cells=_by_schedule(report_runs.cells(site.db, period.start, period.end, ids, cell_s)),
        took={one.schedule_id: one for one in report_runs.took(site.db, period.start, period.end, ids)},
        facts=_by_schedule(facts),
        known=_known(site, facts),
        healed=healed,
        spent=spent,
    )
    told = [_schedule(row, gathered) for row in rows]
    told.sort(key=lambda one: not one.noteworthy)
    return tuple(told), rows[0].of_all - len(rows) if rows else 0


def not_recovered(site: Site, period: Period) -> tuple[Need, ...]:
    """A need for each schedule whose last trouble in the period was followed by no success; cut, saying so."""
    rows = report_runs.not_recovered(site.db, period.start, period.end, MOST_NEEDS)
    rest = rows[0].of_all - len(rows) if rows else 0
    more = Text(f"ほかに {rest} 件 → schedctl runs --errors", f"{rest} more → schedctl runs --errors")
    return (*(_not_recovered(row, period.zone) for row in rows), *([Need("not_recovered", more)] if rest else []))


def _not_recovered(row: NotRecovered, zone: str) -> Need:
    ja, en = moment_said(row.at, zone, "ja"), moment_said(row.at, zone, "en")
    title, state = title_of(row.name, row.instruction), STATES[row.state]
    return Need(
        "not_recovered",
        Text(
            f"予定 {row.schedule_id}「{title}」は、{ja} の回（{state.ja}）のあと、まだ成功していません"
            f" → schedctl logs {row.run_id}",
            f"Schedule {row.schedule_id} “{title}” has not succeeded since its occurrence of {en} ({state.en})"
            f" → schedctl logs {row.run_id}",
        ),
    )


def _schedule(row: ScheduleFigures, gathered: Gathered) -> ScheduleReport:
    title = title_of(row.name, row.instruction)
    facts = gathered.facts.get(row.schedule_id, ())
    called = Text(f"予定 {row.schedule_id}「{title}」", f"schedule {row.schedule_id} “{title}”")
    return ScheduleReport(
        schedule_id=row.schedule_id,
        title=title,
        instruction=row.instruction,
        state=row.state,
        paused=reason_text(row.reason) if row.state == "paused" and row.reason else None,
        paused_by_itself=row.by_itself,
        risk=row.risk,
        nodes=tuple(row.nodes),
        counts=in_order(row.counts),
        by_hand=row.by_hand,
        strip=_strip(gathered.cells.get(row.schedule_id, ()), gathered.period),
        durations=_durations(gathered.took.get(row.schedule_id)),
        facts=tuple(_fact(fact, gathered) for fact in facts),
        more_facts=facts[0].left_out if facts else 0,
        healed=gathered.healed.get(row.schedule_id),
        cost=gathered.spent.cost(f"schedule {row.schedule_id}", called),
    )


def _strip(cells: Sequence[Cell], period: Period) -> tuple[RunCell, ...]:
    """The cells of the period in order, each with the worst of its states; what began before it stands in the first."""
    zone, begin, end = zone_named(period.zone), period.start.timestamp(), period.end.timestamp()
    counts: defaultdict[int, dict[str, int]] = defaultdict(dict)
    last = max(0, ceil((end - begin) / period.cell.total_seconds()) - 1)
    for cell in cells:
        place = min(cell.cell, last)
        counts[place][cell.state] = counts[place].get(cell.state, 0) + cell.count
    strip: list[RunCell] = []
    for place, states in sorted(counts.items()):
        start = begin + place * period.cell.total_seconds()
        stop = min(end, start + period.cell.total_seconds())
        worst = in_order(states)[0].state
        opens, closes = datetime.fromtimestamp(start, zone), datetime.fromtimestamp(stop, zone)
        strip.append(RunCell(opens, closes, worst, sum(states.values())))
    return tuple(strip)


def _durations(took: Took | None) -> Durations | None:
    if took is None:
        return None
    usual = took.usual_s if took.before >= ENOUGH_BEFORE else None
    slower = usual is not None and took.slowest_s > max(
        SLOWER_BY * usual, usual + SLOWER_BY_S, took.usual_long_s or 0.0
    )
    said = durations_said(took.slowest_s, took.slowest_run, usual, slower)
    return Durations(took.slowest_s, took.slowest_run, took.median_s, usual, slower, said)


def _fact(fact: Fact, gathered: Gathered) -> RunFact:
    zone = zone_named(gathered.period.zone)
    happened = Happened(fact.state, fact.reason, fact.error, fact.at, fact.first_at, fact.count)
    return RunFact(
        run_id=fact.run_id,
        at=fact.at.astimezone(zone),
        state=cast("RunState", fact.state),
        reason=fact.reason,
        count=fact.count,
        recovered=fact.recovered,
        known=gathered.known.get(fact.run_id, ()),
        message=happened_said(happened, gathered.period.zone),
    )


def _known(site: Site, facts: Sequence[Fact]) -> dict[int, tuple[Text, ...]]:
    """What is known of each lost run."""
    lost = [fact.run_id for fact in facts if fact.state == "lost"]
    known: defaultdict[int, list[Text]] = defaultdict(list)
    for leg in report_runs.lost_legs(site.db, lost) if lost else ():
        known[leg.run_id].append(lost_said(leg.node, leg.worker, leg.step, leg.seen_to_end, leg.holds_node))
    return {run_id: tuple(said) for run_id, said in known.items()}


def _by_schedule(rows: Sequence[Row]) -> Mapping[int, Sequence[Row]]:
    found: defaultdict[int, list[Row]] = defaultdict(list)
    for row in rows:
        found[row.schedule_id].append(row)
    return found
