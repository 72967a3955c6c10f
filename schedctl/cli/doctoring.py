"""`schedctl doctor`: every dependency on a line, with a fix for each that needs one."""

from __future__ import annotations

import os
import time
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import click
from rich.cells import cell_len
from rich.text import Text as Styled

from schedctl.cli import completing
from schedctl.cli.options import common_forgiving, told
from schedctl.cli.screen import ARROW, Screen
from schedctl.cli.terminal import lasting
from schedctl.language import Text
from schedctl.usecases.doctor import Patient, Wish, examine
from schedctl.usecases.doctor_finding import LEVELS, Finding, Level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedctl.cli.session import Session

WORDS: Final[dict[Level, tuple[Text, str]]] = {
    "ok": (Text("正常", "ok"), "green"),
    "warning": (Text("注意", "warning"), "yellow"),
    "bad": (Text("異常", "bad"), "bold red"),
    "unused": (Text("未使用", "not used"), "dim"),
    "unknown": (Text("不明", "unknown"), "yellow"),
}
LEVEL_CELLS: Final = {"ja": 7, "en": 9}
LOOKED_ONLY: Final = Text(
    "中断しました。調べていただけで、何も変えていません", "Interrupted; it was only looking, and changed nothing"
)


@click.command(
    "doctor",
    help=told(
        "動くために要るものをすべて調べ、1行ずつ示す。直すべき行には、打てるコマンドが付く。何も変えない。"
        "\n\n異常が1つでもあれば終了コード 1。注意と不明だけなら 0。",
        "Look at everything that schedctl depends on, a line for each, with a command to type where something is bad. "
        "Changes nothing.\n\nThe exit code is 1 when anything is bad, 0 when there are only warnings.",
    ),
    epilog=told(
        "例:\n  sudo -u schedctl schedctl doctor\n  schedctl doctor --node mars",
        "Examples:\n  sudo -u schedctl schedctl doctor\n  schedctl doctor --node mars",
    ),
)
@click.option(
    "--node",
    "nodes",
    multiple=True,
    metavar="NAME",
    shell_complete=completing.nodes,
    help=told("このノードだけに尋ねる", "Ask only this node"),
)
@click.option(
    "--quick", is_flag=True, help=told("ノードと言語モデルには尋ねない", "Ask neither nodes nor the language model")
)
@common_forgiving
def doctor_command(session: Session, nodes: tuple[str, ...], quick: bool) -> None:
    """Examine the installation; exit code 1 when something is bad."""
    waiting_for = ["…"]

    def tell(name: str) -> None:
        waiting_for[0] = name

    session.interrupted = LOOKED_ONLY
    patient = Patient(session.settings, os.environ, session.redactor, time.time)
    with lasting(session, lambda: Text(f"調べています: {waiting_for[0]}", f"Looking at {waiting_for[0]}")):
        findings = examine(patient, Wish(quick, nodes), tell)
    counted: Counter[Level] = Counter(finding.level for finding in findings)
    if session.as_json:
        session.document(_document(session, findings, counted))
    else:
        _show(session, findings, counted)
    if counted["bad"]:
        raise click.exceptions.Exit(1)


def _show(session: Session, findings: Sequence[Finding], counted: Counter[Level]) -> None:
    screen = Screen(session)
    for finding in findings:
        show_finding(screen, finding)
    parts = [(WORDS[level][0], counted[level]) for level in LEVELS if counted[level]]
    ja = "、".join(f"{word.ja} {count}" for word, count in parts)
    en = ", ".join(f"{count} {word.en}" + ("s" if word.en == "warning" and count > 1 else "") for word, count in parts)
    screen.line(session.say(Text(ja, en)), style="bold red" if counted["bad"] else "bold")
    screen.show()


def show_finding(screen: Screen, finding: Finding) -> None:
    """One line: how it is, what it is, what that means; and below it what to do."""
    session, (word, style) = screen.session, WORDS[finding.level]
    said = session.say(word)
    cells = LEVEL_CELLS[session.lang]
    head = Styled().append(said, style).append(" " * (cells - cell_len(said)))
    line = Styled().append(f"{session.say(finding.subject)}: ", "bold").append(session.say(finding.says))
    screen.hanging(head, line)
    if finding.fix is not None:
        screen.hanging(Styled(" " * cells + ARROW, style="cyan"), Styled(session.say(finding.fix.says), style="cyan"))
        if finding.fix.command:
            screen.verbatim(" " * (cells + len(ARROW)) + finding.fix.command, "bold")


def _document(session: Session, findings: Sequence[Finding], counted: Counter[Level]) -> dict[str, Any]:
    return {
        "ok": not counted["bad"],
        "counts": {level: counted[level] for level in LEVELS},
        "findings": [
            {
                "check": one.check,
                "subject": session.say(one.subject),
                "level": one.level,
                "message": session.say(one.says),
                "fix": session.say(one.fix.says) if one.fix else None,
                "command": one.fix.command if one.fix else None,
            }
            for one in findings
        ],
    }
