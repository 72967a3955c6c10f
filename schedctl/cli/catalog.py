"""`schedctl catalog check` and `adopt`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click
from rich.text import Text as Styled

from schedctl.cli import completing
from schedctl.cli.groups import CommandGroup
from schedctl.cli.options import account, common, told
from schedctl.cli.screen import ARROW, Screen
from schedctl.language import Text
from schedctl.usecases import adoption
from schedctl.usecases.site import open_site

if TYPE_CHECKING:
    from schedctl.catalog.problems import Problem
    from schedctl.cli.session import Session
    from schedctl.usecases.adoption import Adoption

STOPS: Final = {
    "paused": Text("一時停止になる予定", "Pauses schedule"),
    "archived": Text("承認待ちのまま終了する予定", "Ends the pending schedule"),
}


@click.group(
    "catalog", cls=CommandGroup, help=told("カタログを確かめる・採用する", "Check the catalog files, adopt them")
)
def catalog_command() -> None:
    """Hold the two together."""


@catalog_command.command(
    "check", help=told("手元のファイルの誤りをすべて挙げる", "Find every mistake in the files at hand")
)
@common
def check_command(session: Session) -> None:
    """Check the files; exit code 2 when there is a mistake."""
    folder = session.settings.catalog
    catalog, problems = adoption.check(folder)
    if session.as_json:
        session.document({"catalog": str(folder), "problems": [_problem(session, problem) for problem in problems]})
    else:
        screen = Screen(session)
        for problem in problems:
            screen.hanging(Styled("✗ ", style="red"), Styled(session.say(problem.sentence()), style="red"))
            screen.hanging(Styled("  " + ARROW), Styled(session.say(problem.fix)))
        if catalog is not None:
            nodes, actions = len(catalog.nodes), len(catalog.actions)
            good = Text(
                f"{folder}: 誤りはありません（ノード {nodes}、アクション {actions}）",
                f"{folder}: no mistakes ({nodes} nodes, {actions} actions)",
            )
            screen.line(session.say(good))
        screen.show()
    if problems:
        raise click.exceptions.Exit(2)


@catalog_command.command(
    "adopt",
    help=told(
        "手元のファイルを採用する（違いと止まる予定を示す）", "Adopt the files; shows what changes and what stops"
    ),
)
@click.option("--dry-run", is_flag=True, help=told("示すだけで採用しない", "Only show"))
@common
def adopt_command(session: Session, dry_run: bool) -> None:
    """Adopt the files."""
    with open_site(session.settings) as site:
        done = adoption.adopt(site, dry_run)
    if session.as_json:
        session.document(_document(session, done))
        return
    screen = Screen(session)
    for change in done.changes:
        screen.hanging(Styled(f"{_sign(change.kind)} "), Styled(session.say(change.text)))
    for one in done.paused:
        sentence = f"{session.say(STOPS[one.becomes])} {one.schedule_id}: {one.instruction}"
        screen.hanging(Styled("! ", style="yellow"), Styled(sentence, style="yellow"))
        for difference in one.differences:
            screen.line(session.say(difference), indent=4)
    for run_id in done.cancelled_runs:
        sentence = Text(
            f"実行待ちだった実行 {run_id} を取り消しました", f"Run {run_id}, which was queued, is cancelled"
        )
        screen.hanging(Styled("! ", style="yellow"), Styled(session.say(sentence), style="yellow"))
    screen.line(session.say(_ending(done)))
    screen.show()


@catalog_command.command(
    "sudoers",
    help=told(
        "ノードの sudoers に書く行を示す（カタログが root で行うことだけを許す）",
        "Print the sudoers lines for a node: what the catalog does as root, and nothing else",
    ),
)
@click.argument("name", metavar="NODE", shell_complete=completing.nodes)
@click.option(
    "--user",
    type=account,
    metavar="USER",
    default="schedctl",
    show_default=True,
    help=told("ノードでの利用者", "The user on the node"),
)
@common
def sudoers_command(session: Session, name: str, user: str) -> None:
    """Print the lines. Needs no database."""
    lines = adoption.sudoers(session.settings.catalog, name, user)
    if session.as_json:
        session.document({"node": name, "user": user, "lines": list(lines)})
        return
    for line in lines:
        session.out(line)


def _ending(done: Adoption) -> Text:
    if done.adopted:
        return Text("採用しました", "Adopted")
    if done.changes:
        return Text("まだ採用していません（--dry-run）", "Not adopted yet (--dry-run)")
    return Text("採用済みのものと同じです", "It is what is adopted already")


def _sign(kind: str) -> str:
    return {"added": "+", "removed": "-"}.get(kind, "~")


def _problem(session: Session, problem: Problem) -> dict[str, str]:
    return {
        "file": problem.file,
        "key": problem.key,
        "message": session.say(problem.message),
        "fix": session.say(problem.fix),
    }


def _document(session: Session, done: Adoption) -> dict[str, object]:
    return {
        "adopted": done.adopted,
        "changes": [
            {"kind": change.kind, "what": change.what, "name": change.name, "text": session.say(change.text)}
            for change in done.changes
        ],
        "paused": [
            {
                "schedule": one.schedule_id,
                "instruction": one.instruction,
                "becomes": one.becomes,
                "differences": [session.say(difference) for difference in one.differences],
            }
            for one in done.paused
        ],
        "moved": list(done.moved),
        "cancelled_runs": list(done.cancelled_runs),
    }
