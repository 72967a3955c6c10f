"""Which models a server has, asked over real HTTP: what `doctor` asks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from schedctl.errors import PlanError
from schedctl.planner.call import Limits
from schedctl.planner.llm import Planner
from schedctl.planner.models import available, is_there
from tests.planner.model_server import raw, sends

if TYPE_CHECKING:
    from schedctl.planner.wire import Kind
    from tests.planner.model_server import ModelServer

TAGS = json.dumps({"models": [{"name": "qwen3:8b", "size": 1}, {"name": "llama4:latest"}]}).encode()
MODELS = json.dumps({"object": "list", "data": [{"id": "gpt-x"}, {"id": "small"}]}).encode()


def planner(model: ModelServer, kind: Kind, path: str = "") -> Planner:
    return Planner(kind, model.url + path, "qwen3:8b", "key-1234", Limits(connect_s=2, overall_s=0.5))


@pytest.mark.parametrize(
    ("kind", "path", "asked", "body", "names"),
    [
        ("ollama", "", "/api/tags", TAGS, ("qwen3:8b", "llama4:latest")),
        ("ollama", "/api/chat", "/api/tags", TAGS, ("qwen3:8b", "llama4:latest")),
        ("openai", "", "/v1/models", MODELS, ("gpt-x", "small")),
        ("openai", "/proxy/v1", "/proxy/v1/models", MODELS, ("gpt-x", "small")),
    ],
)
def test_the_list_is_asked_for_beside_the_questions(
    model: ModelServer, kind: Kind, path: str, asked: str, body: bytes, names: tuple[str, ...]
) -> None:
    model.lists_models = sends(200, body)
    assert available(planner(model, kind, path)) == names
    (heard,) = model.heard
    assert heard.path == asked
    assert heard.headers["Authorization"] == "Bearer key-1234"


@pytest.mark.parametrize(
    ("script", "type"),
    [
        (sends(401, b"your key key-1234 is wrong"), "planner_unavailable"),
        (sends(302, b"", Location="http://127.0.0.1:9/"), "planner_unavailable"),
        (sends(200, b"<html>"), "planner_invalid"),
        (sends(200, b'{"models": 7}'), "planner_invalid"),
        (raw(b"HTTP/1.1 200 OK\r\n", then_hang=True), "planner_unavailable"),
    ],
)
def test_any_other_answer_is_typed_and_repeats_nothing(model: ModelServer, script: object, type: str) -> None:
    model.lists_models = script  # pyright: ignore[reportAttributeAccessIssue] - the parameter is a script
    with pytest.raises(PlanError) as caught:
        available(planner(model, "ollama"))
    assert caught.value.type == type
    assert "key-1234" not in caught.value.message.en


def test_nobody_listens() -> None:
    with pytest.raises(PlanError) as caught:
        available(Planner("ollama", "http://127.0.0.1:9", "m"))
    assert caught.value.type == "planner_unavailable"


@pytest.mark.parametrize(
    ("kind", "name", "there"),
    [
        ("ollama", "qwen3:8b", True),
        ("ollama", "llama4", True),  # Ollama's default tag
        ("ollama", "qwen3", False),
        ("openai", "llama4", False),
    ],
)
def test_whether_a_model_is_among_them(kind: Kind, name: str, there: bool) -> None:
    assert is_there(kind, name, ("qwen3:8b", "llama4:latest")) is there
