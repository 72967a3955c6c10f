"""What every test may ask for: a real PostgreSQL, an empty or a prepared database, and a site to call use cases on."""

from __future__ import annotations

import json
import os
import shutil
import signal
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import psycopg
import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from installations import CATALOG, a_database, database_in, settings_for
from psycopg.sql import SQL, Identifier

from schedctl.cli.main import call
from schedctl.store.embedded import drop_links, dsn
from schedctl.store.embedded_cluster import create_cluster, start_server, stop_server
from schedctl.usecases.site import Site, open_site

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

hypothesis_settings.register_profile(
    "here", deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
hypothesis_settings.load_profile("here")

# The processes of tests hear Ctrl-C and a hangup also where pytest was started in the background or under nohup.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


PROCESSES_AT_MOST: Final = 8
ROOM_BYTES: Final = 4 * 2**30
ADOPTED: Final = "2026-10-01T00:00:00+09:00"
"""Before everything that tests rehearse, whatever the day on which they run."""


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Two processes a core, since many tests wait for something; only this one where only files are asked for."""
    folders = any(Path(name).is_dir() for name in config.args)
    return min(2 * len(os.sched_getaffinity(0)), PROCESSES_AT_MOST) if folders else 0


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The maintenance database's DSN of a throw-away PostgreSQL, or of the one that `SCHEDCTL_TEST_DSN` names."""
    outside = os.environ.get("SCHEDCTL_TEST_DSN")
    if outside:
        yield outside
        return
    home = Path(tempfile.mkdtemp(prefix="schedctl-test-", dir=_memory()))
    data, sockets = home / "data", home / "run"
    sockets.mkdir(mode=0o700)
    try:
        create_cluster(data, durable=False)
        start_server(data, sockets, {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"})
        yield dsn(sockets, "postgres")
    finally:
        stop_server(data, "immediate")
        drop_links(sockets)
        shutil.rmtree(home, ignore_errors=True)


def _memory() -> Path | None:
    """A file system in memory, if this machine has one with room: each test's database is 18 MB written for nothing."""
    memory = Path("/dev/shm")
    roomy = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free >= ROOM_BYTES
    return memory if roomy else None


@pytest.fixture(scope="session")
def template(server: str) -> str:
    """A database with the schema and the tests' catalog in it: copied for each test that needs one."""
    name = f"schedctl_template_{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}"
    with psycopg.connect(server, autocommit=True) as db:
        db.execute(SQL("DROP DATABASE IF EXISTS {}").format(Identifier(name)))
        db.execute(SQL("CREATE DATABASE {} ENCODING 'UTF8' TEMPLATE template0").format(Identifier(name)))
    adopted = datetime.fromisoformat(ADOPTED)
    with open_site(settings_for(database_in(server, name), rehearsal_now=adopted)) as site:
        site.db.execute("UPDATE schedctl.installation SET place = NULL")  # its copies are no restored backups
    return name


@pytest.fixture
def empty_database(server: str) -> Iterator[str]:
    """The DSN of a database with nothing in it."""
    yield from a_database(server, "template0")


@pytest.fixture
def database(server: str, template: str) -> Iterator[str]:
    """The DSN of a database with the schema and the tests' catalog."""
    yield from a_database(server, template)


@pytest.fixture
def site(database: str) -> Generator[Site]:
    """A site on a prepared database, by the real clock."""
    with open_site(settings_for(database)) as opened:
        yield opened


@pytest.fixture
def site_at(database: str) -> Generator[Callable[[str], Site]]:
    """Sites on one prepared database, each with its own idea of now: `site_at("2026-12-06T03:00:30+09:00")`."""
    with open_site(settings_for(database)) as opened:
        yield lambda now: replace(opened, settings=replace(opened.settings, rehearsal_now=datetime.fromisoformat(now)))


@dataclass(frozen=True, slots=True)
class Ran:
    """What one command line did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON object on stdout."""
        return json.loads(self.out)


Command = Callable[..., Ran]


@pytest.fixture
def schedctl(
    database: str, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> Command:
    """Run command lines here, on a prepared database: `schedctl("tick", "--json", now="2026-12-06T03:00+09:00")`."""
    for name in [name for name in os.environ if name.startswith(("SCHEDCTL_", "PG"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SCHEDCTL_DSN", database)
    monkeypatch.setenv("SCHEDCTL_CATALOG", str(CATALOG))
    monkeypatch.setenv("SCHEDCTL_HOST", "testhost")
    monkeypatch.setenv("SCHEDCTL_STATE", str(tmp_path / "state"))

    def run(*arguments: str, now: str | None = None, env: dict[str, str] | None = None) -> Ran:
        with monkeypatch.context() as patch:
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            if now is not None:
                patch.setenv("SCHEDCTL_REHEARSAL_NOW", now)
            capsysbinary.readouterr()
            code = call(list(arguments))
        said = capsysbinary.readouterr()
        return Ran(code, said.out.decode(), said.err.decode())

    return run
