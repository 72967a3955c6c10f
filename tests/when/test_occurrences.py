"""Golden tables: which instants a rule names, and why; and what an answer looks like."""

from __future__ import annotations

import csv
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from schedctl.errors import Refused
from schedctl.when.calendar import JAPAN, BusinessCalendar, Calendars
from schedctl.when.model import At, Daily, MonthDays, Months, Offset, Recurring, Shift
from schedctl.when.occurrences import between, count_between, last_until, next_after, upcoming
from schedctl.when.rule import parse

HERE = Path(__file__).parent
CALENDARS = Calendars(
    named=(
        ("工場", BusinessCalendar(closed_yearly=frozenset({(12, 30), (12, 31)}))),
        ("factory", BusinessCalendar(country="", open=frozenset({date(2026, 12, 5)}))),
    )
)
NOON = datetime.fromisoformat("2026-11-30T12:00+09:00")


def rows(name: str) -> list[tuple[str, str, str]]:
    lines = (HERE / name).read_text("utf-8").splitlines()[1:]
    return [(rule, after, expected) for rule, after, expected, _ in csv.reader(lines, delimiter="\t", quoting=3)]


GOLDEN = [*rows("occurrences.tsv"), *rows("occurrences_dst.tsv")]


@pytest.mark.parametrize(("rule", "after", "expected"), GOLDEN)
def test_next(rule: str, after: str, expected: str) -> None:
    wanted, ends = expected.removesuffix("-").split(), expected.endswith("-")
    found = upcoming(parse(rule), datetime.fromisoformat(after), len(wanted) + ends, CALENDARS)
    assert [instant.isoformat(timespec="minutes") for instant in found] == wanted


@pytest.mark.parametrize(("rule", "after", "expected"), GOLDEN)
def test_previous(rule: str, after: str, expected: str) -> None:
    """Each occurrence is the last until the next one comes, and none lies between `after` and the first."""
    timing, instant = parse(rule), datetime.fromisoformat(after)
    for wanted in expected.removesuffix("-").split():
        due = datetime.fromisoformat(wanted)
        earlier = last_until(timing, due - timedelta(microseconds=1), CALENDARS)
        assert earlier is None or earlier.timestamp() <= instant.timestamp()
        reached = last_until(timing, due, CALENDARS)
        assert reached is not None
        assert reached.isoformat() == due.isoformat()
        instant = due


@pytest.mark.parametrize(("rule", "after", "expected"), GOLDEN)
def test_count(rule: str, after: str, expected: str) -> None:
    wanted = expected.removesuffix("-").split()
    until = datetime.fromisoformat(wanted[-1] if wanted else after)
    assert count_between(parse(rule), datetime.fromisoformat(after), until, CALENDARS) == len(wanted)


def test_a_tick_each_minute_through_a_gap_finds_each_occurrence_once() -> None:
    """Traps nomad#5410 and rundeck#6879: the next one stands still at the gap, or the night is left out."""
    timing = parse("daily at 02:00 in America/New_York")
    minutes = [datetime(2026, 3, 8, tzinfo=UTC) + timedelta(minutes=n) for n in range(2 * 1440)]
    answers = [next_after(timing, minute, CALENDARS) for minute in minutes]
    assert all(
        answer is not None and answer.astimezone(UTC) > now for now, answer in zip(minutes, answers, strict=True)
    )
    due = {answer.isoformat() for answer in answers if answer is not None}
    assert due == {"2026-03-08T03:00:00-04:00", "2026-03-09T02:00:00-04:00", "2026-03-10T02:00:00-04:00"}


def test_answers_are_in_the_timings_own_zone() -> None:
    found = next_after(Recurring((Daily(),), (At(3),), "Europe/Berlin"), NOON, JAPAN)
    assert found is not None
    assert str(found.tzinfo) == "Europe/Berlin"
    assert found.astimezone(UTC).isoformat() == "2026-12-01T02:00:00+00:00"


