"""Status pages as values, beside the reports of reports.py and report_days.py."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from report_days import terrible
from reports import DAY, WEEK, at, empty, week

from schedctl.report.page_model import Held, Page, Running, Switch, TickSeen

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedctl.report.model import Report

SWITCH: Final = Switch(at("09:00"), "tanaka", "導入が終わったので")


def new_page() -> Page:
    """Of an installation in which nobody has done anything."""
    report = replace(empty(), period=WEEK, written_at=at("10:00"))
    return Page(None, report, Switch(at("09:58"), "root", None), (), (), 0, 0, (), 0)


def quiet_page() -> Page:
    """All is well."""
    ticks = (TickSeen("mars", timedelta(seconds=12)), TickSeen("venus", timedelta(seconds=14)))
    return Page("本番", replace(week(), written_at=at("10:00")), SWITCH, ticks, (), 0, 0, (), 0)


def terrible_page() -> Page:
    """Nearly nothing is well."""
    running = (Running(991, 3, "backup", "mars", at("09:57")), Running(992, None, "executor", "venus", at("09:59")))
    held = (Held("jupiter", at("18:30", DAY - timedelta(days=1)), "tanaka", "電源工事"),)
    ticks = (TickSeen("mars", timedelta(minutes=41)), TickSeen("venus", timedelta(days=3)))
    return Page("本番（東京）", _of_the_week(terrible()), SWITCH, ticks, running, 2, 7, held, 4)


def _of_the_week(report: Report) -> Report:
    """The strips of a day, within the seven days up to it."""
    return replace(report, period=WEEK, written_at=at("10:00"), armed=True)


PAGES: Final[dict[str, Callable[[], Page]]] = {"new": new_page, "quiet": quiet_page, "terrible": terrible_page}
