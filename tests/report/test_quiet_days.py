"""Days on which little happened, days of 23 and 25 hours, and text that would like to be more than text."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import date, datetime
from typing import TYPE_CHECKING, Final

import pytest
from days import worker
from making import BREAKS, READS, add
from telling import at

from schedctl.errors import Refused
from schedctl.redact import Redactor
from schedctl.report.chat import chat_text
from schedctl.report.markdown import markdown
from schedctl.usecases import installation, runs
from schedctl.usecases.report import Wanted, make
from schedctl.usecases.tick import tick
from schedctl.usecases.work import drain

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Command

    from schedctl.usecases.site import Site

BEFORE: Final = "2037-12-01T10:00+09:00"
HOSTILE: Final = (
    "*太字* [こちら](http://evil.example) <script>alert(1)</script> @here <!channel> `rm` "
    "\x1b[31m赤\u202e逆\u2066\n# 見出し"
)


def lives(site: Site, *instants: str) -> None:
    """At each instant a tick, and a worker."""
    for now in instants:
        tick(moved := at(site, now))
        drain(worker(moved))


def test_an_empty_installation_says_so_in_one_line(site: Site) -> None:
    report = make(at(site, "2045-12-02T08:00+09:00"), Wanted(), Redactor())
    assert report.quiet
    said = "静かな一日でした。未点火なので、何も実行されません。"
    assert [line.ja for line in report.first_lines] == [said]
    assert chat_text(report).ja == said
    assert markdown(report, "en") == (
        "# Daily report, Fri 1 Dec 2045\n\nA quiet day; the installation is disarmed, so nothing runs.\n"
    )


def test_a_quiet_day_on_the_screen_is_a_title_and_a_line(site: Site, schedctl: Command) -> None:
    installation.arm(at(site, BEFORE), None)
    add(at(site, BEFORE), "daily at 03:00,04:00 in Asia/Tokyo", READS)
    lives(site, *(f"2037-12-02T0{hour}:00:30+09:00" for hour in (3, 4)))
    shown = schedctl("report", "--lang", "ja", now="2037-12-03T08:00+09:00")
    assert shown.code == 0
    assert shown.out.splitlines() == [
        "日報 2037/12/02（水）  (Asia/Tokyo)",
        "リハーサルの時計で作りました",
        "静かな一日でした。2 回すべて成功。",
    ]


def test_a_quiet_week_is_called_a_week_and_a_day_that_goes_on_says_so(site: Site) -> None:
    installation.arm(at(site, BEFORE), None)
    now = at(site, "2037-12-20T08:00+09:00")
    tick(now)
    week = make(now, Wanted("week"), Redactor())
    assert week.first_lines[0].en.startswith("A quiet week; ")
    assert week.first_lines[0].ja.startswith("静かな一週間でした。")
    today = make(now, Wanted(day="today"), Redactor())
    assert markdown(today, "en").splitlines()[2] == "so far, up to 08:00"
    assert markdown(today, "ja").splitlines()[2] == "08:00 までの途中経過です"


@pytest.mark.parametrize(
    ("zone", "day", "hours", "runs"),
    [
        ("America/New_York", "2026-03-08", 23, 23),  # the hour from two to three is left out
        ("America/New_York", "2037-11-01", 25, 25),  # that from one to two is lived twice
        ("Australia/Lord_Howe", "2026-04-05", 24.5, 25),  # half an hour is repeated
        ("Asia/Tokyo", "2037-12-04", 24, 24),
    ],
)
def test_a_day_is_as_long_as_it_is(site: Site, zone: str, day: str, hours: float, runs: int) -> None:
    """One run a real hour: each is in one day's report, none in two."""
    site.db.execute("UPDATE schedctl.reporting SET timezone = %s", (zone,))
    add(at(site, f"{day}T00:00+00:00"), f"daily at 03:00 in {zone}", READS, state="pending")
    site.db.execute(
        """
        INSERT INTO schedctl.run (schedule_id, plan_id, trigger, scheduled_for, state, started_at, finished_at)
        SELECT schedule_id, plan_id, 'timer', due, 'succeeded', due, due + interval '1 minute'
          FROM schedctl.schedule, generate_series(%(day)s::timestamptz - interval '2 days',
                                                  %(day)s::timestamptz + interval '3 days', interval '1 hour') AS due
        """,
        {"day": day},
    )
    report = make(at(site, "2040-01-01T00:00Z"), Wanted(day=date.fromisoformat(day)), Redactor())
    assert report.period.length.total_seconds() == hours * 3600
    (one,) = report.schedules
    assert [(count.state, count.count) for count in one.counts] == [("succeeded", runs)]
    assert sum(cell.count for cell in one.strip) == runs
    assert one.strip[-1].end.timestamp() <= report.period.end.timestamp()


def test_text_stays_text(site: Site) -> None:
    installation.arm(at(site, BEFORE), None)
    add(at(site, BEFORE), "daily at 03:00 in Asia/Tokyo", BREAKS, say=HOSTILE)
    lives(site, "2037-12-02T03:00:30+09:00")
    report = make(at(site, "2037-12-03T08:00+09:00"), Wanted(), Redactor())
    for text in (markdown(report, "ja"), chat_text(report).ja):
        assert not {"\x1b", "\u202e", "\u2066"} & set(text)
        assert [line for line in text.splitlines() if line.startswith("# 見出し")] == []
    written = markdown(report, "ja")
    assert r"\*太字\* \[こちら\](http\://evil.example) \<script>alert(1)\</script> \@here \<!channel> \`rm\`" in written
    assert "␛[31m赤�逆� # 見出し" in chat_text(report).ja


