"""A PostgreSQL of a test's own, which it may crash and start again: 20 connections, and an armed installation on it."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from schedctl.store.embedded import drop_links, dsn
from schedctl.store.embedded_cluster import create_cluster, start_server, stop_server

if TYPE_CHECKING:
    from collections.abc import Generator

OPTIONS = {"max_connections": "20", "fsync": "off", "full_page_writes": "off"}


@dataclass(frozen=True, slots=True)
class OwnServer:
    """The server's folders, and the DSN of its one database."""

    data: Path
    sockets: Path

    @property
    def dsn(self) -> str:
        return dsn(self.sockets, "schedctl")

    def crash_and_start(self) -> None:
        """End every connection as a crash would, and come back after recovery."""
        assert stop_server(self.data, "immediate")
        start_server(self.data, self.sockets, OPTIONS)


@contextmanager
def running() -> Generator[OwnServer]:
    """The server, for as long as the block lasts."""
    home = Path(tempfile.mkdtemp(prefix="schedctl-own-"))
    server = OwnServer(home / "data", home / "run")
    server.sockets.mkdir(mode=0o700)
    try:
        create_cluster(server.data, durable=False)
        start_server(server.data, server.sockets, OPTIONS)
        yield server
    finally:
        stop_server(server.data, "immediate")
        drop_links(server.sockets)
        shutil.rmtree(home, ignore_errors=True)
