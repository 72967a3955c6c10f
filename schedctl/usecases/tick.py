"""One tick: mark and enqueue what is due, then tidy up. It carries nothing out and sends nothing."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from schedctl.catalog.business_days import calendars_of
from schedctl.errors import OperationFailed, Refused, SchedctlError
from schedctl.language import Text
from schedctl.redact import Redactor
from schedctl.store import agents, catalogs, firing, installation, reports
from schedctl.store.events import record
from schedctl.usecases import tick_warnings
from schedctl.usecases.installation import RESTORED
from schedctl.usecases.judge import Moment, judge
from schedctl.when.calendar import Calendars

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from schedctl.usecases.site import Site

BATCH: Final = 500
BUDGET_S: Final = 20.0
PRUNING_BUDGET_S: Final = 2.0
NO_SECRETS: Final = Redactor()


@dataclass(slots=True)
class TickReport:
    """What one tick did. `warnings` are sentences for the operator; the counts are occurrences."""

    armed: bool = False
    fired: int = 0
    missed: int = 0
    skipped: int = 0
    rehearsed: int = 0
    refused: int = 0
    lost: int = 0
    agents_changed: int = 0
    warnings: list[Text] = field(default_factory=list[Text])
    notices: list[Text] = field(default_factory=list[Text])
    """A sentence for each run that it recorded as missed or lost."""

    def add(self, part: TickReport) -> None:
        """Count in what a transaction did, once it is committed."""
        self.fired += part.fired
        self.missed += part.missed
        self.skipped += part.skipped
        self.rehearsed += part.rehearsed
        self.refused += part.refused
        self.lost += part.lost
        self.agents_changed += part.agents_changed
        self.warnings += part.warnings
        self.notices += part.notices


def tick(site: Site, redactor: Redactor = NO_SECRETS) -> TickReport:
    """Fire what is due on this installation, once, whoever else ticks; record what does not fire, and why.

    `redactor` masks what the daily report must not tell, where this tick is the one that writes it.
    """
    report = TickReport()
    ends_at = time.monotonic() + BUDGET_S
    if site.newer_schema is not None:
        report.warnings.append(tick_warnings.behind(site.newer_schema))
    _note(site, report)
    while time.monotonic() < ends_at and _bring_back(site, report):
        pass
    while time.monotonic() < ends_at and _fire_batch(site, report):
        pass
    for tidy in (_end_stale_queue, _mark_lost, _judge_agents):
        if time.monotonic() < ends_at:
            _without_harm(site, report, tidy)
    _tidy_hourly(site, report)
    if time.monotonic() < ends_at:
        _write_daily_report(site, report, redactor, ends_at)
    return report


def _note(site: Site, report: TickReport) -> None:
    def note(_now: datetime) -> tuple[bool, timedelta]:
        was_armed = installation.read(site.db).armed
        went_back = installation.note_tick(site.db, site.settings.host)
        report.armed = installation.read(site.db).armed
        return was_armed, went_back

    was_armed, went_back = site.patiently(note)
    if was_armed and not report.armed:
        report.warnings.append(RESTORED)
    if went_back > timedelta(0):
        report.warnings.append(tick_warnings.clock_went_back(went_back))


def _fire_batch(site: Site, report: TickReport) -> bool:
    """Judge and write up to `BATCH` due schedules in one transaction; False when none was left."""
    try:
        looked_at, part = site.patiently(lambda now: _settle(site, now, None))
    except OperationFailed as failure:
        if failure.passing:
            raise
        _fire_one_by_one(site, report)
        return False
    report.add(part)
    return looked_at == BATCH


def _fire_one_by_one(site: Site, report: TickReport) -> None:
    """After a batch failed: each schedule in a transaction of its own; the one at fault is paused in another."""
    for schedule_id in site.patiently(lambda _: firing.due_ids(site.db, BATCH)):
        report.add(_fire_one(site, schedule_id))


def _fire_one(site: Site, schedule_id: int) -> TickReport:
    try:
        return site.patiently(lambda now: _settle(site, now, [schedule_id]))[1]
    except OperationFailed as refused:
        if refused.passing:
            raise
        fault = refused  # Python forgets `refused` at the end of this block

    def pause(_now: datetime) -> TickReport:
        part = TickReport()
        _pause_broken(site, schedule_id, fault, part)
        return part

    return site.patiently(pause)


def _settle(site: Site, now: datetime, only: list[int] | None) -> tuple[int, TickReport]:
    """Inside a transaction: how many due schedules it took, and what became of them."""
    part = TickReport()
    state = installation.read_and_keep(site.db)
    rows = firing.due(site.db, BATCH, only)
    if not rows:
        return 0, part
    calendars = _adopted_calendars(site)
    moment = Moment(now, state.armed_since, state.catch_up, catalogs.freezes(site.db))
    verdicts: list[firing.Verdict] = []
    for row in rows:
        with _broken_row(site, row.schedule_id, part):
            verdicts.append(judge(row, moment, calendars))
    written = firing.write(site.db, verdicts, f"tick@{site.settings.host}")
    part.fired = written.by_state.get("queued", 0)
    part.missed = written.by_state.get("missed", 0)
    part.skipped = written.by_state.get("skipped", 0)
    part.rehearsed = written.by_state.get("rehearsed", 0)
    if written.refused:
        part.warnings.append(tick_warnings.already_recorded(written.refused))
    if part.missed:
        part.notices += _found_now(site)
    return len(rows), part


def _found_now(site: Site) -> tuple[Text, ...]:
    from schedctl.usecases import notices  # few ticks have any

    return notices.found_now(site)


@contextmanager
def _broken_row(site: Site, schedule_id: int, report: TickReport) -> Generator[None]:
    """A rule, zone or calendar that cannot be read pauses its own schedule and no other."""
    try:
        yield
    except Refused as refusal:
        _pause_broken(site, schedule_id, refusal, report)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        _pause_broken(site, schedule_id, tick_warnings.unreadable(schedule_id), report)


def _pause_broken(site: Site, schedule_id: int, error: SchedctlError, report: TickReport) -> None:
    firing.pause_broken(site.db, schedule_id, error, f"tick@{site.settings.host}")
    report.refused += 1
    report.warnings.append(
        Text(
            f"予定 {schedule_id} を止めました: {error.message.ja}",
            f"Schedule {schedule_id} was paused: {error.message.en}",
        )
    )


def _bring_back(site: Site, report: TickReport) -> bool:
    """After a clock that had been ahead: what was settled more than a day ahead goes on from now, with an event.

    Up to `BATCH` schedules in one transaction; False when none was left. No tick need have seen
    that clock: a registration, an approval or a resumption may have been all that happened by it.
    """
    looked_at, part = site.patiently(lambda now: _bring_some_back(site, now))
    report.add(part)
    return looked_at == BATCH


def _bring_some_back(site: Site, now: datetime) -> tuple[int, TickReport]:
    part = TickReport()
    ids = firing.far_ahead(site.db, BATCH)
    if ids:
        from schedctl.usecases.recomputing import goes_on_at  # hardly any tick meets a clock that had been wrong

        calendars = _adopted_calendars(site)
        instants: dict[int, datetime | None] = {}
        for schedule_id in ids:
            with _broken_row(site, schedule_id, part):
                instants[schedule_id] = goes_on_at(site, schedule_id, now, calendars)
        firing.bring_back(site.db, instants)
        for schedule_id in instants:
            record(site.db, "clock_went_back", site.actor, schedule_id=schedule_id)
    return len(ids), part


def _adopted_calendars(site: Site) -> Calendars:
    adopted = catalogs.current(site.db)
    return calendars_of(adopted.document) if adopted else Calendars()


def _end_stale_queue(site: Site) -> TickReport:
    missed = firing.end_stale_queue(site.db)
    return TickReport(missed=missed, notices=[*_found_now(site)] if missed else [])


def _mark_lost(site: Site) -> TickReport:
    lost = firing.mark_lost(site.db)
    return TickReport(lost=lost, notices=[*_found_now(site)] if lost else [])


def _judge_agents(site: Site) -> TickReport:
    return TickReport(agents_changed=agents.judge(site.db))


def _tidy_hourly(site: Site, report: TickReport) -> None:
    """Once an hour, by whichever host comes first: freezes ahead, retention, and next instants by newer rules.

    What it needs is imported then: a worker waits for the end of every tick.
    """
    try:
        with site.transaction():
            if not installation.tidy_is_due(site.db):
                return
            from schedctl.store import outbox
            from schedctl.usecases.recomputing import follow_newer_data

            outbox.tell_freezes_ahead(site.db)
            reports.prune(site.db)
        ends_at = time.monotonic() + PRUNING_BUDGET_S
        gone = 1
        while gone and time.monotonic() < ends_at:
            with site.transaction():
                gone = installation.prune(site.db)
        follow_newer_data(site)
    except SchedctlError as failure:
        report.warnings.append(failure.message)


def _write_daily_report(site: Site, report: TickReport, redactor: Redactor, ends_at: float) -> None:
    """Last of all, so that it keeps nothing waiting; what it needs is imported once a day."""
    try:
        with site.transaction() as now:
            reporting = reports.read(site.db)
    except SchedctlError as failure:
        report.warnings.append(failure.message)
        return
    if reporting.is_due(now):
        from schedctl.usecases import morning

        report.warnings += morning.write(site, redactor, ends_at)


def _without_harm(site: Site, report: TickReport, tidy: Callable[[Site], TickReport]) -> None:
    """Each kind of tidying in its own transaction; one that fails is told and stops no other."""
    try:
        report.add(site.patiently(lambda _: tidy(site)))
    except OperationFailed as failure:
        if failure.type == "database_unavailable":
            raise
        report.warnings.append(failure.message)
