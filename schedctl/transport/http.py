"""Sends the one request that an action declares: verified TLS, no proxy and no redirect that nobody declared.

A request that may have reached the service is never called failed when its answer is missing: what it started may run.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias
from urllib.parse import urljoin, urlsplit

from schedctl.catalog.requests import SECRET, secret_names
from schedctl.redact import Redactor
from schedctl.secrets import named_secret
from schedctl.transport import http_outcome
from schedctl.transport.http_outcome import Heard, Unheard

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import requests

    from schedctl.catalog.basics import HttpRequest
    from schedctl.plan.model import Target
    from schedctl.transport.base import Command, Heartbeat, Outcome, SoFar

CONNECT_TIMEOUT_S: Final = 3.0
BODY_BYTES: Final = 8 * 1024 * 1024
"""So much of an answer is read; what follows is not."""
CHUNK: Final = 65_536
REDIRECTS: Final = 5
SYSTEM_TRUST: Final = Path("/etc/ssl/certs/ca-certificates.crt")
"""The authorities that this machine's administrator trusts; where there is no such file, certifi's."""
Answer: TypeAlias = Heard | Unheard


@dataclass(frozen=True, slots=True)
class HttpTransport:
    """Requests to services. Secrets come from the systemd credential of their name, else from SCHEDCTL_SECRET_NAME."""

    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False, compare=False)
    beat_every_s: float = 5.0
    proxy: str | None = None
    trust: str | None = None
    """A file of certificate authorities that is used instead of the system's."""

    def run(
        self,
        target: Target,
        command: Command,
        heartbeat: Heartbeat,
        redactor: Redactor,
        limit_bytes: int,
        _look_at: Callable[[SoFar], None] | None = None,
        /,
    ) -> Outcome:
        """Send the request and wait for its answer, the timeout, or the first `stop`, which only ends the waiting."""
        request = command.request
        if target.transport != "http" or request is None:
            raise ValueError(f"{target.node} is not reached over http, or nothing is sent to it")
        secrets = {name: named_secret(name, self.environ) for name in secret_names(request)}
        missing = [name for name, value in secrets.items() if value is None]
        if missing:
            return http_outcome.secret_missing(missing[0])
        known = {name: value for name, value in secrets.items() if value is not None}
        knowing = Redactor(tuple(sorted({*redactor.spellings, *Redactor.of(known.values()).spellings})))
        sending = _Sending(self, request, _headers(request, known, command), command.timeout_s)
        return self._wait(sending, target, command, heartbeat, http_outcome.Reading(request, knowing, limit_bytes))

    def _wait(
        self, sending: _Sending, target: Target, command: Command, heartbeat: Heartbeat, reading: http_outcome.Reading
    ) -> Outcome:
        """The request runs in a thread of its own, so that the heart beats while a service takes its time."""
        threading.Thread(target=sending.send, name="http", daemon=True).start()
        deadline = time.monotonic() + command.timeout_s + CONNECT_TIMEOUT_S
        while (now := time.monotonic()) < deadline:
            try:
                answer = sending.answers.get(timeout=min(self.beat_every_s, deadline - now))
            except queue.Empty:
                if heartbeat() == "stop":
                    return http_outcome.given_up(target.node)
            else:
                return http_outcome.outcome(answer, target.node, command.timeout_s, reading)
        return http_outcome.outcome(Unheard("late"), target.node, command.timeout_s, reading)


def _headers(request: HttpRequest, secrets: Mapping[str, str], command: Command) -> dict[str, bytes]:
    """What is declared, with the secrets in their places; and a key by which a service knows a request again."""
    ours = {"user-agent": "schedctl", "accept": "application/json, */*"}
    if request.body is not None:
        ours["content-type"] = "application/json"
    if request.method != "GET":
        ours["idempotency-key"] = f"{command.label}-{command.token}" if command.token else command.label
    declared = {name.lower(): SECRET.sub(lambda found: secrets[found[1]], value) for name, value in request.headers}
    return {name: value.encode("utf-8") for name, value in {**ours, **declared}.items()}


class _Sending:
    """One request in its thread; its answer is put into `answers`."""

    def __init__(
        self, transport: HttpTransport, request: HttpRequest, headers: dict[str, bytes], timeout_s: float
    ) -> None:
        self._transport = transport
        self._request = request
        self._headers = headers
        self._timeout_s = timeout_s
        self._deadline = time.monotonic() + timeout_s
        self.answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()

    def send(self) -> None:
        """Send it; whatever happens, there is an answer."""
        import requests  # here, because it takes 110 ms that a worker without such steps need not pay

        try:
            with requests.Session() as session:
                session.trust_env = False
                session.verify = self._transport.trust or (str(SYSTEM_TRUST) if SYSTEM_TRUST.is_file() else True)
                if self._transport.proxy:
                    session.proxies = {"http": self._transport.proxy, "https": self._transport.proxy}
                self.answers.put(self._follow(session))
        except requests.exceptions.RequestException as error:
            self.answers.put(http_outcome.unheard(error))
        except Exception:  # a thread must not end without a word: the worker waits for it
            self.answers.put(Unheard("broken"))
            raise

    def _follow(self, session: requests.Session) -> Heard:
        method, url, body = self._request.method, self._request.url, self._request.body
        heard = self._once(session, method, url, body)
        for _ in range(REDIRECTS if self._request.follow_redirects else 0):
            there = urljoin(url, heard.location or "")
            if heard.location is None or _origin(there) != _origin(url):
                break  # our headers, and so our secrets, are for this service alone
            if heard.status == 303 or (heard.status in (301, 302) and method == "POST"):
                method, body = "GET", None
            url = there
            heard = self._once(session, method, url, body)
        return heard

    def _once(self, session: requests.Session, method: str, url: str, body: str | None) -> Heard:
        left = max(self._deadline - time.monotonic(), 0.1)
        data = body.encode("utf-8") if body is not None else None
        with session.request(
            method,
            url,
            headers=self._headers,
            data=data,
            timeout=(CONNECT_TIMEOUT_S, left),
            allow_redirects=False,
            stream=True,
        ) as response:
            location = response.headers.get("location") if response.is_redirect else None
            retry_after = response.headers.get("retry-after")
            return Heard(response.status_code, response.reason or "", location, retry_after, self._body(response))

    def _body(self, response: requests.Response) -> bytes:
        """The answer's beginning, unpacked: neither an endless answer nor one that unpacks to gigabytes does harm."""
        body = bytearray()
        for chunk in response.iter_content(CHUNK):
            body += chunk
            if len(body) >= BODY_BYTES or time.monotonic() > self._deadline:
                break
        return bytes(body[:BODY_BYTES])


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port
