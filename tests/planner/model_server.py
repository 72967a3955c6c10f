"""A language model server over real HTTP on loopback: what it sends is scripted byte by byte, what it hears is kept."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from schedctl.planner.call import THREAD_NAME

Script = Callable[[BaseHTTPRequestHandler, threading.Event], None]
"""Writes a response; the event is set when the server closes, so that nothing sleeps through the end of a test."""


@dataclass(frozen=True, slots=True)
class Heard:
    """One request as it came over the wire."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, object]:
        return json.loads(self.body)


@dataclass(slots=True)
class ModelServer:
    """Plays its scripts in order, the last one for ever; `heard` holds the requests."""

    url: str = ""
    scripts: list[Script] = field(default_factory=list)
    heard: list[Heard] = field(default_factory=list)
    lists_models: Script | None = None
    """What a GET is answered with; without it nothing, since only `doctor` sends one."""
    closing: threading.Event = field(default_factory=threading.Event)

    def play(self, *scripts: Script) -> None:
        self.scripts[:] = scripts
        self.heard.clear()

    def take(self, request: Heard) -> Script:
        self.heard.append(request)
        return self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]


@contextmanager
def running() -> Generator[ModelServer]:
    """A server on 127.0.0.1; at the end every connection is closed and every call thread has ended."""
    state = ModelServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            script = state.take(Heard(self.path, dict(self.headers), body))
            self.close_connection = True
            with suppress(BrokenPipeError, ConnectionResetError):  # clients hang up: some tests are about that
                script(self, state.closing)

        def do_GET(self) -> None:
            state.heard.append(Heard(self.path, dict(self.headers), b""))
            self.close_connection = True
            if state.lists_models is not None:
                state.lists_models(self, state.closing)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        state.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
        for caller in [each for each in threading.enumerate() if each.name == THREAD_NAME]:
            caller.join(5)


def sends(status: int, body: bytes, content_type: str = "application/json", **headers: str) -> Script:
    """A whole response."""

    def script(handler: BaseHTTPRequestHandler, closing: threading.Event) -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", content_type)
        handler.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return script


def raw(data: bytes, *, then_hang: bool = False) -> Script:
    """These bytes, HTTP or not; then the connection closes, or stays open without a word."""

    def script(handler: BaseHTTPRequestHandler, closing: threading.Event) -> None:
        handler.wfile.write(data)
        handler.wfile.flush()
        if then_hang:
            closing.wait(10)

    return script


def drips(head: bytes, body: bytes, pause: float) -> Script:
    """One byte of `body` at a time."""

    def script(handler: BaseHTTPRequestHandler, closing: threading.Event) -> None:
        handler.wfile.write(head)
        for byte in body:
            if closing.wait(pause):
                return
            handler.wfile.write(bytes([byte]))
            handler.wfile.flush()

    return script


def late(seconds: float, script: Script) -> Script:
    """A cold load: silence, then the answer."""

    def delayed(handler: BaseHTTPRequestHandler, closing: threading.Event) -> None:
        closing.wait(seconds)
        script(handler, closing)

    return delayed


def ollama(content: str, *, thinking: str | None = None, **more: object) -> Script:
    """Ollama's `/api/chat` answer, in its own shape (its docs/api.md)."""
    message = {"role": "assistant", "content": content} | ({"thinking": thinking} if thinking is not None else {})
    envelope: dict[str, object] = {
        "model": "qwen3:8b",
        "created_at": "2026-12-06T00:46:58.265747Z",
        "message": message,
        "done_reason": "stop",
        "done": True,
        "total_duration": 2254970291,
        "load_duration": 574751416,
        "prompt_eval_count": 1834,
        "prompt_eval_duration": 1502000000,
        "eval_count": 112,
        "eval_duration": 175000000,
    }
    return sends(200, json.dumps(envelope | more).encode(), "application/json; charset=utf-8")


def openai(content: str | None, *, finish_reason: str = "stop", usage: object = None, **message: object) -> Script:
    """The answer of `/v1/chat/completions`, in OpenAI's shape."""
    told = {"role": "assistant", "content": content, "refusal": None, "annotations": []} | message
    envelope = {
        "id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
        "object": "chat.completion",
        "created": 1741569952,
        "model": "gpt-4.1-2025-04-14",
        "choices": [{"index": 0, "message": told, "logprobs": None, "finish_reason": finish_reason}],
        "usage": usage or {"prompt_tokens": 1834, "completion_tokens": 112, "total_tokens": 1946},
        "service_tier": "default",
    }
    return sends(200, json.dumps(envelope).encode())
