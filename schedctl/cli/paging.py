"""A pager for what is longer than the terminal: the operator's own, else `less`; never through a shell."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from schedctl.cli.terminal import is_dumb
from schedctl.language import Text
from schedctl.secrets import without_ours

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schedctl.cli.session import Session

DEFAULT: Final = ("less", "-FRX")
"""Quit when all fits on the screen, show colours, leave the text behind."""
TOO_SHORT_TO_READ_S: Final = 1.0
"""A pager that fails so soon has shown nothing; later it is the operator who left it in some way."""
STYLES: Final = re.compile(r"\x1b\[[0-9;]*m")


def page(session: Session, text: str) -> None:
    """Print it, through a pager where it is longer than the terminal. Who quits the pager has seen enough."""
    size = shutil.get_terminal_size()
    command = _command(os.environ)
    if not command or not _reaches_beyond(text, size.columns, size.lines):
        session.out(text)
        return
    failure = _failure(command, (session.redactor.text(text) + "\n").encode("utf-8", "replace"))
    if failure is not None:
        session.out(text)
        session.err(session.say(_done_without(command[0], failure)))


def _failure(command: tuple[str, ...], text: bytes) -> str | None:
    """Show it in the pager; why it did not show anything, None where it did."""
    begun = time.monotonic()
    try:
        pager = subprocess.Popen(command, stdin=subprocess.PIPE, env=_environment(os.environ, command))
    except (OSError, ValueError) as error:
        return getattr(error, "strerror", None) or str(error)
    # Ctrl-C belongs to the pager while it runs: it stops a search, and we have nothing to stop.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with suppress(BrokenPipeError):
            pager.communicate(text)
        code = pager.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    return f"exit {code}" if code and time.monotonic() - begun < TOO_SHORT_TO_READ_S else None


def _done_without(program: str, failure: str) -> Text:
    return Text(
        f"schedctl: ページャ「{program}」を使えなかったので（{failure}）、そのまま示しました"
        "（SCHEDCTL_PAGER、PAGER を確かめてください）",
        f"schedctl: the pager “{program}” could not be used ({failure}), so all is printed; "
        "check SCHEDCTL_PAGER and PAGER",
    )


def is_wanted() -> bool:
    """Whether there is a person who could turn pages."""
    return sys.stdin.isatty() and sys.stdout.isatty() and not is_dumb()


def _command(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The pager's words; none where the operator wants none, or there is none."""
    for name in ("SCHEDCTL_PAGER", "PAGER"):
        if name in environ:
            try:
                words = tuple(shlex.split(environ[name]))
            except ValueError:  # a quotation mark alone: no program is called so, and that will be said
                words = (environ[name],)
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
