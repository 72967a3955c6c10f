"""`schedctl register`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from schedctl.cli import json_view
from schedctl.cli.options import common, told
from schedctl.cli.schedule_view import show_schedule
from schedctl.cli.screen import Screen
from schedctl.language import Text
from schedctl.settings import check_zone
from schedctl.usecases.register import Wish, register
from schedctl.usecases.site import open_site

if TYPE_CHECKING:
    from schedctl.cli.session import Session

SLOW_AFTER_S = 2


@click.command(
    "register",
    help=told(
        "指示を予定として登録する。いつ・何をするかを示し、承認が要らないか --yes があれば有効になる。",
        "Register an instruction. Shows when and what; active at once with --yes or where no approval is needed.",
    ),
)
@click.argument("text")
@click.option("--yes", is_flag=True, help=told("示された計画を承認する", "Approve the plan as shown"))
@click.option("--name", metavar="NAME", help=told("予定の名前", "A name for the schedule"))
@click.option(
    "--replaces", metavar="ID", help=told("この予定を終了して置き換える", "Archive this schedule and take its place")
)
@click.option("--timezone", metavar="ZONE", help=told("時刻を読むタイムゾーン", "The zone in which times are read"))
@common
def register_command(
    session: Session, text: str, yes: bool, name: str | None, replaces: str | None, timezone: str | None
) -> None:
    """Register one instruction."""
    session.listen_to(text)
    zone = check_zone(timezone, "--timezone") if timezone else session.settings.timezone

    def progress(seconds: float) -> None:
        if seconds >= SLOW_AFTER_S and not session.as_json:
            session.err(
                session.say(
                    Text(f"モデルの答えを待っています（{seconds:.0f} 秒）", f"Waiting for the model ({seconds:.0f} s)")
                )
            )

    with open_site(session.settings) as site:
        shown = register(site, Wish(text, zone, yes, name, replaces), progress)
    if session.as_json:
        session.document({"schedule": json_view.schedule(session, shown), "armed": shown.armed})
        return
    screen = Screen(session)
    show_schedule(screen, shown)
    screen.show()
