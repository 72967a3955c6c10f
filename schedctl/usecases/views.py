"""What the operator is shown of a schedule: when, what, and what there is to know about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.plan import codec
from schedctl.store import catalogs
from schedctl.usecases.site import Site, adopted_catalog
from schedctl.when.notes import notes
from schedctl.when.rhythm import upcoming

if TYPE_CHECKING:
    from datetime import datetime

    from schedctl.catalog.basics import Freeze
    from schedctl.plan.model import Plan
    from schedctl.store.schedules import ScheduleRow
    from schedctl.when.calendar import Calendars
    from schedctl.when.model import Timing

SHOWN_INSTANTS: Final = 5


@dataclass(frozen=True, slots=True)
class ScheduleView:
    """A stored schedule with its timing and plan as values, its next instants and the notes on them."""

    row: ScheduleRow
    timing: Timing
    plan: Plan
    next: tuple[datetime, ...]
    notes: tuple[Text, ...]
    armed: bool


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a view needs beside the row."""

    now: datetime
    calendars: Calendars
    freezes: tuple[Freeze, ...]
    armed: bool


def surroundings(site: Site, now: datetime, armed: bool) -> Surroundings:
    """The calendars and freezes that count now, inside a transaction."""
    return Surroundings(now, adopted_catalog(site).calendars, catalogs.freezes(site.db), armed)


def view(row: ScheduleRow, around: Surroundings, count: int = SHOWN_INSTANTS) -> ScheduleView:
    """A schedule as it is shown. An ended or paused one has no next instants."""
    rhythm = row.rhythm()
    timing = rhythm.timing
    instants: tuple[datetime, ...] = ()
    said: tuple[Text, ...] = ()
    if row.state in ("pending", "active"):
        after = max(around.now, row.settled_through) if row.state == "active" else around.now
        instants = upcoming(rhythm, after, count, around.calendars)
        said = notes(timing, after, around.calendars) + _frozen(row.risk, instants, around.freezes)
    return ScheduleView(row, timing, codec.from_json(row.plan), instants, said, around.armed)


def _frozen(risk: str, instants: tuple[datetime, ...], freezes: tuple[Freeze, ...]) -> tuple[Text, ...]:
    return tuple(
        Text(
            f"変更凍結中（{freeze.reason}）のため、{len(hit)} 回は実行されません",
            f"A freeze ({freeze.reason}) will keep {len(hit)} of these from running",
        )
        for freeze in freezes
        if (hit := [one for one in instants if freeze.stops(one, risk)])
    )
