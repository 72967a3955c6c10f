"""Runs whose work is a request to a service, and legs that their own worker calls lost."""

from __future__ import annotations

import threading
from datetime import datetime
from typing import TYPE_CHECKING, LiteralString

import pytest
from installations import settings_for
from making import add

from schedctl.plan.request import Request
from schedctl.redact import Redactor
from schedctl.transport.http import HttpTransport
from schedctl.usecases import installation
from schedctl.usecases.ledger import Ledger
from schedctl.usecases.site import Site, open_site
from schedctl.usecases.tick import tick
from schedctl.usecases.work import drain
from schedctl.usecases.worker import Worker
from tests.transport.http_service import Service, says, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from http.server import BaseHTTPRequestHandler
    from pathlib import Path

CATALOG = """
["session.start"]
label = { ja = "セッションを始める", en = "start a session" }
risk = "changes"
timeout = "5s"
repeatable = true
retries = 2
request = { method = "POST", url = "/v1/sessions", external_id = "id", tokens_used = "usage.tokens" }
"""
NODES = '[nodes.agent]\ntransport = "http"\nlabel = {{ ja = "エージェント", en = "the agent" }}\naddress = "{}"\n'


@pytest.fixture
def service() -> Iterator[Service]:
    with serving(says(200, b'{"id": "s-1", "usage": {"tokens": 77}}')) as running:
        yield running


class World:
    """A daily schedule that asks the service."""

    def __init__(self, dsn: str, folder: Path, service: Service) -> None:
        (folder / "actions").mkdir()
        (folder / "actions" / "session.toml").write_text(CATALOG)
        (folder / "nodes.toml").write_text(NODES.format(service.address))
        (folder / "policy.toml").write_text("approval = []\n")
        (folder / "calendar.toml").write_text('country = "JP"\n')
        self._dsn, self._folder = dsn, folder
        with self._site("2026-12-01T10:00:00+09:00") as site:
            installation.arm(site, None)
            add(site, "daily at 03:00 in Asia/Tokyo", (Request("agent", "session.start"),))

    def _site(self, now: str) -> AbstractContextManager[Site]:
        return open_site(settings_for(self._dsn, catalog=self._folder, rehearsal_now=datetime.fromisoformat(now)))

    def day(self, number: int) -> None:
        """The occurrence of this day of December fires and is carried out."""
        with self._site(f"2026-12-{number:02}T03:00:30+09:00") as site:
            tick(site)
            transports = {"http": HttpTransport({})}
            worker = Worker(
                Ledger(site, "w1"), transports, Redactor(), None, 1, 4096, "Asia/Tokyo", threading.Event(), None, 0
            )
            drain(worker)

    def ask(self, query: LiteralString) -> list[tuple[object, ...]]:
        with self._site("2026-12-20T00:00:00+09:00") as site:
            return site.db.execute(query).fetchall()


@pytest.fixture
def world(empty_database: str, tmp_path: Path, service: Service) -> World:
    return World(empty_database, tmp_path, service)


def test_what_the_service_started_and_used_is_recorded(world: World) -> None:
    world.day(2)
    assert world.ask("SELECT state, exit_code, external_id, tokens FROM schedctl.step") == [
        ("succeeded", 200, "s-1", 77)
    ]


def test_a_rate_limit_is_neither_tried_again_nor_counted(world: World, service: Service) -> None:
    service.answer = says(429, b"slow down")
    for day in range(2, 7):
        world.day(day)
    assert len(service.asked) == 5
    assert world.ask("SELECT state, reason, failures_in_a_row FROM schedctl.schedule") == [("active", None, 0)]
    assert world.ask("SELECT DISTINCT state, error->>'type' FROM schedctl.run") == [("failed", "rate_limited")]


def test_a_failing_service_is_tried_again_and_pauses_the_schedule(world: World, service: Service) -> None:
    service.answer = says(500)
    for day in range(2, 5):
        world.day(day)
    assert len(service.asked) == 9
    assert world.ask("SELECT state, reason FROM schedctl.schedule") == [("paused", "auto_paused")]


def test_a_leg_that_its_own_worker_calls_lost_is_not_tried_again_and_holds_its_node(
    world: World, service: Service
) -> None:
    def breaks(handler: BaseHTTPRequestHandler) -> None:
        handler.connection.close()
        handler.close_connection = True

    service.answer = breaks
    world.day(2)
    assert len(service.asked) == 1
    assert world.ask("SELECT state, reason, holds_node FROM schedctl.leg") == [("lost", "node_silent", True)]
    assert world.ask("SELECT state, error->>'type' FROM schedctl.step") == [("lost", "remote_state_unknown")]
    assert world.ask("SELECT state FROM schedctl.run") == [("lost",)]
    assert world.ask("SELECT type FROM schedctl.event WHERE type = 'lost'") == [("lost",)]
