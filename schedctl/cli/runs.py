"""`schedctl runs` and `logs`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import click

from schedctl.cli import json_view
from schedctl.cli.options import common, told
from schedctl.cli.run_view import show_output, show_run
from schedctl.cli.screen import Screen
from schedctl.errors import Refused
from schedctl.language import Text
from schedctl.store.runs import NOT_AS_WISHED, RunFilter
from schedctl.usecases import runs
from schedctl.usecases.site import open_site

if TYPE_CHECKING:
    from schedctl.cli.session import Session


@click.command("runs", help=told("実行の記録（新しい順）", "List runs, newest first"))
@click.option("--schedule", metavar="ID", help=told("この予定のものだけ", "Only of this schedule"))
@click.option("--errors", is_flag=True, help=told("うまくいかなかったものだけ", "Only what did not go as wished"))
@click.option("--since", metavar="T", help=told("この時刻以後（ISO 8601）", "From this instant on (ISO 8601)"))
@click.option("--before", metavar="RUN", type=int, help=told("この番号より前", "Only before this run"))
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True, help=told("最大件数", "At most"))
@common
def runs_command(
    session: Session, schedule: str | None, errors: bool, since: str | None, before: int | None, limit: int
) -> None:
    """List runs."""
    which = RunFilter(
        states=NOT_AS_WISHED if errors else None, since=_instant(session, since), before=before, limit=limit
    )
    with open_site(session.settings) as site:
        page = runs.listed(site, which, schedule)
    if session.as_json:
        session.document({"runs": [json_view.run(session, run) for run in page.runs], "more": page.more})
        return
    screen = Screen(session)
    for run in page.runs:
        show_run(screen, run)
    if not page.runs:
        screen.line(session.say(Text("実行の記録はありません", "There are no runs")))
    if page.more:
        last = page.runs[-1].run_id
        screen.line(
            session.say(Text(f"続きがあります: --before {last}", f"There are more: --before {last}")), style="dim"
        )
    screen.show()


@click.command("logs", help=told("実行の出力を見る", "Show the output of a run"))
@click.argument("run_id", metavar="RUN", type=int)
@common
def logs_command(session: Session, run_id: int) -> None:
    """Show one run's output."""
    with open_site(session.settings) as site:
        run = runs.one(site, run_id)
    if session.as_json:
        session.document({"run": json_view.run(session, run, with_output=True)})
        return
    screen = Screen(session)
    show_output(screen, run)
    screen.show()


@click.command("cancel", help=told("実行待ち・実行中のものを取り消す", "Cancel a run that is queued or running"))
@click.argument("run_id", metavar="RUN", type=int)
@click.option("--reason", metavar="TEXT", default="cancelled", help=told("理由", "Why"))
@common
def cancel_command(session: Session, run_id: int, reason: str) -> None:
    """Cancel one run."""
    with open_site(session.settings) as site:
        run = runs.cancel(site, run_id, reason)
    if session.as_json:
        session.document({"run": json_view.run(session, run)})
        return
    screen = Screen(session)
    show_run(screen, run)
    if run.state == "running":
        sentence = Text("実行中のコマンドは、worker がまもなく止めます", "Its worker stops the running command shortly")
        screen.line("→ " + session.say(sentence), style="cyan")
    screen.show()


def _instant(session: Session, text: str | None) -> datetime | None:
    """An ISO 8601 instant; without an offset it is meant in the zone of the settings."""
    if text is None:
        return None
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        raise Refused(
            "usage",
            Text(f"「{text}」は時刻として読めません", f"“{text}” is not an instant"),
            Text("2026-12-06 か 2026-12-06T03:00+09:00 のように書いてください", "Write it like 2026-12-06T03:00+09:00"),
        ) from None
    return read if read.tzinfo else read.replace(tzinfo=ZoneInfo(session.settings.timezone))
