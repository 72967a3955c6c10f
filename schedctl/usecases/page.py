"""The status page: the installation as it is now, and its last seven days. It only reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schedctl.report.page_model import Held, Page, Running, Switch, TickSeen
from schedctl.report.period import local_day, week_period
from schedctl.report.redacting import redacted
from schedctl.store import reports
from schedctl.store import status as now_stored
from schedctl.usecases import status
from schedctl.usecases.report import gather
from schedctl.usecases.report_ahead import Horizon
from schedctl.when.zones import zone_named

if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    from schedctl.redact import Redactor
    from schedctl.store.status import RunningLeg
    from schedctl.usecases.site import Site
    from schedctl.usecases.status import Status

AHEAD: Final = Horizon(days=7)
SHOWN: Final = 20
"""Hosts, and legs that are carried out."""


def see(site: Site, title: str | None, redactor: Redactor) -> Page:
    """The page as of now, in the zone of the reports. No command, argument or output is in it; the rest is redacted."""
    with site.transaction() as now:
        zone = reports.read(site.db).timezone
        week = week_period(local_day(now, zone), zone)
        report = gather(site, now, week, AHEAD, redactor)
        seen = status.seen_at(site, now)
        legs = now_stored.running(site.db, SHOWN)
    place = zone_named(zone)
    page = Page(
        title=title,
        report=report,
        switch=_switch(seen, place),
        ticks=tuple(TickSeen(beat.host, beat.age) for beat in seen.ticks[:SHOWN]),
        running=tuple(_running(leg, place) for leg in legs),
        running_legs=seen.legs.running,
        queued=seen.legs.queued + seen.legs.waiting,
        held=tuple(Held(hold.node, hold.held_at.astimezone(place), hold.held_by, hold.reason) for hold in seen.holds),
        notices_waiting=seen.outbox.waiting,
    )
    return redacted(page, redactor)


def _switch(seen: Status, zone: tzinfo) -> Switch:
    state = seen.installation
    return Switch(_in(state.changed_at, zone), state.changed_by, state.changed_reason)


def _running(leg: RunningLeg, zone: tzinfo) -> Running:
    title = leg.schedule_name or leg.instruction or (leg.started_by or "").removeprefix("agent ")
    return Running(leg.run_id, leg.schedule_id, title, leg.node, _in(leg.claimed_at, zone))


def _in(instant: datetime, zone: tzinfo) -> datetime:
    return instant.astimezone(zone)