def test_between_includes_its_end_only() -> None:
    timing = Recurring((Daily(),), (At(12),), "Asia/Tokyo")
    found = between(timing, NOON, NOON + timedelta(days=2), JAPAN)
    assert [instant.day for instant in found] == [1, 2]


def test_a_calendar_that_is_not_there_is_refused_by_name() -> None:
    timing = Recurring((Daily(),), (At(12),), "Asia/Tokyo", calendar="倉庫")
    with pytest.raises(Refused, match="倉庫") as caught:
        next_after(timing, NOON, JAPAN)
    assert caught.value.type == "unknown_calendar"


def test_a_zone_that_is_not_there_is_refused() -> None:
    with pytest.raises(Refused, match="Mars/Base"):
        next_after(Recurring((Daily(),), (At(12),), "Mars/Base"), NOON, JAPAN)


@pytest.mark.parametrize("year", [1, 2, 1582, 1900, 2400, 9998, 9999])
@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York", "Etc/GMT-14", "Etc/GMT+12", "UTC"])
def test_every_year_of_the_calendar_has_answers(year: int, zone: str) -> None:
    moved = Recurring((Daily(),), (At(25),), zone, moves=(Shift("next"), Offset(-2, business=True)))
    for timing in (moved, Recurring((Daily(),), (At(12),), zone)):
        instant = datetime(year, 6, 1, tzinfo=UTC)
        later, earlier = next_after(timing, instant, JAPAN), last_until(timing, instant, JAPAN)
        assert later is not None
        assert earlier is not None
        assert earlier.timestamp() <= instant.timestamp() < later.timestamp()


@pytest.mark.parametrize("edge", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
def test_the_ends_of_the_calendar_end_quietly(edge: datetime) -> None:
    for zone in ("Etc/GMT-14", "Etc/GMT+12"):
        timing = Recurring((Daily(),), (At(12),), zone)
        answers = (next_after(timing, edge, JAPAN), last_until(timing, edge, JAPAN))
        assert sum(answer is None for answer in answers) == 1


def test_what_never_comes_is_known_soon() -> None:
    never = Recurring((MonthDays((30,), Months((2,))),), (At(3),), "America/New_York")
    began = time.thread_time()
    assert next_after(never, NOON, JAPAN) is None
    assert last_until(never, NOON, JAPAN) is None
    assert time.thread_time() - began < 1


def test_a_calendar_without_a_business_day_ends_quietly() -> None:
    always = frozenset((month, day) for month in range(1, 13) for day in range(1, 32))
    closed = Calendars(BusinessCalendar(country="", closed_yearly=always))
    timing = Recurring((Daily(),), (At(3),), "Asia/Tokyo", moves=(Shift("next"), Offset(3, business=True)))
    assert next_after(timing, NOON, closed) is None


def test_a_count_beyond_all_bounds_is_known_soon() -> None:
    timing = Recurring((Daily(),), (At(3),), "America/New_York", count=10**9, counted_from=NOON)
    began = time.thread_time()
    assert next_after(timing, NOON, JAPAN) is not None
    assert time.thread_time() - began < 3


def test_ten_years_of_every_minute_are_counted_without_listing_them() -> None:
    timing = parse("daily at 00:00-23:59/1m in America/New_York")
    began = time.thread_time()
    assert count_between(timing, NOON, NOON + timedelta(days=3650), JAPAN) == 3650 * 1440
    assert time.thread_time() - began < 0.5


def test_the_two_passes_of_a_repeated_hour_are_not_taken_for_each_other() -> None:
    quarters = parse("daily at 00:00-23:45/15m in Europe/Berlin")
    first = datetime(2026, 10, 25, 2, 20, tzinfo=ZoneInfo("Europe/Berlin"))
    passes = (first, first.replace(fold=1))
    for ask in (next_after, last_until):
        found = [ask(quarters, instant, JAPAN) for instant in passes]
        assert [instant.astimezone(UTC).hour for instant in found if instant is not None] == [0, 1]
