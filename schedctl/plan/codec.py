"""Plans as JSON: what is stored with a schedule, and the digest of what was approved.

Fields at their default are left out, and may be absent when read: a plan that an older version stored stays readable,
and its digest stays the same.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, cast, get_args

from schedctl.catalog.basics import METHODS, RISKS, HttpRequest, Transport
from schedctl.catalog.digest import canonical, digest_of
from schedctl.language import Text
from schedctl.plan.fields import Fields
from schedctl.plan.model import LegPlan, Origin, Plan, Step, Target

if TYPE_CHECKING:
    from schedctl.catalog.basics import Method, Risk


def to_json(plan: Plan) -> dict[str, object]:
    """The plan as plain JSON; `from_json` gives it back unchanged."""
    return cast("dict[str, object]", canonical(plan))


def from_json(value: dict[str, object]) -> Plan:
    """The plan that `to_json` wrote; ValueError names the first thing that is not as it should be."""
    fields = Fields("plan", value)
    steps = tuple(_step(inner) for inner in fields.objects("steps"))
    plan = Plan(steps, _origin(fields.object("origin")))
    fields.finish()
    if not steps:
        raise ValueError("plan.steps: a plan has at least one step")
    if [step.stage for step in steps] != sorted(step.stage for step in steps):
        raise ValueError("plan.steps: stages are in order")
    return plan


def step_to_json(step: Step) -> dict[str, object]:
    """One step as plain JSON: what a worker is given."""
    return cast("dict[str, object]", canonical(step))


def step_from_json(value: object) -> Step:
    """The step that `step_to_json` wrote; ValueError on anything malformed."""
    return _step(Fields("step", value))


def digest(plan: Plan) -> str:
    """The sha256 (hex) of what the plan does: of its steps, whoever planned them."""
    return digest_of(plan.steps)


def legs(plan: Plan) -> tuple[LegPlan, ...]:
    """The plan's steps grouped by stage and node, in the order of stages, then of first mention."""
    result: list[LegPlan] = []
    for stage, together in groupby(plan.steps, key=lambda step: step.stage):
        by_target: dict[Target, list[Step]] = {}
        for step in together:
            by_target.setdefault(step.target, []).append(step)
        result += [LegPlan(target, stage, tuple(steps)) for target, steps in by_target.items()]
    return tuple(result)


def _origin(fields: Fields) -> Origin:
    origin = Origin(
        planner=fields.string("planner"),
        answer=fields.optional_string("answer"),
        tokens=fields.optional_integer("tokens"),
        seconds=fields.optional_number("seconds"),
    )
    fields.finish()
    return origin


def _target(fields: Fields) -> Target:
    transports: tuple[Transport, ...] = get_args(Transport)
    target = Target(
        node=fields.string("node"),
        transport=fields.choice("transport", transports),
        address=fields.optional_string("address"),
        user=fields.optional_string("user"),
        port=fields.optional_integer("port"),
        host=fields.optional_string("host"),
    )
    fields.finish()
    return target


def _step(fields: Fields) -> Step:
    label = fields.object("label")
    request = fields.optional_object("request")
    risk: Risk = fields.choice("risk", RISKS)
    step = Step(
        target=_target(fields.object("target")),
        action=fields.string("action"),
        label=Text(label.string("ja"), label.string("en")),
        risk=risk,
        timeout_s=fields.integer("timeout_s"),
        argv=fields.strings("argv"),
        request=_request(request) if request is not None else None,
        stage=fields.integer("stage", 0),
        as_root=fields.boolean("as_root", default=False),
        environment=fields.pairs("environment"),
        stdin=fields.string("stdin", ""),
        success_exit_codes=fields.integers("success_exit_codes", (0,)),
        repeatable=fields.boolean("repeatable", default=False),
        retries=fields.integer("retries", 0),
        parameters=fields.pairs("parameters"),
    )
    label.finish()
    fields.finish()
    if (step.request is None) == (not step.argv) or (step.request is None) == (step.target.transport == "http"):
        raise ValueError(f"{fields.place}: a step is a command, or on an http node a request")
    return step


def _request(fields: Fields) -> HttpRequest:
    method: Method = fields.choice("method", METHODS)
    request = HttpRequest(
        method=method,
        url=fields.string("url"),
        headers=fields.pairs("headers"),
        body=fields.optional_string("body"),
        success_statuses=fields.integers("success_statuses", (200, 201, 202, 204)),
        external_id=fields.optional_string("external_id"),
        tokens_used=fields.optional_string("tokens_used"),
        follow_redirects=fields.boolean("follow_redirects", default=False),
    )
    fields.finish()
    return request
