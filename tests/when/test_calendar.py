"""Business calendars: open, closed, and the holidays' names."""

from __future__ import annotations

import csv
import subprocess
import sys
from datetime import date, timedelta
from importlib.metadata import version
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedctl.errors import TimingError
from schedctl.when.calendar import (
    BusinessCalendar,
    add_business_days,
    holiday_names,
    holidays_version,
    is_business_day,
    is_holiday,
    known_holiday_names,
    knows_country,
    named_holiday_dates,
    next_business_day,
    previous_business_day,
)

LINES = (Path(__file__).parent / "calendar.tsv").read_text("utf-8").splitlines()[1:]
GOLDEN = [tuple(row) for row in csv.reader(LINES, delimiter="\t")]
JAPAN = BusinessCalendar()
FACTORY = BusinessCalendar(
    closed=frozenset({date(2026, 12, 4)}),
    closed_yearly=frozenset({(12, 30), (12, 31), (1, 2), (1, 3)}),
    open=frozenset({date(2026, 12, 5), date(2026, 12, 31), date(2027, 1, 11)}),
)
NEVER_OPEN = BusinessCalendar(closed_yearly=frozenset((month, day) for month in range(1, 13) for day in range(1, 32)))
ROOT = str(Path(__file__).parents[2])


@pytest.mark.parametrize(("day", "business", "holiday", "names", "why"), GOLDEN)
def test_a_day_in_japan(day: str, business: str, holiday: str, names: str, why: str) -> None:
    when = date.fromisoformat(day)
    assert is_business_day(JAPAN, when) == (business == "yes"), why
    assert is_holiday(JAPAN, when) == (holiday == "yes"), why
    assert holiday_names(JAPAN, when) == tuple(names.split()), why


@pytest.mark.parametrize(
    ("day", "business"),
    [
        (date(2026, 12, 3), True),
        (date(2026, 12, 4), False),  # closed once
        (date(2026, 12, 5), True),  # an open Saturday
        (date(2026, 12, 30), False),  # closed each year
        (date(2026, 12, 31), True),  # an open day wins over a yearly closure
        (date(2027, 1, 11), True),  # and over a public holiday
    ],
)
def test_own_days_come_first(day: date, business: bool) -> None:
    assert is_business_day(FACTORY, day) == business


def test_another_country_and_none() -> None:
    assert not is_business_day(BusinessCalendar(country="US"), date(2026, 7, 3))
    assert holiday_names(BusinessCalendar(country="US"), date(2026, 12, 25)) == ("Christmas Day",)
    assert is_business_day(BusinessCalendar(country=""), date(2027, 1, 1))
    assert not is_holiday(BusinessCalendar(country=""), date(2027, 1, 1))


def test_countries_that_are_known() -> None:
    assert [knows_country(country) for country in ("JP", "US", "", "XX", "jp")] == [True, True, True, False, False]


def test_a_named_holiday_is_its_own_date_and_not_its_substitute() -> None:
    assert named_holiday_dates(JAPAN, "憲法記念日", 2026) == (date(2026, 5, 3),)
    assert named_holiday_dates(JAPAN, "振替休日", 2026) == (date(2026, 5, 6),)
    assert named_holiday_dates(JAPAN, "成人の日", 2027) == (date(2027, 1, 11),)
    assert named_holiday_dates(JAPAN, "海の日", 1990) == ()


def test_names_are_those_of_holidays_that_still_come_round() -> None:
    names = known_holiday_names(JAPAN)
    assert {"元日", "成人の日", "スポーツの日", "振替休日", "国民の休日"} <= set(names)
    assert not {"大喪の礼", "天皇の即位の日", "体育の日"} & set(names)
    assert known_holiday_names(BusinessCalendar(country="")) == ()


@pytest.mark.parametrize(
    ("day", "n", "expected"),
    [
        (date(2026, 12, 4), 1, date(2026, 12, 7)),
        (date(2026, 12, 5), 1, date(2026, 12, 7)),  # from a Saturday Monday is the first
        (date(2026, 12, 5), -1, date(2026, 12, 4)),  # and Friday the first before it
        (date(2026, 12, 5), 0, date(2026, 12, 5)),
        (date(2026, 12, 31), 1, date(2027, 1, 4)),
        (date(2027, 1, 4), -2, date(2026, 12, 30)),
        (date(2026, 5, 1), 1, date(2026, 5, 7)),  # ゴールデンウィーク
    ],
)
def test_business_days_are_counted(day: date, n: int, expected: date) -> None:
    assert add_business_days(JAPAN, day, n) == expected


@given(st.dates(date(2000, 1, 1), date(2090, 1, 1)), st.integers(1, 40))
def test_counting_forth_and_back_returns(day: date, n: int) -> None:
    there = add_business_days(JAPAN, day, n)
    between = (day + timedelta(days=passed) for passed in range(1, (there - day).days + 1))
    assert sum(is_business_day(JAPAN, passed) for passed in between) == n
    back = add_business_days(JAPAN, there, -n)
    assert back <= day
    assert back == day or not is_business_day(JAPAN, day)


def test_a_calendar_that_never_opens_is_said_and_not_searched_for_ever() -> None:
    assert next_business_day(NEVER_OPEN, date(2026, 12, 1)) is None
    assert previous_business_day(NEVER_OPEN, date(2026, 12, 1)) is None
    with pytest.raises(TimingError) as caught:
        add_business_days(NEVER_OPEN, date(2026, 12, 1), 1)
    assert caught.value.type == "impossible_time"


def test_the_calendar_ends_quietly() -> None:
    assert next_business_day(JAPAN, date.max) is None
    assert previous_business_day(JAPAN, date.min) is None


def test_the_version_is_the_packages() -> None:
    assert holidays_version() == version("holidays")


def imported_by(program: str) -> set[str]:
    """Which of the expensive packages a program has imported by its end."""
    program += "\nimport sys; print(*{'holidays', 'dateutil'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": ROOT}, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_weekends_and_own_days_need_no_holidays() -> None:
    program = (
        "from datetime import date\n"
        "from schedctl.when.calendar import *\n"
        "own = BusinessCalendar(closed=frozenset({date(2026, 12, 4)}), open=frozenset({date(2026, 12, 5)}))\n"
        "days = [is_business_day(own, date(2026, 12, day)) for day in (4, 5, 6)]\n"
        "assert days == [False, True, False]\n"
    )
    assert imported_by(program) == set()


@pytest.mark.parametrize(
    ("rule", "needed"),
    [
        ("daily at 03:00 in America/New_York", set[str]()),
        ("weekly mon,tue every 2 from 2026-11-30 at 03:00 in Asia/Tokyo", set[str]()),
        ("monthdays -1 at 03:00 in Asia/Tokyo", set[str]()),
        ('cron "0 3 * * 1" in Asia/Tokyo', set[str]()),
        ("business at 03:00 in Asia/Tokyo", {"holidays", "dateutil"}),
    ],
)
def test_only_rules_about_business_days_load_the_holidays(rule: str, needed: set[str]) -> None:
    program = (
        "from datetime import datetime\n"
        "from schedctl.when import rule, occurrences\n"
        "from schedctl.when.calendar import JAPAN\n"
        "now = datetime.fromisoformat('2026-11-30T10:00+09:00')\n"
        f"assert occurrences.next_after(rule.parse({rule!r}), now, JAPAN)\n"
    )
    assert imported_by(program) == needed
