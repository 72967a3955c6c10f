"""One request -> one step, with its argv (or HTTP request) final."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING
from urllib.parse import quote

from schedctl.catalog.parameters import accepts
from schedctl.catalog.placeholders import fill
from schedctl.errors import PlanError
from schedctl.language import Text, language_of
from schedctl.plan.lookup import action_named, can_run, node_named, nodes_for, offer
from schedctl.plan.model import Step, Target

if TYPE_CHECKING:
    from schedctl.catalog.basics import HttpRequest
    from schedctl.catalog.model import Action, Catalog, Node, Parameter
    from schedctl.plan.request import Request


def make_step(request: Request, catalog: Catalog, host: str) -> Step:
    """The step that a request means today; `PlanError` where the catalog does not allow it. `host` is this machine."""
    node, action = node_named(catalog, request.node), action_named(catalog, request.action)
    if not can_run(action, node):
        raise PlanError(
            "unknown_node",
            Text(
                f"ノード「{node.name}」では「{action.name}」を実行できません",
                f"“{node.name}” cannot run “{action.name}”",
            ),
            offer(nodes_for(action, catalog), catalog),
        )
    values = _values(action, dict(request.parameters))
    return Step(
        target=target_of(node, host),
        action=action.name,
        label=action.label,
        risk=action.risk,
        timeout_s=action.timeout_s,
        argv=tuple(fill(word, values) for word in action.argv),
        request=_http(action.request, node, values) if action.request is not None else None,
        stage=request.stage,
        as_root=action.as_root,
        environment=action.environment,
        stdin=action.stdin,
        success_exit_codes=action.success_exit_codes,
        repeatable=action.repeatable,
        retries=action.retries,
        parameters=tuple(sorted(values.items())),
    )


def target_of(node: Node, host: str) -> Target:
    """Where a node is, for whoever has to reach it; a local one is this machine."""
    return Target(
        node=node.name,
        transport=node.transport,
        address=node.address,
        user=node.user,
        port=node.port,
        host=host if node.transport == "local" else None,
    )


def _values(action: Action, given: dict[str, str]) -> dict[str, str]:
    """A checked value for each declared parameter, and no other."""
    unknown = sorted(set(given) - {parameter.name for parameter in action.parameters})
    if unknown:
        raise _refused(
            action, Text(f"パラメータ {', '.join(unknown)} はありません", f"it has no parameter {', '.join(unknown)}")
        )
    values: dict[str, str] = {}
    for parameter in action.parameters:
        value = given.get(parameter.name, parameter.default)
        if value is None:
            raise _refused(
                action,
                Text(f"{parameter.label.ja}（{parameter.name}）が書かれていません", f"{parameter.name} is not given"),
                _choices(action, parameter),
            )
        if not accepts(parameter, value):
            raise _refused(
                action,
                Text(f"{parameter.name} に「{value}」は使えません", f"{parameter.name} cannot be “{value}”"),
                _choices(action, parameter),
            )
        values[parameter.name] = value
    return values


def _refused(action: Action, why: Text, hint: Text | None = None) -> PlanError:
    return PlanError("unknown_action", Text(f"「{action.name}」: {why.ja}", f"“{action.name}”: {why.en}"), hint)


def _choices(action: Action, parameter: Parameter) -> Text:
    said = f"{action.name} {parameter.name}=…"
    forms = [alias for alias in action.aliases if f"{{{parameter.name}}}" in alias]
    ja, en = (
        next((form.replace(f"{{{parameter.name}}}", "…") for form in forms if language_of(form) == lang), said)
        for lang in ("ja", "en")
    )
    values_ja = "、".join(parameter.values) or f"{parameter.pattern} に合うもの"
    values_en = ", ".join(parameter.values) or f"whatever fits {parameter.pattern}"
    return Text(
        f"「{ja}」か「{said}」のように書いてください。使える値: {values_ja}",
        f"Write “{en}” or “{said}”; its values: {values_en}",
    )


def _http(request: HttpRequest, node: Node, values: dict[str, str]) -> HttpRequest:
    """The request with its values in place: percent-encoded in the URL, escaped in the JSON of the body."""
    url = fill(request.url, values, lambda value: quote(value, safe=""))
    return dataclasses.replace(
        request,
        url=f"{node.address or ''}{url}" if url.startswith("/") else url,
        headers=tuple((name, fill(value, values)) for name, value in request.headers),
        body=fill(request.body, values, _in_json) if request.body is not None else None,
    )


def _in_json(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)[1:-1]
