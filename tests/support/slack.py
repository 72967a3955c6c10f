"""Slack, as a receiver of its slash commands meets it: signed requests, and an address for late answers."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import threading
import time
import urllib.parse
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Generator

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"


@dataclass(frozen=True, slots=True)
class Slack:
    """Sends to a receiver on this port; `later` is the response_url."""

    port: int
    later: str = "https://hooks.slack.com/commands/1"

    def command(self, text: str, user: str = "U1") -> dict[str, Any]:
        """What the receiver answers to `/yoyaku TEXT`."""
        return self.form({"command": "/yoyaku", "text": text, "user_id": user, "response_url": self.later})

    def press(self, value: str, user: str) -> dict[str, Any]:
        """What it answers to the button."""
        pressed = {"user": {"id": user}, "response_url": self.later, "actions": [{"value": value}]}
        return self.form({"payload": json.dumps(pressed)})

    def form(self, fields: dict[str, str]) -> dict[str, Any]:
        status, said = self.send(urllib.parse.urlencode(fields).encode())
        assert status == 200
        return json.loads(said)

    def send(self, body: bytes, *, secret: str = SECRET, at: float | None = None, **changed: str) -> tuple[int, bytes]:
        """A request signed with `secret` at the instant `at`; `changed` replaces headers afterwards."""
        timestamp = str(int(time.time() if at is None else at))
        signature = hmac.new(secret.encode(), f"v0:{timestamp}:".encode() + body, hashlib.sha256).hexdigest()
        headers = {"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": f"v0={signature}"}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("POST", "/", body, {**headers, **{k.replace("_", "-"): v for k, v in changed.items()}})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Generator[int]:
    """A server on a port of 127.0.0.1, for as long as the block lasts."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = False  # closing it waits for what is being answered
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
