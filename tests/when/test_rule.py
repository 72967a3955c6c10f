"""The rule string: stable, readable, and read back exactly."""

from __future__ import annotations

import contextlib
import csv
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedctl.when.model import Once, Timing
from schedctl.when.rule import parse, write
from tests.when.strategies import timings

RULES = list(csv.reader((Path(__file__).parent / "rules.tsv").read_text("utf-8").splitlines(), delimiter="\t"))
NOT_RULES = [row[0] for row in RULES if row[1] == "no"]
GOOD_RULES = [row[0] for row in RULES if row[1] == "yes"]


@given(timings())
def test_a_rule_is_read_back_exactly(timing: Timing) -> None:
    assert parse(write(timing)) == timing


@given(timings())
def test_a_rule_is_one_line_of_plain_characters(timing: Timing) -> None:
    rule = write(timing)
    assert rule.isprintable()
    assert rule.replace("工場", "").encode("ascii", "replace").count(b"?") <= 3 * len("勤労感謝の日")


@pytest.mark.parametrize("rule", GOOD_RULES)
def test_the_stored_form_never_changes(rule: str) -> None:
    assert write(parse(rule)) == rule


@pytest.mark.parametrize("text", NOT_RULES)
def test_anything_else_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (the sentence differs by what is wrong)
        parse(text)


@given(st.text() | st.sampled_from(GOOD_RULES).flatmap(lambda rule: st.text(min_size=1).map(lambda end: rule + end)))
def test_no_text_does_anything_but_parse_or_raise_value_error(text: str) -> None:
    with contextlib.suppress(ValueError):
        parse(text)


def test_equal_instants_give_equal_rules() -> None:
    tokyo = Once(datetime(2026, 12, 1, 9, tzinfo=timezone(timedelta(hours=9))), "Asia/Tokyo")
    utc = Once(datetime(2026, 12, 1, 0, tzinfo=UTC), "Asia/Tokyo")
    assert write(tokyo) == write(utc) == "once 2026-12-01T09:00:00+09:00 in Asia/Tokyo"