def test_secrets_are_masked_in_every_form(site: Site, schedctl: Command) -> None:
    installation.arm(at(site, BEFORE), None)
    add(at(site, BEFORE), "daily at 03:00 in Asia/Tokyo", BREAKS, say="open-sesame-open-sesame を試す")
    lives(site, "2037-12-02T03:00:30+09:00")
    env = {"SCHEDCTL_SECRET_CAVE": "open-sesame-open-sesame"}
    for options in ((), ("--json",), ("--markdown",)):
        shown = schedctl("report", *options, now="2037-12-03T08:00+09:00", env=env)
        assert shown.code == 0, shown.err
        assert "open-sesame" not in shown.out
        assert "redacted" in shown.out


def test_what_ended_late_is_told_on_the_day_on_which_it_ended(site: Site) -> None:
    """Due before midnight and recorded after it: a report that was written already could not have it."""
    installation.arm(at(site, BEFORE), None)
    add(at(site, BEFORE), "daily at 23:50 in Asia/Tokyo", READS)
    lives(site, "2037-12-02T03:00:30+09:00")
    counts = [
        {one.state: one.count for one in make(at(site, "2037-12-05T08:00+09:00"), Wanted(day=day), Redactor()).counts}
        for day in (date(2037, 12, 1), date(2037, 12, 2))
    ]
    assert counts == [{}, {"missed": 1}]


def test_a_run_by_hand_is_counted_apart(site: Site) -> None:
    installation.arm(at(site, BEFORE), None)
    schedule = add(at(site, BEFORE), "daily at 03:00 in Asia/Tokyo", BREAKS)
    runs.start(now := at(site, "2037-12-02T12:00+09:00"), str(schedule))
    drain(worker(now))
    report = make(at(site, "2037-12-03T02:00+09:00"), Wanted(), Redactor())
    assert (report.counts, report.by_hand) == ((), 1)
    assert [need.type for need in report.needs] == ["ticks_stopped"]
    (one,) = report.schedules
    assert ([(count.state, count.count) for count in one.counts], one.by_hand, one.facts) == ([], 1, ())


def test_a_run_by_hand_that_failed_is_neither_well_nor_trouble_and_is_told(site: Site) -> None:
    installation.arm(at(site, BEFORE), None)
    failed, fine = (add(at(site, BEFORE), "daily at 03:00 in Asia/Tokyo", action) for action in (BREAKS, READS))
    add(at(site, BEFORE), "daily at 12:00 in Asia/Tokyo", BREAKS)
    for schedule in (failed, fine):
        runs.start(now := at(site, "2037-12-02T12:00:30+09:00"), str(schedule))
        drain(worker(now))
    (run,) = site.db.execute("SELECT run_id FROM schedctl.run WHERE state = 'failed'").fetchall()[0]
    lives(site, "2037-12-02T12:00:40+09:00")
    report = make(at(site, "2037-12-03T02:00+09:00"), Wanted(), Redactor())
    english, japanese = markdown(report, "en"), markdown(report, "ja")
    assert f"- Started by hand: 2 runs, 1 failed: run {run} (schedule {failed})" in english
    assert f"- 手動の実行 2 回のうち 1 回が失敗しました: 実行 {run}（予定 {failed}）" in japanese
    assert "went well" not in english
    assert not report.quiet


def test_a_day_to_come_is_refused(site: Site) -> None:
    with pytest.raises(Refused) as refused:
        make(at(site, BEFORE), Wanted(day=date(2037, 12, 2)), Redactor())
    assert refused.value.type == "usage"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--day", "2026-13-01"), 2),
        (("--day", "11/30"), 2),
        (("--day", "20261130"), 2),
        (("--json", "--markdown"), 2),
        (("--day", "2037-12-02"), 2),
        (("--day", "today"), 0),
        (("--day", "2037-11-30", "--week"), 0),
        (("--day", "0001-01-02"), 2),
    ],
)
def test_what_may_be_asked_for(schedctl: Command, options: tuple[str, ...], code: int) -> None:
    shown = schedctl("report", *options, now=BEFORE)
    assert shown.code == code, shown.err
    assert "Traceback" not in shown.err


def test_json_says_when(schedctl: Command) -> None:
    shown = schedctl("report", "--json", now=BEFORE).json
    assert shown["period"]["start"] == "2037-11-30T00:00:00+09:00"
    assert shown["written_at"] == datetime.fromisoformat(BEFORE).isoformat()
    assert json.dumps(shown["first_lines"])


def test_a_folder_gets_a_file_named_after_the_day(schedctl: Command, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "reports"
    for options in (("--day", "2037-11-30"), ("--week",)):
        written = schedctl("report", *options, "--html", f"{folder}/", now=BEFORE)
        assert written.code == 0, written.err
    names = ["report-2037-11-30.html", "report-week-2037-11-30.html"]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert schedctl("report", "--html", str(folder), "--json", now=BEFORE).code == 2


def test_a_tick_without_a_report_to_write_imports_none_of_it() -> None:
    """A tick that only fires starts each minute on every host."""
    code = "import sys, schedctl.cli.ticking; print(sorted(name for name in sys.modules if 'report' in name))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = set(re.findall(r"'(schedctl[^']*)'", ended.stdout))
    assert not imported & {"schedctl.usecases.report", "schedctl.usecases.morning", "schedctl.report.outline"}
    assert "schedctl.store.reports" in imported
