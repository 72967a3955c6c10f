"""A delivery is killed before its exchanges with the database: no second key for a notice, and none is left out."""

from __future__ import annotations

import random
import threading
from collections import defaultdict
from contextlib import contextmanager
from itertools import product
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from failing_exchange import FAILURES
from processes import serving
from telling import EVERYTHING, secrets, send, telling_site, write_policy

from schedctl.settings import from_environment
from schedctl.usecases import installation
from schedctl.usecases.adoption import adopt
from schedctl.usecases.site import open_site

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from processes import Processes
    from receivers import Receiver

AGAIN = """
    UPDATE schedctl.outbox SET state = 'queued', ended_at = NULL, attempts = 0, error = NULL,
           idempotency_key = gen_random_uuid(), next_attempt_at = clock_timestamp()
"""
LEASE_IS_OVER = "UPDATE schedctl.outbox SET next_attempt_at = clock_timestamp() WHERE state = 'queued'"
EVERY_THIRD = pytest.param(3, id="every-third")
EVERY_ONE = pytest.param(1, id="every-one", marks=pytest.mark.long)


@contextmanager
def told_of_three(
    database: str, tmp_path: Path, receiver: Receiver
) -> Generator[tuple[Processes, psycopg.Connection[Any]]]:
    """Deliveries as processes, and the database in which three notices wait for one."""
    environment = {
        "SCHEDCTL_DSN": database,
        "SCHEDCTL_CATALOG": str(write_policy(tmp_path / "catalog", EVERYTHING)),
        "SCHEDCTL_HOST": "testhost",
        **secrets(receiver.url),
    }
    with open_site(from_environment(environment)) as site:
        adopt(site, dry_run=False)
        installation.arm(site, None)
        installation.disarm(site, None)
    with serving() as processes, psycopg.connect(database, autocommit=True) as db:
        processes.environment = environment
        yield processes, db


@pytest.mark.parametrize("stride", [EVERY_THIRD, EVERY_ONE])
def test_a_delivery_killed_anywhere(database: str, tmp_path: Path, receiver: Receiver, stride: int) -> None:
    with told_of_three(database, tmp_path, receiver) as (processes, db):
        whole = processes.run("deliver", "--json")
        assert (whole["code"], len(receiver.got)) == (0, 3), whole["output"]
        for exchange in range(0, whole["exchanges"], stride):
            db.execute(AGAIN)
            receiver.got.clear()
            assert processes.run("deliver", kill_at=exchange)["killed"]
            db.execute(LEASE_IS_OVER)
            after = processes.run("deliver")
            assert after["code"] == 0, after["output"]
            keys: defaultdict[int, set[str]] = defaultdict(set)
            for got in receiver.got:
                keys[got.json["data"]["event"]].add(got.headers["webhook-id"])
            assert [len(found) for found in keys.values()] == [1, 1, 1]
            assert len(receiver.got) <= 4  # the one that was under way may come twice, with its key
            assert db.execute("SELECT DISTINCT state FROM schedctl.outbox").fetchall() == [("sent",)]


@pytest.mark.parametrize(
    "most", [pytest.param(12, id="a-dozen"), pytest.param(None, id="every-one", marks=pytest.mark.long)]
)
def test_the_database_fails_anywhere(database: str, tmp_path: Path, receiver: Receiver, most: int | None) -> None:
    """Each is sent now, and once; but one whose claim was not answered when its lease is over."""
    with told_of_three(database, tmp_path, receiver) as (processes, db):
        whole = processes.run("deliver", "--json")
        every = list(product(range(whole["exchanges"]), FAILURES))
        for point in random.sample(every, most) if most else every:
            db.execute(AGAIN)
            receiver.got.clear()
            ended = processes.run("deliver", fail_at=point)
            assert ended["code"] == 0, (point, ended["output"])
            assert 3 - len(receiver.got) <= (point[1] == "after"), point
            db.execute(LEASE_IS_OVER)
            assert processes.run("deliver")["code"] == 0
            assert len({got.headers["webhook-id"] for got in receiver.got}) == len(receiver.got) == 3, point
            assert db.execute("SELECT DISTINCT state FROM schedctl.outbox").fetchall() == [("sent",)]


def test_two_deliveries_at_once_send_each_notice_once(database: str, tmp_path: Path, receiver: Receiver) -> None:
    with telling_site(database, tmp_path) as one, open_site(one.settings) as other:
        for _ in range(10):
            installation.arm(one, None)
            installation.disarm(one, None)
        threads = [threading.Thread(target=send, args=(site, secrets(receiver.url))) for site in (one, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
        assert len(receiver.got) == len({got.headers["webhook-id"] for got in receiver.got}) == 20
