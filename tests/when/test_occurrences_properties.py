"""What holds for every timing, above all when clocks change."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from schedctl.when.model import Once, Timing
from schedctl.when.occurrences import between, count_between, last_until, next_after, upcoming
from tests.when.strategies import CALENDARS, timings

MOMENT = timedelta(microseconds=1)
DST_ZONES = (
    "America/New_York",
    "Europe/Berlin",
    "Australia/Lord_Howe",
    "America/Nuuk",
    "Africa/Casablanca",
    "Asia/Tokyo",
    "Pacific/Apia",
    "America/St_Johns",
)
CHANGES = tuple(
    datetime.fromisoformat(change)
    for change in (
        "2027-03-14T07:00+00:00",
        "2027-11-07T06:00+00:00",
        "2027-03-28T01:00+00:00",
        "2027-10-31T01:00+00:00",
        "2027-04-03T15:00+00:00",
        "2027-10-02T15:30+00:00",
        "2026-09-20T01:00+00:00",
        "2011-12-30T10:00+00:00",
    )
)
near_changes = st.tuples(st.sampled_from(CHANGES), st.integers(-3000, 3000) | st.integers(-90, 90)).map(
    lambda near: near[0] + timedelta(minutes=near[1])
)
instants = near_changes | st.datetimes(
    datetime(1950, 1, 1),  # noqa: DTZ001 - hypothesis adds the zone
    datetime(2090, 1, 1),  # noqa: DTZ001 - likewise
    timezones=st.just(UTC),
)


def in_zone(timing: Timing, zone: str) -> Timing:
    return timing if isinstance(timing, Once) else dataclasses.replace(timing, zone=zone)


any_timings = st.tuples(timings(), st.sampled_from(DST_ZONES)).map(lambda pair: in_zone(*pair))


def utc(instant: datetime) -> datetime:
    return instant.astimezone(UTC)


@settings(deadline=None)
@given(any_timings, instants)
def test_the_next_is_later_and_asking_just_before_it_finds_it_again(timing: Timing, instant: datetime) -> None:
    found = next_after(timing, instant, CALENDARS)
    if found is not None:
        assert utc(found) > instant
        again = next_after(timing, utc(found) - MOMENT, CALENDARS)
        assert again is not None
        assert again.isoformat() == found.isoformat()


@settings(deadline=None)
@given(any_timings, instants)
def test_the_last_until_the_next_is_the_next_and_before_it_comes_nothing(timing: Timing, instant: datetime) -> None:
    found = next_after(timing, instant, CALENDARS)
    if found is not None:
        last = last_until(timing, found, CALENDARS)
        assert last is not None
        assert last.isoformat() == found.isoformat()
        earlier = last_until(timing, utc(found) - MOMENT, CALENDARS)
        assert earlier is None or utc(earlier) <= instant


@settings(deadline=None)
@given(any_timings, instants, st.integers(0, 30 * 24 * 60))
def test_counting_is_listing(timing: Timing, after: datetime, minutes: int) -> None:
    until = after + timedelta(minutes=minutes)
    listed = [utc(instant) for instant in between(timing, after, until, CALENDARS)]
    assert all(earlier < later for earlier, later in pairwise(listed))
    assert all(after < instant <= until for instant in listed)
    assert count_between(timing, after, until, CALENDARS) == len(listed)


@settings(deadline=None, max_examples=50)
@given(any_timings, instants)
def test_listing_is_asking_again_and_again(timing: Timing, after: datetime) -> None:
    listed = upcoming(timing, after, 8, CALENDARS)
    cursor, asked = after, list[datetime]()
    while len(asked) < len(listed) and (found := next_after(timing, cursor, CALENDARS)) is not None:
        asked.append(found)
        cursor = found
    assert [instant.isoformat() for instant in asked] == [instant.isoformat() for instant in listed]


@settings(deadline=None, max_examples=50)
@given(any_timings, near_changes)
def test_every_answer_is_an_instant_that_its_zone_knows(timing: Timing, after: datetime) -> None:
    for instant in islice(between(timing, after, after + timedelta(days=30), CALENDARS), 50):
        assert str(instant.tzinfo) == timing.zone
        settled = utc(instant).astimezone(instant.tzinfo)
        assert (settled.isoformat(), settled.fold) == (instant.isoformat(), instant.fold)


@settings(deadline=None, max_examples=50)
@given(any_timings, instants)
def test_a_count_is_kept(timing: Timing, instant: datetime) -> None:
    if isinstance(timing, Once) or timing.count is None or timing.counted_from is None:
        return
    everything = upcoming(timing, datetime(1950, 1, 1, tzinfo=UTC), timing.count + 1, CALENDARS)
    assert len(everything) <= timing.count
    assert all(utc(found) >= timing.counted_from for found in everything)
    endless = dataclasses.replace(timing, count=None, counted_from=None)
    first = upcoming(endless, timing.counted_from - MOMENT, timing.count, CALENDARS)
    assert [found.isoformat() for found in first] == [found.isoformat() for found in everything]
