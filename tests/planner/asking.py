"""Short ways to ask the test's model server about the test's catalog."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

import pytest

from schedctl.errors import PlanError
from schedctl.planner import llm
from tests.planner.world import CATALOG

if TYPE_CHECKING:
    from schedctl.planner.call import Limits
    from schedctl.planner.wire import Kind
    from tests.planner.model_server import ModelServer

TASK = "marsのGPUを確認して"
GOOD = '{"steps":[{"action":"gpu.status","node":"mars","parameters":{},"stage":0}],"covers":"all"}'
KEY = "sk-test-0123456789"


def planner(model: ModelServer, kind: Kind = "ollama", limits: Limits = llm.DEFAULT_LIMITS) -> llm.Planner:
    return llm.Planner(kind, model.url, "qwen3:8b", KEY if kind == "openai" else None, limits)


def unheard(seconds: float) -> None:
    """Progress that nobody looks at."""


def ask(which: llm.Planner, task: str = TASK) -> llm.Answered:
    return llm.ask(which, task, CATALOG, unheard)


def refusal(which: llm.Planner) -> PlanError:
    with pytest.raises(PlanError) as caught:
        ask(which)
    return caught.value


def everything_about(error: BaseException) -> str:
    """All that any handler could print: texts, chained errors, traceback."""
    chained = [error.__cause__, error.__context__]
    inner = "".join(everything_about(each) for each in chained if each is not None)
    return repr(error) + repr(vars(error)) + "".join(traceback.format_exception(error)) + inner
