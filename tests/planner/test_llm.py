"""Asking a model over real HTTP: what is sent, what is believed, and how each failure ends."""

from __future__ import annotations

import json
import logging
import traceback
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from schedctl.errors import PlanError
from schedctl.plan.request import Request
from schedctl.planner import llm, prompt
from schedctl.planner.call import Limits
from tests.planner.planner_server import drips, late, ollama, openai, raw, sends
from tests.planner.world import CATALOG

if TYPE_CHECKING:
    from schedctl.planner.wire import Kind
    from tests.planner.planner_server import PlannerServer, Script

TASK = "marsのGPUを確認して"
GOOD = '{"steps":[{"action":"gpu.status","node":"mars","parameters":{},"stage":0}],"leftover":[]}'
WANTED = (Request("mars", "gpu.status"),)
KEY = "sk-test-0123456789"
QUICK = Limits(connect_s=1, overall_s=0.6, progress_s=0.1)
HTML = b"<!DOCTYPE html><html><body>Welcome to nginx! Choose a model.</body></html>"


def planner(server: PlannerServer, kind: Kind = "ollama", limits: Limits = llm.DEFAULT_LIMITS) -> llm.Planner:
    return llm.Planner(kind, server.url, "qwen3:8b", KEY if kind == "openai" else None, limits)


def unheard(seconds: float) -> None:
    """Progress that nobody looks at."""


def ask(which: llm.Planner, task: str = TASK) -> llm.Answered:
    return llm.ask(which, task, CATALOG, unheard)


def refusal(which: llm.Planner) -> PlanError:
    with pytest.raises(PlanError) as caught:
        ask(which)
    return caught.value


# --- what is sent, and what is believed ---------------------------------------------------------------------------


def test_ollama_is_asked_with_these_bytes_and_no_others(server: PlannerServer) -> None:
    server.play(ollama(GOOD))
    answered = ask(planner(server))
    (heard,) = server.heard
    question = prompt.first(TASK, CATALOG)
    assert heard.path == "/api/chat"
    assert heard.json == {
        "model": "qwen3:8b",
        "messages": [{"role": message.role, "content": message.content} for message in question.messages],
        "stream": False,
        "format": question.schema,
        "think": False,
        "truncate": False,
        "shift": False,
        "options": {"temperature": 0, "seed": 0, "num_ctx": 8192, "num_predict": 4096},
    }
    assert answered.requests == WANTED


def test_an_openai_server_is_asked_with_these_bytes_and_no_others(server: PlannerServer) -> None:
    server.play(openai(GOOD))
    answered = ask(planner(server, "openai"))
    (heard,) = server.heard
    question = prompt.first(TASK, CATALOG)
    assert heard.path == "/v1/chat/completions"
    assert heard.json == {
        "model": "qwen3:8b",
        "messages": [{"role": message.role, "content": message.content} for message in question.messages],
        "stream": False,
        "temperature": 0,
        "max_tokens": 4096,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "plan", "strict": True, "schema": question.schema},
        },
    }
    assert answered.requests == WANTED


@pytest.mark.parametrize("kind", ["ollama", "openai"])
def test_the_headers_say_no_more_than_they_must(server: PlannerServer, kind: Kind) -> None:
    server.play({"ollama": ollama, "openai": openai}[kind](GOOD))
    ask(planner(server, kind))
    headers = {name.lower(): value for name, value in server.heard[0].headers.items()}
    assert headers.pop("host") == server.url.removeprefix("http://")
    assert headers.pop("content-length") == str(len(server.heard[0].body))
    assert headers.pop("authorization", None) == (f"Bearer {KEY}" if kind == "openai" else None)
    assert headers == {
        "content-type": "application/json",
        "accept": "application/json",
        "accept-encoding": "identity",
        "user-agent": "schedctl",
    }


def test_the_same_question_is_the_same_bytes(server: PlannerServer) -> None:
    server.play(ollama(GOOD))
    ask(planner(server))
    ask(planner(server))
    assert server.heard[0].body == server.heard[1].body


