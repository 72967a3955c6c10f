"""The occurrences that lie ahead, each with its freeze, its shift, its clock changes and its collisions. Pure.

Two occurrences *collide* when both change the same node and the later one comes due while the earlier one may still be
going on, by the timeouts of its plan: the later one would have to wait. It is an upper bound: most end long before.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from heapq import merge
from itertools import groupby, islice
from typing import TYPE_CHECKING, Final

from schedctl.plan import codec
from schedctl.usecases.worker import RETRY_PAUSE_S
from schedctl.when import occurrences
from schedctl.when.model import Recurring, Shift
from schedctl.when.saying.notes_daylight import daylight_between
from schedctl.when.zones import utc, zone_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from schedctl.catalog.basics import Freeze
    from schedctl.language import Text
    from schedctl.plan.model import Plan
    from schedctl.store.schedules import ScheduleRow
    from schedctl.when.calendar import Calendars
    from schedctl.when.model import Timing

FOLDED_ABOVE: Final = 4
"""Occurrences of one schedule on one day: more of them are told as one."""
Place = tuple[str, str]
"""A node, and the machine that it means where it is a local one."""


@dataclass(frozen=True, slots=True)
class Span:
    """After `after` up to `until`; `folded_in` is the zone whose days fold frequent occurrences, None: no folding."""

    after: datetime
    until: datetime
    folded_in: str | None = None


@dataclass(frozen=True, slots=True)
class Expected:
    """One occurrence to come, or (`count` above 1) those of one day, from `at` to `last`, in the schedule's zone.

    `frozen` is the reason of the freeze that will skip it; `collides_with` holds the ids of other schedules.
    """

    row: ScheduleRow
    plan: Plan
    at: datetime
    last: datetime
    count: int = 1
    frozen: str | None = None
    moved_from: date | None = None
    collides_with: tuple[int, ...] = ()
    notes: tuple[Text, ...] = ()

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes of its plan, in order."""
        return tuple(dict.fromkeys(step.target.node for step in self.plan.steps))

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions of its plan, in order."""
        return tuple(dict.fromkeys(step.action for step in self.plan.steps))


def foresee(
    rows: Sequence[ScheduleRow], span: Span, calendars: Calendars, freezes: tuple[Freeze, ...], limit: int
) -> tuple[Expected, ...]:
    """Up to `limit` occurrences of these schedules within the span, earliest first."""
    streams = [_of_schedule(row, span, calendars, freezes) for row in rows]
    ordered = merge(*streams, key=lambda one: (one.at.timestamp(), one.row.schedule_id))
    return with_collisions(tuple(islice(ordered, limit)))


def _of_schedule(row: ScheduleRow, span: Span, calendars: Calendars, freezes: tuple[Freeze, ...]) -> Iterator[Expected]:
    singles = _singles(row, replace(span, after=max(span.after, row.settled_through)), calendars, freezes)
    return singles if span.folded_in is None else _folded(singles, span.folded_in)


def _singles(row: ScheduleRow, span: Span, calendars: Calendars, freezes: tuple[Freeze, ...]) -> Iterator[Expected]:
    plan, rhythm = codec.from_json(row.plan), row.rhythm()
    clock_changes = list(daylight_between(rhythm.timing, span.after, span.until, calendars))
    for due in occurrences.between(rhythm.timing, span.after - rhythm.jitter, span.until, calendars):
        at = rhythm.fires_at(due)
        if not utc(span.after) < utc(at) <= utc(span.until):
            continue
        notes: list[Text] = []
        while clock_changes and utc(clock_changes[0][0]) <= utc(due):
            notes.append(clock_changes.pop(0)[1])
        reason = next((freeze.reason for freeze in freezes if freeze.stops(at, row.risk)), None)
        yield Expected(row, plan, at, at, 1, reason, moved_from(rhythm.timing, due, calendars), (), tuple(notes))


def _folded(singles: Iterable[Expected], zone: str) -> Iterator[Expected]:
    """The same, with many of one day as one."""
    days = zone_named(zone)
    for _, same in groupby(singles, key=lambda one: (one.at.astimezone(days).date(), one.frozen)):
        group = list(same)
        if len(group) <= FOLDED_ABOVE:
            yield from group
        else:
            notes = tuple(note for one in group for note in one.notes)
            yield replace(group[0], last=group[-1].at, count=len(group), notes=notes)


def moved_from(timing: Timing, due: datetime, calendars: Calendars) -> date | None:
    """The day that a rule for holidays moved this occurrence away from; None where it stands on its own day."""
    if not isinstance(timing, Recurring):
        return None
    shifts = [move for move in timing.moves if isinstance(move, Shift) and move.to != "skip"]
    if not shifts:
        return None
    others = tuple(move for move in timing.moves if not isinstance(move, Shift))
    unmoved = replace(timing, moves=others, count=None, counted_from=None)
    before = occurrences.last_until(unmoved, due, calendars)
    if before is not None and utc(before) == utc(due):
        return None
    own = occurrences.next_after(unmoved, due, calendars) if shifts[0].to == "previous" else before
    return own.date() if own is not None else None


def with_collisions(expected: tuple[Expected, ...]) -> tuple[Expected, ...]:
    """The same occurrences (in order), each with the schedules that it may have to wait for or keep waiting."""
    met: defaultdict[int, set[int]] = defaultdict(set)
    going_on: defaultdict[Place, list[tuple[datetime, int]]] = defaultdict(list)
    for number, one in enumerate(expected):
        if one.frozen is not None:
            continue
        begins, ends = utc(one.at), utc(one.last) + longest(one.plan)
        for place in changed_places(one.plan):
            still = [(until, other) for until, other in going_on[place] if until > begins]
            going_on[place] = [*still, (ends, number)]
            for _, other in still:
                met[number].add(expected[other].row.schedule_id)
                met[other].add(one.row.schedule_id)
    return tuple(
        replace(one, collides_with=tuple(sorted(met[number] - {one.row.schedule_id})))
        for number, one in enumerate(expected)
    )


def changed_places(plan: Plan) -> tuple[Place, ...]:
    """Where the plan changes something: places that take one changing leg at a time."""
    places = ((leg.target.node, leg.target.host or "") for leg in codec.legs(plan) if leg.changes)
    return tuple(dict.fromkeys(places))


def longest(plan: Plan) -> timedelta:
    """How long the plan can take by its timeouts: its stages one after the other, the legs of each side by side.

    With the pauses between attempts: one, two, three, … times the first.
    """
    stages: defaultdict[int, int] = defaultdict(int)
    for leg in codec.legs(plan):
        attempts = sum(step.timeout_s * (1 + step.retries) for step in leg.steps)
        pauses = sum(step.retries * (step.retries + 1) // 2 for step in leg.steps)
        seconds = attempts + round(pauses * RETRY_PAUSE_S)
        stages[leg.stage] = max(stages[leg.stage], seconds)
    return timedelta(seconds=sum(stages.values()))
