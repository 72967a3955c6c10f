"""Schedules that had no success since their last trouble: of all, however many a report tells one by one."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final

from days import BEFORE, DAILY
from making import add
from telling import at

from schedctl.redact import Redactor
from schedctl.report.chat import chat_text
from schedctl.report.markdown import markdown
from schedctl.usecases import report_schedules, schedules
from schedctl.usecases.report import Wanted, make

if TYPE_CHECKING:
    import pytest

    from schedctl.usecases.site import Site

MORNING: Final = "2026-12-03T08:00+09:00"
RAN: Final = """
    INSERT INTO schedctl.run (schedule_id, plan_id, trigger, scheduled_for, state, started_at, finished_at)
    SELECT schedule_id, plan_id, %(trigger)s, CASE WHEN %(trigger)s = 'timer' THEN due END, %(state)s, due, due
      FROM schedctl.schedule, CAST(%(due)s AS timestamptz) AS due WHERE schedule_id = ANY (%(ids)s)
"""


def ran(site: Site, ids: list[int], hour: int, state: str, trigger: str = "timer") -> None:
    """A run of each of these schedules, at that hour of the day that is reported."""
    values = {"ids": ids, "due": f"2026-12-02T{hour:02}:00+09:00", "state": state, "trigger": trigger}
    site.db.execute(RAN, values)


def registered(site: Site, count: int) -> list[int]:
    before = at(site, BEFORE)
    return [add(before, DAILY, say=f"毎日3時の{number}") for number in range(count)]


def told(site: Site, day: str = "2026-12-02") -> list[str]:
    """The needs of a day's report that are about schedules."""
    report = make(at(site, MORNING), Wanted(day=date.fromisoformat(day)), Redactor())
    return [need.message.en for need in report.needs if need.type == "not_recovered"]


def test_the_latest_trouble_that_no_success_followed(site: Site) -> None:
    failing, fine, by_hand, cancelled, twice = ids = registered(site, 5)
    ran(site, ids, 3, "failed")
    ran(site, [fine], 4, "succeeded")
    ran(site, [by_hand], 4, "succeeded", "manual")
    ran(site, [cancelled], 5, "cancelled")
    ran(site, [twice], 6, "timed_out")
    assert [said.split(" → ")[0] for said in told(site)] == [
        f"Schedule {twice} “毎日3時の4” has not succeeded since its occurrence of Wed 2 Dec 06:00 (timed out)",
        f"Schedule {cancelled} “毎日3時の3” has not succeeded since its occurrence of Wed 2 Dec 03:00 (failed)",
        f"Schedule {failing} “毎日3時の0” has not succeeded since its occurrence of Wed 2 Dec 03:00 (failed)",
    ]


def test_who_failed_by_hand_and_who_is_gone_needs_nobody(site: Site) -> None:
    by_hand, archived, paused = registered(site, 3)
    ran(site, [by_hand], 3, "failed", "manual")
    ran(site, [archived, paused], 3, "failed")
    schedules.archive(at(site, MORNING), str(archived), None)
    schedules.pause(at(site, MORNING), str(paused), "点検")
    assert told(site) == []


def test_more_than_a_person_reads_are_counted_beyond_those_that_are_told_one_by_one(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran(site, registered(site, 5), 3, "failed")
    monkeypatch.setattr(report_schedules, "MOST", 2)
    monkeypatch.setattr(report_schedules, "MOST_NEEDS", 3)
    assert [said.split(" ")[0] for said in told(site)] == ["Schedule", "Schedule", "Schedule", "2"]


def test_trouble_of_another_day_is_not_the_day_s(site: Site) -> None:
    ran(site, registered(site, 1), 3, "failed")
    assert [len(told(site, day)) for day in ("2026-12-01", "2026-12-02", "2026-12-03")] == [0, 1, 0]


def test_what_is_very_long_leaves_room_for_what_is_to_be_done(site: Site) -> None:
    """A message has lines of 240 letters: a pasted instruction must not push the command to type out of it."""
    number = add(at(site, BEFORE), DAILY, say="毎日3時の" + "あ" * 10_000)
    ran(site, [number], 3, "failed")
    report = make(at(site, MORNING), Wanted(day=date.fromisoformat("2026-12-02")), Redactor())
    (line,) = (line for line in chat_text(report).ja.splitlines() if "あああ" in line and "→" in line)
    assert line.endswith("あ…」は、12/02（水）03:00 の回（失敗）のあと、まだ成功していません → schedctl logs 1")
    assert max(map(len, markdown(report, "ja").splitlines())) < 300
