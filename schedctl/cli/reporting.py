"""`schedctl report`: what happened in a day or a week, what did not, what needs a person, what comes."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import click

from schedctl.cli.options import common, file_name, pageable, told
from schedctl.errors import Refused
from schedctl.language import Text
from schedctl.report.document import document
from schedctl.report.markdown import markdown
from schedctl.usecases.report import Wanted, make
from schedctl.usecases.site import open_site

if TYPE_CHECKING:
    from schedctl.cli.session import Session
    from schedctl.report.model import Report

DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")


@click.command(
    "report",
    help=told(
        "日報: 人の手が要るもの、うまくいかなかった回、エージェント、トークン、これからの予定。"
        "何も指定しなければ昨日の分（policy.toml の [report] のタイムゾーンの日付）。"
        "毎朝 [report] の at の時刻に同じものが通知先へ送られる（docs/report.md）",
        "The daily report: what needs a person, what went wrong, agents, tokens, what comes. By default of yesterday, "
        "in the time zone of [report] in policy.toml. The same is sent through the channels each morning at its hour "
        "(docs/report.md).",
    ),
    epilog=told(
        "例:\n  schedctl report\n  schedctl report --day today\n  schedctl report --week --html week.html",
        "Examples:\n  schedctl report\n  schedctl report --day today\n  schedctl report --week --html week.html",
    ),
)
@click.option(
    "--day",
    metavar="D",
    default="yesterday",
    help=told("today、yesterday（初期値）、2026-11-30 のような日付", "today, yesterday (default), or like 2026-11-30"),
)
@click.option("--week", is_flag=True, help=told("その日までの7日間", "The seven days up to that day"))
@click.option("--markdown", "as_markdown", is_flag=True, help=told("Markdown で出す", "Print Markdown"))
@click.option(
    "--html",
    "html_file",
    metavar="FILE",
    type=file_name,
    help=told(
        "1つの HTML ファイルに書く（フォルダなら、その中に report-日付.html）",
        "Write one HTML file (in a folder: report-DAY.html)",
    ),
)
@pageable
@common
def report_command(
    session: Session, day: str, *, week: bool, as_markdown: bool, html_file: str | None, paged: bool
) -> None:
    """Show the report, or write it."""
    if sum((as_markdown, html_file is not None, session.as_json)) > 1:
        raise click.UsageError(
            told("--json、--markdown、--html はどれか一つです", "--json, --markdown and --html exclude each other")
        )
    with open_site(session.settings) as site:
        report = make(site, Wanted("week" if week else "day", _day(day)), session.redactor)
    if html_file is not None:
        _write_html(session, report, html_file)
    elif session.as_json:
        session.document(document(report, session.lang))
    elif as_markdown:
        session.out(markdown(report, session.lang).rstrip("\n"))
    else:
        _show(session, report, paged=paged)


def _show(session: Session, report: Report, *, paged: bool) -> None:
    from schedctl.cli.report_view import show_report  # only a person's view needs rich
    from schedctl.cli.screen import Screen

    screen = Screen(session)
    show_report(screen, report)
    screen.show(paged=paged)


def _write_html(session: Session, report: Report, named: str) -> None:
    from schedctl.report.html import render  # only a page needs its templates
    from schedctl.usecases.whole_file import write_whole

    file = Path(named)
    if named.endswith("/") or file.is_dir():
        file.mkdir(parents=True, exist_ok=True)
        kind = "week-" if report.period.kind == "week" else ""
        file /= f"report-{kind}{report.period.last.isoformat()}.html"
    write_whole(file, render(report, session.lang))
    session.out(session.say(Text(f"{file} に書きました", f"Written to {file}")))


def _day(text: str) -> date | Literal["today", "yesterday"]:
    """The day that an option names; `Refused` (`usage`) where it is none."""
    if text == "today" or text == "yesterday":
        return text
    try:
        if DAY.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise Refused(
        "usage",
        Text(f"--day の「{text}」は日付として読めません", f"--day: “{text}” is not a day"),
        Text("today か yesterday か、2026-11-30 のように書いてください", "Write today, yesterday, or like 2026-11-30"),
    )
