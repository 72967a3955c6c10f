"""What the terminal can take: colours, by the conventions that programs share, and a line that comes and goes."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
import unicodedata
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from schedctl.controls import harmless

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from schedctl.cli.session import Session
    from schedctl.language import Text

INTERRUPT_SHOWN: Final = "^C"
"""What a terminal writes behind the line when somebody presses Ctrl-C."""
FIRST_AFTER_S: Final = 1.0
"""What is over sooner has needed no word."""


def is_dumb() -> bool:
    """Whether the terminal says of itself that it can do nothing but print."""
    return os.environ.get("TERM", "").lower() in ("dumb", "unknown")


def wants_colour(*, on_terminal: bool) -> bool:
    """Whether to write escape sequences: never with NO_COLOR or on a dumb terminal, always with CLICOLOR_FORCE."""
    if os.environ.get("NO_COLOR") or is_dumb():
        return False
    if os.environ.get("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return on_terminal and os.environ.get("CLICOLOR") != "0"


class StatusLine:
    """One line on stderr that says what goes on: only on a terminal, never with `--json`, erased without a trace.

    It needs no escape sequence: a carriage return, and spaces over what stood there.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._cells = 0
        self._lock = threading.RLock()
        """A signal handler prints too, in the thread that may be writing here."""
        self.seen = not session.as_json and sys.stderr.isatty() and not is_dumb()

    def write(self, text: str) -> None:
        """Put this in the place of what stands there, cut to the terminal."""
        if not self.seen:
            return
        shown = _cut(
            harmless(self._session.redactor.text(text)), shutil.get_terminal_size().columns - 1 - len(INTERRUPT_SHOWN)
        )
        with self._lock:
            cells = _cells(shown)
            sys.stderr.write(f"\r{shown}{' ' * (self._cells - cells)}")
            sys.stderr.write("\b" * (self._cells - cells))
            sys.stderr.flush()
            self._cells = cells

    def erase(self) -> None:
        """Leave the line as it was found."""
        with self._lock:
            if self._cells:
                sys.stderr.write(f"\r{' ' * (self._cells + len(INTERRUPT_SHOWN))}\r")
                sys.stderr.flush()
                self._cells = 0


@contextmanager
def lasting(session: Session, words: Callable[[], Text]) -> Generator[None]:
    """Say on a status line what goes on inside, and for how long; `words` is asked anew each second."""
    line = session.status = StatusLine(session)
    ended = threading.Event()
    begun = time.monotonic()

    def tell() -> None:
        while not ended.wait(FIRST_AFTER_S):
            line.write(said_with_seconds(session, words(), time.monotonic() - begun))

    teller = threading.Thread(target=tell, name="status-line", daemon=True)
    if line.seen:
        teller.start()
    try:
        yield
    finally:
        ended.set()
        if line.seen:
            teller.join()
        line.erase()
        session.status = None


def said_with_seconds(session: Session, text: Text, seconds: float) -> str:
    """`確かめています… 12 秒`, `checking… 12 s`."""
    return f"{session.say(text)}… {seconds:.0f} {'秒' if session.lang == 'ja' else 's'}"


def _cells(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _cut(text: str, cells: int) -> str:
    while _cells(text) > cells:
        text = text[:-1]
    return text
