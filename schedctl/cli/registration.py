"""`schedctl register`."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import click

from schedctl.catalog.budget import EXAMPLE
from schedctl.cli import completing, json_view
from schedctl.cli.options import DAY, budget, common, name, span, told
from schedctl.cli.schedule_view import show_schedule
from schedctl.cli.screen import Screen
from schedctl.cli.terminal import StatusLine, said_with_seconds
from schedctl.language import Text
from schedctl.settings import check_zone
from schedctl.usecases.limits import Limits
from schedctl.usecases.register import Wish, register
from schedctl.usecases.site import open_site

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from datetime import date, datetime

    from schedctl.cli.session import Session

NOTHING_REGISTERED: Final = Text("中断しました。何も登録していません", "Interrupted; nothing was registered")

ANOTHER_PERSON: Final = Text(
    "--yes は効いていません。方針（second_person）により、承認できるのは、登録した本人とは別の人だけです",
    "--yes did not count: by the policy (second_person), another person than the one who registers has to approve",
)


@click.command(
    "register",
    help=told(
        "指示を予定として登録する。いつ・何をするかを示し、承認が要らないか --yes があれば有効になる。",
        "Register an instruction. Shows when and what; active at once with --yes or where no approval is needed.",
    ),
)
@click.argument("text")
@click.option("--yes", is_flag=True, help=told("示された計画を承認する", "Approve the plan as shown"))
@click.option("--name", metavar="NAME", type=name, help=told("予定の名前", "A name for the schedule"))
@click.option(
    "--replaces",
    metavar="ID",
    shell_complete=completing.schedules("pending", "active", "paused"),
    help=told("この予定を終了して置き換える", "Archive this schedule and take its place"),
)
@click.option(
    "--timezone",
    metavar="ZONE",
    shell_complete=completing.zones,
    help=told("時刻を読むタイムゾーン", "The zone in which times are read"),
)
@click.option("--from", "start", metavar="DATE", type=DAY, help=told("この日から", "From this day on"))
@click.option("--until", metavar="DATE", type=DAY, help=told("この日まで", "Up to this day"))
@click.option("--count", type=click.IntRange(1), help=told("この回数で終える", "End after so many occurrences"))
@click.option(
    "--overlap",
    type=click.Choice(["skip", "queue", "allow"]),
    default="skip",
    show_default=True,
    help=told(
        "前の回が終わっていないとき: skip 見送る、queue 1回だけ待つ、allow 並んで動く",
        "While an earlier run goes on: skip, let one wait (queue), or allow both",
    ),
)
@click.option(
    "--catch-up",
    metavar="TIME",
    type=span,
    help=told("遅れても実行する限度（例 30m）", "How late it may still fire, like 30m"),
)
@click.option(
    "--jitter",
    metavar="TIME",
    type=span,
    help=told("開始を散らす幅（遅くなるだけ。例 5m）", "Spread the starts (only later), like 5m"),
)
@click.option(
    "--budget",
    metavar="LIMITS",
    type=budget,
    default="",
    help=told(
        f"1回で使ってよい上限（例 {EXAMPLE}）。達したら残りの手順は実行しない",
        f"What a run may use up at most, like {EXAMPLE}; once reached, its remaining steps are not run",
    ),
)
@common
def register_command(session: Session, text: str, timezone: str | None, **options: Any) -> None:
    """Register one instruction."""
    session.listen_to(text)
    zone = check_zone(timezone, "--timezone") if timezone else session.settings.timezone

    with open_site(session.settings) as site, _asking(session) as progress:
        shown = register(site, _wish(text, zone, options), progress)
    if session.as_json:
        session.document({"schedule": json_view.schedule(session, shown), "armed": shown.armed})
        return
    screen = Screen(session)
    show_schedule(screen, shown)
    if options["yes"] and shown.row.state == "pending":
        screen.next_step(session.say(ANOTHER_PERSON))
    screen.show()


@contextmanager
def _asking(session: Session) -> Generator[Callable[[float], None]]:
    """What to call with the seconds that the model has taken: a line on the terminal, and what Ctrl-C means then."""
    line = session.status = StatusLine(session)
    model = session.settings.planner_model or ""
    asking = Text(f"{model} に聞いています", f"Asking {model}")

    def progress(seconds: float) -> None:
        session.interrupted = NOTHING_REGISTERED
        line.write(said_with_seconds(session, asking, seconds))

    try:
        yield progress
        session.interrupted = None
    finally:
        line.erase()


def _wish(text: str, zone: str, options: dict[str, Any]) -> Wish:
    return Wish(
        instruction=text,
        timezone=zone,
        approved=options["yes"],
        name=options["name"],
        replaces=options["replaces"],
        overlap=options["overlap"],
        limits=Limits(_date(options["start"]), _date(options["until"]), options["count"]),
        jitter=options["jitter"],
        catch_up=options["catch_up"],
        budget=options["budget"],
    )


def _date(given: datetime | None) -> date | None:
    return given.date() if given is not None else None
