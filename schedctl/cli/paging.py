"""A pager for what is longer than the terminal: the operator's own, else `less`; never through a shell."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from schedctl.cli.terminal import is_dumb
from schedctl.secrets import without_ours

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schedctl.cli.session import Session

DEFAULT: Final = ("less", "-FRX")
"""Quit when all fits on the screen, show colours, leave the text behind."""
STYLES: Final = re.compile(r"\x1b\[[0-9;]*m")


def page(session: Session, text: str) -> None:
    """Print it, through a pager where it is longer than the terminal. Who quits the pager has seen enough."""
    size = shutil.get_terminal_size()
    command = _command(os.environ)
    if not command or not _reaches_beyond(text, size.columns, size.lines):
        session.out(text)
        return
    try:
        pager = subprocess.Popen(command, stdin=subprocess.PIPE, env=_environment(os.environ, command))
    except (OSError, ValueError):
        session.out(text)
        return
    # Ctrl-C belongs to the pager while it runs: it stops a search, and we have nothing to stop.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with suppress(BrokenPipeError):
            pager.communicate((session.redactor.text(text) + "\n").encode("utf-8", "replace"))
        pager.wait()
    finally:
        signal.signal(signal.SIGINT, before)


def is_wanted() -> bool:
    """Whether there is a person who could turn pages."""
    return sys.stdin.isatty() and sys.stdout.isatty() and not is_dumb()


def _command(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The pager's words; none where the operator wants none, or there is none."""
    for name in ("SCHEDCTL_PAGER", "PAGER"):
        if name in environ:
            try:
                words = tuple(shlex.split(environ[name]))
            except ValueError:
                continue
            return () if words == ("cat",) else words
    return DEFAULT if shutil.which(DEFAULT[0]) else ()


def _environment(environ: Mapping[str, str], command: tuple[str, ...]) -> dict[str, str]:
    """The pager's environment: nothing of ours; and a `less` that runs no commands and writes no files."""
    kept = without_ours(environ)
    if os.path.basename(command[0]) == "less":  # noqa: PTH119 - a name on the PATH, not a path
        kept |= {"LESSSECURE": "1", "LESSHISTFILE": "-", "LESSCHARSET": "utf-8"}
        kept.pop("LESSOPEN", None)
        kept.setdefault("LESS", "FRX")
    return kept


def _reaches_beyond(text: str, columns: int, lines: int) -> bool:
    used = 0
    for line in text.splitlines():
        used += max(1, -(-cell_len(STYLES.sub("", line)) // max(1, columns)))
        if used >= lines:
            return True
    return False
