"""What an operator is shown means what is stored: `read(describe(t)) == t`, in both languages and at any later time."""

from __future__ import annotations

import contextlib
import csv
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import HealthCheck, given, settings

from schedctl.errors import TimingError
from schedctl.when.describe import describe
from schedctl.when.model import Once, Timing
from schedctl.when.occurrences import next_after
from schedctl.when.read import read
from schedctl.when.rule import parse
from tests.when.spoken import as_said, spoken
from tests.when.strategies import CALENDARS, NOW

if TYPE_CHECKING:
    from datetime import datetime

    from schedctl.language import Lang

TASKS: Final[dict[Lang, tuple[str, str]]] = {"ja": (" marsを点検", "marsを点検"), "en": (", check mars", "check mars")}
SENTENCES: Final = list(
    csv.reader((Path(__file__).parent / "sentences.tsv").read_text("utf-8").splitlines(), delimiter="\t")
)
UNSAID: Final = (
    'named "元日" at 00:00 in Asia/Tokyo',  # is read as January 1
    'named "Martin Luther King Jr. Day" at 00:00 in America/New_York',  # only Japan's holidays have names to say
)
LATER: Final = NOW + timedelta(hours=7, minutes=3)
ZONE: Final = "Asia/Tokyo"
YEARS_SEARCHED: Final = 10
"""A reader refuses a rule whose first day lies farther away than it looks."""


def assert_read_back(timing: Timing, lang: Lang, now: datetime) -> None:
    words, task = TASKS[lang]
    sentence = describe(timing, lang) + words
    if _never_comes(timing, now):
        with contextlib.suppress(TimingError):  # it may be refused as what never happens
            assert read(sentence, now, ZONE, CALENDARS).timing == timing
        return
    reading = read(sentence, now, ZONE, CALENDARS)
    assert reading.timing == timing
    assert reading.task == task


def _never_comes(timing: Timing, now: datetime) -> bool:
    first = next_after(timing, now, CALENDARS)
    return first is None or first.year > now.year + YEARS_SEARCHED


@pytest.mark.parametrize(("rule", "ja", "en"), SENTENCES)
def test_each_sentence_of_the_table_reads_back(rule: str, ja: str, en: str) -> None:
    timing = as_said(parse(rule))
    if timing == parse(rule) and rule not in UNSAID:
        assert read(ja + TASKS["ja"][0], NOW, ZONE, CALENDARS).timing == timing
        assert read(en + TASKS["en"][0], NOW, ZONE, CALENDARS).timing == timing


@pytest.mark.parametrize("lang", ["ja", "en"])
@settings(deadline=None)
@given(timing=spoken())
def test_a_sentence_reads_back_to_its_timing(timing: Timing, lang: Lang) -> None:
    assert_read_back(timing, lang, NOW)


@pytest.mark.parametrize("lang", ["ja", "en"])
@settings(deadline=None)
@given(timing=spoken())
def test_it_means_the_same_when_it_is_read_later(timing: Timing, lang: Lang) -> None:
    if not isinstance(timing, Once) or timing.at > LATER:
        assert_read_back(timing, lang, LATER)


@pytest.mark.long
@pytest.mark.parametrize("lang", ["ja", "en"])
@settings(deadline=None, max_examples=10_000, suppress_health_check=[HealthCheck.too_slow])
@given(timing=spoken())
def test_ten_thousand_sentences_read_back(timing: Timing, lang: Lang) -> None:
    assert_read_back(timing, lang, NOW)
