"""`schedctl runs` and `logs`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from schedctl.cli import completing, json_view
from schedctl.cli.following import Follower
from schedctl.cli.instants import instant_given
from schedctl.cli.options import common, pageable, reason, told
from schedctl.cli.run_view import show_output, show_run
from schedctl.cli.screen import Screen
from schedctl.language import Text
from schedctl.store.runs import NOT_AS_WISHED, RunFilter
from schedctl.usecases import runs
from schedctl.usecases.site import open_site

if TYPE_CHECKING:
    from schedctl.cli.session import Session


STATES: Final = (
    "queued",
    "running",
    "succeeded",
    "failed",
    "timed_out",
    "lost",
    "cancelled",
    "missed",
    "skipped",
    "rehearsed",
    "refused",
)


@click.command(
    "runs",
    help=told("実行の記録（新しい順）", "List runs, newest first"),
    epilog=told(
        "例:\n  schedctl runs --errors --since 2026-12-01\n  schedctl runs --state missed --state lost",
        "Examples:\n  schedctl runs --errors --since 2026-12-01\n  schedctl runs --state missed --state lost",
    ),
)
@click.option(
    "--schedule",
    metavar="ID",
    shell_complete=completing.schedules(),
    help=told("この予定（番号か名前）のものだけ", "Only of this schedule (id or name)"),
)
@click.option(
    "--errors",
    is_flag=True,
    help=told(
        "うまくいかなかったものだけ（failed、timed_out、lost、missed、refused）",
        "Only what went wrong: failed, timed_out, lost, missed, refused",
    ),
)
@click.option(
    "--state",
    "states",
    metavar="STATE",
    multiple=True,
    type=click.Choice(STATES),
    help=told("この状態のものだけ（重ねてよい）", "Only in this state (may be repeated)"),
)
@click.option(
    "--node",
    metavar="NAME",
    shell_complete=completing.nodes,
    help=told("このノードで動くものだけ", "Only those with work on this node"),
)
@click.option(
    "--trigger",
    type=click.Choice(["timer", "manual", "restart"]),
    help=told("きっかけ: 予定の時刻、手動、再起動", "What started it"),
)
@click.option(
    "--since",
    metavar="T",
    help=told("この日・時刻以後（例 2026-12-01）", "From this day or instant on, like 2026-12-01"),
)
@click.option(
    "--before",
    metavar="RUN",
    type=int,
    shell_complete=completing.runs(),
    help=told("この番号より前", "Only before this run"),
)
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True, help=told("最大件数", "At most"))
@pageable
@common
def runs_command(session: Session, schedule: str | None, errors: bool, states: tuple[str, ...], **options: Any) -> None:
    """List runs."""
    which = RunFilter(
        states=(*states, *(NOT_AS_WISHED if errors else ())) or None,
        since=instant_given(options["since"], session.settings.timezone, "--since"),
        node=options["node"],
        trigger=options["trigger"],
        before=options["before"],
        limit=options["limit"],
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
    screen.show(paged=options["paged"])


@click.command("logs", help=told("実行の出力を見る", "Show the output of a run"))
@click.argument("run_id", metavar="RUN", type=int, shell_complete=completing.runs())
@click.option(
    "--follow",
    "-f",
    is_flag=True,
    help=told("終わるまで、出力を出たそばから示す", "Show it as it comes, until the end"),
)
@pageable
@common
def logs_command(session: Session, run_id: int, follow: bool, paged: bool) -> None:
    """Show one run's output; with `--follow`, as it comes (with `--json`, the whole at its end)."""
    with open_site(session.settings) as site:
        run = runs.one(site, run_id)
        follower = Follower(session) if follow and not session.as_json else None
        if follow:
            for run in runs.followed(site, run_id):
                if follower is not None:
                    follower.show(run)
    if follower is not None:
        return
    if session.as_json:
        session.document({"run": json_view.run(session, run, with_output=True)})
        return
    screen = Screen(session)
    show_output(screen, run)
    screen.show(paged=paged)


@click.command("cancel", help=told("実行待ち・実行中のものを取り消す", "Cancel a run that is queued or running"))
@click.argument("run_id", metavar="RUN", type=int, shell_complete=completing.runs("queued", "running"))
@reason(default="cancelled")
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
        screen.next_step(session.say(sentence))
    screen.show()
