"""The shared corpus: sentences whose answers were computed by a program that shares nothing with this one."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from schedctl.errors import TimingError
from schedctl.language import language_of
from schedctl.when.calendar import JAPAN
from schedctl.when.occurrences import upcoming
from schedctl.when.read import read

CASES: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "phrases" / "shared.jsonl").read_text("utf-8").splitlines()
]
JAPANESE = [case for case in CASES if language_of(case["text"]) == "ja"]


@pytest.mark.parametrize("case", JAPANESE, ids=lambda case: case["text"])
def test_the_shared_corpus_is_read_or_refused_as_it_says(case: dict[str, Any]) -> None:
    now = datetime.fromisoformat(case["now"])
    if "refuse" in case:
        with pytest.raises(TimingError) as caught:
            read(case["text"], now, case["timezone"])
        assert caught.value.type in case["refuse"]
        return
    reading = read(case["text"], now, case["timezone"])
    answers = [[datetime.fromisoformat(each) for each in answer] for answer in case["next"]]
    assert any(list(upcoming(reading.timing, now, len(answer), JAPAN)) == answer for answer in answers)
    assert reading.task == case["task"]
