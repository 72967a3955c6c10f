"""Judge a due schedule: what fires, what is only recorded and why, and where the schedule goes on. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, timedelta
from typing import TYPE_CHECKING, Final

from schedctl.store.firing import Due, Record, Verdict
from schedctl.when.model import Once
from schedctl.when.rhythm import MOMENT, count_between, last_until, next_after

if TYPE_CHECKING:
    from datetime import datetime

    from schedctl.catalog.basics import Freeze
    from schedctl.when.calendar import Calendars
    from schedctl.when.rhythm import Rhythm

A_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Moment:
    """What holds for every schedule that one batch judges. `armed_since` is None while disarmed."""

    now: datetime
    armed_since: datetime | None
    catch_up: timedelta
    freezes: tuple[Freeze, ...]


def judge(due: Due, moment: Moment, calendars: Calendars) -> Verdict:
    """The verdict on a due schedule. ValueError and KeyError where its rule, zone or calendar cannot be read.

    Of several occurrences that came due, only the latest can fire, and only within the catch-up limit; the earlier ones
    become one `missed(late)` record. Whether a freeze forbids the latest is asked of its own instant, however late the
    tick comes. What was due before the moment of arming never fires.
    """
    rhythm = due.rhythm()
    since = due.settled_through
    # By a clock that was years ahead when somebody armed, nothing would fire for years.
    if moment.armed_since is not None and since < moment.armed_since <= moment.now + A_DAY:
        since = moment.armed_since
    return Verdict(
        due.schedule_id,
        _records(due, rhythm, since, moment, calendars),
        next_after(rhythm, moment.now, calendars),
    )


def _records(due: Due, rhythm: Rhythm, since: datetime, moment: Moment, calendars: Calendars) -> tuple[Record, ...]:
    last = last_until(rhythm, moment.now, calendars)
    if last is None:
        return ()
    if due.state == "pending":
        return (Record("missed", last, "not_approved"),)
    if last <= since:
        passed_before_arming = isinstance(rhythm.timing, Once) and last > due.settled_through
        return (Record("missed", last, "late"),) if passed_before_arming else ()
    frozen = any(freeze.stops(last, due.risk) for freeze in moment.freezes)
    if last <= moment.now - (due.catch_up or moment.catch_up) and not frozen:
        return (_missed(rhythm, since, last, calendars),)
    latest = Record("skipped", last, "freeze") if frozen else _latest(due, last, moment)
    if last == due.next_fire_at:
        return (latest,)  # the instant that was foreseen is the only one: the usual tick asks no more
    before = last_until(rhythm, last.astimezone(UTC) - MOMENT, calendars)
    if before is None or before <= since:
        return (latest,)
    return (_missed(rhythm, since, before, calendars), latest)


def _missed(rhythm: Rhythm, since: datetime, last: datetime, calendars: Calendars) -> Record:
    """One record for every occurrence after `since` up to `last`."""
    count = count_between(rhythm, since, last, calendars)
    return Record("missed", last, "late", first=next_after(rhythm, since, calendars), count=count)


def _latest(due: Due, instant: datetime, moment: Moment) -> Record:
    """The record of the one occurrence that is young enough to fire, and that no freeze forbids."""
    if moment.armed_since is None:
        return Record("rehearsed", instant)
    blocked = {"skip": due.unfinished > 0, "queue": due.queued > 0}.get(due.overlap, False)
    return Record("skipped", instant, "overlap") if blocked else Record("queued", instant)
