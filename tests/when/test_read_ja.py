"""Japanese schedules: every golden sentence is read exactly, or refused with the right type."""

from __future__ import annotations

import pytest

from tests.when.golden import Row, outcome, rows


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row.text}: {row.reason}")
def test_a_sentence_means_what_its_row_says(row: Row) -> None:
    assert outcome(row) == "right"
