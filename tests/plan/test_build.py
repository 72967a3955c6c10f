"""Requests -> plans: what is put in, collapsed, refused, and final."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from fleets import HOST, LITERAL, shown
from hypothesis import given
from hypothesis import strategies as st

from schedctl.catalog.model import Action
from schedctl.errors import PlanError
from schedctl.language import Text
from schedctl.plan.build import build
from schedctl.plan.request import Request

if TYPE_CHECKING:
    from schedctl.catalog.model import Catalog
    from schedctl.plan.model import Plan


def built(catalog: Catalog, *requests: Request) -> Plan:
    return build(requests, catalog, HOST, LITERAL)


def refused(catalog: Catalog, *requests: Request) -> PlanError:
    with pytest.raises(PlanError) as caught:
        built(catalog, *requests)
    return caught.value


def with_actions(catalog: Catalog, *actions: Action) -> Catalog:
    return dataclasses.replace(catalog, actions=(*catalog.actions, *actions))


def action(name: str, **fields: object) -> Action:
    plain = Action(name, Text(name, name), "reads", 60, argv=("true",))
    return dataclasses.replace(plain, **fields)


def test_prerequisites_come_first_on_the_same_node(fleet: Catalog) -> None:
    plan = built(fleet, Request("mars", "apt.upgrade"), Request("venus", "apt.upgrade"))
    assert shown(plan) == "mars:apt.update mars:apt.upgrade venus:apt.update venus:apt.upgrade"


def test_prerequisites_of_prerequisites_come_before_them(fleet: Catalog) -> None:
    catalog = with_actions(fleet, action("c", prerequisites=("b", "a")), action("b", prerequisites=("a",)), action("a"))
    assert shown(built(catalog, Request("mars", "c"))) == "mars:a mars:b mars:c"


@pytest.mark.parametrize("said", [("apt.update", "apt.upgrade"), ("apt.upgrade", "apt.update"), ("apt.upgrade",) * 2])
def test_duplicates_collapse(fleet: Catalog, said: tuple[str, ...]) -> None:
    plan = built(fleet, *(Request("mars", name) for name in said))
    assert shown(plan) == "mars:apt.update mars:apt.upgrade"


def test_what_is_said_again_in_a_later_stage_is_done_again(fleet: Catalog) -> None:
    again = [
        Request("mars", "disk.usage"),
        Request("mars", "apt.clean", stage=1),
        Request("mars", "disk.usage", stage=2),
    ]
    assert shown(built(fleet, *again)) == "mars:disk.usage mars:apt.clean mars:disk.usage"


def test_a_prerequisite_that_ran_in_an_earlier_stage_is_not_put_in_again(fleet: Catalog) -> None:
    plan = built(fleet, Request("mars", "apt.update"), Request("mars", "apt.upgrade", stage=1))
    assert shown(plan) == "mars:apt.update mars:apt.upgrade"


def test_stages_are_counted_from_0_and_one_nodes_stages_in_a_row_are_one_leg(fleet: Catalog) -> None:
    plan = built(
        fleet,
        Request("mars", "apt.clean", stage=3),
        Request("mars", "ping", stage=5),
        Request("venus", "ping", stage=9),
        Request("mars", "disk.usage", stage=12),
    )
    assert shown(plan) == "mars:apt.clean mars:ping / venus:ping / mars:disk.usage"


def test_stages_of_several_nodes_stay_apart(fleet: Catalog) -> None:
    both = ("mars", "venus")
    plan = built(
        fleet, *(Request(node, name, stage=stage) for stage, name in enumerate(("ping", "disk.usage")) for node in both)
    )
    assert shown(plan) == "mars:ping venus:ping / mars:disk.usage venus:disk.usage"


def test_a_local_node_is_this_host_and_an_ssh_node_is_its_address(fleet: Catalog) -> None:
    local, mars, venus = (
        step.target for step in built(fleet, *(Request(n, "ping") for n in ("local", "mars", "venus"))).steps
    )
    assert (local.host, local.address) == (HOST, None)
    assert (mars.host, mars.address, mars.user, mars.port) == (None, "mars.example", "schedctl", None)
    assert (venus.host, venus.address, venus.user, venus.port) == (None, "venus", None, 2222)


def test_a_value_stays_inside_its_word(fleet: Catalog) -> None:
    disk = built(fleet, Request("mars", "disk.smart", (("disk", "nvme0n1"),))).steps[0]
    assert disk.argv == ("smartctl", "-H", "-A", "-j", "/dev/nvme0n1")
    assert built(fleet, Request("mars", "docker.ps")).steps[0].argv[-1] == "{{json .}}"


def test_a_request_is_final_with_its_secret_still_a_name(fleet: Catalog) -> None:
    step = built(fleet, Request("agent", "agent.session", (("topic", "backups"),))).steps[0]
    assert step.request is not None
    assert step.request.url == "https://agent.example/api/sessions/backups"
    assert step.request.body == '{"topic": "backups"}'
    assert dict(step.request.headers)["Authorization"] == "Bearer ${secret:agent_token}"


def test_values_are_escaped_where_they_stand(fleet: Catalog) -> None:
    session = next(one for one in fleet.actions if one.name == "agent.session")
    odd = dataclasses.replace(session.parameters[0], values=('a "b"/c',), default=None, aliases=())
    catalog = dataclasses.replace(fleet, actions=(dataclasses.replace(session, parameters=(odd,)),))
    request = built(catalog, Request("agent", "agent.session", (("topic", 'a "b"/c'),))).steps[0].request
    assert request is not None
    assert request.url.endswith("/sessions/a%20%22b%22%2Fc")
    assert request.body == '{"topic": "a \\"b\\"/c"}'


REFUSED = [
    ((Request("mars", "apt.explode"),), "unknown_action", "apt.explode"),
    ((Request("pluto", "ping"),), "unknown_node", "pluto"),
    ((Request("mars", "gpu.usage"),), "unknown_node", "gpu.usage"),  # not of the group
    ((Request("agent", "ping"),), "unknown_node", "agent"),  # a command on a service
    ((Request("mars", "agent.session"),), "unknown_node", "mars"),  # a request on a machine
    ((Request("mars", "unit.restart"),), "unknown_action", "unit"),  # value missing
    ((Request("mars", "unit.restart", (("unit", "-H evil"),)),), "unknown_action", "-H evil"),
    ((Request("mars", "unit.restart", (("unit", "nginx\n"),)),), "unknown_action", "unit"),
    ((Request("mars", "unit.restart", (("unit", "nginx\0"),)),), "unknown_action", "unit"),
    ((Request("mars", "unit.restart", (("unit", "a b"),)),), "unknown_action", "a b"),
    ((Request("mars", "unit.restart", (("unit", ""),)),), "unknown_action", "unit"),
    ((Request("mars", "unit.restart", (("unit", "x" * 256),)),), "unknown_action", "unit"),
    ((Request("mars", "ping", (("unit", "nginx"),)),), "unknown_action", "unit"),  # no such parameter
    ((Request("venus", "model.pull", (("model", "LLAMA3.2:1B"),)),), "unknown_action", "LLAMA3.2:1B"),  # exactly
    ((Request("mars", "apt.security"), Request("mars", "apt.upgrade")), "unknown_action", "apt.upgrade"),  # conflict
    ((Request("mars", "apt.upgrade"), Request("venus", "apt.security")), "unknown_action", "apt.security"),
    ((Request("mars", "reboot.now"), Request("mars", "ping")), "unknown_action", "reboot.now"),  # final
    ((), "unknown_action", ""),
]


@pytest.mark.parametrize(("requests", "type_", "word"), REFUSED)
def test_what_the_catalog_does_not_allow_is_refused(
    fleet: Catalog, requests: tuple[Request, ...], type_: str, word: str
) -> None:
    error = refused(fleet, *requests)
    assert error.type == type_
    assert word in error.message.ja
    assert word in error.message.en


def test_a_final_action_on_one_node_does_not_end_another(fleet: Catalog) -> None:
    plan = built(fleet, Request("mars", "reboot.now"), Request("venus", "ping"))
    assert shown(plan) == "mars:reboot.now venus:ping"


WANTED = st.tuples(
    st.sampled_from(["mars", "venus", "local"]),
    st.sampled_from(["apt.update", "apt.upgrade", "apt.security", "ping", "reboot.now"]),
    st.integers(0, 3),
)


@given(st.lists(WANTED, min_size=1, max_size=6))
def test_every_plan_keeps_what_the_catalog_demands(fleet: Catalog, wanted: list[tuple[str, str, int]]) -> None:
    try:
        plan = built(fleet, *(Request(node, name, stage=stage) for node, name, stage in wanted))
    except PlanError:
        return
    said = {(node, name) for node, name, _ in wanted}
    done = [(step.target.node, step.action) for step in plan.steps]
    assert said <= set(done)
    for place, (node, name) in enumerate(done):
        if name in ("apt.upgrade", "apt.security"):
            assert (node, "apt.update") in done[:place]
        if name == "reboot.now":
            assert node not in {other for other, _ in done[place + 1 :]}
    assert not {"apt.upgrade", "apt.security"} <= {name for _, name in done}
    stages = [step.stage for step in plan.steps]
    assert stages == sorted(stages)
    assert set(stages) == set(range(max(stages) + 1))
