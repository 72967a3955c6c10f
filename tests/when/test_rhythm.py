"""Jitter: only later, the same for the same occurrence, and every question about it answered alike."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedctl.when import occurrences, rule
from schedctl.when.calendar import JAPAN
from schedctl.when.rhythm import Rhythm, count_between, last_until, next_after, smallest_gap, upcoming

LINES = [
    ("daily at 03:00 in Asia/Tokyo", 600),
    ("daily at 00:00-23:59/5m in America/New_York", 149),
    ("weekly mon,thu at 01:00,02:30 in Europe/Berlin", 2400),
    ("monthdays -1 at 23:00 in Asia/Tokyo", 3500),
]
INSTANTS = st.integers(1_792_400_000, 1_806_500_000).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))
"""October 2026 to April 2027."""


@pytest.mark.parametrize(("line", "seconds"), LINES)
@given(instant=INSTANTS)
def test_each_firing_belongs_to_one_occurrence_and_comes_later(line: str, seconds: int, instant: datetime) -> None:
    rhythm = Rhythm(rule.parse(line), timedelta(seconds=seconds), "seed")
    fired = next_after(rhythm, instant, JAPAN)
    assert fired is not None
    occurrence = occurrences.last_until(rhythm.timing, fired, JAPAN)
    assert occurrence is not None
    assert 0 <= fired.timestamp() - occurrence.timestamp() < seconds
    assert rhythm.fires_at(occurrence).timestamp() == fired.timestamp()
    assert fired.timestamp() > instant.timestamp()


@pytest.mark.parametrize(("line", "seconds"), LINES)
@given(instant=INSTANTS, hours=st.integers(0, 2000))
def test_counting_and_looking_back_agree_with_listing(line: str, seconds: int, instant: datetime, hours: int) -> None:
    rhythm = Rhythm(rule.parse(line), timedelta(seconds=seconds), "seed")
    until = instant + timedelta(hours=hours)
    listed = [one for one in upcoming(rhythm, instant, 100, JAPAN) if one.timestamp() <= until.timestamp()]
    if len(listed) < 100:
        assert count_between(rhythm, instant, until, JAPAN) == len(listed)
    for one in listed[:20]:
        found = last_until(rhythm, one, JAPAN)
        assert found is not None
        assert found.timestamp() == one.timestamp()


def test_seeds_spread_and_no_jitter_changes_nothing() -> None:
    timing = rule.parse("daily at 03:00 in Asia/Tokyo")
    at = datetime.fromisoformat("2026-12-02T03:00+09:00")
    assert Rhythm(timing).fires_at(at) == at
    assert len({Rhythm(timing, timedelta(hours=1), str(seed)).fires_at(at) for seed in range(50)}) > 40
    assert smallest_gap(timing, at, JAPAN) == timedelta(days=1)
    assert smallest_gap(rule.parse("once 2026-12-02T03:00:00+09:00 in Asia/Tokyo"), at, JAPAN) is None
