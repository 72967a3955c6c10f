"""A terrible day fits an eye: long lists are cut where they are read, each says how much is left; the JSON has all."""

from __future__ import annotations

from dataclasses import replace

import pytest
from reports import DAY, at, calendar, coming, quiet

from schedctl.language import Text
from schedctl.report.document import document
from schedctl.report.html import render
from schedctl.report.markdown import markdown
from schedctl.report.model import Healed, Report
from schedctl.report.outline import MOST_HEALED, MOST_OF_A_DAY, outline


def long_report(count: int) -> Report:
    """So many things that healed, and so many that come on one day."""
    healed = tuple(Healed(at("04:00"), Text(f"{number} は回復", f"{number} is well"), None) for number in range(count))
    entries = tuple(coming("09:00", number, "集計", DAY) for number in range(count))
    return replace(quiet(), healed=healed, ahead=calendar({0: entries}))


def lines_of(report: Report, section: str) -> list[str]:
    return [line.text.en for one in outline(report) if one.name == section for line in one.lines]


@pytest.mark.parametrize(("count", "more"), [(MOST_HEALED, None), (MOST_HEALED + 5, "5 more")])
def test_what_healed(count: int, more: str | None) -> None:
    lines = lines_of(long_report(count), "healed")
    assert (lines[-1] if len(lines) > MOST_HEALED else None) == more
    assert len(lines) == min(count, MOST_HEALED) + (more is not None)


def test_what_comes_on_a_day() -> None:
    assert lines_of(long_report(MOST_OF_A_DAY), "ahead")[-1].endswith("(schedule 11)")
    lines = lines_of(long_report(MOST_OF_A_DAY + 3), "ahead")
    assert lines[-1] == "3 more → schedctl upcoming"
    assert len(lines) == 1 + MOST_OF_A_DAY + 1


def test_a_page_and_the_json_hold_all_of_it() -> None:
    report = long_report(60)
    html = render(report, "en")
    assert [f">{number} is well<" in html for number in (0, 7, 8, 59)] == [True] * 4
    assert html.count("<summary>52 more</summary>") == 1
    assert len(document(report, "en")["healed"]) == 60
    assert "59 は回復" not in markdown(report, "ja")
