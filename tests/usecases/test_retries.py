"""Another attempt after a pause: what was in the way may have gone, and whoever stops the run is heard meanwhile."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, LiteralString

import psycopg
import pytest
from installations import settings_for
from making import add

from schedctl.plan.request import Request
from schedctl.redact import Redactor
from schedctl.transport.local import LocalTransport
from schedctl.usecases import runs
from schedctl.usecases.ledger import Ledger
from schedctl.usecases.site import Site, open_site
from schedctl.usecases.work import drain
from schedctl.usecases.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ACTION = """
["try.it"]
label = {{ ja = "試す", en = "try it" }}
risk = "changes"
timeout = "30s"
repeatable = true
retries = 2
argv = ["test", "-e", "{go}"]
"""
NODES = '[nodes.mars]\ntransport = "local"\nlabel = { ja = "マーズ", en = "mars" }\n'
ATTEMPTS: LiteralString = "SELECT attempt, state FROM schedctl.step ORDER BY attempt"
ENDED: LiteralString = "SELECT state, reason FROM schedctl.run"


@pytest.fixture
def waiting(empty_database: str, tmp_path: Path) -> Iterator[Site]:
    """A run is queued whose command succeeds once the file `go` is there."""
    (tmp_path / "actions").mkdir()
    (tmp_path / "actions" / "a.toml").write_text(ACTION.format(go=tmp_path / "go"))
    (tmp_path / "nodes.toml").write_text(NODES)
    (tmp_path / "policy.toml").write_text("approval = []\n")
    (tmp_path / "calendar.toml").write_text('country = "JP"\n')
    with open_site(settings_for(empty_database, catalog=tmp_path)) as site:
        add(site, "daily at 03:00 in Asia/Tokyo", (Request("mars", "try.it"),))
        site.db.execute("UPDATE schedctl.installation SET lease = '1 second'")
        runs.start(site, "1")
        yield site


def work(site: Site, pause_s: float, during: Callable[[Worker], None]) -> None:
    """Carry it out, and do something in the pause after the first attempt."""
    stopping = threading.Event()
    transports = {"local": LocalTransport()}
    worker = Worker(Ledger(site, "w1"), transports, Redactor(), None, 1, 4096, "UTC", stopping, None, pause_s)
    thread = threading.Thread(target=drain, args=(worker,))
    thread.start()
    try:
        give_up = time.monotonic() + 60
        while (1, "failed") not in rows(site, ATTEMPTS):
            assert time.monotonic() < give_up
            time.sleep(0.02)
        during(worker)
        thread.join(timeout=60)
        assert not thread.is_alive()
    finally:
        stopping.set()
        thread.join(timeout=60)


def rows(site: Site, query: LiteralString) -> list[tuple[object, ...]]:
    dsn = site.settings.dsn
    assert dsn is not None
    with psycopg.connect(dsn, autocommit=True) as db:
        return db.execute(query).fetchall()


def test_what_was_in_the_way_may_have_gone(waiting: Site, tmp_path: Path) -> None:
    """The pause is longer than two leases: it is renewed meanwhile."""

    def make_way(_: Worker) -> None:
        time.sleep(1.5)
        (tmp_path / "go").touch()

    work(waiting, 2.5, make_way)
    assert rows(waiting, ATTEMPTS) == [(1, "failed"), (2, "succeeded")]
    assert rows(waiting, ENDED) == [("succeeded", None)]


def test_a_worker_that_is_told_to_stop_does_not_wait_for_it(waiting: Site) -> None:
    work(waiting, 600, lambda worker: worker.stopping.set())
    assert rows(waiting, ATTEMPTS) == [(1, "failed")]
    assert rows(waiting, ENDED) == [("cancelled", "shutdown")]


def test_a_run_that_is_cancelled_does_not_wait_for_it(waiting: Site) -> None:
    work(waiting, 600, lambda _: cancel(waiting))
    assert rows(waiting, ATTEMPTS) == [(1, "failed")]
    assert rows(waiting, ENDED) == [("cancelled", "cancelled")]


def cancel(site: Site) -> None:
    with open_site(site.settings) as another:
        runs.cancel(another, 1, "not today")


def test_pauses_grow(waiting: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def note(_worker: Worker, _leg: object, seconds: float) -> None:
        asked.append(seconds)

    monkeypatch.setattr("schedctl.usecases.legs._pause", note)
    work(waiting, 10, lambda _: None)
    assert asked == [10, 20]
    assert rows(waiting, ENDED) == [("failed", None)]
