"""Which models a planner's server has: the question that `doctor` asks. Costs no token and loads no model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit, urlunsplit

from schedctl.planner import call, refusals, untrusted
from schedctl.planner.call import Patience, Received
from schedctl.planner.llm import address_of, headers_for

if TYPE_CHECKING:
    from schedctl.planner.llm import Planner
    from schedctl.planner.wire import Kind

PATHS: Final[dict[Kind, str]] = {"ollama": "/api/tags", "openai": "/v1/models"}
LISTS: Final[dict[Kind, tuple[str, str]]] = {"ollama": ("models", "name"), "openai": ("data", "id")}
"""Under which key the list stands, and under which the name of each."""


def available(planner: Planner) -> tuple[str, ...]:
    """The names of the models on the server; `PlanError` when it does not say."""
    where, endpoint = address_of(planner)
    patience = Patience(planner.limits, lambda _seconds: None)
    answer = call.get(_beside(endpoint, planner.kind), headers_for(planner), patience)
    match answer:
        case Received(status=200):
            return _names(planner.kind, answer.body)
        case Received():
            raise refusals.status(where, answer.status)
        case "unproven":
            raise refusals.unproven(where)
        case "slow":
            raise refusals.slow(where, patience.limits.overall_s)
        case "oversize" | "broken":
            raise refusals.broken(where)
        case "unreachable":
            raise refusals.unreachable(where)


def is_there(kind: Kind, model: str, names: tuple[str, ...]) -> bool:
    """Whether the model is among them; Ollama's `qwen3` means `qwen3:latest`."""
    return model in names or (kind == "ollama" and ":" not in model and f"{model}:latest" in names)


def _beside(endpoint: str, kind: Kind) -> str:
    """The address of the list, from the one to which questions are posted."""
    parts = urlsplit(endpoint)
    last = "/api/chat" if kind == "ollama" else "/v1/chat/completions"
    return urlunsplit((parts.scheme, parts.netloc, parts.path.removesuffix(last) + PATHS[kind], parts.query, ""))


def _names(kind: Kind, body: bytes) -> tuple[str, ...]:
    key, name = LISTS[kind]
    try:
        answer = untrusted.members(untrusted.parse(body.decode("utf-8")))
    except ValueError:
        answer = None
    listed = untrusted.items(answer.get(key)) if answer is not None else None
    if listed is None:
        raise refusals.not_the_api()
    named = (untrusted.members(one) for one in listed)
    return tuple(str(one[name]) for one in named if one is not None and name in one)
