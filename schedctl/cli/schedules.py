"""`schedctl list`, `show`, `approve` and `archive`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from schedctl.cli import completing, json_view
from schedctl.cli.options import common, pageable, reason, told
from schedctl.cli.run_view import show_run
from schedctl.cli.schedule_view import DISARMED, list_line, show_schedule
from schedctl.cli.screen import Screen
from schedctl.language import Text
from schedctl.usecases import schedules
from schedctl.usecases.site import open_site

if TYPE_CHECKING:
    from schedctl.cli.session import Session
    from schedctl.store.schedules import ScheduleState
    from schedctl.usecases.views import ScheduleView

STATES = ("pending", "active", "paused", "finished", "archived")


@click.command("list", help=told("予定の一覧（終わったものは --state で）", "List schedules (ended ones with --state)"))
@click.option(
    "--state", "states", multiple=True, type=click.Choice(STATES), help=told("この状態のものだけ", "Only these")
)
@click.option("--after", metavar="ID", type=int, default=0, help=told("この番号より後から", "Start behind this id"))
@click.option("--limit", type=click.IntRange(1, 1000), default=100, show_default=True, help=told("最大件数", "At most"))
@pageable
@common
def list_command(session: Session, states: tuple[ScheduleState, ...], after: int, limit: int, paged: bool) -> None:
    """List schedules."""
    with open_site(session.settings) as site:
        page = schedules.listed(site, states, after, limit)
    if session.as_json:
        shown = [json_view.schedule(session, one) for one in page.schedules]
        session.document({"schedules": shown, "armed": page.armed, "more": page.more})
        return
    screen = Screen(session)
    for one in page.schedules:
        list_line(screen, one)
    if not page.schedules:
        screen.line(session.say(Text("予定はありません", "There are no schedules")))
    if page.more:
        last = page.schedules[-1].row.schedule_id
        screen.line(
            session.say(Text(f"続きがあります: --after {last}", f"There are more: --after {last}")), style="dim"
        )
    if not page.armed:
        screen.next_step(session.say(DISARMED))
    screen.show(paged=paged)


@click.command("show", help=told("予定と最近の実行を見る", "Show a schedule and its latest runs"))
@click.argument("reference", metavar="ID", shell_complete=completing.schedules())
@pageable
@common
def show_command(session: Session, reference: str, paged: bool) -> None:
    """Show one schedule."""
    with open_site(session.settings) as site:
        shown, runs = schedules.show(site, reference)
    session.listen_to(shown.row.instruction)
    if session.as_json:
        document = {
            "schedule": json_view.schedule(session, shown),
            "runs": [json_view.run(session, run) for run in runs],
            "armed": shown.armed,
        }
        session.document(document)
        return
    screen = Screen(session)
    show_schedule(screen, shown)
    if runs:
        screen.line()
        screen.line(session.say(Text("最近の実行", "Latest runs")), style="bold")
    for run in runs:
        show_run(screen, run)
    screen.show(paged=paged)


@click.command("approve", help=told("承認待ちの予定を有効にする", "Approve a pending schedule"))
@click.argument("reference", metavar="ID", shell_complete=completing.schedules("pending"))
@common
def approve_command(session: Session, reference: str) -> None:
    """Approve one schedule."""
    with open_site(session.settings) as site:
        answer(session, schedules.approve(site, reference))


@click.command("pause", help=told("予定を一時停止する", "Stop a schedule from firing until it is resumed"))
@click.argument("reference", metavar="ID", shell_complete=completing.schedules("active"))
@reason(required=True)
@common
def pause_command(session: Session, reference: str, reason: str) -> None:
    """Pause one schedule."""
    with open_site(session.settings) as site:
        answer(session, schedules.pause(site, reference, reason))


@click.command(
    "resume",
    help=told(
        "一時停止を解く。停止中に過ぎた回は実行されない",
        "Let a paused schedule fire again; what passed meanwhile never fires",
    ),
)
@click.argument("reference", metavar="ID", shell_complete=completing.schedules("paused"))
@common
def resume_command(session: Session, reference: str) -> None:
    """Resume one schedule."""
    with open_site(session.settings) as site:
        answer(session, schedules.resume(site, reference))


@click.command("archive", help=told("予定を終了する（記録は残る）", "End a schedule for good; its records stay"))
@click.argument("reference", metavar="ID", shell_complete=completing.schedules("pending", "active", "paused"))
@reason()
@common
def archive_command(session: Session, reference: str, reason: str | None) -> None:
    """Archive one schedule."""
    with open_site(session.settings) as site:
        answer(session, schedules.archive(site, reference, reason))


def answer(session: Session, shown: ScheduleView) -> None:
    """What a command that changed a schedule answers, in the language of its instruction."""
    session.listen_to(shown.row.instruction)
    if session.as_json:
        session.document({"schedule": json_view.schedule(session, shown), "armed": shown.armed})
        return
    screen = Screen(session)
    show_schedule(screen, shown)
    screen.show()
