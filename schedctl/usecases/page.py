"""The status page: the installation as it is now, and its last seven days. It only reads."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from schedctl.report.figures import Need
from schedctl.report.kept import key_of
from schedctl.report.page_model import Held, Page, Running, Runs, Switch, TickSeen
from schedctl.report.period import local_day, week_period
from schedctl.report.redacting import redacted
from schedctl.report.words import title_of
from schedctl.store import page as stored
from schedctl.store import reports
from schedctl.store import status as now_stored
from schedctl.usecases import report_ahead, status
from schedctl.usecases.report import HEALED, PEOPLE
from schedctl.usecases.report_agents import Scene, agents_in
from schedctl.usecases.report_ahead import Horizon
from schedctl.usecases.report_costs import spent_in
from schedctl.usecases.report_schedules import not_recovered, schedules_in
from schedctl.when.zones import zone_named

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    from schedctl.redact import Redactor
    from schedctl.report.figures import Period
    from schedctl.report.kept import Kept
    from schedctl.store.status import RunningLeg
    from schedctl.usecases.report_costs import Spent
    from schedctl.usecases.site import Site
    from schedctl.usecases.status import Status

AHEAD: Final = Horizon(days=7)
SHOWN: Final = 20
"""Hosts, and legs that are carried out."""


KEPT_FOR: Final = timedelta(minutes=15)
LATE: Final = timedelta(minutes=1)
"""What a transaction records bears its beginning: it may be seen so much later."""


def see(site: Site, title: str | None, redactor: Redactor, kept: Kept | None = None) -> Page:
    """The page as of now, in the zone of the reports. No command, argument or output is in it; the rest is redacted.

    `kept` are the runs of an earlier page: gathering them anew is most of the work, so they are taken over for
    `KEPT_FOR` while nothing but successes is recorded.
    """
    with site.transaction() as now:
        zone = reports.read(site.db).timezone
        week = week_period(local_day(now, zone), zone)
        seen = status.seen_at(site, now)
        spent = spent_in(site, week)
        place = zone_named(zone)
        page = Page(
            title=title,
            written_at=now.astimezone(place),
            period=week,
            rehearsal=seen.rehearsal,
            armed=seen.installation.armed,
            needs=(*(Need(need.type, need.message) for need in seen.needs), *not_recovered(site, week)),
            switch=_switch(seen, place),
            ticks=tuple(TickSeen(beat.host, beat.age) for beat in seen.ticks[:SHOWN]),
            running=tuple(_running(leg, place) for leg in now_stored.running(site.db, SHOWN)),
            running_legs=seen.legs.running,
            queued=seen.legs.queued + seen.legs.waiting,
            held=tuple(Held(one.node, one.held_at.astimezone(place), one.held_by, one.reason) for one in seen.holds),
            notices_waiting=seen.outbox.waiting,
            ahead=report_ahead.calendar(site, now, zone, AHEAD),
            agents=agents_in(Scene(site, now, week, spent), seen.agents),
            runs=_runs(site, now, week, spent, kept),
        )
    return redacted(page, redactor)


def _runs(site: Site, now: datetime, week: Period, spent: Spent, kept: Kept | None) -> Runs | Kept:
    key = key_of(stored.place(site.db), week.zone, week.last.isoformat())
    if (
        kept is not None
        and kept.key == key
        and timedelta(0) <= now - kept.as_of < KEPT_FOR
        and not stored.otherwise_since(site.db, kept.as_of - LATE, (*PEOPLE, *HEALED))
    ):
        return kept
    return Runs(key, now.astimezone(zone_named(week.zone)), *schedules_in(site, week, spent, {}))


def _switch(seen: Status, zone: tzinfo) -> Switch:
    state = seen.installation
    return Switch(_in(state.changed_at, zone), state.changed_by, state.changed_reason)


def _running(leg: RunningLeg, zone: tzinfo) -> Running:
    title = title_of(leg.schedule_name, leg.instruction or (leg.started_by or "").removeprefix("agent "))
    return Running(leg.run_id, leg.schedule_id, title, leg.node, _in(leg.claimed_at, zone))


def _in(instant: datetime, zone: tzinfo) -> datetime:
    return instant.astimezone(zone)
