"""What a report says of costs, lengths and numbers, and what becomes of the whole of it, one fact a row."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports import PERIOD, at, quiet

from schedctl.language import Text
from schedctl.redact import Redactor
from schedctl.report import glyphs
from schedctl.report.chat import MOST_BYTES, chat_text
from schedctl.report.costs import cost_of, drift_of
from schedctl.report.figures import DayCost, Need, StateCount
from schedctl.report.first_lines import first_lines
from schedctl.report.markdown import escaped
from schedctl.report.redacting import redacted
from schedctl.report.schedule_model import RunCell
from schedctl.report.sentences import Happened, happened_said
from schedctl.report.spans import change_said, number_said, share_said, span_said

# ---------------------------------------------------------------- costs


@pytest.mark.parametrize(
    ("means", "drift"),
    [
        ([100, 110, 120, 130, 140, 150, 160], 0.6),
        ([100, 100, 100, 100, 100, 100, 900], 0.0),  # one burst is no drift
        ([160, 150, 140, 130, 120, 110, 100], -0.375),
        ([None, None, 100, None, 120, None, 140], 0.4),
        ([None, 100, 200, None], None),  # two days are no trend
        ([0, 0, 0], None),
        ([], None),
    ],
)
def test_the_drift(means: list[float | None], drift: float | None) -> None:
    assert drift_of(means) == (pytest.approx(drift) if drift is not None else None)


def test_a_day_is_compared_with_the_days_before_it() -> None:
    days = [DayCost(date(2026, 11, 21) + timedelta(days=n), 10, 10 * (100 + n)) for n in range(14)]
    day = cost_of(Text("x", "x"), days[6:], 1, 7)
    assert (day.mean, day.baseline, len(day.days)) == (113, 109.5, 7)
    week = cost_of(Text("x", "x"), days, 7, 7)
    assert (week.mean, week.baseline, week.tokens) == (110, 103, 7700)
    assert week.ratio == pytest.approx(110 / 103)
    nothing = cost_of(Text("x", "x"), [*days[7:13], DayCost(date(2026, 12, 4), 0, 0)], 1, 7)
    assert (nothing.mean, nothing.message.en) == (None, "no tokens in this period")


# ---------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (0.42, "0.4 s"),
        (59.6, "1 min"),
        (250, "4 min 10 s"),
        (3600, "1 h"),
        (7500, "2 h 5 min"),
        (90_000, "1 d 1 h"),
    ],
)
def test_lengths(seconds: float, said: str) -> None:
    assert span_said(seconds).en == said


def test_numbers() -> None:
    assert [number_said(one) for one in (0, 12.34, 99.96, 1234.5, 1e6)] == ["0", "12.3", "100", "1,234", "1,000,000"]
    assert [change_said(one) for one in (0.42, -0.08, 0.001)] == ["+42 %", "-8 %", "±0 %"]
    assert [share_said(one) for one in (1.0, 0.99999, 0.986, 0.00001, 0.0)] == [
        "100 %",
        "99.9 %",
        "98.6 %",
        "0.1 %",
        "0 %",
    ]


def test_sparklines() -> None:
    assert glyphs.sparkline([None, 0, 1, 2, 4]) == "·▁▃▅█"
    assert glyphs.sparkline([0, 0]) == "▁▁"
    assert glyphs.sparkline([]) == ""


def test_a_letter_of_a_run_strip_shows_the_worst() -> None:
    cells = [
        RunCell(at("03:00"), at("03:15"), "succeeded", 3),
        RunCell(at("03:15"), at("03:30"), "failed", 1),
        RunCell(at("04:00"), at("04:15"), "skipped", 1),
    ]
    assert glyphs.run_strip(cells, PERIOD) == "······x·/" + "·" * 39


@given(st.text())
def test_markdown_takes_no_text_for_its_own(text: str) -> None:
    """Each letter that could mean something stands behind a backslash; nothing is lost but white space and controls."""
    line = escaped(text)
    assert "\n" not in line
    assert not line.startswith(("#", ">", "- ", "+ ", "=", "|"))
    for letter in "`*[]<~":
        assert line.count(letter) == line.count(f"\\{letter}")


# ---------------------------------------------------------------- the whole


def test_a_message_is_never_too_long() -> None:
    needs = tuple(Need("x", Text("長い文" * 200, "a long sentence " * 50)) for _ in range(200))
    said = chat_text(replace(quiet(), needs=needs))
    for text in (said.ja, said.en):
        assert len(text.encode()) <= MOST_BYTES
        assert text.splitlines()[-1].startswith("→ schedctl report --day ")
        assert "…" in text


def test_first_lines_without_a_need() -> None:
    report = replace(quiet(), counts=(StateCount("failed", 1), StateCount("succeeded", 3)), armed=True)
    report = replace(report, changes=(), healed=(), needs=())
    assert first_lines(report)[0].en.startswith(
        "A quiet day; 1 failed, 3 succeeded; what went wrong has succeeded since"
    )


def test_secrets_are_gone_from_every_text_of_a_report() -> None:
    report = replace(quiet(), first_lines=(Text("open-sesame", "say open-sesame"),))
    clean = redacted(report, Redactor.of(("open-sesame",)))
    assert "open-sesame" not in repr(clean)
    assert replace(clean, first_lines=()) == replace(report, first_lines=())


def test_a_very_long_error_is_cut_where_it_is_told() -> None:
    error = {"ja": "行" * 1000, "en": "l" * 1000}
    said = happened_said(Happened("failed", None, error, at("03:00"), None, 1), "Asia/Tokyo")
    assert said.en == "failed: " + "l" * 299 + "…"
    assert said.ja == "失敗しました: " + "行" * 299 + "…"
