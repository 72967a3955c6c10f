"""Requests to a real service: what is sent, what is read of the answer, and what each answer means."""

from __future__ import annotations

import gzip
import json
import shutil
import time
from typing import TYPE_CHECKING, Any

import pytest

from schedctl.redact import Redactor
from schedctl.transport.http import named_secret
from tests.transport.http_service import make_certificate, says, serving

if TYPE_CHECKING:
    from http.server import BaseHTTPRequestHandler
    from pathlib import Path

    from schedctl.transport.base import Outcome

SECRET = "p@ss/word-of-the-agent"
HEADER = (("Authorization", "Bearer ${secret:agent-token}"),)
ENVIRON = {"SCHEDCTL_SECRET_AGENT_TOKEN": f"{SECRET}\n"}


def said(outcome: Outcome) -> tuple[str, int | None, str | None]:
    return outcome.state, outcome.exit_code, outcome.error_type


def hangs(_: BaseHTTPRequestHandler) -> None:
    time.sleep(3)


def test_a_session_is_started_and_what_the_answer_says_is_kept() -> None:
    answer = json.dumps({"session": {"id": "s-42"}, "usage": {"total_tokens": 1234}}).encode()
    with serving(says(201, answer)) as service:
        outcome = service.send(
            body='{"task": "日本語"}',
            headers=HEADER,
            environ=ENVIRON,
            external_id="session.id",
            tokens_used="usage.total_tokens",
        )
    assert said(outcome) == ("succeeded", 201, None)
    assert (outcome.external_id, outcome.tokens) == ("s-42", 1234)
    assert (outcome.stdout.head, outcome.stderr.head) == (answer, b"POST 201 Created\n")
    (asked,) = service.asked
    assert (asked.method, asked.path, asked.body) == ("POST", "/v1/sessions", '{"task": "日本語"}'.encode())
    assert asked.headers["authorization"] == f"Bearer {SECRET}"
    assert asked.headers["content-type"] == "application/json"
    assert asked.headers["idempotency-key"].startswith("test-")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"runs": [{"id": 7}]}, "7"),  # a number is a name as well
        ({"runs": []}, None),
        ({"runs": {"0": {"id": True}}}, None),
        ({}, None),
        ([], None),
        ("not an object", None),
    ],
)
def test_an_id_that_is_not_where_it_should_be_is_no_failure(answer: Any, expected: str | None) -> None:
    with serving(says(200, json.dumps(answer).encode())) as service:
        outcome = service.send(external_id="runs.0.id", tokens_used="runs.0.tokens")
    assert (outcome.state, outcome.external_id, outcome.tokens) == ("succeeded", expected, None)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, "http_status"),
        (401, "auth_refused"),
        (403, "auth_refused"),
        (429, "rate_limited"),
        (500, "http_status"),
        (503, "http_status"),
        (302, "redirect_refused"),
    ],
)
def test_what_a_status_means(status: int, error: str) -> None:
    headers = (("location", "/elsewhere"), ("retry-after", "30"))
    with serving(says(status, b"why", headers)) as service:
        outcome = service.send()
    assert said(outcome) == ("failed", status, error)
    assert outcome.stdout.head == b"why"
    assert len(service.asked) == 1


def test_a_status_that_the_action_expects_is_success() -> None:
    with serving(says(409)) as service:
        assert said(service.send(success_statuses=(200, 409))) == ("succeeded", 409, None)


def test_a_declared_redirect_is_followed_within_the_service() -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        first = handler.path == "/v1/sessions"
        says(303, b"", (("location", "/there"),))(handler) if first else says(200, b"arrived")(handler)

    with serving(answer) as service:
        outcome = service.send(body="{}", headers=HEADER, environ=ENVIRON, follow_redirects=True)
    assert outcome.stdout.head == b"arrived"
    assert [(asked.method, asked.path, asked.body) for asked in service.asked] == [
        ("POST", "/v1/sessions", b"{}"),
        ("GET", "/there", b""),
    ]


def test_a_redirect_to_another_service_never_carries_our_secrets_there() -> None:
    with serving(says(200)) as other, serving(says(307, b"", (("location", f"{other.address}/x"),))) as service:
        outcome = service.send(headers=HEADER, environ=ENVIRON, follow_redirects=True)
    assert said(outcome) == ("failed", 307, "redirect_refused")
    assert other.asked == []


def test_a_circle_of_redirects_ends() -> None:
    with serving(says(302, b"", (("location", "/again"),))) as service:
        assert service.send(follow_redirects=True).error_type == "redirect_refused"
    assert len(service.asked) == 6


