"""The report on a terrible day, built through the program: read like a manual, and the same figures in every form.

After a change that is meant, write bad_day.*.txt anew with SCHEDCTL_WRITE_SCREENS=1 and read the difference.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from bad_day import MORNING_AFTER, POLICY, BadDay
from installations import a_database
from jsonschema import Draft202012Validator
from rich.cells import cell_len
from telling import at, telling_site

from schedctl.cli.report_view import show_report
from schedctl.cli.screen import Screen
from schedctl.cli.session import Session
from schedctl.redact import Redactor
from schedctl.report.chat import MOST_BYTES, chat_text
from schedctl.report.document import document
from schedctl.report.markdown import markdown
from schedctl.store.events import Actor
from schedctl.usecases import status
from schedctl.usecases.report import Wanted, make

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.language import Lang
    from schedctl.report.model import Report
    from schedctl.usecases.site import Site

HERE: Final = Path(__file__).parent
SCHEMA: Final = json.loads((HERE.parents[1] / "docs" / "report.schema.json").read_text(encoding="utf-8"))
WRITE_ANEW: Final = os.environ.get("SCHEDCTL_WRITE_SCREENS") == "1"
ANSI: Final = re.compile(r"\x1b\[[0-9;]*m")
LANGS: Final[tuple[Lang, ...]] = ("ja", "en")


@pytest.fixture(scope="module")
def lived(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The installation on the morning after."""
    for dsn in a_database(server, template):
        with telling_site(dsn, tmp_path_factory.mktemp("bad"), POLICY) as site:
            yield BadDay(replace(site, actor=Actor("hanako", "testhost"))).live()


@pytest.fixture(scope="module")
def report(lived: Site) -> Report:
    return make(lived, Wanted(), Redactor())


def on_screen(report: Report, lang: Lang, width: int | None, capsysbinary: pytest.CaptureFixture[bytes]) -> str:
    """What a terminal of so many cells shows, without its colours."""
    screen = Screen(Session.start({}, lang, as_json=False), width)
    show_report(screen, report)
    capsysbinary.readouterr()
    screen.show()
    return ANSI.sub("", capsysbinary.readouterr().out.decode())


@pytest.mark.parametrize("lang", LANGS)
def test_it_reads_as_it_is_kept(report: Report, lang: Lang, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    parts = (on_screen(report, lang, 80, capsysbinary), chat_text(report).say(lang), markdown(report, lang))
    text = "\n=== chat\n\n".join(parts[:2]) + "\n\n=== Markdown\n\n" + parts[2]
    kept = HERE / f"bad_day.{lang}.txt"
    if WRITE_ANEW:
        kept.write_text(text, encoding="utf-8")
    assert text == kept.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [80, 60, 40])
@pytest.mark.parametrize("lang", LANGS)
def test_no_line_is_wider_than_the_terminal(
    report: Report, lang: Lang, width: int, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    lines = on_screen(report, lang, width, capsysbinary).splitlines()
    assert [line for line in lines if cell_len(line) > width] == []
    assert any("█" in line for line in lines) == (width >= 56)


def test_what_needs_a_person_is_what_status_says(lived: Site, report: Report) -> None:
    said = [(need.type, need.message) for need in status.look(lived).needs]
    assert said
    assert [(need.type, need.message) for need in report.needs][: len(said)] == said
    assert report.first_lines == tuple(need.message for need in report.needs)


def test_the_json_fits_its_schema(lived: Site, report: Report) -> None:
    validator = Draft202012Validator(SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER)
    for one in (report, make(lived, Wanted("week"), Redactor())):
        for lang in LANGS:
            written = json.loads(json.dumps(document(one, lang)))
            assert [error.message for error in validator.iter_errors(written)] == []


def test_the_message_fits_a_phone(report: Report) -> None:
    for lang in LANGS:
        said = chat_text(report).say(lang)
        assert len(said.encode()) <= MOST_BYTES
        assert said.startswith(("人の手が要るもの:\n- ", "Needs a person:\n- "))


def test_a_week_ends_with_the_day(lived: Site, report: Report) -> None:
    week = make(lived, Wanted("week"), Redactor())
    assert (week.period.first.isoformat(), week.period.last) == ("2037-11-28", report.period.last)
    counted = {one.state: one.count for one in week.counts}
    assert (counted["failed"], counted["lost"], counted["skipped"]) == (4, 1, 1)
    (broken,) = (one for one in week.schedules if one.title == "毎日4時に壊れる更新")
    assert (broken.paused_by_itself, sum(fact.state == "failed" for fact in broken.facts)) == (True, 3)
    assert len(week.ahead.days) == 8


def test_restarts_are_told_with_what_ran_beside(report: Report) -> None:
    (executor,) = (agent for agent in report.agents if agent.name == "executor")
    (group,) = executor.restarts
    assert (group.in_period, group.days, group.of_days) == (1, 3, 7)
    assert [(one.schedule_id, one.days) for one in group.beside] == [(1, 3)]
    assert executor.alive_share == pytest.approx(22 / 24)


def test_a_day_that_is_not_over_says_so(lived: Site, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    today = make(at(lived, MORNING_AFTER), Wanted(day="today"), Redactor())
    assert not today.complete
    shown = on_screen(today, "en", 80, capsysbinary)
    assert "so far, up to 08:00" in shown
    assert {segment.kind for segment in today.agents[0].strip} == {"alive", "ahead"}


def test_a_report_on_a_day_long_past_tells_of_that_day_alone(lived: Site, report: Report) -> None:
    later = make(at(lived, "2037-12-20T08:00+09:00"), Wanted(day=report.period.last), Redactor())
    assert later.counts == report.counts
    assert [need.type for need in later.needs] == ["not_recovered", "not_recovered"]
    assert later.ahead.days == ()
