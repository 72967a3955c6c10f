"""`schedctl completion`, and what a shell is offered behind each command: from the database, quickly or not at all."""

from __future__ import annotations

import os
import queue
import re
import threading
import zoneinfo
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import click

from schedctl.cli.groups import COMPLETION
from schedctl.cli.options import common, told
from schedctl.controls import harmless
from schedctl.redact import Redactor, secrets_of
from schedctl.secrets import known_secrets
from schedctl.settings import Settings, from_environment
from schedctl.store import namable

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.shell_completion import CompletionItem

    from schedctl.cli.session import Session

    Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

SHELLS: Final = ("bash", "zsh", "fish")
PATIENCE_S: Final = 1.0
SOCKET: Final = ".s.PGSQL.5432"
PLAIN: Final = re.compile(r"[\w.@/+-]+")
"""Other names would need quotes, which shells do not put around what they are offered."""


@click.command(
    "completion",
    help=told(
        "シェルの補完のスクリプトを出す。予定や実行の番号、ノードの名前などはデータベースから補う",
        "Print the completion script for a shell; ids and names are completed from the database",
    ),
    epilog=told(
        '例:\n  eval "$(schedctl completion bash)"\n  schedctl completion fish > schedctl.fish',
        'Examples:\n  eval "$(schedctl completion bash)"\n  schedctl completion fish > schedctl.fish',
    ),
)
@click.argument("shell", metavar="SHELL", type=click.Choice(SHELLS))
@common
def completion_command(session: Session, shell: str) -> None:
    """Print the script. Needs no database."""
    from click.shell_completion import get_completion_class

    completer = get_completion_class(shell)
    assert completer is not None  # noqa: S101 - click knows these three
    script = completer(click.get_current_context().find_root().command, {}, "schedctl", COMPLETION).source()
    if session.as_json:
        session.document({"shell": shell, "script": script})
    else:
        session.out(script.rstrip("\n"))


def schedules(*states: str) -> Completer:
    """Offers schedules in these states (none: in any), by number, and by name once something is typed."""

    def complete(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
        rows = _asked(namable.SCHEDULES, typed, states)
        return [
            item
            for schedule_id, name, state, said in rows
            for word in ((schedule_id, name) if typed else (schedule_id,))
            for item in _items(word, typed, f"{state}  {said}")
        ]

    return complete


def runs(*states: str) -> Completer:
    """Offers runs in these states (none: in any), the newest first."""
    return _offering(namable.RUNS, states)


def _offering(query: str, states: tuple[str, ...] = ()) -> Completer:
    def complete(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
        rows = _asked(query, typed, states)
        return [item for name, _, state, said in rows for item in _items(name, typed, f"{state}  {said}")]

    return complete


nodes: Final = _offering(namable.NODES)
"""Offers the nodes of the adopted catalog."""
channels: Final = _offering(namable.CHANNELS)
"""Offers the channels of the adopted policy."""
agents: Final = _offering(namable.AGENTS)
"""Offers the agents that have ever been heard of."""


def zones(_context: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Offers the zones that begin so, or whose city does. Needs no database."""
    from click.shell_completion import CompletionItem

    wanted = typed.lower()
    zoneinfo.reset_tzpath(())
    return [
        CompletionItem(zone)
        for zone in sorted(zoneinfo.available_timezones())
        if zone.lower().startswith(wanted) or f"/{wanted}" in zone.lower()
    ]


def _items(word: str, typed: str, said: str) -> list[CompletionItem]:
    """The word, where it begins as typed and a shell can take it; what is said of it cannot move a cursor."""
    from click.shell_completion import CompletionItem

    if not (word.startswith(typed) and PLAIN.fullmatch(word)):
        return []
    redactor = Redactor.of((*secrets_of(os.environ, os.environ.get("SCHEDCTL_DSN")), *known_secrets(os.environ)))
    return [CompletionItem(word, help=harmless(redactor.text(said)).strip())]


def _asked(query: str, typed: str, states: tuple[str, ...]) -> list[list[str]]:
    """What the database says within a second; nothing where it is away, or has to be started first."""
    inbox: queue.SimpleQueue[list[list[str]]] = queue.SimpleQueue()

    def ask() -> None:
        rows: list[list[str]] = []
        with suppress(Exception):
            dsn = _dsn(from_environment(os.environ))
            rows = namable.named(dsn, query, typed, ",".join(states)) if dsn is not None else []
        inbox.put(rows)

    threading.Thread(target=ask, daemon=True).start()
    try:
        rows = inbox.get(timeout=PATIENCE_S)
    except queue.Empty:
        return []
    return [[*row, "", "", ""][:4] for row in rows]


def _dsn(settings: Settings) -> str | None:
    if settings.dsn is not None:
        return settings.dsn
    sockets = settings.state.resolve() / "postgresql" / "run"
    if not (sockets / SOCKET).exists():
        return None
    from schedctl.store.embedded import dsn

    return dsn(sockets)
