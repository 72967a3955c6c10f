"""Two real servers: a primary that an installation lives on, and a standby that follows it and can be promoted."""

from __future__ import annotations

import shutil
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from schedctl.store.embedded import drop_links, dsn
from schedctl.store.embedded_cluster import create_cluster, start_server, stop_server
from schedctl.store.embedded_programs import run

if TYPE_CHECKING:
    from collections.abc import Generator

OPTIONS = {"wal_level": "replica", "max_wal_senders": "4", "fsync": "off", "max_connections": "20"}
ACCESS = "local all all peer map=owner\nlocal replication all peer map=owner\n"
PATIENCE_S = 60


@dataclass(frozen=True, slots=True)
class Pair:
    """The home of both servers; `primary` and `standby` are folders in it."""

    home: Path

    @property
    def dsn(self) -> str:
        """Both hosts in one DSN, as libpq wants it: whichever may be written to."""
        hosts = f"{self.home / 'primary' / 'run'},{self.home / 'standby' / 'run'}"
        return f"host={hosts} user=schedctl dbname=schedctl target_session_attrs=read-write"

    def start(self, name: str) -> None:
        access = self.home / "pg_hba.conf"
        access.write_text(ACCESS, encoding="utf-8")
        access.chmod(0o644)
        (self.home / name / "run").mkdir(mode=0o700, exist_ok=True)
        start_server(self.home / name / "data", self.home / name / "run", {**OPTIONS, "hba_file": str(access)})

    def copy_primary(self) -> None:
        (self.home / "standby").mkdir()
        to = str(self.home / "standby" / "data")
        source = dsn(self.home / "primary" / "run", "postgres")
        done = run(["pg_basebackup", "-D", to, "-R", "-d", source, "-X", "stream", "-c", "fast", "--no-sync"], "")
        assert done.returncode == 0, done.stdout

    def wait_for_standby(self) -> None:
        """Until the standby knows what the primary knows: what synchronous replication would see to."""
        with self._connected("primary") as primary, self._connected("standby") as standby:
            (written,) = primary.execute("SELECT pg_current_wal_lsn()").fetchone() or ("",)
            ends_at = time.monotonic() + PATIENCE_S
            while standby.execute("SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", (written,)).fetchone() != (True,):
                assert time.monotonic() < ends_at
                time.sleep(0.05)

    def lose_primary(self) -> None:
        assert stop_server(self.home / "primary" / "data", "immediate")

    def promote(self) -> None:
        with self._connected("standby") as standby:
            assert standby.execute("SELECT pg_promote()").fetchone() == (True,)

    def _connected(self, name: str) -> psycopg.Connection:
        return psycopg.connect(dsn(self.home / name / "run", "schedctl"), autocommit=True)


@contextmanager
def pair() -> Generator[Pair]:
    """Both servers, for as long as the block lasts."""
    servers = Pair(Path(tempfile.mkdtemp(prefix="schedctl-pair-")))
    servers.home.chmod(0o755)
    try:
        (servers.home / "primary").mkdir()
        create_cluster(servers.home / "primary" / "data", durable=False)
        servers.start("primary")
        servers.copy_primary()
        servers.start("standby")
        yield servers
    finally:
        for name in ("primary", "standby"):
            if (servers.home / name / "data").exists():
                stop_server(servers.home / name / "data", "immediate")
            drop_links(servers.home / name / "run")
        shutil.rmtree(servers.home, ignore_errors=True)
