"""Asking a model over real HTTP: what is sent, what is believed, one repair, and what never shows."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from schedctl.errors import PlanError
from schedctl.plan.request import Request
from schedctl.planner import llm, prompt
from schedctl.planner.call import Limits
from tests.planner.asking import GOOD, KEY, TASK, ask, everything_about, planner, refusal, unheard
from tests.planner.model_server import late, ollama, openai, raw, sends
from tests.planner.world import CATALOG

if TYPE_CHECKING:
    from schedctl.planner.wire import Kind
    from tests.planner.model_server import ModelServer

WANTED = (Request("mars", "gpu.status"),)

# --- what is sent, and what is believed ---------------------------------------------------------------------------


def test_ollama_is_asked_with_these_bytes_and_no_others(model: ModelServer) -> None:
    model.play(ollama(GOOD))
    answered = ask(planner(model))
    (heard,) = model.heard
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


def test_an_openai_server_is_asked_with_these_bytes_and_no_others(model: ModelServer) -> None:
    model.play(openai(GOOD))
    answered = ask(planner(model, "openai"))
    (heard,) = model.heard
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
def test_the_headers_say_no_more_than_they_must(model: ModelServer, kind: Kind) -> None:
    model.play({"ollama": ollama, "openai": openai}[kind](GOOD))
    ask(planner(model, kind))
    headers = {name.lower(): value for name, value in model.heard[0].headers.items()}
    assert headers.pop("host") == model.url.removeprefix("http://")
    assert headers.pop("content-length") == str(len(model.heard[0].body))
    assert headers.pop("authorization", None) == (f"Bearer {KEY}" if kind == "openai" else None)
    assert headers == {
        "content-type": "application/json",
        "accept": "application/json",
        "accept-encoding": "identity",
        "user-agent": "schedctl",
    }


def test_the_same_question_is_the_same_bytes(model: ModelServer) -> None:
    model.play(ollama(GOOD))
    ask(planner(model))
    ask(planner(model))
    assert model.heard[0].body == model.heard[1].body


def test_the_answer_says_who_planned_what_it_used_and_what_it_said(model: ModelServer) -> None:
    spoken = f"<think>mars has the GPU</think>\n{GOOD}"
    model.play(ollama(spoken))
    origin = ask(planner(model)).origin
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
def test_the_address_may_be_written_as_people_write_it(model: ModelServer, kind: Kind, path: str, posted: str) -> None:
    model.play({"ollama": ollama, "openai": openai}[kind](GOOD))
    ask(llm.Planner(kind, model.url + path, "m"))
    assert model.heard[0].path == posted


def test_a_server_of_the_older_dialect_is_asked_again_in_it(model: ModelServer) -> None:
    told = (
        b"""{"error":{"message":"[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': 1}]"}}"""
    )
    model.play(sends(500, told), openai(GOOD))
    assert ask(planner(model, "openai")).requests == WANTED
    assert model.heard[1].json["response_format"] == {"type": "json_object", "schema": prompt.schema(CATALOG)}


def test_a_cold_load_is_waited_for_and_the_operator_hears_of_it(model: ModelServer) -> None:
    ticks: list[float] = []
    model.play(late(0.35, ollama(GOOD)))
    patient = planner(model, limits=Limits(progress_s=0.1))
    assert llm.ask(patient, TASK, CATALOG, ticks.append).requests == WANTED
    assert ticks  # one each tenth of a second, fewer where the machine is busy
    assert all(tick >= 0.1 * (number + 1) for number, tick in enumerate(ticks))


# --- one repair -----------------------------------------------------------------------------------------------------


def test_a_wrong_answer_is_sent_back_once_with_what_is_wrong(model: ModelServer) -> None:
    model.play(ollama(GOOD.replace("gpu.status", "gpu.check")), ollama(GOOD))
    answered = ask(planner(model))
    turns = model.heard[1].json["messages"]
    assert answered.requests == WANTED
    assert answered.origin.tokens == 2 * (1834 + 112)
    assert [turn["role"] for turn in turns] == ["system", "user", "assistant", "user"]  # type: ignore[attr-defined]  # JSON
    assert "The catalog has no action “gpu.check”" in turns[3]["content"]  # type: ignore[index]  # JSON


def test_twice_wrong_is_a_refusal_with_the_reason_of_the_second(model: ModelServer) -> None:
    model.play(ollama("sorry"), ollama(GOOD.replace("mars", "pluto")))
    assert refusal(planner(model)).type == "unknown_node"
    assert len(model.heard) == 2


def test_a_model_that_finds_nothing_is_believed_at_once(model: ModelServer) -> None:
    model.play(ollama('{"steps":[],"covers":"nothing"}'))
    assert refusal(planner(model)).type == "unknown_action"
    assert len(model.heard) == 1


def test_a_huge_wrong_answer_is_not_sent_back_whole(model: ModelServer) -> None:
    model.play(ollama("x" * 900_000))
    refusal(planner(model))
    assert len(model.heard[1].body) < 20_000


def test_an_empty_catalog_is_not_asked_about(model: ModelServer) -> None:
    with pytest.raises(PlanError) as caught:
        llm.ask(planner(model), TASK, replace(CATALOG, nodes=()), unheard)
    assert caught.value.type == "unknown_action"
    assert not model.heard


# --- secrets --------------------------------------------------------------------------------------------------------


def test_neither_key_nor_address_show_in_errors_logs_or_reprs(
    model: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    host = model.url.removeprefix("http://")
    secretive = llm.Planner("openai", f"http://bob:hunter2@{host}/deep/path?token=t0ken", "m", KEY)
    model.play(raw(b""))
    told = everything_about(refusal(secretive)) + repr(secretive)
    assert host in told
    assert not [secret for secret in (KEY, "hunter2", "t0ken", "deep/path") if secret in told]
    assert not [secret for secret in (KEY, "hunter2") if secret in caplog.text]


def test_proxies_and_netrc_of_the_environment_are_not_used(
    model: ModelServer, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    netrc = tmp_path_factory.mktemp("home") / "netrc"
    netrc.write_text("machine 127.0.0.1 login bob password hunter2\n")
    monkeypatch.setenv("NETRC", str(netrc))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    model.play(ollama(GOOD))
    ask(planner(model))
    assert "Authorization" not in model.heard[0].headers


def test_an_answer_is_kept_as_the_database_can_keep_it(model: ModelServer) -> None:
    model.play(sends(200, json.dumps({"message": {"content": "<think>\x00\ud800</think>" + GOOD}}).encode()))
    kept = ask(planner(model)).origin.answer
    assert kept == f"<think>\\x00\\ud800</think>{GOOD}"
