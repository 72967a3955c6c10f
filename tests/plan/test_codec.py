"""Plans as JSON: there and back, strict about everything else; digest and legs."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import pytest
from fleets import plan_for
from hypothesis import given
from hypothesis import strategies as st

from schedctl.plan import codec
from schedctl.plan.approval import highest_risk, needs_approval
from schedctl.plan.model import Origin

if TYPE_CHECKING:
    from schedctl.catalog.model import Catalog

TASKS = [
    "marsのパッケージを更新してから、venusのパッケージを更新して",
    "marsのサービスnginxを再起動して",
    "バックアップ計画のレビューを開始して",
    "全ノードのディスク使用量を確認して",
]


def written(task: str, catalog: Catalog) -> dict[str, Any]:
    return json.loads(json.dumps(codec.to_json(plan_for(task, catalog))))


@pytest.mark.parametrize("task", TASKS)
def test_a_plan_survives_json(fleet: Catalog, task: str) -> None:
    plan = plan_for(task, fleet)
    assert codec.from_json(written(task, fleet)) == plan
    for step in plan.steps:
        assert codec.step_from_json(json.loads(json.dumps(codec.step_to_json(step)))) == step


def test_the_origin_survives_json(fleet: Catalog) -> None:
    origin = Origin("qwen2.5:7b", answer='{"steps": []}', tokens=812, seconds=3.25)
    plan = dataclasses.replace(plan_for(TASKS[0], fleet), origin=origin)
    assert codec.from_json(codec.to_json(plan)).origin == origin


def test_the_digest_is_of_what_is_done_and_not_of_who_planned(fleet: Catalog) -> None:
    plan = plan_for(TASKS[0], fleet)
    assert codec.digest(dataclasses.replace(plan, origin=Origin("model", tokens=1))) == codec.digest(plan)
    other = dataclasses.replace(plan, steps=(*plan.steps[:-1], dataclasses.replace(plan.steps[-1], timeout_s=1)))
    assert codec.digest(other) != codec.digest(plan)


def test_fields_at_their_default_are_left_out_so_that_a_new_field_changes_no_digest(fleet: Catalog) -> None:
    step = written("marsの到達確認", fleet)["steps"][0]
    assert set(step) == {"target", "action", "label", "risk", "timeout_s", "argv", "repeatable", "retries"}


GONE = object()
STEP = ("steps", 0)
TARGET = (*STEP, "target")
MALFORMED: list[tuple[str, tuple[str | int, ...], object]] = [
    ("no steps", ("steps",), []),
    ("steps missing", ("steps",), GONE),
    ("steps no list", ("steps",), {}),
    ("origin missing", ("origin",), GONE),
    ("unknown key", ("extra",), 1),
    ("unknown key of a step", (*STEP, "shell"), True),
    ("unknown key of a target", (*TARGET, "proxy"), "x"),
    ("unknown key of a label", (*STEP, "label", "fr"), "x"),
    ("no argv", (*STEP, "argv"), GONE),
    ("argv no list", (*STEP, "argv"), "reboot"),
    ("argv of numbers", (*STEP, "argv"), [1]),
    ("NUL in argv", (*STEP, "argv"), ["a\0b"]),
    ("unknown risk", (*STEP, "risk"), "safe"),
    ("unknown transport", (*TARGET, "transport"), "telnet"),
    ("command on http", (*TARGET, "transport"), "http"),
    ("negative timeout", (*STEP, "timeout_s"), -1),
    ("true as a number", (*STEP, "stage"), True),
    ("text as truth", (*STEP, "as_root"), "yes"),
    ("stages out of order", (*STEP, "stage"), 7),
    ("environment no pairs", (*STEP, "environment"), [["A"]]),
    ("exit codes of text", (*STEP, "success_exit_codes"), ["0"]),
]


@pytest.mark.parametrize(("what", "path", "value"), MALFORMED, ids=[row[0] for row in MALFORMED])
def test_a_malformed_plan_is_a_value_error(
    fleet: Catalog, what: str, path: tuple[str | int, ...], value: object
) -> None:
    plan: Any = written(TASKS[0], fleet)
    part = plan
    for key in path[:-1]:
        part = part[key]
    if value is GONE:
        del part[path[-1]]
    else:
        part[path[-1]] = value
    with pytest.raises(ValueError, match=r"plan"):
        codec.from_json(plan)


KEYS = st.sampled_from(["steps", "origin", "planner", "argv", "target"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["steps", "origin", "x"]), JSON))
def test_any_json_is_a_plan_or_a_value_error(value: dict[str, object]) -> None:
    try:
        codec.from_json(value)
    except ValueError:
        return


@given(st.data())
def test_any_part_replaced_is_a_plan_or_a_value_error(fleet: Catalog, data: st.DataObject) -> None:
    plan: Any = written(data.draw(st.sampled_from(TASKS)), fleet)
    part: Any = plan["steps"][0]
    if data.draw(st.booleans()):
        part = part["target"]
    part[data.draw(st.sampled_from(sorted(part)))] = data.draw(JSON)
    try:
        assert codec.from_json(plan).steps
    except ValueError:
        return


def test_legs_are_the_steps_of_one_node_in_one_stage(fleet: Catalog) -> None:
    plan = plan_for("marsとvenusのパッケージを更新してから再起動して", fleet)
    legs = codec.legs(plan)
    assert [(leg.stage, leg.target.node, len(leg.steps), leg.changes) for leg in legs] == [
        (0, "mars", 2, True), (0, "venus", 2, True), (1, "mars", 1, True), (1, "venus", 1, True),
    ]  # fmt: skip
    assert [step for leg in legs for step in leg.steps] == list(plan.steps)
    assert not codec.legs(plan_for("marsのディスク使用量を確認して", fleet))[0].changes


@pytest.mark.parametrize(
    ("task", "risk", "asked"),
    [
        ("marsのディスク使用量を確認して", "reads", False),
        ("marsのパッケージを更新して", "changes", True),
        ("marsのパッケージを更新してから再起動して", "disrupts", True),
    ],
)
def test_approval_goes_by_the_gravest_risk(fleet: Catalog, task: str, risk: str, asked: bool) -> None:
    plan = plan_for(task, fleet)
    assert highest_risk(plan) == risk
    assert needs_approval(plan, fleet.policy) is asked
    assert not needs_approval(plan, dataclasses.replace(fleet.policy, approval=()))
