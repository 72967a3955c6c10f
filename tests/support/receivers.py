"""A real HTTP server that answers as it is told: with a status, late, half, elsewhere, or not at all."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Generator

Answer = int | Literal["hang", "close", "redirect", "body never ends"]
Scripted = Answer | Literal["after the next one"]


@dataclass(frozen=True, slots=True)
class Request:
    """What arrived; header names in small letters."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.body)


@dataclass(slots=True)
class Receiver:
    """Answers by `script`, one entry a request; 200 when it is used up."""

    url: str = ""
    script: list[Scripted] = field(default_factory=list[Scripted])
    headers: dict[str, str] = field(default_factory=dict[str, str])
    got: list[Request] = field(default_factory=list[Request])
    released: threading.Event = field(default_factory=threading.Event)
    another: threading.Event = field(default_factory=threading.Event)
    """A second request has arrived."""

    def take(self, request: Request) -> Answer:
        """Keep a request; what it is answered with."""
        self.got.append(request)
        if len(self.got) > 1:
            self.another.set()
        answer = self.script.pop(0) if self.script else 200
        if answer == "after the next one":
            self.another.wait(30)
            return 200
        return answer


@contextmanager
def receiving() -> Generator[Receiver]:
    """A receiver for as long as the block lasts."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer = receiver.take(Request(self.command, self.path, headers, self.rfile.read(length)))
            match answer:
                case "hang":
                    receiver.released.wait(30)
                case "close":
                    self.close_connection = True
                case "redirect":
                    self._head(302, location=receiver.url + "/elsewhere")
                case "body never ends":
                    self._head(200, **{"content-length": "1000000"})
                    self.wfile.flush()
                    receiver.released.wait(30)
                case _:
                    self._head(answer, **receiver.headers, **{"content-length": "0"})

        do_GET = do_POST  # noqa: N815 - the names of http.server

        def _head(self, status: int, **headers: str) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            pass

    with Server(("127.0.0.1", 0), Handler) as server:
        receiver.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield receiver
        finally:
            receiver.released.set()
            server.shutdown()
