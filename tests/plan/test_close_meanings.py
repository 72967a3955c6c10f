"""What holds for every order that is close to another: nothing is filled in, dropped or turned around."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fleets import fleet_catalog, plan_for, shown
from hypothesis import given
from hypothesis import strategies as st

from schedctl.errors import PlanError
from schedctl.plan.operands import NO_NAMES
from schedctl.plan.refusals import Undecided
from schedctl.plan.resolve import never_an_order, resolve

if TYPE_CHECKING:
    from schedctl.catalog.model import Action

FLEET = fleet_catalog()
MACHINES = tuple(node.name for node in FLEET.nodes if node.transport != "http")
SUBJECTS_OF_THEIR_OWN = ("docker", "ollama", "unit", "gpu", "cert", "model", "time")
OTHERS = [
    action
    for action in FLEET.actions
    if action.name.partition(".")[0] in SUBJECTS_OF_THEIR_OWN
    and all(parameter.default for parameter in action.parameters)
]
OF_THE_MACHINE = [
    action
    for action in FLEET.actions
    if action.name.partition(".")[0] in ("apt", "disk", "host", "mem", "journal", "ping") and not action.parameters
]
VERBS = st.sampled_from(["再起動", "リブート", "必要なら再起動", "必要に応じて再起動"])
JOINTS = st.sampled_from(
    ["を実行して、", "を実行してから", "、続けて", "を実行して。", "をお願いします。その後", "を実行し、最後に"]
)


@given(st.sampled_from(OTHERS), JOINTS, VERBS)
def test_a_verb_alone_never_reaches_further_than_what_was_named_before(action: Action, joint: str, verb: str) -> None:
    with pytest.raises(Undecided) as refused:
        resolve(f"venusの{action.label.ja}{joint}{verb}して", FLEET)
    assert f"「venusを{verb}」" in refused.value.hint.ja if refused.value.hint else False
    assert never_an_order(f"venusの{action.label.ja}{joint}{verb}して", FLEET) is not None


@given(st.sampled_from(OTHERS), st.sampled_from(["then restart", "then reboot", "and after that reboot if needed"]))
def test_nor_does_an_english_one(action: Action, end: str) -> None:
    with pytest.raises(Undecided):
        resolve(f"run {action.name} on venus, {end}", FLEET)


@given(st.sampled_from(OF_THE_MACHINE), JOINTS, VERBS)
def test_after_a_part_of_the_machine_it_means_the_machine(action: Action, joint: str, verb: str) -> None:
    plan = plan_for(f"marsの{action.label.ja}{joint}{verb}して", FLEET)
    assert plan.steps[-1].action in ("reboot.now", "reboot.if-required")


SIGNS = st.text(alphabet="-./:@_=+~!,;'()[]nginx0", min_size=1, max_size=10)
TEMPLATES = (
    "restart the {} service on mars",
    "marsの{}サービスを再起動",
    "marsのサービス{}を再起動",
    "marsの{}.serviceを再起動",
)


@given(st.sampled_from(TEMPLATES), SIGNS)
def test_a_value_is_what_was_written_or_nothing(template: str, text: str) -> None:
    try:
        (step,) = plan_for(template.format(text), FLEET).steps
    except PlanError:
        return
    assert step.parameters == (("unit", text.strip(",!()")),)  # these four belong to the sentence


@pytest.mark.parametrize("template", ["marsの{}サービスを再起動", "Restart service {} on mars"])
def test_no_word_that_names_nothing_fills_a_parameter(template: str) -> None:
    for word in sorted(NO_NAMES):
        try:
            plan = plan_for(template.format(word), FLEET)
        except PlanError:
            continue
        pytest.fail(f"{template.format(word)}: {shown(plan)}")


NAMED = st.lists(st.sampled_from(MACHINES), min_size=1, max_size=3, unique=True)


@given(NAMED, st.sampled_from(["と", "、"]), st.sampled_from(["以外", "以外の全ノード", "を除く全ノード"]))
def test_all_but_some_are_exactly_the_others(names: list[str], joint: str, but: str) -> None:
    requests = resolve(f"{joint.join(names)}{but}の到達確認", FLEET)
    assert {request.node for request in requests} == set(MACHINES) - set(names)


@given(NAMED, st.sampled_from(["every node except", "all nodes but", "everything except", "all but"]))
def test_so_they_are_in_english(names: list[str], but: str) -> None:
    requests = resolve(f"check reachability on {but} {' and '.join(names)}", FLEET)
    assert {request.node for request in requests} == set(MACHINES) - set(names)


WHERE = st.sampled_from(["全ノード", "gpuノード", *MACHINES])


@given(st.lists(st.tuples(WHERE, st.sampled_from(["", "以外"])), min_size=2, max_size=3), st.sampled_from(["と", "、"]))
def test_a_node_that_was_named_is_never_dropped(parts: list[tuple[str, str]], joint: str) -> None:
    try:
        requests = resolve(f"{joint.join(where + but for where, but in parts)}の到達確認", FLEET)
    except PlanError:
        return
    done = {request.node for request in requests}
    last_exception = max((at for at, (_, but) in enumerate(parts) if but), default=-1)
    for at, (where, _) in enumerate(parts):
        if where in MACHINES:
            assert (where in done) == (at > last_exception)


@given(st.sampled_from(["全ノード", "mars以外", "venus以外の全ノード"]), st.sampled_from(["", "順番に"]))
def test_this_machine_is_the_last_to_be_disrupted(where: str, how: str) -> None:
    assert plan_for(f"{where}を{how}再起動して", FLEET).steps[-1].target.node == "local"


ENDS = [
    "してもらえますか",
    "してくれますか？",
    "していただけますでしょうか",
    "してくださいませんか",
    "してもらってもいいですか",
]


@given(st.sampled_from(OF_THE_MACHINE), st.sampled_from(ENDS))
def test_a_request_in_the_form_of_a_question_is_a_request(action: Action, end: str) -> None:
    assert resolve(f"marsの{action.label.ja}を実行{end}", FLEET) == resolve(f"marsの{action.name}を実行して", FLEET)


QUESTIONS = [
    "していますか",
    "しますか",
    "しましたか",
    "してもいいですか",
    "できますか",
    "するの",
    "してもらえましたか",
    "してくれていますか",
]


@given(st.sampled_from(FLEET.actions), st.sampled_from(QUESTIONS))
def test_a_question_about_a_state_stays_one(action: Action, end: str) -> None:
    with pytest.raises(PlanError):
        resolve(f"marsの{action.label.ja}を実行{end}", FLEET)
