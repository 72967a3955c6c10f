"""What will fire: active schedules, calendars and freezes become a calendar of occurrences."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from schedctl.errors import Refused
from schedctl.language import Text
from schedctl.store import catalogs, forecast
from schedctl.store.installation import read as read_installation
from schedctl.usecases.expected import Expected, Span, foresee
from schedctl.usecases.nodes import require_known
from schedctl.usecases.site import Site, adopted_catalog

if TYPE_CHECKING:
    from schedctl.catalog.model import Freeze
    from schedctl.when.calendar import BusinessCalendar

MOST: Final = 1000
"""Entries of one answer."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """How far to look, at which node, and (for a person) in whose days many occurrences are told as one."""

    until: datetime | None = None
    days: int = 7
    node: str | None = None
    folded_in: str | None = None


@dataclass(frozen=True, slots=True)
class Forecast:
    """What will fire after `now` up to `until`, in order; `more` says that the answer was cut."""

    now: datetime
    until: datetime
    expected: tuple[Expected, ...]
    more: bool
    armed: bool
    pending: int
    freezes: tuple[Freeze, ...]
    calendar: BusinessCalendar


def upcoming(site: Site, ahead: Ahead) -> Forecast:
    """The forecast of the installation; `Refused` (`usage`) for an end that is not ahead."""
    with site.transaction() as now:
        until = ahead.until or now + timedelta(days=ahead.days)
        if until <= now:
            raise _not_ahead(until)
        if ahead.node is not None:
            require_known(site, ahead.node)
        calendars = adopted_catalog(site).calendars
        freezes = catalogs.freezes(site.db)
        rows = forecast.firing_until(site.db, until, ahead.node, MOST + 1)
        found = foresee(rows, Span(now, until, ahead.folded_in), calendars, freezes, MOST + 1)
        armed, pending = read_installation(site.db).armed, forecast.pending(site.db)
    return Forecast(now, until, found[:MOST], len(found) > MOST, armed, pending, freezes, calendars.default)


def _not_ahead(until: datetime) -> Refused:
    return Refused(
        "usage",
        Text(
            f"--until の {until.isoformat(timespec='minutes')} はもう過ぎています",
            f"--until {until.isoformat(timespec='minutes')} has passed already",
        ),
        Text("これからの日付か時刻を書いてください", "Name a date or an instant that is still to come"),
    )
