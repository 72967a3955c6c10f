"""Notes about daylight saving: which date within the next year touches a timing, and what happens on it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from schedctl.language import Text
from schedctl.when import cron, occurrences, zones
from schedctl.when.model import MINUTES_A_DAY, At, Cron, Every, Once, Recurring
from schedctl.when.saying.english import date_en
from schedctl.when.saying.japanese import date_ja

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.when.calendar import Calendars
    from schedctl.when.model import Timing
    from schedctl.when.zones import Transition

HORIZON: Final = timedelta(days=366)
ONE_DAY: Final = timedelta(days=1)
MOMENT: Final = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class _Jump:
    """A transition as the wall clock shows it: from `shown` it jumps to `then` (both naive)."""

    transition: Transition
    shown: datetime
    then: datetime

    @property
    def forward(self) -> bool:
        return self.then > self.shown

    @property
    def length(self) -> timedelta:
        return abs(self.then - self.shown)

    @property
    def low(self) -> datetime:
        """Where the skipped or repeated stretch of wall clock begins."""
        return min(self.shown, self.then)

    @property
    def begins(self) -> datetime:
        """The end of the gap, or where the first pass of the repeated stretch begins."""
        return self.transition.instant if self.forward else self.transition.instant - self.length


def shown_twice(timing: Once) -> Iterator[Text]:
    """Which of the two passes is meant, where the clock shows a one-shot's time twice."""
    wall = timing.at.astimezone(ZoneInfo(timing.zone))
    both = zones.instants_at(wall.replace(tzinfo=None, fold=0), timing.zone)
    if len(both) > 1:
        number = [instant.utcoffset() for instant in both].index(wall.utcoffset())
        yield Text(
            f"この日は {wall:%H:%M} が2度あり、その{number + 1}度目です",
            f"The clock shows {wall:%H:%M} twice that day; this is the {('first', 'second')[number]} time",
        )


def daylight_notes(timing: Recurring, after: datetime, calendars: Calendars) -> Iterator[Text]:
    """The first jump forward and the first jump back that touch `timing` within a year of `after`."""
    said: set[bool] = set()
    for transition in zones.transitions(timing.zone, after, after + HORIZON):
        jump = _as_shown(transition)
        if jump.forward not in said and (note := _touched(timing, jump, calendars)):
            said.add(jump.forward)
            yield note


def daylight_between(
    timing: Timing, after: datetime, until: datetime, calendars: Calendars
) -> tuple[tuple[datetime, Text], ...]:
    """What each jump of the clock between two instants does to `timing`, with the first instant that it touches."""
    if isinstance(timing, Once):
        return ()
    jumps = [_as_shown(transition) for transition in zones.transitions(timing.zone, after, until)]
    return tuple((jump.begins, note) for jump in jumps if (note := _touched(timing, jump, calendars)))


def _as_shown(transition: Transition) -> _Jump:
    utc = transition.instant.astimezone(UTC).replace(tzinfo=None)
    return _Jump(transition, utc + transition.before, utc + transition.after)


def _touched(timing: Recurring, jump: _Jump, calendars: Calendars) -> Text | None:
    """What happens to `timing` at one jump; None where nothing does."""
    named, flowing = _minutes(timing)
    for minute in _in_jump(named, jump):
        if _fires_at_edge(timing, jump, calendars):
            return _moved(jump, minute) if jump.forward else _first_pass_only(jump, minute)
    if _in_jump(flowing, jump) and _fires_around(timing, jump, calendars):
        return _left_out(jump) if jump.forward else _both_passes(jump)
    return None


def _minutes(timing: Recurring) -> tuple[set[int], set[int]]:
    """The minutes of the day that the timing names, and those that follow the passing of time."""
    named: set[int] = set()
    flowing: set[int] = set()
    for time in timing.times:
        match time:
            case At():
                named.add(time.minute_of_day % MINUTES_A_DAY)
            case Every():
                steps = range(time.first, time.last + 1, time.minutes)
                (flowing if time.follows_real_minutes else named).update(step % MINUTES_A_DAY for step in steps)
    for rule in timing.days:
        if isinstance(rule, Cron):
            fields = cron.parse(rule.expression)
            (flowing if fields.follows_real_minutes else named).update(fields.minutes_of_day)
    return named, flowing


def _in_jump(minutes: set[int], jump: _Jump) -> list[int]:
    """Those of `minutes` that the jump skips or repeats."""
    opens = jump.low.hour * 60 + jump.low.minute
    return sorted(minute for minute in minutes if timedelta(minutes=(minute - opens) % MINUTES_A_DAY) < jump.length)


def _fires_at_edge(timing: Recurring, jump: _Jump, calendars: Calendars) -> bool:
    """Whether something fires at the end of a gap, or in the first pass of a repeated stretch."""
    edge = jump.transition.instant
    first = occurrences.next_after(timing, jump.begins - MOMENT, calendars)
    return first is not None and (first == edge if jump.forward else first < edge)


def _fires_around(timing: Recurring, jump: _Jump, calendars: Calendars) -> bool:
    """Whether the day of the jump is one of the timing's days."""
    edge = jump.transition.instant
    around = occurrences.between(timing, edge - ONE_DAY, edge + ONE_DAY, calendars)
    zone = ZoneInfo(timing.zone)
    return any(instant.astimezone(zone).date() == jump.low.date() for instant in around)


def _moved(jump: _Jump, minute: int) -> Text:
    return Text(
        f"{date_ja(jump.low.date())}は時計が {jump.shown:%H:%M} から {jump.then:%H:%M} に進み、"
        f"{_clock(minute)} がないので {jump.then:%H:%M} に実行します",
        f"On {date_en(jump.low.date())} the clock goes from {jump.shown:%H:%M} to {jump.then:%H:%M}: "
        f"{_clock(minute)} does not exist, so it runs at {jump.then:%H:%M}",
    )


def _first_pass_only(jump: _Jump, minute: int) -> Text:
    return Text(
        f"{date_ja(jump.low.date())}は時計が {jump.shown:%H:%M} から {jump.then:%H:%M} に戻り、"
        f"{_clock(minute)} が2度ありますが、1度目だけ実行します",
        f"On {date_en(jump.low.date())} the clock goes back from {jump.shown:%H:%M} to {jump.then:%H:%M}: "
        f"{_clock(minute)} comes twice, and it runs only the first time",
    )


def _left_out(jump: _Jump) -> Text:
    return Text(
        f"{date_ja(jump.low.date())}は時計が {jump.shown:%H:%M} から {jump.then:%H:%M} に進み、その間の分はありません",
        f"On {date_en(jump.low.date())} the clock goes from {jump.shown:%H:%M} to {jump.then:%H:%M}; "
        "the runs in between do not exist",
    )


def _both_passes(jump: _Jump) -> Text:
    return Text(
        f"{date_ja(jump.low.date())}は時計が {jump.shown:%H:%M} から {jump.then:%H:%M} に戻り、"
        "その間の分は2度とも実行します",
        f"On {date_en(jump.low.date())} the clock goes back from {jump.shown:%H:%M} to {jump.then:%H:%M}; "
        "the runs in between happen both times",
    )


def _clock(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"
