"""Every way in which a model or its server can fail, over real HTTP: a typed refusal that says what to do."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from schedctl.errors import PlanError
from schedctl.planner import llm
from schedctl.planner.call import Limits
from tests.planner.asking import GOOD, KEY, TASK, everything_about, planner, refusal
from tests.planner.model_server import drips, late, ollama, openai, raw, sends
from tests.planner.world import CATALOG

if TYPE_CHECKING:
    from schedctl.planner.wire import Kind
    from tests.planner.model_server import ModelServer, Script

QUICK = Limits(connect_s=1, overall_s=0.6, progress_s=0.1)
HTML = b"<!DOCTYPE html><html><body>Welcome to nginx! Choose a model.</body></html>"
MISSING = b'{"error":"model \'qwen3:8b\' not found"}'
MISSING_OPENAI = b'{"error":{"message":"The model `qwen3:8b` does not exist","code":"model_not_found"}}'
PACKED = gzip.compress(json.dumps({"message": {"content": GOOD}}).encode())  # nobody asked for it
ENDLESS = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + b"100000\r\n"
CUT = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{}"

FAILURES: list[tuple[str, Kind, Script, str, str, str]] = [
    # name, kind, what the server does, type, a part of the sentence, a part of the hint
    ("html", "ollama", sends(200, HTML, "text/html"), "planner_invalid", "HTML", "SCHEDCTL_PLANNER_URL"),
    ("html openai", "openai", sends(200, HTML, "text/html"), "planner_invalid", "HTML", "SCHEDCTL_PLANNER_URL"),
    ("other json", "ollama", sends(200, b'{"status":"ok"}'), "planner_invalid", "API", "SCHEDCTL_PLANNER_URL"),
    ("no choices", "openai", sends(200, b'{"choices":[]}'), "planner_invalid", "API", "SCHEDCTL_PLANNER_URL"),
    ("other api", "openai", ollama(GOOD), "planner_invalid", "API", "SCHEDCTL_PLANNER"),
    ("no body", "ollama", sends(200, b""), "planner_invalid", "API", "SCHEDCTL_PLANNER_URL"),
    ("not utf-8", "ollama", sends(200, b'{"message":"\xff"}'), "planner_invalid", "API", "SCHEDCTL_PLANNER_URL"),
    ("deep", "ollama", sends(200, b"[" * 500_000), "planner_invalid", "API", "SCHEDCTL_PLANNER_URL"),
    ("gzip", "ollama", sends(200, PACKED, **{"Content-Encoding": "gzip"}), "planner_invalid", "API", "URL"),
    ("not json", "ollama", ollama("OK, done!"), "planner_invalid", "JSON", "apt.update"),
    ("empty", "ollama", ollama(""), "planner_invalid", "空", "apt.update"),
    ("null", "openai", openai(None), "planner_invalid", "空", "apt.update"),
    ("thought", "ollama", ollama("", thinking="mars…"), "planner_invalid", "考えるだけで", "thinking"),
    ("thought, cut", "ollama", ollama("", done_reason="length"), "planner_invalid", "考えるだけで", "thinking"),
    (
        "thought aloud",
        "ollama",
        ollama("<think>mars", done_reason="length"),
        "planner_invalid",
        "考えるだけ",
        "thinking",
    ),
    ("thought openai", "openai", openai(None, reasoning_content="m"), "planner_invalid", "考えるだけで", "thinking"),
    ("length", "ollama", ollama(GOOD, done_reason="length"), "planner_invalid", "途切れました", "大きいモデル"),
    (
        "length openai",
        "openai",
        openai(GOOD, finish_reason="length"),
        "planner_invalid",
        "途切れました",
        "大きいモデル",
    ),
    ("filtered", "openai", openai("", finish_reason="content_filter"), "planner_invalid", "断りました", "apt.update"),
    ("refused to", "openai", openai(None, refusal="I cannot"), "planner_invalid", "断りました", "apt.update"),
    ("prompt cut", "ollama", ollama(GOOD, prompt_eval_count=300), "planner_invalid", "一部しか", "文脈長"),
    ("400", "ollama", sends(400, b'{"error":"too long"}'), "planner_unavailable", "HTTP 400", "文脈長"),
    ("401", "openai", sends(401, f'{{"error":"bad key {KEY}"}}'.encode()), "planner_unavailable", "401", "API_KEY"),
    ("403", "openai", sends(403, b""), "planner_unavailable", "HTTP 403", "API_KEY"),
    ("404 page", "ollama", sends(404, HTML), "planner_unavailable", "HTTP 404", "SCHEDCTL_PLANNER_URL"),
    ("404 model", "ollama", sends(404, MISSING), "planner_unavailable", "「qwen3:8b」", "`ollama pull qwen3:8b`"),
    ("404 openai", "openai", sends(404, MISSING_OPENAI), "planner_unavailable", "「qwen3:8b」", "PLANNER_MODEL"),
    ("429", "openai", sends(429, b"{}", **{"Retry-After": "9"}), "planner_unavailable", "HTTP 429", "少し待って"),
    ("500", "ollama", sends(500, b'{"error":"cuda"}'), "planner_unavailable", "HTTP 500", "少し待って"),
    ("500 openai", "openai", sends(500, b"{}"), "planner_unavailable", "HTTP 500", "少し待って"),
    ("503", "ollama", sends(503, HTML), "planner_unavailable", "HTTP 503", "少し待って"),
    ("418", "ollama", sends(418, b""), "planner_unavailable", "HTTP 418", "SCHEDCTL_PLANNER_URL"),
    ("cut body", "ollama", raw(CUT), "planner_unavailable", "途中で切れました", "ログ"),
    ("cut chunk", "ollama", raw(ENDLESS + b"{"), "planner_unavailable", "途中で切れました", "ログ"),
    ("hang up", "ollama", raw(b""), "planner_unavailable", "途中で切れました", "ログ"),
    ("not http", "ollama", raw(b"SSH-2.0-OpenSSH_9.6\r\n"), "planner_unavailable", "途中で切れました", "ログ"),
]


@pytest.mark.parametrize(
    ("kind", "script", "type", "sentence", "hint"), [row[1:] for row in FAILURES], ids=[row[0] for row in FAILURES]
)
def test_each_failure_is_a_typed_refusal_that_says_what_to_do(
    model: ModelServer, kind: Kind, script: Script, type: str, sentence: str, hint: str
) -> None:
    model.play(script)
    error = refusal(planner(model, kind))
    assert error.type == type
    assert sentence in error.message.ja
    assert error.hint is not None
    assert hint in error.hint.ja
    assert KEY not in everything_about(error)


@pytest.mark.parametrize(
    "script",
    [
        raw(b"", then_hang=True),
        raw(b"HTTP/1.1 200 OK\r\nContent-Ty", then_hang=True),
        raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", then_hang=True),
        drips(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", b" " * 100, 0.05),
        drips(b"", b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 100, 0.05),
    ],
    ids=["silence", "half a header", "no body", "a byte now and then", "headers a byte now and then"],
)
def test_a_server_that_never_ends_is_left_in_time(model: ModelServer, script: Script) -> None:
    model.play(script)
    ticks: list[float] = []
    with pytest.raises(PlanError) as caught:
        llm.ask(planner(model, limits=QUICK), TASK, CATALOG, ticks.append)
    assert caught.value.type == "planner_unavailable"
    assert "0.6秒以内に応答しませんでした" in caught.value.message.ja
    assert 4 <= len(ticks) <= 6


def test_the_time_is_for_both_questions_together(model: ModelServer) -> None:
    model.play(late(0.4, ollama("no")), late(0.4, ollama(GOOD)))
    assert refusal(planner(model, limits=QUICK)).type == "planner_unavailable"


@pytest.mark.parametrize("size", [1_048_577, 3_000_000])
def test_a_swollen_answer_is_not_read_to_its_end(model: ModelServer, size: int) -> None:
    model.play(sends(200, b" " * size))
    error = refusal(planner(model))
    assert error.type == "planner_invalid"
    assert "1,048,576バイトを超えた" in error.message.ja


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(model: ModelServer, status: int) -> None:
    model.play(sends(status, b"", Location=f"{model.url}/elsewhere"))
    error = refusal(planner(model, "openai"))
    assert error.type == "planner_unavailable"
    assert f"（{status}）" in error.message.ja
    assert [heard.path for heard in model.heard] == ["/v1/chat/completions"]


def test_nobody_at_the_address() -> None:
    error = refusal(llm.Planner("ollama", "http://127.0.0.1:9", "m"))
    assert error.message.ja == "言語モデルのサーバー（http://127.0.0.1:9）につながりません"


def test_a_plain_server_behind_https_proves_nothing(model: ModelServer) -> None:
    error = refusal(llm.Planner("ollama", model.url.replace("http:", "https:"), "m"))
    assert "証明書" in error.message.ja


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:11434",
        "ftp://mars",
        "http://",
        "http://mars:port",
        "http://[::1",
        "file:///etc/passwd",
        "http://m\n",
    ],
)
def test_an_address_that_is_none(url: str) -> None:
    assert "SCHEDCTL_PLANNER_URL" in refusal(llm.Planner("ollama", url, "m")).message.ja


@pytest.mark.parametrize("key", [" sk-secret", "sk-secret\n", "sk-secret鍵", "sk-secret\x00", "sk-secret\r\nX-Evil: 1"])
def test_a_key_that_cannot_be_a_header_is_refused_unsaid(key: str) -> None:
    error = refusal(llm.Planner("openai", "http://127.0.0.1:9", "m", key))
    assert "SCHEDCTL_PLANNER_API_KEY" in error.message.ja
    assert "sk-secret" not in everything_about(error)
