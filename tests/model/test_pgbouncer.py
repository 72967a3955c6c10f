"""The tests of firing and work through PgBouncer in transaction mode: it shares sessions, refuses start-up options."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import own_server
import psycopg
import pytest

from schedctl.usecases.doctor_database import gather_database

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAM = shutil.which("pgbouncer", path=os.environ["PATH"] + ":/usr/sbin")
NAMES = ["tick", "wrong_clock", "life", "work", "tidying", "status", "agents", "upcoming"]
ROOT = Path(__file__).parents[2]
TESTS = ["tests/store/test_queries.py", *(f"tests/usecases/test_{name}.py" for name in NAMES)]
CONFIG = """
[databases]
* = host={server} port=5432 user=schedctl

[pgbouncer]
pool_mode = transaction
default_pool_size = 3
server_idle_timeout = 1
listen_addr =
unix_socket_dir = {sockets}
auth_type = any
logfile = {sockets}/log
"""

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(PROGRAM is None, reason="pgbouncer is not installed (Debian: apt-get install pgbouncer)"),
]


@pytest.fixture
def bouncer(tmp_path: Path) -> Iterator[str]:
    """The DSN of a PgBouncer before a server of its own."""
    config = tmp_path / "pgbouncer.ini"
    with own_server.running() as server:
        config.write_text(CONFIG.format(server=server.sockets, sockets=server.data.parent), encoding="utf-8")
        # It refuses to run as root, and the server admits our own uid only: another number for the same user.
        as_us = ["unshare", "-U", "--map-user=1", "--map-group=1"] if os.geteuid() == 0 else []
        with subprocess.Popen([*as_us, str(PROGRAM), "--quiet", str(config)]) as process:
            dsn = f"host={server.data.parent} port=6432 user=schedctl dbname=postgres"
            wait_for(dsn)
            yield dsn
            process.terminate()


def wait_for(dsn: str) -> None:
    ends_at = time.monotonic() + 60
    while True:
        try:
            psycopg.connect(dsn).close()
        except psycopg.OperationalError:
            assert time.monotonic() < ends_at
            time.sleep(0.1)
        else:
            return


def test_firing_and_working_pass_through_pgbouncer(bouncer: str) -> None:
    with pytest.raises(psycopg.OperationalError, match="unsupported startup parameter"):
        psycopg.connect(bouncer, options="-c statement_timeout=1000")  # it is in between, and it is strict
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS],
        cwd=ROOT,
        env={**os.environ, "SCHEDCTL_TEST_DSN": bouncer},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]


def test_doctor_sees_that_a_pooler_stands_between(bouncer: str, database: str) -> None:
    assert gather_database(bouncer, time.time).is_pooled
    assert not gather_database(database, time.time).is_pooled
