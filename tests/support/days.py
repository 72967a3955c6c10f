"""Days in the life of a schedule: an occurrence fires, and ends as a test says."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import psycopg
from psycopg.types.json import Jsonb
from telling import at

from schedctl.redact import Redactor
from schedctl.store.stored_error import error_document
from schedctl.transport.local import LocalTransport
from schedctl.usecases.ledger import Ledger
from schedctl.usecases.tick import tick
from schedctl.usecases.work import drain
from schedctl.usecases.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedctl.errors import SchedctlError
    from schedctl.usecases.site import Site

BEFORE = "2026-12-01T10:00+09:00"
DAILY = "daily at 03:00 in Asia/Tokyo"
UNFINISHED = "SELECT run_id FROM schedctl.run WHERE finished_at IS NULL AND (%s::bigint IS NULL OR run_id = %s)"
END_LEGS = "UPDATE schedctl.leg SET state = %s, error = %s, finished_at = schedctl.now() WHERE run_id = %s"


def due(day: int) -> str:
    """Half a minute after that December day's occurrence."""
    return f"2026-12-{day:02}T03:00:30+09:00"


def worker(site: Site) -> Worker:
    """A worker for local commands."""
    return Worker(
        Ledger(site, "w1"),
        {"local": LocalTransport(beat_every_s=0.2)},
        Redactor(),
        None,
        2,
        65_536,
        "Asia/Tokyo",
        threading.Event(),
    )


def when_a_step_runs(site: Site, act: Callable[[], object]) -> None:
    """Have `act` called as soon as a step of the site's is recorded as running."""

    def watch() -> None:
        with psycopg.connect(site.line.dsn, autocommit=True) as db:
            while db.execute("SELECT FROM schedctl.step WHERE state = 'running'").fetchone() is None:
                time.sleep(0.02)
        act()

    threading.Thread(target=watch, daemon=True).start()


def day_of(site: Site, day: int, *, outcome: str | None = None, error: SchedctlError | None = None) -> None:
    """One day's occurrence: fired, claimed, and ended as `outcome` says (None: as the command ends)."""
    now = at(site, due(day))
    tick(now)
    if outcome is None:
        drain(worker(now))
        return
    with now.transaction():
        end(now, outcome, error)


def end(site: Site, outcome: str, error: SchedctlError | None = None, run_id: int | None = None) -> None:
    """Inside a transaction: what runs (or this run) ends so, as a worker would record it."""
    unfinished = site.db.execute(UNFINISHED, (run_id, run_id)).fetchall()
    assert unfinished
    for (one,) in unfinished:
        site.db.execute(END_LEGS, (outcome, Jsonb(error_document(error)) if error else None, one))
        site.db.execute("SELECT schedctl.settle_run(%s)", (one,))
