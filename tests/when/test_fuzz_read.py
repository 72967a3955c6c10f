"""Any text at all is read or refused, in a time that grows with its length and no faster; a damaged sentence too."""

from __future__ import annotations

import time
from datetime import datetime
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedctl.errors import TimingError
from schedctl.when.japanese.words import KINDS
from schedctl.when.model import Reading
from schedctl.when.read import read
from tests.when.golden import rows

NOW = datetime.fromisoformat("2026-11-30T10:00:00+09:00")
WORDS = sorted(KINDS)
GLUE = ["の", "に", "は", "、", "と", "・", "から", "まで", "（", "）", " ", "を", "か"]
NUMBERS = ["1", "9", "15", "31", "第2", "三", "9:00", "12/24", "2026年", "12月", "25日", "9時", "30分", "3回"]
SENTENCES = [row for row in rows() if not row.refusals and row.zone == "Asia/Tokyo"]
TIME_LETTERS = set("毎週月曜日時分年第末祝休平営前後翌隔")


def outcome(text: str) -> Reading | TimingError:
    try:
        return read(text, NOW, "Asia/Tokyo")
    except TimingError as error:
        return error


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    outcome(text)


@given(st.lists(st.sampled_from([*WORDS, *GLUE, *NUMBERS]), max_size=14).map("".join))
@settings(max_examples=500)
def test_any_heap_of_words_of_time_is_read_or_refused(text: str) -> None:
    result = outcome(text + "marsを点検")
    assert isinstance(result, TimingError) or result.task


@lru_cache
def _pieces(text: str) -> list[str]:
    """A sentence cut after every second letter: what gets lost, doubled or swapped when people type."""
    return [text[index : index + 2] for index in range(0, len(text), 2)]


@given(st.data())
@settings(max_examples=500)
def test_a_damaged_sentence_is_read_as_written_or_refused(data: st.DataObject) -> None:
    row = data.draw(st.sampled_from(SENTENCES))
    pieces = list(_pieces(row.text))
    place = data.draw(st.integers(0, len(pieces) - 1))
    match data.draw(st.sampled_from(("drop", "double", "swap", "insert"))):
        case "drop":
            del pieces[place]
        case "double":
            pieces.insert(place, pieces[place])
        case "swap":
            pieces[place - 1], pieces[place] = pieces[place], pieces[place - 1]
        case _:
            pieces.insert(place, data.draw(st.sampled_from(WORDS)))
    result = outcome("".join(pieces))
    if isinstance(result, Reading):
        left = "".join(pieces)
        assert all(letter in left for letter in result.task)


@pytest.mark.parametrize(
    "unit",
    [
        "あ",
        "9",
        "九",
        "9時",
        "毎週月曜の9時に",
        "1、",
        "第1・",
        "月・",
        "（",
        "ｶﾞ",
        "から",
        "9:00〜",
        "a",
        "1/2 ",
        "12月1日と",
        "30分後に",
        "  ",
    ],
)
def test_the_time_is_linear_in_the_length(unit: str) -> None:
    def seconds(length: int) -> float:
        text = (unit * (length // len(unit) + 1))[:length]
        began = time.thread_time()
        outcome(text)
        return time.thread_time() - began

    small = min(seconds(1_000) for _ in range(3))
    assert any(seconds(10_000) < 30 * small + 0.05 for _ in range(3))