def test_a_secret_that_is_not_there_sends_nothing() -> None:
    with serving(says()) as service:
        outcome = service.send(headers=HEADER)
    assert said(outcome) == ("failed", None, "secret_missing")
    assert outcome.hint is not None
    assert "SCHEDCTL_SECRET_AGENT_TOKEN" in outcome.hint.en
    assert service.asked == []


def test_a_secret_in_an_answer_is_masked() -> None:
    echo = json.dumps({"id": SECRET, "you_said": f"Bearer {SECRET}"}).encode()
    with serving(says(200, echo)) as service:
        outcome = service.send(headers=HEADER, environ=ENVIRON, external_id="id", redactor=Redactor())
    assert SECRET not in repr(outcome)
    assert outcome.external_id == "[redacted]"


def test_a_credential_of_systemd_comes_before_the_environment(tmp_path: Path) -> None:
    (tmp_path / "agent-token").write_text("from systemd\n")
    environ = {"CREDENTIALS_DIRECTORY": str(tmp_path), "SCHEDCTL_SECRET_AGENT_TOKEN": "from the environment"}
    assert named_secret("agent-token", environ) == "from systemd"
    assert named_secret("agent-token", {**environ, "CREDENTIALS_DIRECTORY": "/nonesuch"}) == "from the environment"
    assert named_secret("other", environ) is None


def test_a_secret_with_a_line_break_inside_is_not_sent() -> None:
    with serving(says()) as service:
        outcome = service.send(headers=HEADER, environ={"SCHEDCTL_SECRET_AGENT_TOKEN": "two\nlines-of-secret"})
    assert said(outcome) == ("failed", None, "could_not_start")
    assert "lines-of-secret" not in repr(outcome)
    assert service.asked == []


def test_a_service_that_hangs_is_a_timeout_and_the_heart_beats_on() -> None:
    beats: list[int] = []
    with serving(hangs) as service:
        begun = time.monotonic()
        outcome = service.send(timeout_s=1, heartbeat=lambda: beats.append(1) or "go_on")
    assert time.monotonic() - begun < 5
    assert said(outcome) == ("timed_out", None, "timed_out")
    assert len(beats) > 5


def test_an_answer_that_drips_has_the_same_end() -> None:
    def drips(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        for _ in range(60):
            handler.wfile.write(b"drip ")
            time.sleep(0.1)

    with serving(drips) as service:
        begun = time.monotonic()
        outcome = service.send(timeout_s=1)
    assert time.monotonic() - begun < 5
    assert said(outcome) == ("timed_out", None, "timed_out")


def test_a_stop_ends_the_waiting() -> None:
    with serving(hangs) as service:
        assert said(service.send(heartbeat=lambda: "stop")) == ("cancelled", None, "cancelled")


@pytest.mark.parametrize(
    ("method", "expected"),
    [("GET", ("failed", None, "connection_broken")), ("POST", ("lost", None, "remote_state_unknown"))],
)
def test_a_connection_that_breaks_after_the_request_is_no_plain_failure(
    method: str, expected: tuple[str, None, str]
) -> None:
    def breaks(handler: BaseHTTPRequestHandler) -> None:
        handler.connection.close()
        handler.close_connection = True

    with serving(breaks) as service:
        assert said(service.send(method=method)) == expected


def test_a_service_that_is_not_there_was_sent_nothing() -> None:
    with serving(says()) as service:
        pass
    assert said(service.send()) == ("failed", None, "host_unreachable")


@pytest.mark.parametrize("path", [":0/x", "://", " /x"])
def test_an_address_that_is_none_is_no_traceback(path: str) -> None:
    with serving(says()) as service:
        service.address = "http"
        assert service.send(path).state == "failed"


def test_no_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    with serving(says(200, b"here")) as service:
        assert service.send().stdout.head == b"here"


def test_no_netrc_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login user password from-netrc\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with serving(says()) as service:
        service.send()
    assert "authorization" not in service.asked[0].headers


def test_a_long_answer_is_read_to_a_limit() -> None:
    packed = gzip.compress(b"0" * 50_000_000)
    with serving(says(200, packed, (("content-encoding", "gzip"),))) as service:
        outcome = service.send()
    assert outcome.state == "succeeded"
    assert outcome.stdout.length == 8 * 1024 * 1024
    assert len(outcome.stdout.head + outcome.stdout.tail) <= 4096


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl to make a certificate")
def test_a_certificate_that_nobody_vouches_for_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path)
    with serving(says(200, b"here"), certificate) as service:
        assert said(service.send(headers=HEADER, environ=ENVIRON)) == ("failed", None, "certificate_refused")
        assert service.asked == []
        assert service.send(trust=str(tmp_path / "cert.pem")).stdout.head == b"here"
