"""The canonical sentences: what an operator is shown."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from schedctl.when.describe import describe
from schedctl.when.rule import parse
from tests.when.strategies import timings

if TYPE_CHECKING:
    from schedctl.language import Lang
    from schedctl.when.model import Timing

SENTENCES = list(csv.reader((Path(__file__).parent / "sentences.tsv").read_text("utf-8").splitlines(), delimiter="\t"))


@pytest.mark.parametrize(("rule", "ja", "en"), SENTENCES)
def test_a_timing_has_one_sentence_in_each_language(rule: str, ja: str, en: str) -> None:
    assert describe(parse(rule), "ja") == ja
    assert describe(parse(rule), "en") == en


@pytest.mark.parametrize("lang", ["ja", "en"])
@given(timing=timings(), other=timings())
def test_different_timings_have_different_sentences(timing: Timing, other: Timing, lang: Lang) -> None:
    assert (describe(timing, lang) == describe(other, lang)) == (timing == other)


def test_the_zone_is_left_out_only_where_it_is_the_default() -> None:
    timing = parse("daily at 03:00 in Europe/Berlin")
    assert describe(timing, "ja", default_zone="Europe/Berlin") == "毎日 03:00"
    assert describe(timing, "ja", default_zone="Asia/Tokyo") == "毎日 03:00（Europe/Berlin）"
