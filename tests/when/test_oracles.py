"""Occurrences against the naive walk from day to day and from minute to minute, across all kinds of clock changes."""

from __future__ import annotations

import dataclasses
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedctl.when.model import At, Cron, Recurring
from schedctl.when.occurrences import between, count_between
from tests.when import naive
from tests.when.strategies import CALENDARS, recurrings

DAYS_OF_CHANGE = (
    ("America/New_York", date(2027, 3, 14)),
    ("America/New_York", date(2027, 11, 7)),
    ("Europe/Berlin", date(2028, 3, 26)),
    ("Europe/Berlin", date(2028, 10, 29)),
    ("Australia/Lord_Howe", date(2027, 4, 4)),
    ("Australia/Lord_Howe", date(2027, 10, 3)),
    ("America/Nuuk", date(2027, 3, 27)),
    ("America/Nuuk", date(2027, 10, 30)),
    ("Africa/Casablanca", date(2027, 2, 7)),
    ("Africa/Casablanca", date(2027, 3, 14)),
    ("America/St_Johns", date(2027, 11, 7)),
    ("Asia/Tokyo", date(2027, 3, 14)),
)
PAST_CHANGES = (
    ("Pacific/Apia", date(2011, 12, 30)),
    ("America/St_Johns", date(2010, 3, 14)),
    ("America/St_Johns", date(2010, 11, 7)),
    ("America/Havana", date(2012, 11, 4)),
    ("America/Sao_Paulo", date(2018, 2, 18)),
    ("America/Sao_Paulo", date(2018, 11, 4)),
)


@settings(max_examples=50, deadline=None)
@given(recurrings(), st.dates(date(2026, 11, 1), date(2031, 6, 1)))
def test_days_are_those_that_a_walk_from_day_to_day_finds(timing: Recurring, first: date) -> None:
    plain = dataclasses.replace(timing, zone="UTC", count=None, counted_from=None)
    plain = plain if isinstance(plain.days[0], Cron) else dataclasses.replace(plain, times=(At(0),))
    last = first + timedelta(days=400)
    after = datetime(first.year, first.month, first.day, tzinfo=UTC) - timedelta(microseconds=1)
    found = between(plain, after, after + timedelta(days=401), CALENDARS)
    expected = naive.days(plain, first, last, CALENDARS.get(plain.calendar))
    assert sorted({instant.date() for instant in found}) == sorted(expected)


@settings(max_examples=80, deadline=None)
@given(recurrings(), st.sampled_from(DAYS_OF_CHANGE + PAST_CHANGES), st.integers(-36, 12), st.integers(1, 60))
def test_minutes_are_those_that_a_walk_from_minute_to_minute_finds(
    timing: Recurring, change: tuple[str, date], shift: int, hours: int
) -> None:
    zone, day = change
    timing = dataclasses.replace(timing, zone=zone, count=None, counted_from=None, start=None, until=None)
    after = datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(hours=shift)
    until = after + timedelta(hours=hours)
    found = [instant.astimezone(UTC) for instant in between(timing, after, until, CALENDARS)]
    assert found == list(naive.instants(timing, after, until, CALENDARS.get(timing.calendar)))
    assert count_between(timing, after, until, CALENDARS) == len(found)


@pytest.mark.parametrize(("zone", "day"), DAYS_OF_CHANGE + PAST_CHANGES)
@pytest.mark.parametrize(
    "expression",
    ["30 2 * * *", "0,30 23 * * *", "*/7 * * * *", "15 */3 * * *", "5 0 * * *", "45 1 * * *", "*/15 0-3 * * *"],
)
def test_cron_is_what_a_walk_from_minute_to_minute_finds(zone: str, day: date, expression: str) -> None:
    timing = Recurring((Cron(expression),), (), zone)
    after = datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(hours=30)
    until = after + timedelta(hours=72)
    found = [instant.astimezone(UTC) for instant in between(timing, after, until, CALENDARS)]
    assert found == list(naive.instants(timing, after, until, CALENDARS.get("")))
