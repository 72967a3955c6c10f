"""Cron expressions: what they mean, and which are refused with the field named."""

from __future__ import annotations

import contextlib
import csv
import time
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedctl.errors import TimingError
from schedctl.when.calendar import JAPAN
from schedctl.when.cron import day_fields_are_ored, normalize, parse
from schedctl.when.model import At, Cron, MonthWeekdays, Recurring
from schedctl.when.occurrences import upcoming

HERE = Path(__file__).parent


def rows(name: str) -> list[list[str]]:
    return list(csv.reader((HERE / name).read_text("utf-8").splitlines()[1:], delimiter="\t"))


@pytest.mark.parametrize(("expression", "real", "ored", "after", "expected", "why"), rows("cron.tsv"))
def test_an_expression_means(expression: str, real: str, ored: str, after: str, expected: str, why: str) -> None:
    fields = parse(expression)
    assert fields.follows_real_minutes == (real == "yes"), why
    assert day_fields_are_ored(expression) == (ored == "yes"), why
    wanted = expected.split()
    timing = Recurring((Cron(normalize(expression)),), (), "Asia/Tokyo")
    found = upcoming(timing, datetime.fromisoformat(f"{after}+09:00"), len(wanted), JAPAN)
    assert [f"{instant:%Y-%m-%dT%H:%M}" for instant in found] == wanted, why


@pytest.mark.parametrize(("expression", "japanese", "english", "why"), rows("cron_refused.tsv"))
def test_an_expression_is_refused(expression: str, japanese: str, english: str, why: str) -> None:
    began = time.thread_time()
    with pytest.raises(TimingError) as caught:
        parse(expression)
    assert time.thread_time() - began < 0.1, why
    assert caught.value.type == "impossible_time"
    assert japanese in caught.value.message.ja, why
    assert english in caught.value.message.en, why
    assert caught.value.hint is not None


def test_a_natural_nth_weekday_is_no_or() -> None:
    """Trap vixie/cron#29: `0 9 1-7 * 1` runs on every Monday, 第1月曜 on the first alone."""
    timing = Recurring((MonthWeekdays((1,), (0,)),), (At(9),), "Asia/Tokyo")
    found = upcoming(timing, datetime.fromisoformat("2026-11-30T10:00+09:00"), 2, JAPAN)
    assert [f"{instant:%m-%d}" for instant in found] == ["12-07", "01-04"]


@pytest.mark.parametrize("expression", ["0 3 * * 0", "@daily", " */5  * * * MON ", "@HOURLY"])
def test_a_normal_form_is_its_own_normal_form(expression: str) -> None:
    assert normalize(normalize(expression)) == normalize(expression)
    assert parse(normalize(expression)).minutes_of_day == parse(expression).minutes_of_day


@given(st.text(max_size=40) | st.text("0123456789*/,-#LWSUN ", max_size=40))
def test_any_text_is_an_expression_or_a_refusal(text: str) -> None:
    with contextlib.suppress(TimingError):
        assert parse(text).minutes_of_day
