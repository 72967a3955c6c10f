"""What will fire: active schedules, calendars and freezes become a calendar of occurrences."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Final

from schedctl.errors import Refused
from schedctl.language import Text
from schedctl.store import catalogs, forecast
from schedctl.store.installation import read as read_installation
from schedctl.usecases.expected import Expected, Span, foresee
from schedctl.usecases.nodes import require_known
from schedctl.usecases.site import Site, adopted_catalog
from schedctl.when.saying.moments import day_said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.catalog.basics import Freeze
    from schedctl.when.calendar import BusinessCalendar

MOST: Final = 1000
MOST_NAMED: Final = 5
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
        return foreseen(site, now, ahead, MOST)


def foreseen(site: Site, now: datetime, ahead: Ahead, most: int) -> Forecast:
    """The same inside a transaction, cut to so many entries."""
    until = ahead.until or now + timedelta(days=ahead.days)
    if until <= now:
        raise _not_ahead(until)
    if ahead.node is not None:
        require_known(site, ahead.node)
    calendars = adopted_catalog(site).calendars
    freezes = catalogs.freezes(site.db)
    rows = forecast.firing_until(site.db, until, ahead.node, most + 1)
    found = foresee(rows, Span(now, until, ahead.folded_in), calendars, freezes, most + 1)
    armed, pending = read_installation(site.db).armed, forecast.pending(site.db)
    return Forecast(now, until, found[:most], len(found) > most, armed, pending, freezes, calendars.default)


def notes_of(one: Expected) -> Iterator[Text]:
    """What there is to know of an occurrence that lies ahead: a freeze, a shift, collisions, clock changes."""
    if one.frozen is not None:
        yield Text(f"変更凍結（{one.frozen}）のため見送り", f"skipped: a freeze is on ({one.frozen})")
    if one.moved_from is not None:
        yield shifted_said(one.moved_from)
    if one.collides_with:
        yield _collides(one.collides_with)
    yield from one.notes


def _collides(ids: tuple[int, ...]) -> Text:
    """With which schedules; of a crowd the first few, and how many more there are."""
    named, more = ", ".join(map(str, ids[:MOST_NAMED])), len(ids) - MOST_NAMED
    if more > 0:
        return Text(
            f"予定 {named} ほか {more} 件と同じノードで重なる: 1つずつ順に待つ",
            f"collides with schedules {named} and {more} more on a node: they wait for each other",
        )
    return Text(
        f"予定 {named} と同じノードで重なる: 片方は待つ", f"collides with schedule {named} on a node: one of them waits"
    )


def shifted_said(own: date) -> Text:
    """That a rule for holidays moved an occurrence away from its own day."""
    return Text(f"{day_said(own, 'ja')}から振り替え", f"moved from {day_said(own, 'en')}")


def _not_ahead(until: datetime) -> Refused:
    return Refused(
        "usage",
        Text(
            f"--until の {until.isoformat(timespec='minutes')} はもう過ぎています",
            f"--until {until.isoformat(timespec='minutes')} has passed already",
        ),
        Text("これからの日付か時刻を書いてください", "Name a date or an instant that is still to come"),
    )
