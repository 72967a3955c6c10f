"""From the command line to the model and back: asked once, shown, approved by a person, and never asked again."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.planner.model_server import ModelServer, ollama, sends

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Command, Ran

    from schedctl.planner.llm import Planner

NOW = "2026-11-30T10:00:00+09:00"
SUNDAY = "2026-12-06T03:00:30+09:00"
FREELY = "毎週日曜午前3時にmarsをいい感じに新しくしておいて"
TASK = "marsをいい感じに新しくしておいて"
STEP = {"action": "service.restart", "node": "mars", "parameters": {}, "stage": 0}
ANSWER = json.dumps({"steps": [STEP], "covers": "all"})
NOTHING = json.dumps({"steps": [], "covers": "nothing"})


@pytest.fixture
def with_model(schedctl: Command, model: ModelServer) -> Callable[..., Ran]:
    """Command lines with the scripted model as their planner."""
    environment = {"SCHEDCTL_PLANNER": "ollama", "SCHEDCTL_PLANNER_URL": model.url, "SCHEDCTL_PLANNER_MODEL": "small"}
    return lambda *arguments, now=NOW: schedctl(*arguments, now=now, env=environment)


def test_a_models_plan_is_shown_waits_for_a_person_and_is_never_asked_for_again(
    with_model: Callable[..., Ran], model: ModelServer
) -> None:
    model.play(ollama(ANSWER))
    shown = with_model("register", FREELY, "--json").json["schedule"]
    assert (shown["state"], shown["plan"]["planner"]) == ("pending", "ollama/small")
    assert [(step["node"], step["action"]) for step in shown["plan"]["steps"]] == [("mars", "service.restart")]
    assert len(model.heard) == 1
    assert "ollama/small" in with_model("show", "1").out
    with_model("arm")
    assert with_model("tick", "--json", now=SUNDAY).json["fired"] == 0
    assert with_model("work", "--drain", "--json", now=SUNDAY).json["runs"] == []
    assert with_model("approve", "1").code == 0
    assert with_model("tick", "--json", now=SUNDAY).json["fired"] == 1
    (run,) = with_model("work", "--drain", "--json", now=SUNDAY).json["runs"]
    assert run["state"] == "succeeded"
    assert len(model.heard) == 1


def test_the_model_hears_the_task_and_nothing_of_when(with_model: Callable[..., Ran], model: ModelServer) -> None:
    model.play(ollama(ANSWER))
    with_model("register", FREELY)
    said = json.dumps(model.heard[0].json, ensure_ascii=False)
    assert TASK in said
    assert not re.search(r"日曜|午前|3時|2026|Asia/Tokyo|testhost", said)


@pytest.mark.parametrize("sentence", ["毎日9時にmarsのディスク使用量を確認して", "毎日9時にmarsのprobe.okを実行して"])
def test_what_can_be_read_literally_asks_nobody(
    with_model: Callable[..., Ran], model: ModelServer, sentence: str
) -> None:
    assert with_model("register", sentence).code == 0
    assert model.heard == []


@pytest.mark.parametrize(
    "sentence",
    [
        "毎日9時にmarsのパッケージを更新しないで",
        "毎日9時に、失敗していたらmarsのサービスの再起動を実行して",
        "毎日9時にmarsは元気ですか？",
    ],
)
def test_what_is_no_order_reaches_no_model(with_model: Callable[..., Ran], model: ModelServer, sentence: str) -> None:
    model.play(ollama(ANSWER))
    refused = with_model("register", sentence, "--json")
    assert refused.code == 2
    assert model.heard == []


def test_when_the_model_declines_the_words_without_a_home_are_named(
    with_model: Callable[..., Ran], model: ModelServer
) -> None:
    model.play(ollama(NOTHING))
    refused = with_model("register", "毎日9時にmarsで踊って", "--json")
    assert (refused.code, refused.json["error"]["type"]) == (2, "unknown_action")
    assert "踊" in refused.json["error"]["message"]


@pytest.mark.parametrize(
    ("answer", "type"),
    [
        (sends(500, b"oops"), "planner_unavailable"),
        (ollama("not json"), "planner_invalid"),
        (ollama(""), "planner_invalid"),
    ],
)
def test_a_model_that_fails_leaves_nothing_stored(
    with_model: Callable[..., Ran], model: ModelServer, answer: Callable[..., None], type: str
) -> None:
    model.play(answer)
    refused = with_model("register", FREELY, "--json")
    assert (refused.code, refused.json["error"]["type"]) == (2, type)
    assert with_model("list", "--json").json["schedules"] == []


@pytest.mark.model
def test_a_real_small_model_can_do_no_harm(schedctl: Command, real_planner: Planner) -> None:
    """Well-formed nonsense at most: the operator sees it, nothing runs unapproved, and firing makes no call."""
    environment = {
        "SCHEDCTL_PLANNER": real_planner.kind,
        "SCHEDCTL_PLANNER_URL": real_planner.url,
        "SCHEDCTL_PLANNER_MODEL": real_planner.model,
    }
    answered = schedctl("register", FREELY, "--json", now=NOW, env=environment)
    if answered.code == 2:
        assert answered.json["error"]["type"] in ("unknown_action", "unknown_node", "planner_invalid")
        return
    shown = answered.json["schedule"]
    assert shown["plan"]["planner"] == f"{real_planner.kind}/{real_planner.model}"
    schedctl("arm", now=NOW)
    unreachable = {**environment, "SCHEDCTL_PLANNER_URL": "http://127.0.0.1:1"}
    ticked = schedctl("tick", "--json", now=SUNDAY, env=unreachable).json
    assert ticked["fired"] == (1 if shown["state"] == "active" else 0)
    assert shown["state"] == "pending" or shown["risk"] == "reads"
