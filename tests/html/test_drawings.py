"""Where things are drawn: bars, letters, hours, gaps, days and costs."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from reports import DAY, PERIOD, WEEK, agent, at, calendar, cells, coming, cost, quiet, schedule, segments

from schedctl.language import Text
from schedctl.report import svg_agent, svg_cost, svg_day, svg_runs
from schedctl.report.agent_model import RestartGroup
from schedctl.report.figures import WORST_FIRST
from schedctl.report.html import render
from schedctl.report.period import day_period

if TYPE_CHECKING:
    from schedctl.report.schedule_model import RunCell

NEW_YORK = "America/New_York"


def shown(strip: tuple[RunCell, ...]) -> list[tuple[str, float, float, int, str]]:
    return [(bar.state, bar.x, bar.width, bar.count, bar.letter) for bar in svg_runs.bars(strip, PERIOD)]


def test_neighbours_of_one_state_are_one_bar() -> None:
    strip = (*cells("06:00", "06:15", "06:30"), *cells("06:45", state="failed"), *cells("12:00"))
    assert shown(strip) == [
        ("succeeded", 25.0, 3.12, 3, ""),
        ("failed", 28.12, 1.05, 1, "×"),
        ("succeeded", 50.0, 1.04, 1, ""),
    ]


def test_letters_never_touch_and_the_worst_choose_first() -> None:
    strip = (*cells("06:00", state="skipped"), *cells("06:15", state="lost"), *cells("09:00", state="missed"))
    assert [letter for *_, letter in shown(strip)] == ["", "?", "M"]


def test_every_state_has_its_own_letter_and_a_shape() -> None:
    assert set(svg_runs.LETTERS) == set(svg_runs.TONES) == set(WORST_FIRST)
    assert len(set(svg_runs.LETTERS.values())) == len(WORST_FIRST)


@pytest.mark.parametrize(
    ("day", "zone", "said"),
    [
        (date(2026, 11, 29), "Asia/Tokyo", [(0.0, "0"), (25.0, "6"), (50.0, "12"), (75.0, "18")]),
        (date(2026, 11, 1), NEW_YORK, [(0.0, "0"), (28.0, "6"), (52.0, "12"), (76.0, "18")]),  # 25 hours
        (date(2026, 3, 8), NEW_YORK, [(0.0, "0"), (21.74, "6"), (47.83, "12"), (73.91, "18")]),  # 23 hours
        (date(2026, 4, 24), "Africa/Cairo", [(0.0, "0"), (21.74, "6"), (47.83, "12"), (73.91, "18")]),  # no midnight
    ],
)
def test_the_hours_are_those_of_the_wall_clock(day: date, zone: str, said: list[tuple[float, str]]) -> None:
    period = day_period(day, zone)
    assert [(line.x, line.label) for line in svg_runs.lines(period)] == said
    assert [x for x, _ in svg_day.hours(day, zone)] == [x for x, _ in said]


def test_a_week_has_a_line_at_each_day() -> None:
    assert [line.label for line in svg_runs.lines(WEEK)] == [f"11/{day}" for day in range(23, 30)]


def test_a_gap_of_a_minute_is_seen_and_lies_on_top() -> None:
    strip = segments(("alive", "00:00"), ("silent", "12:00"), ("alive", "12:01"))
    pieces = svg_agent.pieces(agent("a", strip), PERIOD)
    assert [piece.segment.kind for piece in pieces] == ["alive", "alive", "silent"]
    assert pieces[-1].width == svg_agent.LEAST
    assert pieces[-1].x < 50.0 < pieces[-1].x + pieces[-1].width
    assert svg_agent.kinds((agent("a", strip),)) == {"alive", "silent"}


def test_restarts_of_other_days_are_not_drawn_on_a_day() -> None:
    days = tuple(at("06:00", DAY - timedelta(days=number)) for number in range(3))
    group = RestartGroup(days[0].time(), days, 1, 3, 7, (), Text("", ""))
    restarted = agent("a", segments(("alive", "00:00")), restarts=(group,))
    assert [tick.x for tick in svg_agent.restarts(restarted, PERIOD)] == [25.0]
    assert len(svg_agent.restarts(restarted, WEEK)) == 3
    assert not svg_agent.any_restart((agent("a", segments(("alive", "00:00"))),), PERIOD)


def test_occurrences_that_are_near_take_another_lane() -> None:
    day = calendar(
        {0: (coming("03:00", 1, "a", DAY), coming("03:05", 2, "b", DAY), coming("09:00", 3, "c", DAY))}
    ).days[0]
    marks = svg_day.marks(replace(day, day=DAY), "Asia/Tokyo")
    assert [(mark.x, mark.lane) for mark in marks] == [(12.5, 0), (12.85, 1), (37.5, 0)]


def test_a_second_half_past_one_lies_behind_the_first() -> None:
    zone = ZoneInfo(NEW_YORK)
    first = datetime(2026, 11, 1, 1, 30, tzinfo=zone)
    one = replace(coming("00:00", 1, "a", DAY), at=first, last=first.replace(fold=1), count=2)
    day = replace(calendar({0: (one,)}).days[0], day=date(2026, 11, 1))
    (mark,) = svg_day.marks(day, NEW_YORK)
    assert (mark.x, mark.until) == (6.0, 10.0)


def test_twice_as_high_is_twice_as_much() -> None:
    drawn = svg_cost.plot(cost(Text("a", "a"), 100, None, 50, 50, 50, 50, 200), PERIOD)
    heights = [None if point.y is None else svg_cost.BOTTOM - point.y for point in drawn.points]
    assert heights == [28.0, None, 14.0, 14.0, 14.0, 14.0, 56.0]
    assert [point.of_period for point in drawn.points] == [False] * 6 + [True]
    assert [len(line.split()) for line in drawn.lines] == [5]  # the first day stands alone
    assert drawn.baseline == 57.2  # a mean of 60 before the day


def test_nothing_spent_is_a_line_on_the_floor() -> None:
    drawn = svg_cost.plot(cost(Text("a", "a"), 0, 0, 0, 0, 0, 0, 0), PERIOD)
    assert {point.y for point in drawn.points} == {float(svg_cost.BOTTOM)}


def test_what_went_well_is_one_path_and_all_else_bar_by_bar() -> None:
    drawn = svg_runs.drawn((*cells("06:00", "12:00"), *cells("18:00", state="failed")), PERIOD)
    assert drawn.well == "M2500 18h104V32h-104zM5000 18h104V32h-104z"
    assert [bar.state for bar in drawn.others] == ["failed"]


def test_a_strip_of_many_bars_is_drawn_to_its_end() -> None:
    """A path is no text: however long it is, none of it is cut as a very long text is."""
    clocks = tuple(f"{hour:02}:{minute}" for hour in range(24) for minute in ("00", "30"))
    document = render(replace(quiet(), schedules=(schedule(1, "半時間ごと", cells(*clocks)),)), "ja")
    (path,) = re.findall(r'<path class="bar ok" d="([^"]*)"', document)
    assert re.fullmatch(r"(M\d+ 18h\d+V32h-\d+z){48}", path)
