"""Budgets as they are written: what is read, what is refused, and that both directions agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedctl.catalog.budget import NO_BUDGET, Budget, parse_budget, stored_budget

WRITTEN = [
    ("tokens=50000,time=10m,steps=5,output=10M", Budget(50_000, 600, 5, 10 * 1024**2)),
    ("tokens=50k", Budget(tokens=50_000)),  # thousands
    ("output=4k", Budget(output_bytes=4096)),  # bytes come in powers of two
    ("time=90s, steps=1", Budget(time_s=90, steps=1)),  # a space after the comma
    ("steps=3,time=1h", Budget(time_s=3600, steps=3)),  # any order
]
REFUSED = [
    ("", ""),
    ("tokens", "tokens"),
    ("tokens=0", "tokens=0"),  # nothing could ever run
    ("tokens=-1", "tokens=-1"),
    ("time=10", "time=10"),  # ten of what?
    ("time=10M", "time=10M"),
    ("steps=5,steps=6", "steps=6"),
    ("steps=5,", ""),
    ("money=5", "money=5"),
    ("tokens=５０００", "tokens=５０００"),  # numbers of the command line are ASCII
]
LIMITS = st.none() | st.integers(1, 10**11)


@pytest.mark.parametrize(("text", "budget"), WRITTEN)
def test_what_is_written_is_read(text: str, budget: Budget) -> None:
    assert parse_budget(text) == budget


@pytest.mark.parametrize(("text", "part"), REFUSED)
def test_the_part_that_cannot_be_read_is_named(text: str, part: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the message is the part
        parse_budget(text)
    assert str(refused.value) == part


@given(st.builds(Budget, LIMITS, LIMITS, LIMITS, LIMITS))
def test_both_directions_agree(budget: Budget) -> None:
    assert stored_budget(budget.document()) == budget
    if budget != NO_BUDGET:
        assert parse_budget(budget.written()) == budget


def test_the_default_fills_what_is_not_limited() -> None:
    assert Budget(tokens=5).or_else(Budget(tokens=9, steps=2)) == Budget(tokens=5, steps=2)
