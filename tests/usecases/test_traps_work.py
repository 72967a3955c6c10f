"""Traps of other schedulers at carrying out: what is stuck after a retry, a failover or a SIGTERM."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import LiteralString

import own_server
import psycopg
from installations import settings_for
from making import add

from schedctl.plan.request import Request
from schedctl.redact import Redactor
from schedctl.transport.local import LocalTransport
from schedctl.usecases import installation, runs
from schedctl.usecases.ledger import Ledger
from schedctl.usecases.site import Site, open_site
from schedctl.usecases.tick import tick
from schedctl.usecases.work import drain
from schedctl.usecases.worker import Worker

ROOT = Path(__file__).parents[2]
DAILY = "daily at 03:00 in Asia/Tokyo"
ACTIONS = """
["try.again"]
label = {{ ja = "やり直す", en = "try again" }}
risk = "changes"
timeout = "30s"
repeatable = true
retries = 2
argv = ["{folder}/again"]
["wait.here"]
label = {{ ja = "待つ", en = "wait" }}
risk = "changes"
timeout = "60s"
argv = ["{folder}/wait"]
"""
AGAIN = """#!/bin/sh
echo x >> {folder}/tries
touch {folder}/begun
while ! test -e {folder}/go; do sleep 0.05; done
test $(wc -l < {folder}/tries) -gt 1
"""
WAIT = "#!/bin/sh\ntouch {folder}/begun\nwhile ! test -e {folder}/go; do sleep 0.05; done\n"
NODES = '[nodes.mars]\ntransport = "local"\nlabel = { ja = "マーズ", en = "mars" }\n'


def catalog_in(folder: Path) -> Path:
    """Actions that wait for the file `go`, after making the file `begun`."""
    catalog = folder / "catalog"
    (catalog / "actions").mkdir(parents=True)
    for name, script in (("again", AGAIN), ("wait", WAIT)):
        (folder / name).write_text(script.format(folder=folder))
        (folder / name).chmod(0o755)
    (catalog / "actions" / "a.toml").write_text(ACTIONS.format(folder=folder))
    (catalog / "nodes.toml").write_text(NODES)
    (catalog / "policy.toml").write_text("approval = []\n")
    (catalog / "calendar.toml").write_text('country = "JP"\n')
    return catalog


def appears(path: Path) -> bool:
    deadline = time.monotonic() + 60
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    return path.exists()


def working(site: Site) -> threading.Thread:
    """A worker in a thread of its own, until nothing is left."""
    transports = {"local": LocalTransport(beat_every_s=0.2)}
    worker = Worker(
        Ledger(site, "w1"), transports, Redactor(), None, 1, 4096, "Asia/Tokyo", threading.Event(), None, 0.1
    )
    thread = threading.Thread(target=drain, args=(worker,))
    thread.start()
    return thread


def ended(dsn: str, query: LiteralString) -> list[tuple[object, ...]]:
    with psycopg.connect(dsn, autocommit=True) as db:
        return db.execute(query).fetchall()


STATES: LiteralString = "SELECT state, reason FROM schedctl.run ORDER BY run_id"


def test_a_retry_while_a_newer_occurrence_is_queued(empty_database: str, tmp_path: Path) -> None:
    """Retries happen inside the claim, so nothing is queued again: the newer one waits for its turn."""
    catalog = catalog_in(tmp_path)

    def at(now: str) -> Site:
        moved = settings_for(empty_database, catalog=catalog, rehearsal_now=datetime.fromisoformat(now))
        return stack.enter_context(open_site(moved))

    with ExitStack() as stack:
        first = at("2026-12-01T10:00+09:00")
        installation.arm(first, None)
        add(first, DAILY, (Request("mars", "try.again"),), overlap="queue")
        second = at("2026-12-02T03:00:30+09:00")
        assert tick(second).fired == 1
        worker = working(second)
        assert appears(tmp_path / "begun")
        third = at("2026-12-03T03:00:30+09:00")
        assert tick(third).fired == 1
        (tmp_path / "go").touch()
        worker.join(timeout=60)
        working(third).join(timeout=60)
    assert ended(empty_database, STATES) == [("succeeded", None), ("succeeded", None)]
    attempts = ended(empty_database, "SELECT leg_id, attempt, state FROM schedctl.step ORDER BY 1, 2")
    assert attempts == [(1, 1, "failed"), (1, 2, "succeeded"), (2, 1, "succeeded")]


def test_a_database_that_fails_over_in_the_middle_of_a_run(tmp_path: Path) -> None:
    """Every connection breaks while the command runs; its worker comes back and records how it ended."""
    catalog = catalog_in(tmp_path)
    with own_server.running() as server, open_site(settings_for(server.dsn, catalog=catalog)) as site:
        add(site, DAILY, (Request("mars", "wait.here"),))
        site.db.execute("UPDATE schedctl.installation SET lease = '1 second'")
        runs.start(site, "1")
        worker = working(site)
        assert appears(tmp_path / "begun")
        server.crash_and_start()
        time.sleep(0.5)  # a renewal or two
        (tmp_path / "go").touch()
        worker.join(timeout=60)
        assert not worker.is_alive()
        assert ended(server.dsn, STATES) == [("succeeded", None)]
        assert ended(server.dsn, "SELECT count(*) FROM schedctl.leg WHERE holds_node") == [(0,)]


def test_a_worker_that_is_terminated_says_so_and_records_it(empty_database: str, tmp_path: Path) -> None:
    catalog = catalog_in(tmp_path)
    with open_site(settings_for(empty_database, catalog=catalog)) as site:
        add(site, DAILY, (Request("mars", "wait.here"), Request("mars", "try.again")))
        runs.start(site, "1")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("SCHEDCTL_", "PG"))},
        "SCHEDCTL_DSN": empty_database,
        "SCHEDCTL_CATALOG": str(catalog),
        "SCHEDCTL_HOST": "testhost",
        "SCHEDCTL_LANG": "en",
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-m", "schedctl", "work", "--drain"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as worker:
        assert appears(tmp_path / "begun")
        worker.send_signal(signal.SIGTERM)
        _, said = worker.communicate(timeout=60)
    assert worker.returncode == 0
    assert "Stopping: nothing new is started; running commands are told to end" in said
    assert ended(empty_database, STATES) == [("cancelled", "shutdown")]
    assert ended(empty_database, "SELECT position, state FROM schedctl.step ORDER BY 1") == [(0, "cancelled")]
