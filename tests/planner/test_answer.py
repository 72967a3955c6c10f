"""Whatever a model writes: requests inside the catalog, or a typed refusal. Never another exception, never a guess."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedctl.errors import PlanError
from schedctl.planner import answer, untrusted
from tests.planner.world import CATALOG, DAYS, UNIT

if TYPE_CHECKING:
    from schedctl.plan.request import Request

GOOD = '{"steps":[{"action":"unit.restart","node":"mars","parameters":{"unit":"nginx"},"stage":0}],"covers":"all"}'

with (Path(__file__).parent / "answers.tsv").open(encoding="utf-8", newline="") as table:
    ROWS = list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))


def said(request: Request) -> str:
    parameters = ",".join(f"{name}={value}" for name, value in request.parameters)
    return (
        request.action
        + (f"({parameters})" if parameters else "")
        + f"@{request.node}"
        + (f"/{request.stage}" if request.stage else "")
    )


def read(content: str) -> tuple[Request, ...] | PlanError:
    try:
        return answer.read(content, CATALOG)
    except PlanError as error:
        return error


def outcome(content: str) -> str:
    found = read(content)
    if not isinstance(found, PlanError):
        return " ".join(said(request) for request in found)
    assert found.hint is not None
    return "declined" if isinstance(found, answer.Declined) else found.type


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["why"])
def test_golden(row: dict[str, str]) -> None:
    assert outcome(row["answer"].replace("⏎", "\n")) == row["outcome"]


@pytest.mark.parametrize("end", range(len(GOOD)))
def test_an_answer_that_is_cut_anywhere_is_refused(end: int) -> None:
    assert outcome(GOOD[:end]) == "planner_invalid"


@pytest.mark.parametrize(
    "content",
    [
        "[" * 100_000,
        '{"steps":' * 50_000,
        '{"steps":[],"covers":"all","n":' + "9" * 10_000 + "}",
        json.dumps({"steps": [{}] * 201, "covers": "all"}),
        '{"steps":[{"action":"journal.vacuum","node":"mars","parameters":{"days":"'
        + "1" * 500_000
        + '"},"stage":0}],"covers":"all"}',
    ],
    ids=["nested arrays", "nested objects", "an endless number", "too many steps", "an endless value"],
)
def test_answers_made_to_hurt_are_refused(content: str) -> None:
    assert outcome(content) == "planner_invalid"


def test_a_refusal_names_the_nearest_of_the_catalog() -> None:
    content = GOOD.replace("unit.restart", "unit.restrat")
    with pytest.raises(PlanError) as caught:
        answer.read(content, CATALOG)
    assert caught.value.message.ja == (
        "言語モデルの答えはカタログに合いません: アクション「unit.restrat」はカタログにありません"
    )
    assert caught.value.hint is not None
    assert caught.value.hint.en.startswith("Nearest: unit.restart")


def test_a_node_that_cannot_do_it_is_answered_with_those_that_can() -> None:
    with pytest.raises(PlanError) as caught:
        answer.read(ROWS[0]["answer"].replace("mars", "venus"), CATALOG)
    assert caught.value.message.en.endswith("“venus” cannot run “gpu.status”")
    assert caught.value.hint is not None
    assert caught.value.hint.en == "Nearest: mars (Mars)"


def test_half_a_task_is_declined_and_said_to_be_the_models_view() -> None:
    with pytest.raises(answer.Declined) as caught:
        answer.read(GOOD.replace('"all"', '"part"'), CATALOG)
    assert caught.value.message.ja == "このタスクの一部に当たるものがカタログにありません（言語モデルの判断）"


def test_a_models_words_reach_a_terminal_without_control_characters() -> None:
    content = GOOD.replace("unit.restart", "\\u001b[2J\\u202e\\ud800" + "x" * 500)
    with pytest.raises(PlanError) as caught:
        answer.read(content, CATALOG)
    shown = caught.value.message.ja
    assert shown.isprintable()
    assert len(shown) < 120


@given(st.text())
def test_what_is_kept_for_audit_can_be_stored(text: str) -> None:
    kept = untrusted.kept(text + "\ud800\x00" + text)
    kept.encode("utf-8")
    assert "\x00" not in kept


NAMES = st.sampled_from([*(action.name for action in CATALOG.actions), *(node.name for node in CATALOG.nodes), "x", ""])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | NAMES,
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["steps", "covers"]), inner),
)
STEPS = st.fixed_dictionaries(
    {
        "action": NAMES | JSON,
        "node": NAMES | JSON,
        "parameters": st.dictionaries(
            st.sampled_from(["unit", "days", "x"]), st.sampled_from(["nginx", "7", "-x"]) | JSON
        ),
        "stage": st.integers(-1, 9) | JSON,
    },
    optional={"argv": JSON},
)
ANSWERS = st.fixed_dictionaries(
    {"steps": st.lists(STEPS) | JSON, "covers": st.sampled_from(["all", "part", "nothing"]) | JSON}
)


def assert_inside_the_catalog(content: str) -> None:
    found = read(content)
    if isinstance(found, PlanError):
        assert found.type in ("planner_invalid", "unknown_action", "unknown_node")
        assert found.message.ja.isprintable()
        assert found.message.en.isprintable()
        return
    actions = {action.name: action for action in CATALOG.actions}
    nodes = {node.name: node for node in CATALOG.nodes}
    assert found
    for request in found:
        action, node = actions[request.action], nodes[request.node]
        assert not action.groups or set(action.groups) & set(node.groups)
        values = dict(request.parameters)
        assert values.keys() <= {parameter.name for parameter in action.parameters}
        assert values.get("unit", "nginx") in UNIT.values
        assert values.get("days", "1").isdigit()
        assert DAYS.pattern


@given(st.binary())
def test_any_bytes(content: bytes) -> None:
    assert_inside_the_catalog(content.decode("utf-8", "replace"))


@given(st.text())
def test_any_text(content: str) -> None:
    assert_inside_the_catalog(content)


@given(ANSWERS | JSON)
def test_any_json_near_an_answer(value: object) -> None:
    assert_inside_the_catalog(json.dumps(value))


@given(st.integers(0, len(GOOD)), st.integers(0, len(GOOD)), st.text(max_size=5))
def test_any_edit_of_a_good_answer(start: int, end: int, inserted: str) -> None:
    assert_inside_the_catalog(GOOD[:start] + inserted + GOOD[max(start, end) :])
