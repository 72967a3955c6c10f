"""What a report says of what comes: the forecast, day by day."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.report.model import Calendar, Coming, DayAhead
from schedctl.report.period import ONE_DAY, local_day, start_of
from schedctl.report.words import title_of
from schedctl.usecases.upcoming import Ahead, foreseen, notes_of
from schedctl.when.calendar import holiday_names, is_business_day
from schedctl.when.saying.english import holiday_en
from schedctl.when.zones import utc, zone_named

if TYPE_CHECKING:
    from datetime import date, datetime, tzinfo

    from schedctl.usecases.expected import Expected
    from schedctl.usecases.site import Site
    from schedctl.usecases.upcoming import Forecast

SATURDAY: Final = 5
NOTHING: Final = Calendar((), more=False, pending=0)


@dataclass(frozen=True, slots=True)
class Horizon:
    """How many days the calendar has, today's rest among them (none: it is empty), and how many entries at most.

    Schedules that come due every minute take the longest to foresee: some 30 ms each and day.
    """

    days: int
    most: int = 300


def calendar(site: Site, now: datetime, zone: str, horizon: Horizon) -> Calendar:
    """What comes, up to the horizon; inside a transaction."""
    if not horizon.days:
        return NOTHING
    today = local_day(now, zone)
    until = start_of(today + horizon.days * ONE_DAY, zone)
    forecast = foreseen(site, now, Ahead(until, folded_in=zone), horizon.most)
    by_day = {
        day: list(same)
        for day, same in groupby(forecast.expected, key=lambda one: one.at.astimezone(zone_named(zone)).date())
    }
    ahead = [today + number * ONE_DAY for number in range(horizon.days)]
    return Calendar(
        tuple(_day(forecast, day, by_day.get(day, []), zone) for day in ahead), forecast.more, forecast.pending
    )


def _day(forecast: Forecast, day: date, expected: list[Expected], zone: str) -> DayAhead:
    start, end = utc(start_of(day, zone)), utc(start_of(day + ONE_DAY, zone))
    freezes = [freeze.reason for freeze in forecast.freezes if utc(freeze.start) < end and utc(freeze.end) > start]
    return DayAhead(
        day,
        _holidays(forecast, day),
        tuple(dict.fromkeys(freezes)),
        tuple(_coming(one, zone_named(zone)) for one in expected),
    )


def _holidays(forecast: Forecast, day: date) -> tuple[Text, ...]:
    names = holiday_names(forecast.calendar, day)
    if names:
        return tuple(Text(name, holiday_en(name)) for name in names)
    if day.weekday() < SATURDAY and not is_business_day(forecast.calendar, day):
        return (Text("休業日", "closed"),)
    return ()


def _coming(one: Expected, zone: tzinfo) -> Coming:
    return Coming(
        at=one.at.astimezone(zone),
        last=one.last.astimezone(zone),
        count=one.count,
        schedule_id=one.row.schedule_id,
        title=title_of(one.row.name, one.row.instruction),
        nodes=one.nodes,
        actions=one.actions,
        risk=one.row.risk,
        frozen=one.frozen,
        moved_from=one.moved_from,
        collides_with=one.collides_with,
        notes=tuple(notes_of(one)),
    )
