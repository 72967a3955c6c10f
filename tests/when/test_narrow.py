"""Several conditions at once: all must hold, and what two filters cannot say is refused."""

from __future__ import annotations

import pytest

from schedctl.errors import TimingError
from schedctl.when.model import DayClass, InMonths, MonthDays, NamedHoliday, Weekly
from schedctl.when.read import read
from schedctl.when.reading.narrow import narrowed
from schedctl.when.rule import write
from tests.when.strategies import NOW

JULY, FRIDAY, THE_13TH, CLOSED = InMonths((7,)), Weekly((4,)), MonthDays((13,)), DayClass("closed")
OTHER_MONTHS = InMonths((1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12))


def test_one_condition_is_the_filter_itself() -> None:
    assert narrowed([(THE_13TH,)]) == ((THE_13TH,), ())
    assert narrowed([]) == ((), ())


def test_of_two_conditions_one_becomes_what_is_left_out() -> None:
    assert narrowed([(THE_13TH,), (JULY,)]) == ((THE_13TH,), (OTHER_MONTHS,))
    assert narrowed([(FRIDAY,), (JULY,)]) == ((JULY,), (Weekly((0, 1, 2, 3, 5, 6)),))
    assert narrowed([(THE_13TH,), (CLOSED,)]) == ((THE_13TH,), (DayClass("business"),))


def test_two_conditions_without_an_opposite_are_too_many() -> None:
    assert narrowed([(THE_13TH,), (NamedHoliday("海の日"),)]) is None
    assert narrowed([(THE_13TH, JULY), (FRIDAY, THE_13TH)]) is None


def test_a_sentence_with_several_limits_keeps_them_all() -> None:
    timing = read("毎年7月の平日の月曜9時にmarsを点検", NOW, "Asia/Tokyo").timing
    assert write(timing) == "business within months 7 except weekly tue,wed,thu,fri,sat,sun at 09:00 in Asia/Tokyo"


def test_a_sentence_with_too_many_limits_is_refused() -> None:
    with pytest.raises(TimingError) as refused:
        read("every Friday the 13th at 9 only on the 13th of every month, check mars", NOW, "Asia/Tokyo")
    assert refused.value.type == "ambiguous_time"
