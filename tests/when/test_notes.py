"""The notes: what an operator is told beside the sentence."""

from __future__ import annotations

import csv
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from schedctl.when.calendar import JAPAN
from schedctl.when.notes import notes
from schedctl.when.rule import parse
from tests.when.strategies import CALENDARS, NOW, timings

if TYPE_CHECKING:
    from schedctl.when.model import Timing

ROWS = list(csv.reader((Path(__file__).parent / "notes.tsv").read_text("utf-8").splitlines(), delimiter="\t"))
RULES = list(dict.fromkeys(row[0] for row in ROWS))


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_has_exactly_these_notes(rule: str) -> None:
    found = notes(parse(rule), NOW, JAPAN)
    assert [[note.ja, note.en] for note in found] == [row[1:] for row in ROWS if row[0] == rule and row[1]]


def test_a_jump_that_lies_more_than_a_year_ahead_is_not_mentioned() -> None:
    timing = parse("once 2027-03-14T03:30:00-04:00 in America/New_York")
    assert [note.en for note in notes(timing, NOW, JAPAN)] == [
        "3:30 am on Sunday, before the night of Saturday is over"
    ]
    daily = parse("daily at 02:30 until 2027-03-13 in America/New_York")
    assert notes(daily, NOW - timedelta(days=1), JAPAN) == ()


def test_a_cron_expression_with_nothing_left_names_no_next_dates() -> None:
    over = parse('cron "0 0 1,15 * 0" starting 2026-12-02 until 2026-12-02 in Asia/Tokyo')
    assert notes(over, NOW, JAPAN) == ()


@settings(deadline=None)  # the first question about a year's holidays takes its time
@given(timings())
def test_every_timing_can_be_annotated_in_both_languages(timing: Timing) -> None:
    for note in notes(timing, NOW, CALENDARS):
        assert note.ja.isprintable()
        assert note.en.isprintable()
        assert note.ja != note.en