def test_the_answer_says_who_planned_what_it_used_and_what_it_said(server: PlannerServer) -> None:
    spoken = f"<think>mars has the GPU</think>\n{GOOD}"
    server.play(ollama(spoken))
    origin = ask(planner(server)).origin
    assert (origin.planner, origin.answer, origin.tokens) == ("ollama/qwen3:8b", spoken, 1834 + 112)
    assert origin.seconds is not None
    assert 0 <= origin.seconds < 5


@pytest.mark.parametrize(
    ("kind", "path", "posted"),
    [
        ("ollama", "", "/api/chat"),
        ("ollama", "/", "/api/chat"),
        ("ollama", "/api", "/api/chat"),
        ("ollama", "/llm", "/llm/api/chat"),
        ("openai", "/v1", "/v1/chat/completions"),
        ("openai", "/v1/", "/v1/chat/completions"),
        ("openai", "/v1/chat/completions", "/v1/chat/completions"),
        ("openai", "/proxy?api-version=7", "/proxy/v1/chat/completions?api-version=7"),
    ],
)
def test_the_address_may_be_written_as_people_write_it(
    server: PlannerServer, kind: Kind, path: str, posted: str
) -> None:
    server.play({"ollama": ollama, "openai": openai}[kind](GOOD))
    ask(llm.Planner(kind, server.url + path, "m"))
    assert server.heard[0].path == posted


def test_a_server_of_the_older_dialect_is_asked_again_in_it(server: PlannerServer) -> None:
    told = (
        b"""{"error":{"message":"[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': 1}]"}}"""
    )
    server.play(sends(500, told), openai(GOOD))
    assert ask(planner(server, "openai")).requests == WANTED
    assert server.heard[1].json["response_format"] == {"type": "json_object", "schema": prompt.schema(CATALOG)}


def test_a_cold_load_is_waited_for_and_the_operator_hears_of_it(server: PlannerServer) -> None:
    ticks: list[float] = []
    server.play(late(0.35, ollama(GOOD)))
    patient = planner(server, limits=Limits(progress_s=0.1))
    assert llm.ask(patient, TASK, CATALOG, ticks.append).requests == WANTED
    assert [round(tick, 1) for tick in ticks] == [0.1, 0.2, 0.3]


# --- one repair -----------------------------------------------------------------------------------------------------


def test_a_wrong_answer_is_sent_back_once_with_what_is_wrong(server: PlannerServer) -> None:
    server.play(ollama(GOOD.replace("gpu.status", "gpu.check")), ollama(GOOD))
    answered = ask(planner(server))
    turns = server.heard[1].json["messages"]
    assert answered.requests == WANTED
    assert answered.origin.tokens == 2 * (1834 + 112)
    assert [turn["role"] for turn in turns] == ["system", "user", "assistant", "user"]  # type: ignore[attr-defined]  # JSON
    assert "“gpu.check”, which is no action" in turns[3]["content"]  # type: ignore[index]  # JSON


def test_twice_wrong_is_a_refusal_with_the_reason_of_the_second(server: PlannerServer) -> None:
    server.play(ollama("sorry"), ollama(GOOD.replace("mars", "pluto")))
    assert refusal(planner(server)).type == "unknown_node"
    assert len(server.heard) == 2


def test_a_model_that_finds_nothing_is_believed_at_once(server: PlannerServer) -> None:
    server.play(ollama('{"steps":[],"leftover":["GPUを確認"]}'))
    assert refusal(planner(server)).type == "unknown_action"
    assert len(server.heard) == 1


def test_a_huge_wrong_answer_is_not_sent_back_whole(server: PlannerServer) -> None:
    server.play(ollama("x" * 900_000))
    refusal(planner(server))
    assert len(server.heard[1].body) < 20_000


# --- every failure --------------------------------------------------------------------------------------------------

