"""What hypothesis draws for the model: rules that soon have something to do, and steps of the clock."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from hypothesis import strategies as st
from oracle import MINUTE, Rule
from reference import Schedule

if TYPE_CHECKING:
    from schedctl.store.schedules import Overlap, ScheduleState

STARTS = [
    datetime(2026, 12, 1, 1, 0, tzinfo=UTC),
    datetime(2026, 3, 8, 5, 30, tzinfo=UTC),  # an hour and a half before New York's gap
    datetime(2026, 10, 24, 23, 30, tzinfo=UTC),  # an hour and a half before Berlin's repeated hour
    datetime(2026, 4, 4, 13, 30, tzinfo=UTC),  # an hour and a half before Lord Howe's repeated half hour
]
ZONES = ["Asia/Tokyo", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe"]
STEPS = [1, 1, 1, 2, 5, 15, 30, 60]
GAPS = [61, 90, 240, 24 * 60, 25 * 60, 3 * 24 * 60]
AROUND = [-1, 0, 0, 1, 1, 5, 59, 60, 61]
BACK = [1, 10, 59, 180, 23 * 60, 26 * 60, 5 * 24 * 60]


@st.composite
def rules(draw: st.DrawFn, now: datetime) -> Rule:
    """A rule that has something to do in the next minutes, hours or days."""
    zone = draw(st.sampled_from(ZONES))
    soon = now.replace(second=0) + MINUTE * draw(st.sampled_from([1, 2, 3, 10, 30, 45, 61, 120, 1500]))
    wall = soon.astimezone(ZoneInfo(zone))
    kind = draw(st.sampled_from(["once", "daily", "daily", "weekly", "minutely", "step", "hourly", "hours"]))
    if kind == "once":
        return Rule(zone, at=soon)
    count = draw(st.sampled_from([*[None] * 8, 1, 2, 5]))
    limits: dict[str, Any] = {"count": count, "since": now.replace(second=0) + MINUTE if count else None}
    if count is None and draw(st.integers(0, 7)) == 0:
        limits["until"] = wall.date() + timedelta(days=draw(st.integers(0, 2)))
    minutes = (wall.hour * 60 + wall.minute,)
    match kind:
        case "daily":
            more = draw(st.lists(st.integers(0, 24 * 60 - 1), max_size=2))
            return Rule(zone, minutes=tuple(sorted({*minutes, *more})), **limits)
        case "weekly":
            return Rule(zone, weekdays=(wall.weekday(),), minutes=minutes, **limits)
        case _:
            step = {"minutely": 1, "step": draw(st.sampled_from([5, 30])), "hourly": 60, "hours": 120}[kind]
            return Rule(zone, step=step, **limits)


@st.composite
def registrations(draw: st.DrawFn, now: datetime) -> tuple[Schedule, timedelta | None]:
    """A schedule that is registered now, and its own catch-up where it has one."""
    rule = draw(rules(now))
    state: ScheduleState = draw(st.sampled_from(["active", "active", "active", "pending"]))
    overlap: Overlap = draw(st.sampled_from(["skip", "skip", "queue", "allow"]))
    catch_up = draw(st.sampled_from([None, None, timedelta(minutes=5), timedelta(hours=30)]))
    known = Schedule(rule, state, now, draw(st.booleans()), overlap)
    known.catch_up = catch_up or known.catch_up
    return known, catch_up
