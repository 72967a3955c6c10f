"""Lock files: a lock that the kernel gives back when its holder ends, however it ends."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

POLL_SECONDS: Final = 0.004
"""How often a wait looks again: a server starts in about 25 ms, so a coarser step would be most of the waiting."""

Share = Literal["shared", "exclusive"]
FLAGS: Final[dict[Share, int]] = {"shared": fcntl.LOCK_SH, "exclusive": fcntl.LOCK_EX}


@contextmanager
def lock_file(path: Path) -> Generator[int]:
    """The descriptor of the lock file `path` (made when missing, 0600), not yet locked; no child inherits it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def take(descriptor: int, share: Share, patience: float = 0.0) -> bool:
    """Lock `descriptor` within `patience` seconds; false when somebody else held on to it for that long.

    A lock that `descriptor` held before is given up first, also when the new one cannot be had.
    """
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, FLAGS[share] | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(POLL_SECONDS)
        else:
            return True