MISSING = b'{"error":"model \'qwen3:8b\' not found"}'
MISSING_OPENAI = b'{"error":{"message":"The model `qwen3:8b` does not exist","code":"model_not_found"}}'
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
    ("gzip", "ollama", sends(200, b"\x1f\x8b\x08", **{"Content-Encoding": "gzip"}), "planner_invalid", "API", "URL"),
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
    server: PlannerServer, kind: Kind, script: Script, type: str, sentence: str, hint: str
) -> None:
    server.play(script)
    error = refusal(planner(server, kind))
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
def test_a_server_that_never_ends_is_left_in_time(server: PlannerServer, script: Script) -> None:
    server.play(script)
    ticks: list[float] = []
    with pytest.raises(PlanError) as caught:
        llm.ask(planner(server, limits=QUICK), TASK, CATALOG, ticks.append)
    assert caught.value.type == "planner_unavailable"
    assert "0.6秒以内に応答しませんでした" in caught.value.message.ja
    assert 4 <= len(ticks) <= 6


def test_the_time_is_for_both_questions_together(server: PlannerServer) -> None:
    server.play(late(0.4, ollama("no")), late(0.4, ollama(GOOD)))
    assert refusal(planner(server, limits=QUICK)).type == "planner_unavailable"


@pytest.mark.parametrize("size", [1_048_577, 3_000_000])
def test_a_swollen_answer_is_not_read_to_its_end(server: PlannerServer, size: int) -> None:
    server.play(sends(200, b" " * size))
    error = refusal(planner(server))
    assert error.type == "planner_invalid"
    assert "1,048,576バイトを超えた" in error.message.ja


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(server: PlannerServer, status: int) -> None:
    server.play(sends(status, b"", Location=f"{server.url}/elsewhere"))
    error = refusal(planner(server, "openai"))
    assert error.type == "planner_unavailable"
    assert f"（{status}）" in error.message.ja
    assert [heard.path for heard in server.heard] == ["/v1/chat/completions"]


def test_nobody_at_the_address() -> None:
    error = refusal(llm.Planner("ollama", "http://127.0.0.1:9", "m"))
    assert error.message.ja == "言語モデルのサーバー（http://127.0.0.1:9）につながりません"


def test_a_plain_server_behind_https_proves_nothing(server: PlannerServer) -> None:
    error = refusal(llm.Planner("ollama", server.url.replace("http:", "https:"), "m"))
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


def test_an_empty_catalog_is_not_asked_about(server: PlannerServer) -> None:
    with pytest.raises(PlanError) as caught:
        llm.ask(planner(server), TASK, replace(CATALOG, nodes=()), unheard)
    assert caught.value.type == "unknown_action"
    assert not server.heard


# --- secrets --------------------------------------------------------------------------------------------------------


def everything_about(error: BaseException) -> str:
    """All that any handler could print: texts, chained errors, traceback."""
    chained = [error.__cause__, error.__context__]
    inner = "".join(everything_about(each) for each in chained if each is not None)
    return repr(error) + repr(vars(error)) + "".join(traceback.format_exception(error)) + inner


def test_neither_key_nor_address_show_in_errors_logs_or_reprs(
    server: PlannerServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    host = server.url.removeprefix("http://")
    secretive = llm.Planner("openai", f"http://bob:hunter2@{host}/deep/path?token=t0ken", "m", KEY)
    server.play(raw(b""))
    told = everything_about(refusal(secretive)) + repr(secretive)
    assert host in told
    assert not [secret for secret in (KEY, "hunter2", "t0ken", "deep/path") if secret in told]
    assert not [secret for secret in (KEY, "hunter2") if secret in caplog.text]


def test_proxies_and_netrc_of_the_environment_are_not_used(
    server: PlannerServer, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    netrc = tmp_path_factory.mktemp("home") / "netrc"
    netrc.write_text("machine 127.0.0.1 login bob password hunter2\n")
    monkeypatch.setenv("NETRC", str(netrc))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    server.play(ollama(GOOD))
    ask(planner(server))
    assert "Authorization" not in server.heard[0].headers


def test_an_answer_is_kept_as_the_database_can_keep_it(server: PlannerServer) -> None:
    server.play(sends(200, json.dumps({"message": {"content": "<think>\x00\ud800</think>" + GOOD}}).encode()))
    kept = ask(planner(server)).origin.answer
    assert kept == f"<think>\\x00\\ud800</think>{GOOD}"
