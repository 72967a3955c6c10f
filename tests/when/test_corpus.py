"""Sentences whose answers were computed by programs that share nothing with this one.

`shared.jsonl` came with the design; `examiner.jsonl` was written from the design alone by somebody who had not seen the
reader, and was kept unread until the grammar was done (216 of 220 right at first sight).
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from schedctl.errors import TimingError
from schedctl.when.calendar import JAPAN
from schedctl.when.occurrences import upcoming
from schedctl.when.read import read

PHRASES = Path(__file__).parent / "phrases"
CASES: list[dict[str, Any]] = [
    json.loads(line)
    for name in ("shared.jsonl", "examiner.jsonl")
    for line in (PHRASES / name).read_text("utf-8").splitlines()
]
IGNORED = " 　、。,."
"""Punctuation around a task does not matter."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["text"])
def test_a_sentence_is_read_or_refused_as_its_author_says(case: dict[str, Any]) -> None:
    now = datetime.fromisoformat(case["now"])
    if "refuse" in case:
        with pytest.raises(TimingError) as caught:
            read(case["text"], now, case["timezone"])
        assert caught.value.type in case["refuse"]
        return
    reading = read(case["text"], now, case["timezone"])
    # Compared as instants: Python compares datetimes of one zone by their wall clocks, and refuses to in a fold.
    answers = [[datetime.fromisoformat(each).timestamp() for each in answer] for answer in case["next"]]
    found = [instant.timestamp() for instant in upcoming(reading.timing, now, len(answers[0]), JAPAN)]
    assert found in answers
    assert reading.task.strip(IGNORED) == case["task"].strip(IGNORED)
