"""The systemd journal: one entry an event, with its priority and fields to look for (journalctl SCHEDCTL_RUN=12)."""

from __future__ import annotations

import os
import socket
import stat
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    from collections.abc import Mapping

ERROR: Final = 3
NOTICE: Final = 5
SOCKET: Final = "/run/systemd/journal/socket"


def leads_there(stream: TextIO) -> bool:
    """Whether a stream is the journal's own, by the device and inode that systemd names (systemd.exec(5))."""
    named = os.environ.get("JOURNAL_STREAM")
    try:
        status = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return False
    return named == f"{status.st_dev}:{status.st_ino}"


def write(text: str, priority: int, fields: Mapping[str, str]) -> bool:
    """Send one entry in the journal's native protocol; False where it was not taken, and a plain line has to do."""
    if not _stderr_is_socket():
        return False
    entry = {"MESSAGE": text, "PRIORITY": str(priority), "SYSLOG_IDENTIFIER": "schedctl", **fields}
    datagram = "".join(f"{name}={' '.join(value.split())}\n" for name, value in entry.items()).encode(
        "utf-8", "replace"
    )
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as journal:
        journal.sendto(datagram, SOCKET)
        return True
    return False


def _stderr_is_socket() -> bool:
    with suppress(OSError, ValueError):
        return stat.S_ISSOCK(os.fstat(sys.stderr.fileno()).st_mode)
    return False
