"""Any heap of English words is read or refused, in a time that grows with its length and no faster."""

from __future__ import annotations

import contextlib
import time
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedctl.errors import TimingError
from schedctl.when.read import read
from tests.when.strategies import CALENDARS, NOW

WORDS: Final = [
    *("every", "each", "other", "on", "at", "in", "of", "the", "and", "or", "to", "from", "until", "between", "except"),
    *("only", "if", "it is a", "holiday", "weekend", "business", "day", "days", "week", "weeks", "month", "year"),
    *("monday", "mon", "friday", "sun", "sat", "weekday", "weekdays", "first", "second", "last", "third", "1st"),
    *("15th", "31st", "2", "3", "9", "18", "9am", "5pm", "9:30", "18:00", "25:00", "noon", "midnight", "half", "past"),
    *("quarter", "hour", "hours", "minutes", "30", "december", "24", "may", "12/24", "13/1", "2026-12-24", "2027"),
    *("tomorrow", "today", "tonight", "next", "this", "coming", "now", "later", "before", "after", "by", "around"),
    *("previous", "skip", "times", "once", "twice", "5", "for", "starting", "(counted", "UTC", "Europe/Berlin"),
    *("EST", "calendar", "factory", ")", ",", ";", "check mars", "logs older than", "daily", "weekly", "hourly"),
    *("morning", "night", "end", "+09:00", "-04:00", "0", "00:00", "not", "unless", "without", "shorter months", "-"),
]


@given(st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join))
@settings(max_examples=500, deadline=None)
def test_any_heap_of_words_of_time_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(TimingError):
        assert read(text, NOW, "Asia/Tokyo", CALENDARS).task


@pytest.mark.parametrize(
    "unit",
    ["every ", "9 and ", "monday, ", "1st and ", "in 5 ", "the last ", "a", "(", "if it is a ", "12/24 ", "mars "],
)
def test_reading_time_grows_with_the_length_and_no_faster(unit: str) -> None:
    def seconds(length: int) -> float:
        text = (unit * (length // len(unit) + 1))[:length] + " check mars"
        return _measured(text)

    small = min(seconds(2_000) for _ in range(3))
    assert any(seconds(8_000) < 12 * small + 0.005 for _ in range(3))


def _measured(text: str) -> float:
    start = time.thread_time()
    with contextlib.suppress(TimingError):
        read(text, NOW, "Asia/Tokyo")
    return time.thread_time() - start
