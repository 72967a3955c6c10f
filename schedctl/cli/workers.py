"""A worker of this process, for the commands that carry something out: it ends politely when it is told to."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Event, Lock
from typing import TYPE_CHECKING
from uuid import uuid4

from schedctl.language import Text
from schedctl.transport.base import Transport
from schedctl.usecases.ledger import Ledger
from schedctl.usecases.work import output_limit_bytes
from schedctl.usecases.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Generator

    from schedctl.cli.session import Session
    from schedctl.usecases.site import Site

CARRYING_OUT = Text("実行しています", "Carrying out")
STOPPING = Text(
    "止まります: 新しい実行は始めず、実行中のコマンドには終了を求めます（猶予は10秒）",
    "Stopping: nothing new is started; running commands are told to end and have 10 seconds",
)


@contextmanager
def a_worker(session: Session, site: Site, nodes: tuple[str, ...], slots: int) -> Generator[Worker]:
    """A worker that ends politely on SIGTERM and SIGINT: it starts nothing more and stops what runs."""
    stopping = Event()
    limit = output_limit_bytes(site)
    # Process ids come again, and in containers they are all the same.
    ledger = Ledger(site, f"{site.settings.host}:{os.getpid()}:{uuid4().hex[:8]}")
    worker = Worker(
        ledger,
        _Transports(session.settings.ssh_config),
        session.redactor,
        nodes or None,
        slots,
        limit,
        session.settings.timezone,
        stopping,
    )

    def stop(_number: int, _frame: object) -> None:
        stopping.set()
        session.err(session.say(STOPPING))

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield worker
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Transports(Mapping[str, Transport]):
    """The transports by their names; each is imported for the first step that needs it, and then kept."""

    def __init__(self, ssh_config: str | None) -> None:
        self._ssh_config = ssh_config
        self._made: dict[str, Transport] = {}
        self._lock = Lock()

    def __getitem__(self, name: str) -> Transport:
        with self._lock:
            if name not in self._made:
                self._made[name] = self._make(name)
            return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(("local", "ssh", "http"))

    def __len__(self) -> int:
        return len(tuple(self))

    def _make(self, name: str) -> Transport:
        match name:
            case "local":
                from schedctl.transport.local import LocalTransport

                return LocalTransport()
            case "ssh":
                from schedctl.transport.ssh import SshTransport
                from schedctl.transport.ssh_link import Client

                return SshTransport(Client(self._ssh_config))
            case "http":
                from schedctl.transport.http import HttpTransport

                return HttpTransport()
            case _:
                raise KeyError(name)
