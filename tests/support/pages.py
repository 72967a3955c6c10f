"""Status pages as values, beside the reports of reports.py and report_days.py."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from report_days import terrible
from reports import DAY, WEEK, at, empty, week

from schedctl.report.kept import key_of
from schedctl.report.page_model import Held, Page, Running, Runs, Switch, TickSeen

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedctl.report.model import Report

SWITCH: Final = Switch(at("09:00"), "tanaka", "導入が終わったので")


def new_page() -> Page:
    """Of an installation in which nobody has done anything."""
    return _page(empty(), None, Switch(at("09:58"), "root", None))


def quiet_page() -> Page:
    """All is well."""
    ticks = (TickSeen("mars", timedelta(seconds=12)), TickSeen("venus", timedelta(seconds=14)))
    return _page(week(), "本番", SWITCH, ticks=ticks)


def terrible_page() -> Page:
    """Nearly nothing is well."""
    running = (Running(991, 3, "backup", "mars", at("09:57")), Running(992, None, "executor", "venus", at("09:59")))
    held = (Held("jupiter", at("18:30", DAY - timedelta(days=1)), "tanaka", "電源工事"),)
    ticks = (TickSeen("mars", timedelta(minutes=41)), TickSeen("venus", timedelta(days=3)))
    plain = _page(replace(terrible(), armed=True), "本番（東京）", SWITCH, ticks=ticks)
    return replace(plain, running=running, running_legs=2, queued=7, held=held, notices_waiting=4)


def _page(report: Report, title: str | None, switch: Switch, ticks: tuple[TickSeen, ...] = ()) -> Page:
    """What a page has of this report, within the seven days up to its day."""
    runs = Runs(key_of("test"), at("09:55"), report.schedules, report.more_schedules)
    return Page(
        title=title,
        written_at=at("10:00"),
        period=WEEK,
        rehearsal=report.rehearsal,
        armed=report.armed,
        needs=report.needs,
        switch=switch,
        ticks=ticks,
        running=(),
        running_legs=0,
        queued=0,
        held=(),
        notices_waiting=0,
        ahead=report.ahead,
        agents=report.agents,
        runs=runs,
    )


PAGES: Final[dict[str, Callable[[], Page]]] = {"new": new_page, "quiet": quiet_page, "terrible": terrible_page}
