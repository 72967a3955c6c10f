"""`schedctl explain`: what a sentence means. Needs no database."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import click

from schedctl.catalog import files
from schedctl.catalog.parse import parse
from schedctl.cli import completing, json_view
from schedctl.cli.instants import instant_given
from schedctl.cli.options import common, told
from schedctl.errors import SchedctlError, TimingError
from schedctl.language import Text
from schedctl.settings import check_zone
from schedctl.usecases.explain import Explained, explain
from schedctl.when.describe import describe

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from schedctl.cli.session import Session
    from schedctl.when.calendar import Calendars

A_NAME: Final = re.compile(r"[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)+")


@click.command(
    "explain",
    help=told(
        "指示の時刻がどう読まれるかを示す。TEXT が - なら標準入力の各行に JSON で答える",
        "Show how an instruction's time is read. With - as TEXT, answer each line of standard input in JSON",
    ),
    epilog=told(
        '例:\n  schedctl explain "毎月第2火曜の3時に再起動して"\n  schedctl explain - < instructions.txt',
        'Examples:\n  schedctl explain "every Sunday at 3am reboot"\n  schedctl explain - < instructions.txt',
    ),
)
@click.argument("text", metavar="TEXT|-")
@click.option("--now", metavar="ISO", help=told("この時刻に言われたとして読む", "Read it as said at this instant"))
@click.option(
    "--timezone",
    metavar="ZONE",
    shell_complete=completing.zones,
    help=told("時刻を読むタイムゾーン", "The zone in which times are read"),
)
@click.option(
    "--count", type=click.IntRange(1, 1000), default=5, show_default=True, help=told("示す回数", "How many instants")
)
@common
def explain_command(session: Session, text: str, now: str | None, timezone: str | None, count: int) -> None:
    """Explain one sentence, or each line of standard input."""
    zone = check_zone(timezone, "--timezone") if timezone else session.settings.timezone
    said_at = _now(session, now, zone)
    calendars = parse(files.read_folder(session.settings.catalog)).calendars
    if text == "-":
        lines = (line.decode("utf-8", "replace").rstrip("\r\n") for line in sys.stdin.buffer)
        _explain_lines(session, lines, said_at, zone, calendars, count)
        return
    session.listen_to(text)
    with _telling_a_name(text):
        explained = explain(text, said_at, zone, calendars, count)
    if session.as_json:
        session.document(_document(session, explained))
    else:
        _show(session, explained)


@contextmanager
def _telling_a_name(text: str) -> Generator[None]:
    """One word without a time is rather a schedule's name than a sentence: where to look is said then."""
    try:
        yield
    except TimingError as error:
        if error.type == "no_time" and A_NAME.fullmatch(text):
            raise TimingError(
                "no_time",
                error.message,
                Text(
                    f"explain は文を読みます。予定の名前なら schedctl show {text} を使ってください",
                    f"explain reads a sentence; if that is the name of a schedule, use schedctl show {text}",
                ),
            ) from None
        raise


def _explain_lines(
    session: Session, lines: Iterable[str], now: datetime, zone: str, calendars: Calendars, count: int
) -> None:
    for line in lines:
        session.listen_to(line)
        try:
            session.document(_document(session, explain(line, now, zone, calendars, count)))
        except SchedctlError as error:
            hint = session.say(error.hint) if error.hint else None
            refusal = {"type": error.type, "message": session.say(error.message), "hint": hint}
            session.document({"text": line, "error": refusal})


def _document(session: Session, explained: Explained) -> dict[str, Any]:
    timing = explained.timing
    return {
        "text": explained.text,
        "when": json_view.when(session, timing, explained.notes),
        "next": [json_view.instant(at, timing.zone) for at in explained.next],
        "task": explained.task,
    }


def _show(session: Session, explained: Explained) -> None:
    from schedctl.cli.screen import Screen  # only a person's view needs rich
    from schedctl.when.saying.moments import instant_said

    screen, say, timing = Screen(session), session.say, explained.timing
    screen.field(say(Text("いつ", "When")), describe(timing, session.lang, session.settings.timezone), style="bold")
    for number, at in enumerate(explained.next):
        screen.field(say(Text("次回", "Next")) if number == 0 else "", instant_said(at, timing.zone, session.lang))
    for note in explained.notes:
        screen.field(say(Text("注意", "Note")), say(note), style="yellow")
    screen.field(say(Text("作業", "Task")), explained.task)
    screen.show()


def _now(session: Session, text: str | None, zone: str) -> datetime:
    """The instant of `--now` (without an offset: in `zone`), else the rehearsal's, else this host's clock."""
    return instant_given(text, zone, "--now") or session.settings.rehearsal_now or datetime.now(UTC)
