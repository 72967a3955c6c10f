"""`schedctl arm` and `disarm`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from schedctl.cli.json_view import instant
from schedctl.cli.options import common, reason, told
from schedctl.cli.screen import show_line
from schedctl.language import Text
from schedctl.usecases import installation
from schedctl.usecases.site import open_site

if TYPE_CHECKING:
    from schedctl.cli.session import Session
    from schedctl.usecases.installation import Switched


@click.command("arm", help=told("点火する: これ以後の tick は実行する", "Arm the installation: from now on ticks fire"))
@reason()
@common
def arm_command(session: Session, reason: str | None) -> None:
    """Arm."""
    with open_site(session.settings) as site:
        switched = installation.arm(site, reason)
    said = Text(
        "点火しました。これより前の回は実行されません", "Armed. Nothing that was due before this moment will fire"
    )
    _answer(session, switched, said if switched.changed else Text("すでに点火しています", "It was armed already"))


@click.command("disarm", help=told("未点火に戻す: tick は記録だけをする", "Disarm the installation: ticks only record"))
@reason()
@common
def disarm_command(session: Session, reason: str | None) -> None:
    """Disarm."""
    with open_site(session.settings) as site:
        switched = installation.disarm(site, reason)
    count = switched.cancelled_runs
    said = Text(
        f"未点火に戻しました。待っていた実行 {count} 件を取り消しました（実行中のものは続きます）",
        f"Disarmed. {count} queued runs were cancelled; running ones go on",
    )
    _answer(session, switched, said if switched.changed else Text("もともと未点火です", "It was disarmed already"))


def _answer(session: Session, switched: Switched, said: Text) -> None:
    state = switched.state
    if session.as_json:
        zone = session.settings.timezone
        document = {
            "armed": state.armed,
            "changed": switched.changed,
            "since": instant(state.changed_at, zone),
            "by": state.changed_by,
            "reason": state.changed_reason,
            "cancelled_runs": switched.cancelled_runs,
        }
        session.document({"installation": document, "armed": state.armed})
    else:
        show_line(session, session.say(said))
