"""`schedctl node hold` and `release`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from schedctl.cli import completing
from schedctl.cli.groups import CommandGroup
from schedctl.cli.json_view import instant
from schedctl.cli.options import common, reason, told
from schedctl.cli.screen import show_line
from schedctl.language import Text
from schedctl.usecases import nodes
from schedctl.usecases.site import open_site

if TYPE_CHECKING:
    from schedctl.cli.session import Session
    from schedctl.usecases.nodes import NodeState


@click.group("node", cls=CommandGroup, help=told("ノードの変更を保留する・解除する", "Hold a node, release it"))
def node_command() -> None:
    """Hold the two together."""


@node_command.command("hold", help=told("このノードで変更を始めさせない", "Let no changing work start on a node"))
@click.argument("name", metavar="NAME", shell_complete=completing.nodes)
@reason(required=True)
@common
def hold_command(session: Session, name: str, reason: str) -> None:
    """Hold a node."""
    with open_site(session.settings) as site:
        state = nodes.hold(site, name, reason)
    said = Text(
        f"{name} を保留にしました。解除するまで、変更を伴う実行は始まりません",
        f"{name} is held: no changing work starts there until it is released",
    )
    _answer(session, state, said, Text(f"{name} はもう保留中です", f"{name} was held already"))


@node_command.command(
    "release",
    help=told(
        "ノードの保留を解除する。行方不明の実行が終わっていることは、確かめてあるものとする",
        "Release a node; you vouch that nothing of a lost run still goes on there",
    ),
)
@click.argument("name", metavar="NAME", shell_complete=completing.nodes)
@common
def release_command(session: Session, name: str) -> None:
    """Release a node."""
    with open_site(session.settings) as site:
        state = nodes.release(site, name)
    said = Text(f"{name} の保留を解除しました", f"{name} is released")
    _answer(session, state, said, Text(f"{name} は保留されていません", f"Nothing held {name}"))


def _answer(session: Session, state: NodeState, said: Text, otherwise: Text) -> None:
    if not session.as_json:
        show_line(session, session.say(said if state.changed else otherwise))
        return
    zone = session.settings.timezone
    holds = [
        {"since": instant(hold.held_at, zone), "by": hold.held_by, "reason": hold.reason, "run": hold.run_id}
        for hold in state.holds
    ]
    session.document({"node": {"name": state.name, "held": bool(holds), "changed": state.changed, "holds": holds}})
