"""Business calendars by name: whose closed days count is said in the sentence, and never guessed."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from schedctl.errors import TimingError
from schedctl.when.calendar import BusinessCalendar, Calendars
from schedctl.when.occurrences import upcoming
from schedctl.when.read import read

NOW = datetime.fromisoformat("2026-11-30T10:00:00+09:00")
CALENDARS = Calendars(
    named=(
        ("工場", BusinessCalendar(closed_yearly=frozenset({(12, 1), (12, 31)}))),
        ("Plant-A", BusinessCalendar(country="", open=frozenset({date(2026, 12, 5)}))),
    )
)


@pytest.mark.parametrize(
    ("text", "first", "task"),
    [
        ("工場カレンダーの営業日9時にmarsを点検", "2026-12-02T09:00", "marsを点検"),  # 1 December is closed there
        ("毎営業日の9時にmarsを点検（カレンダー「工場」）", "2026-12-02T09:00", "marsを点検"),
        ("工場カレンダーで来月の最終営業日の18時にmarsを点検", "2026-12-30T18:00", "marsを点検"),  # 31 December too
        ("工場カレンダーで3営業日後の9時にmarsを点検", "2026-12-04T09:00", "marsを点検"),
        ("Plant-Aカレンダーの休日9時にmarsを点検", "2026-12-06T09:00", "marsを点検"),  # Saturday the 5th is open
        ("工場の点検を毎営業日の9時に", "2026-12-01T09:00", "工場の点検を"),  # a name alone names no calendar
    ],
)
def test_the_named_calendar_counts(text: str, first: str, task: str) -> None:
    reading = read(text, NOW, "Asia/Tokyo", CALENDARS)
    assert upcoming(reading.timing, NOW, 1, CALENDARS)[0] == datetime.fromisoformat(f"{first}+09:00")
    assert reading.task == task


def test_a_calendar_that_does_not_exist_is_refused_and_the_others_are_named() -> None:
    with pytest.raises(TimingError) as caught:
        read("本社カレンダーの営業日9時にmarsを点検", NOW, "Asia/Tokyo", CALENDARS)
    assert caught.value.hint is not None
    assert "工場、Plant-A" in caught.value.hint.ja
