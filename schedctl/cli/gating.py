"""`schedctl gate`: the one command that a key in authorized_keys may start, and what it lets through."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from schedctl.cli.gate_environment import SETTINGS, clean, client_address, settings_in
from schedctl.cli.gate_line import asked_for_help, command_of, refused
from schedctl.cli.gate_verbs import ROLES
from schedctl.cli.options import asked_language, told
from schedctl.cli.session import Session
from schedctl.language import Text
from schedctl.settings import Admitted

if TYPE_CHECKING:
    from collections.abc import Mapping

ACTOR: Final = re.compile(r"\w[\w.@+-]{0,63}")
LINE: Final = b"SSH_ORIGINAL_COMMAND"
KEY: Final = re.compile(r"[!-~]{1,100}")


def _actor(_context: click.Context, _parameter: click.Parameter, actor: str) -> str:
    if not ACTOR.fullmatch(actor):
        raise click.BadParameter(
            told("名前は文字と数字と ._@+- で、64文字まで", "a name is letters, digits and ._@+-, 64 at most")
        )
    return actor


def _key(_context: click.Context, _parameter: click.Parameter, key: str | None) -> str | None:
    if key is not None and not KEY.fullmatch(key):
        raise click.BadParameter(
            told("ssh-keygen -lf が示す SHA256:… を書いてください", "write the SHA256:… that ssh-keygen -lf shows")
        )
    return key


@click.command(
    "gate",
    help=told(
        "SSH の鍵1つに、役割のコマンドだけを許す（authorized_keys の command= に書く）。"
        "相手の1行はシェルを通さず、許したコマンドとオプションのほかは終了コード 4 で断る",
        "Let an SSH key say the commands of one role and nothing else: for command= in authorized_keys. The client's "
        "line passes no shell; whatever is not allowed is refused with exit code 4",
    ),
    epilog=told(
        '例（authorized_keys の1行）:\n  restrict,command="schedctl gate --role operator --actor alice" '
        "ssh-ed25519 AAAA…",
        'Example (a line of authorized_keys):\n  restrict,command="schedctl gate --role operator --actor alice" '
        "ssh-ed25519 AAAA…",
    ),
)
@click.option("--role", type=click.Choice(list(ROLES)), required=True, help=told("役割", "The role"))
@click.option(
    "--actor", metavar="NAME", required=True, callback=_actor, help=told("この鍵の持ち主", "Whose key this is")
)
@click.option("--key", metavar="SHA256:…", callback=_key, help=told("鍵の指紋（記録用）", "The key's fingerprint"))
@click.option(
    "--settings",
    "file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    default=SETTINGS,
    show_default=True,
    help=told("設定ファイル（NAME=値 の行）", "Where the settings are: lines of NAME=value"),
)
def gate_command(role: str, actor: str, key: str | None, file: Path) -> None:
    """Read the client's line, and run what it says or refuse it."""
    sent = dict(os.environ)
    line = os.environb.get(LINE, b"").decode("utf-8", "surrogateescape")  # whatever the locale is
    Session.admitted = Admitted(role, actor, key, client_address(sent))
    _replace_environment(clean(sent, {}))
    session = Session.start(os.environ, asked_language(line.split(), os.environ), "--json" in line.split())
    _replace_environment(clean(sent, settings_in(file)))
    if asked_for_help(line):
        _say_what_it_may(session, role)
        return
    _read_nothing()
    words = command_of(line, ROLES[role])
    if role == "beater" and "--" in words and words[-1] != actor:
        raise refused(
            Text(f"この鍵が知らせられるのは {actor} の生存だけです", f"This key beats for {actor} and for nobody else"),
            Text(f"beat {actor} と書いてください", f"Say: beat {actor}"),
        )
    raise click.exceptions.Exit(_run(words))


def _run(words: list[str]) -> int:
    from schedctl.cli.main import call  # main finds its commands by name, and this is one of them

    return call(words)


def _replace_environment(environ: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environ)


def _read_nothing() -> None:
    """No command reads what the client types."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.__stdin__.fileno() if sys.__stdin__ is not None else 0)
    os.close(nothing)


def _say_what_it_may(session: Session, role: str) -> None:
    verbs = tuple(ROLES[role])
    admitted = Session.admitted
    if session.as_json:
        session.document({"gate": {"role": role, "actor": admitted.actor if admitted else "", "commands": list(verbs)}})
        return
    session.out(session.say(Text(f"役割 {role} で使えるもの: ", f"The role {role} may: ")) + ", ".join(verbs))
