"""A program on a terminal of its own: what it shows, as the bytes came, and keys to press."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

ROOT: Final = Path(__file__).parents[2]
ESCAPES: Final = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|[()][A-Z0-9]|[=>])")
SCHEDCTL: Final = (sys.executable, "-m", "schedctl")
PATIENCE_S: Final = 60.0
CTRL_C: Final = "\x03"


class Terminal:
    """A process whose input, output and errors are one terminal."""

    def __init__(self, process: subprocess.Popen[bytes], master: int) -> None:
        self.process = process
        self.seen = ""
        self._master = master
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    @property
    def text(self) -> str:
        """What was shown so far, without escape sequences."""
        return ESCAPES.sub("", self.seen)

    def press(self, keys: str) -> None:
        """Type something."""
        os.write(self._master, keys.encode())

    def press_until_it_ends(self, keys: str) -> None:
        """Type something again and again: what is typed while a Ctrl-C is handled is thrown away by the terminal."""
        give_up = time.monotonic() + PATIENCE_S
        while self.process.poll() is None:
            assert time.monotonic() < give_up, self.seen
            with suppress(OSError):  # nobody holds the other end any more
                self.press(keys)
            self._read(0.5)

    def wait_for(self, pattern: str, after: int = 0) -> int:
        """Read until this shows (behind the first `after` letters); where it ends. Fails with all that was shown."""
        give_up = time.monotonic() + PATIENCE_S
        while not (found := re.compile(pattern).search(self.text, after)):
            assert time.monotonic() < give_up, self.seen
            assert self._read(0.2) or self.process.poll() is None, self.seen
        return found.end()

    def end(self) -> int:
        """Read to the end; the exit code."""
        give_up = time.monotonic() + PATIENCE_S
        while self._read(0.2) or self.process.poll() is None:
            assert time.monotonic() < give_up, self.seen
        return self.process.wait()

    def is_sane(self) -> bool:
        """Whether the terminal echoes, and takes lines, as it did at the beginning."""
        flags = termios.tcgetattr(self._master)[3]
        return bool(flags & termios.ECHO and flags & termios.ICANON)

    def _read(self, patience_s: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], patience_s)
        if not ready:
            return False
        try:
            said = os.read(self._master, 65_536)
        except OSError:  # EIO: nobody holds the other end any more
            return False
        self.seen += self._decoder.decode(said)
        return bool(said)


def surroundings(**changes: str) -> dict[str, str]:
    """The environment of a program on a terminal, with nothing of the operator's own."""
    plain = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    return {**plain, "HOME": "/nonexistent", **changes}


@contextmanager
def on_terminal(
    command: Sequence[str], environ: Mapping[str, str], columns: int = 80, lines: int = 24
) -> Generator[Terminal]:
    """Run a command on a terminal of this size; whatever is left of it is ended."""
    master, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def take_terminal() -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(
        command, stdin=its, stdout=its, stderr=its, env=dict(environ), cwd=ROOT, start_new_session=True,
        preexec_fn=take_terminal,
    )  # fmt: skip
    os.close(its)
    try:
        yield Terminal(process, master)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        process.wait()
        os.close(master)
