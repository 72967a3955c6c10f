"""A refusal helps: its hint is there in both languages, and everything that it suggests can be read."""

from __future__ import annotations

import re

import pytest

from schedctl.errors import TimingError
from schedctl.when.read import read
from tests.when.golden import Row, rows

SUGGESTION = re.compile("「([^」]*)」")
REFUSED = [row for row in rows() if row.refusals]
NOT_FROM_PARTS = ("cron", "no resident process")
"""Cron's own refusals explain fields; they suggest no sentence."""


def refusal_of(row: Row) -> TimingError:
    with pytest.raises(TimingError) as caught:
        read(row.text, row.now, row.zone)
    return caught.value


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row.text)
def test_each_suggestion_of_a_hint_is_itself_read(row: Row) -> None:
    error = refusal_of(row)
    assert error.message.ja
    assert error.message.en
    assert error.hint is not None
    suggested = SUGGESTION.findall(error.hint.ja)
    assert suggested or row.reason.startswith(NOT_FROM_PARTS)
    for suggestion in suggested:
        read(suggestion, row.now, row.zone)


@pytest.mark.parametrize(
    ("text", "suggested"),
    [
        ("3日おきの午前2時にmarsを掃除して", ["3日ごとの午前2時にmarsを掃除して", "4日ごとの午前2時にmarsを掃除して"]),
        (
            "毎月31日の9時にmarsを点検",
            ["毎月31日（ない月は末日）の9時にmarsを点検", "毎月31日（ない月は飛ばす）の9時にmarsを点検"],
        ),
        ("毎週9時にmarsを確認して", ["毎週月曜の9時にmarsを確認して", "毎週金曜の9時にmarsを確認して"]),
        ("毎日午後12時にmarsを点検", ["毎日正午にmarsを点検", "毎日0時にmarsを点検"]),
        ("今日の9時にmarsを再起動して", ["明日の9時にmarsを再起動して"]),
        ("9時にmarsを点検", ["毎日9時にmarsを点検", "明日の9時にmarsを点検"]),
        ("月曜の夜1時にmarsを再起動", ["月曜の25時にmarsを再起動", "月曜の1時にmarsを再起動"]),
        ("12月10日（金）の9時にmarsを点検", ["12月10日（木曜）の9時にmarsを点検"]),
        ("月曜か火曜の9時にmarsを点検", ["月曜の9時にmarsを点検", "火曜の9時にmarsを点検"]),
    ],
)
def test_the_suggestions_are_the_operators_own_sentence_with_one_thing_changed(text: str, suggested: list[str]) -> None:
    row = next(iter(rows("refusals")))
    with pytest.raises(TimingError) as caught:
        read(text, row.now, row.zone)
    assert caught.value.hint is not None
    assert SUGGESTION.findall(caught.value.hint.ja)[: len(suggested)] == suggested
