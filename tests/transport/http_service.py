"""A real HTTP service on a loopback port, which answers as it is told to and remembers what it was asked."""

from __future__ import annotations

import ssl
import subprocess
import threading
import uuid
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from schedctl.catalog.basics import HttpRequest
from schedctl.plan.model import Target
from schedctl.redact import Redactor
from schedctl.transport.base import Command
from schedctl.transport.http import HttpTransport

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from schedctl.transport.base import Heartbeat, Outcome


@dataclass(frozen=True)
class Asked:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Service:
    """`answer` takes the handler and sends whatever it likes."""

    answer: Callable[[BaseHTTPRequestHandler], None]
    asked: list[Asked] = field(default_factory=list)
    address: str = ""

    def send(
        self,
        path: str = "/v1/sessions",
        *,
        timeout_s: int = 5,
        heartbeat: Heartbeat = lambda: "go_on",
        environ: dict[str, str] | None = None,
        redactor: Redactor | None = None,
        trust: str | None = None,
        limit: int = 4096,
        **request: Any,
    ) -> Outcome:
        """Carry out a request to this service."""
        declared = replace(HttpRequest("POST", f"{self.address}{path}"), **request)
        command = Command((), timeout_s, "Asia/Tokyo", f"test-{uuid.uuid4().hex}", request=declared)
        transport = HttpTransport(environ or {}, beat_every_s=0.05, trust=trust)
        return transport.run(Target("agent", "http"), command, heartbeat, redactor or Redactor(), limit)


@contextmanager
def serving(answer: Callable[[BaseHTTPRequestHandler], None], certificate: Path | None = None) -> Generator[Service]:
    """The service, for as long as the block lasts."""
    service = Service(answer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_one_request(self) -> None:
            try:
                super().handle_one_request()
            except OSError:
                self.close_connection = True

        def do_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            service.asked.append(Asked(self.command, self.path, headers, body))
            service.answer(self)

        def log_message(self, format: str, *args: Any) -> None: ...

    for method in ("GET", "POST", "PUT", "DELETE"):
        setattr(Handler, f"do_{method}", Handler.do_any)

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None: ...

    server = Server(("127.0.0.1", 0), Handler)
    scheme = "http"
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        scheme = "https"
    service.address = f"{scheme}://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()


def says(
    status: int = 200, body: bytes = b"{}", headers: tuple[tuple[str, str], ...] = ()
) -> Callable[[BaseHTTPRequestHandler], None]:
    """A whole answer."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers:
            handler.send_header(name, value)
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def make_certificate(folder: Path) -> Path:
    """A key and a certificate for 127.0.0.1 that nobody but itself vouches for, in one file."""
    both = folder / "both.pem"
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    subprocess.run(
        [*command, "-keyout", folder / "key.pem", "-out", folder / "cert.pem", "-days", "2", *names],
        check=True,
        capture_output=True,
    )
    both.write_bytes((folder / "key.pem").read_bytes() + (folder / "cert.pem").read_bytes())
    return both
