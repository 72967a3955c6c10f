"""English sentences: each is read exactly, or refused with the right type and a hint that reads."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from schedctl.errors import TimingError
from schedctl.when.read import read
from schedctl.when.rule import write
from tests.when.strategies import CALENDARS, NOW

ROWS = list(csv.reader((Path(__file__).parent / "phrases_en.tsv").read_text("utf-8").splitlines(), delimiter="\t"))
READ = [row[:3] for row in ROWS if not row[1].startswith("!")]
REFUSED = [(row[0], row[1][1:].split(",")) for row in ROWS if row[1].startswith("!")]
ZONE = "Asia/Tokyo"


@pytest.mark.parametrize(("sentence", "rule", "task"), READ)
def test_a_sentence_means_this_rule_and_this_task(sentence: str, rule: str, task: str) -> None:
    reading = read(sentence, NOW, ZONE, CALENDARS)
    assert write(reading.timing) == (rule if " in " in rule else f"{rule} in {ZONE}")
    assert reading.task == task


@pytest.mark.parametrize(("sentence", "types"), REFUSED)
def test_a_sentence_is_refused_and_the_hint_can_be_read(sentence: str, types: list[str]) -> None:
    with pytest.raises(TimingError) as refused:
        read(sentence, NOW, ZONE, CALENDARS)
    assert refused.value.type in types
    assert refused.value.hint is not None
    for suggestion in refused.value.hint.en.split("“")[1:]:
        read(suggestion.split("”")[0], NOW, ZONE, CALENDARS)


@pytest.mark.parametrize(("sentence", "rule", "task"), READ)
def test_case_and_the_end_of_the_sentence_do_not_matter(sentence: str, rule: str, task: str) -> None:
    shouted = read(f"  {sentence.upper().replace('AMERICA/NEW_YORK', 'America/New_York')}.  ", NOW, ZONE, CALENDARS)
    assert shouted.timing == read(sentence, NOW, ZONE, CALENDARS).timing
    assert shouted.task.lower() == task.lower()
