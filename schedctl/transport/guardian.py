"""A small process beside the worker that keeps a command's pipes open when the worker is killed.

Without it a command that prints would meet a broken pipe, and dpkg would end half-way. The guardian holds a second
reading end of each pipe and leaves it alone. When the worker dies it reads and drops what the command still prints, and
ends the command at its time limit, as the worker would have. It ends with the last command that it guards.

The unit that runs the worker must let it live (`KillMode=process`), or systemd ends worker, guardian and command alike.
"""

from __future__ import annotations

import os
import selectors
import socket
import sys
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from schedctl.transport import processes
from schedctl.transport.enclosures import Enclosure, staying_home

if TYPE_CHECKING:
    from collections.abc import Generator

    from schedctl.transport.processes import Family

MODULE: Final = "schedctl.transport.guardian"
GRACE_S: Final = 10.0
LOOK_EVERY_S: Final = 5.0
"""How often the guardian looks whether a command that closed its output is still there."""
CHUNK: Final = 65_536
MESSAGE_BYTES: Final = 4096
DONE: Final = b"."


@dataclass(slots=True)
class Guardian:
    """The worker's end: one guardian process, started with the first command and again if it is gone."""

    _socket: socket.socket | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __del__(self) -> None:
        if self._socket is not None:
            self._socket.close()

    @contextmanager
    def over(self, family: Family, timeout_s: float) -> Generator[None]:
        """While this lasts, the death of this process does not harm the command."""
        told, kept = os.pipe()
        try:
            descriptors = [told, *(pipe.fileno() for pipe in family.pipes)]
            with suppress(OSError):  # no guardian can be had: run without, rather than not at all
                folder = "" if family.enclosure is None else family.enclosure.folder
                self._tell(f"{time.monotonic() + timeout_s} {family.mark} {folder}".encode(), descriptors)
            os.close(told)
            yield
            with suppress(BrokenPipeError):  # the guardian was killed: the command is at its end all the same
                os.write(kept, DONE)
        finally:
            os.close(kept)

    def _tell(self, message: bytes, descriptors: list[int]) -> None:
        with self._lock:
            for _ in range(2):
                if self._socket is None:
                    self._socket = _spawn()
                try:
                    socket.send_fds(self._socket, [message], descriptors)
                except (BrokenPipeError, ConnectionResetError):
                    self._socket.close()
                    self._socket = None
                else:
                    return


def _spawn() -> socket.socket:
    """Start the guardian process; the socket to it, whose end tells it that this process is gone."""
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with its, staying_home():
        os.posix_spawn(
            sys.executable,
            [sys.executable, "-S", "-P", "-m", MODULE],
            {"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": os.environ.get("PATH", "")},
            file_actions=[
                (os.POSIX_SPAWN_DUP2, its.fileno(), 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_DUP2, 1, 2),
            ],
        )
    return ours


@dataclass(frozen=True, slots=True)
class _Charge:
    """A command that is guarded: its pipes, its last instant (monotonic), the mark and the group of its processes."""

    pipes: tuple[int, ...]
    deadline: float
    mark: str
    enclosure: Enclosure | None


class _Watch:
    """The guardian's end: waits for charges, for their workers' word or silence, and then for their pipes' end."""

    def __init__(self, worker: socket.socket) -> None:
        self._worker = worker
        self._orphans: dict[str, _Charge] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(worker, selectors.EVENT_READ)

    def until_nothing_is_left(self) -> None:
        """Guard until the worker and every command are gone."""
        while self._selector.get_map() or self._orphans:
            deadlines = [charge.deadline - time.monotonic() for charge in self._orphans.values()]
            for key, _ in self._selector.select(max(0.0, min(LOOK_EVERY_S, *deadlines)) if deadlines else None):
                self._heard(key)
            self._end_what_is_late()

    def _heard(self, key: selectors.SelectorKey) -> None:
        if key.fileobj is self._worker:
            self._new_charge()
        elif isinstance(key.data, _Charge):
            self._word_of_the_worker(key.fd, key.data)
        elif not os.read(key.fd, CHUNK):
            self._drop(key.fd)

    def _new_charge(self) -> None:
        message, descriptors, _, _ = socket.recv_fds(self._worker, MESSAGE_BYTES, 3)
        if not message:
            self._selector.unregister(self._worker)
            return
        deadline, mark, folder = message.decode().split(" ", 2)
        enclosure = Enclosure(Path(folder)) if folder else None
        charge = _Charge(tuple(descriptors[1:]), float(deadline), mark, enclosure)
        self._selector.register(descriptors[0], selectors.EVENT_READ, charge)

    def _word_of_the_worker(self, descriptor: int, charge: _Charge) -> None:
        """`DONE`, or nothing at all: then the worker is dead, and the command is ours to read."""
        done = os.read(descriptor, 1) == DONE
        self._drop(descriptor)
        for pipe in charge.pipes:
            if done:
                os.close(pipe)
            else:
                self._selector.register(pipe, selectors.EVENT_READ, charge.mark)
        if not done:
            self._orphans[charge.mark] = charge

    def _drop(self, descriptor: int) -> None:
        self._selector.unregister(descriptor)
        os.close(descriptor)

    def _end_what_is_late(self) -> None:
        still_read = {key.data for key in self._selector.get_map().values()}
        for charge in list(self._orphans.values()):
            if time.monotonic() >= charge.deadline:
                processes.end(charge.mark, GRACE_S, charge.enclosure)
            if charge.mark not in still_read and not processes.lives(charge.mark, charge.enclosure):
                del self._orphans[charge.mark]


if __name__ == "__main__":
    os.setsid()
    os.chdir("/")
    _Watch(socket.socket(fileno=0)).until_nothing_is_left()
