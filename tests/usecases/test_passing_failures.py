"""The database fails for a moment: what can be done again safely is, and work goes on as if nothing had been."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import psycopg
from installations import settings_for
from making import BREAKS, CHANGES, READS, add

from schedctl.plan.request import Request
from schedctl.redact import Redactor
from schedctl.store import database as store_database
from schedctl.transport.local import LocalTransport
from schedctl.usecases import installation, ledger, runs
from schedctl.usecases.ledger import Ledger
from schedctl.usecases.site import open_site
from schedctl.usecases.tick import tick
from schedctl.usecases.work import drain
from schedctl.usecases.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pytest

    from schedctl.store.claims import ClaimedLeg
    from schedctl.usecases.site import Site

DAILY = "daily at 03:00 in Asia/Tokyo"
VENUS = (Request("venus", "packages.refresh"),)
CLAIM_ONE = "SELECT leg_id FROM schedctl.claim('w2', 'testhost', ARRAY[%s])"


def ids(legs: Iterable[ClaimedLeg]) -> list[int]:
    return [leg.leg_id for leg in legs]


def fired(site_at: Callable[[str], Site], *plans: tuple[Request, ...]) -> Site:
    """A site at the moment when these plans have just been enqueued."""
    start = site_at("2026-12-01T10:00+09:00")
    installation.arm(start, None)
    for number, requests in enumerate(plans):
        add(start, DAILY, requests, say=f"plan {number}")
    site = site_at("2026-12-02T03:00:30+09:00")
    assert tick(site).fired == len(plans)
    return site


def until_somebody_waits(db: psycopg.Connection) -> None:
    while not (db.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").fetchone() or (0,))[0]:
        db.execute("SELECT pg_sleep(0.01)")


def test_two_workers_that_take_two_nodes_in_opposite_order_both_go_on(
    site_at: Callable[[str], Site], database: str
) -> None:
    """Each has a node that the other wants as well: the server ends one of the claims, and that worker claims anew."""
    site = fired(site_at, CHANGES, VENUS, VENUS, BREAKS, READS)
    claimed: list[int] = []
    with psycopg.connect(database) as other:
        other.execute("SET LOCAL deadlock_timeout = '1h'")  # so that it is the first claim which the server ends
        other.execute("SET LOCAL schedctl.now = '2026-12-02T03:00:30+09:00'")
        other.execute(CLAIM_ONE, ("venus",))
        claiming = threading.Thread(target=lambda: claimed.extend(ids(Ledger(site, "w1").claim(None, 2))))
        claiming.start()
        until_somebody_waits(other)
        assert other.execute(CLAIM_ONE, ("mars",)).fetchone() == (4,)
        other.commit()
        claiming.join()
    assert claimed == [5]


def test_a_worker_whose_command_outlasts_an_outage_claims_again_afterwards(
    site_at: Callable[[str], Site], database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else all that is due meanwhile waits for the end of a command that may take hours."""
    monkeypatch.setattr(ledger, "ASK_FOR_S", 0.1)
    monkeypatch.setattr(store_database, "LOCK_TIMEOUT_MS", 100)
    site = fired(site_at, (Request("mars", "probe.sleeps"),))
    stopping = threading.Event()
    worker = Worker(Ledger(site, "w1"), {"local": LocalTransport()}, Redactor(), None, 2, 4096, "UTC", stopping)
    draining = threading.Thread(target=drain, args=(worker,))
    with psycopg.connect(database, autocommit=True) as other:
        draining.start()
        while other.execute("SELECT FROM schedctl.step").fetchone() is None:
            other.execute("SELECT pg_sleep(0.01)")
        with other.transaction():
            other.execute("LOCK TABLE schedctl.leg IN ACCESS EXCLUSIVE MODE")
            other.execute("SELECT pg_sleep(2)")  # it looks each second
        with open_site(settings_for(database)) as meanwhile:
            run_id = runs.start(meanwhile, str(add(meanwhile, DAILY, say="meanwhile"))).run_id
            while runs.one(meanwhile, run_id).state != "succeeded":
                assert draining.is_alive()
                other.execute("SELECT pg_sleep(0.05)")
            assert runs.one(meanwhile, 1).state == "running"
        stopping.set()
        draining.join()
