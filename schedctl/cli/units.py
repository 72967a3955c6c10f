"""`schedctl install-units` and `uninstall-units`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from rich.text import Text as Styled

from schedctl.catalog.nodes import NAME
from schedctl.cli import completing
from schedctl.cli.options import common, told
from schedctl.cli.screen import Screen
from schedctl.language import Text
from schedctl.units.manager import Manager, the_manager
from schedctl.units.program import installed_program
from schedctl.usecases.install_units import Wanted, install
from schedctl.usecases.uninstall_units import uninstall

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedctl.cli.session import Session
    from schedctl.units.manager import Scope
    from schedctl.usecases.install_units import Changed, Deed

WORDS: Final = {
    "verified": (Text("検査", "verified"), "green"),
    "wrote": (Text("作成", "wrote"), "green"),
    "updated": (Text("更新", "updated"), "green"),
    "saved": (Text("退避", "saved"), "yellow"),
    "unchanged": (Text("そのまま", "unchanged"), "dim"),
    "made_user": (Text("利用者", "user"), "green"),
    "reloaded": (Text("再読込", "reloaded"), "green"),
    "enabled": (Text("有効化", "enabled"), "green"),
    "ticked": (Text("tick", "ticked"), "green"),
    "stopped": (Text("停止", "stopped"), "yellow"),
    "removed": (Text("削除", "removed"), "yellow"),
    "left": (Text("残す", "left"), "dim"),
}
"""How each kind of deed is said."""
NOT_ARMED: Final = Text(
    "点火するまでは、実行せずに記録だけします → schedctl arm",
    "Until it is armed, nothing is fired, only recorded → schedctl arm",
)


def _node_name(_context: click.Context, _parameter: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if not NAME.fullmatch(name):
            raise click.BadParameter(
                told(f"「{name}」はノードの名前ではありません", f"“{name}” is not the name of a node")
            )
    return names


def _scoped(function: Callable[..., None]) -> Callable[..., None]:
    """Add the choice between the machine's systemd and one's own."""
    system = click.option(
        "--system",
        "scope",
        flag_value="system",
        help=told("マシン全体（root なら既定）", "For the machine (root: default)"),
    )
    own = click.option(
        "--user",
        "scope",
        flag_value="user",
        help=told("自分だけ（root 以外なら既定）", "For yourself (others: default)"),
    )
    return system(own(function))


@click.command(
    "install-units",
    help=told(
        "systemd のユニットを入れて、タイマーを動かす。書く前に systemd に検査させ、したことをすべて示す",
        "Install the units of systemd and start the timers. systemd checks them first; says all that it did",
    ),
    epilog=told(
        "例:\n  sudo /opt/schedctl/bin/schedctl install-units --dry-run",
        "Example:\n  sudo /opt/schedctl/bin/schedctl install-units --dry-run",
    ),
)
@_scoped
@click.option(
    "--dsn-credential",
    "dsn",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=told("DSN のファイル（初期値は /etc/schedctl/dsn）", "The file with the DSN (default: /etc/schedctl/dsn)"),
)
@click.option(
    "--node",
    "nodes",
    multiple=True,
    metavar="NAME",
    shell_complete=completing.nodes,
    callback=_node_name,
    help=told(
        "このノードの worker だけを動かす。ここでは tick しない", "Only a worker for this node: nothing ticks here"
    ),
)
@click.option("--page", is_flag=True, help=told("状態のページも毎分書く", "Write the status page each minute too"))
@click.option(
    "--replace-edited", is_flag=True, help=told("手で直したユニットも置き換える", "Replace units edited by hand too")
)
@click.option("--dry-run", is_flag=True, help=told("示すだけで何も変えない", "Only show; change nothing"))
@common
def install_units_command(
    session: Session,
    scope: Scope | None,
    dsn: Path | None,
    nodes: tuple[str, ...],
    page: bool,
    replace_edited: bool,
    dry_run: bool,
) -> None:
    """Install; exit code 1 when everything is in place but the first tick failed."""
    manager = _manager(scope)
    program = installed_program(sys.argv[0])
    wanted = Wanted(manager, program, dsn and dsn.absolute(), nodes, page, replace_edited)
    done = install(wanted, dry_run=dry_run)
    if session.as_json:
        session.document(_document(session, manager, done, dry_run) | {"program": str(program)})
    else:
        screen = _show(session, done, dry_run)
        if not dry_run:
            screen.next_step(
                session.say(
                    Text(
                        f"ユニットの記録: {manager.journal_said} 'schedctl-*'",
                        f"What the units say: {manager.journal_said} 'schedctl-*'",
                    )
                )
            )
        if any(deed.kind == "enabled" for deed in done.deeds) and not nodes:
            screen.next_step(session.say(NOT_ARMED))
        screen.show()
    if done.tick_failed is not None:
        raise click.exceptions.Exit(1)


@click.command(
    "uninstall-units",
    help=told(
        "install-units が入れたものだけを取り除く。データベースと状態は残す",
        "Take away what install-units installed, and nothing else; the database and the state stay",
    ),
)
@_scoped
@click.option("--dry-run", is_flag=True, help=told("示すだけで何も変えない", "Only show; change nothing"))
@common
def uninstall_units_command(session: Session, scope: Scope | None, dry_run: bool) -> None:
    """Uninstall."""
    manager = _manager(scope)
    done = uninstall(manager, dry_run=dry_run)
    if session.as_json:
        session.document(_document(session, manager, done, dry_run))
        return
    screen = _show(session, done, dry_run)
    if not any(deed.kind in ("stopped", "removed") for deed in done.deeds):
        screen.line(session.say(Text("取り除くものはありません", "There is nothing to take away")))
    screen.show()


def _manager(scope: Scope | None) -> Manager:
    return the_manager(scope or ("system" if os.geteuid() == 0 else "user"), os.environ)


def _show(session: Session, done: Changed, dry_run: bool) -> Screen:
    """A line for each deed, then what to know."""
    screen = Screen(session)
    if dry_run:
        screen.line(
            session.say(
                Text("何も変えていません（--dry-run）。すること:", "Nothing was changed (--dry-run). It would:")
            )
        )
    for deed in done.deeds:
        if deed.kind != "unchanged":
            word, style = WORDS[deed.kind]
            screen.field(session.say(word), Styled(_what(session, deed), style=style if style == "dim" else ""))
    unchanged = sum(deed.kind == "unchanged" for deed in done.deeds)
    if unchanged:
        said = Text(f"{unchanged} 件は、すでにそのとおり", f"{unchanged} things were as they should be")
        screen.field(session.say(WORDS["unchanged"][0]), session.say(said), style="dim")
    for warning in done.warnings:
        screen.hanging(Styled("! ", style="yellow"), Styled(session.say(warning), style="yellow"))
    if done.tick_failed is not None:
        screen.hanging(Styled("! ", style="bold red"), Styled(session.say(done.tick_failed), style="bold red"))
    return screen


def _what(session: Session, deed: Deed) -> str:
    return (
        deed.what
        if deed.note is None
        else session.say(Text(f"{deed.what}（{deed.note.ja}）", f"{deed.what} ({deed.note.en})"))
    )


def _document(session: Session, manager: Manager, done: Changed, dry_run: bool) -> dict[str, Any]:
    return {
        "scope": manager.scope,
        "dry_run": dry_run,
        "done": [
            {"kind": deed.kind, "what": deed.what, "note": session.say(deed.note) if deed.note else None}
            for deed in done.deeds
        ],
        "warnings": [session.say(warning) for warning in done.warnings],
        "tick_failed": session.say(done.tick_failed) if done.tick_failed else None,
    }
