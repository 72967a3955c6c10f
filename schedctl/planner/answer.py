"""A model's text -> what it asks for, checked word by word against the catalog, or a refusal. Pure.

Nothing is mended here and nothing is guessed: a name is in the catalog letter for letter, or it is refused. The
catalog's own rules (`plan.build`) are asked here already, so that a model hears of a broken one while it can still
repair its answer.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final, cast

from schedctl.errors import PlanError
from schedctl.language import Text
from schedctl.plan.build import build
from schedctl.plan.model import Origin
from schedctl.plan.request import Request
from schedctl.planner import refusals, untrusted
from schedctl.planner.prompt import COVERS, STAGES

if TYPE_CHECKING:
    from schedctl.catalog.model import Catalog
    from schedctl.errors import PlanErrorType

MOST_STEPS: Final = 200
LONGEST_WORD: Final = 100
FENCED: Final = re.compile(r"```[A-Za-z]*[ \t]*\n(.*)\n[ \t]*```", re.DOTALL)
ANSWER: Final = Text("答え", "the answer")
STEP: Final = Text("手順", "a step")


class Declined(PlanError):
    """The model says that the catalog has nothing for the task, or for part of it: asking again would not help."""


def read(content: str, catalog: Catalog) -> tuple[Request, ...]:
    """The steps that the model asks for, in order; `Declined` when it finds none, `PlanError` when unusable."""
    found = _members(_json(unwrapped(content)), {"steps", "covers"}, ANSWER)
    steps, covers = untrusted.items(found["steps"]), found["covers"]
    if steps is None or len(steps) > MOST_STEPS:
        raise _misshapen(f"steps は{MOST_STEPS}件までの配列です", f"“steps” is an array of at most {MOST_STEPS}")
    if not isinstance(covers, str) or covers not in COVERS:
        raise _misshapen(f"covers は {COVERS} のどれかです", f"“covers” is one of {COVERS}")
    if covers != "all" or not steps:
        raise _declined(covers)
    requests = tuple(_request(step) for step in steps)
    if any(later.stage < earlier.stage for earlier, later in pairwise(requests)):
        raise _misshapen("stage が前の手順より小さくなっています", "“stage” falls from one step to the next")
    _require_allowed(requests, catalog)
    return requests


def unwrapped(content: str) -> str:
    """`content` without the thoughts before it and the code fence around it; `PlanError` when it is all thought."""
    text = content.strip().removeprefix("\ufeff").lstrip()
    if not text.startswith(("{", "```")):
        _, thought, after = text.rpartition("</think>")
        if not thought and text.startswith("<think>"):
            raise refusals.thought_only()
        text = after.strip()
    fenced = FENCED.fullmatch(text)
    return fenced[1].strip() if fenced else text


def _json(plain: str) -> object:
    if not plain:
        raise refusals.invalid("言語モデルの答えが空でした", "The model's answer is empty")
    try:
        return untrusted.parse(plain)
    except ValueError:
        raise refusals.invalid(
            "言語モデルの答えが JSON ではありません", "The model's answer is not one JSON object"
        ) from None


def _request(value: object) -> Request:
    """One step, with the words that the model wrote."""
    found = _members(value, {"action", "node", "parameters", "stage"}, STEP)
    stage = untrusted.count(found["stage"])
    if stage is None or stage >= STAGES:
        raise _misshapen(
            f"stage は0から{STAGES - 1}までの整数です", f"“stage” is a whole number from 0 to {STAGES - 1}"
        )
    parameters = untrusted.members(found["parameters"])
    if parameters is None:
        raise _misshapen("parameters はオブジェクトです", "“parameters” is an object")
    chosen = tuple((_word(name), _word(value)) for name, value in parameters.items())
    return Request(_word(found["node"]), _word(found["action"]), chosen, stage)


def _word(value: object) -> str:
    """A word that a refusal may repeat; whether the catalog has it is for the catalog to say."""
    if isinstance(value, str) and value.isprintable() and len(value) <= LONGEST_WORD:
        return value
    raise _misshapen(
        f"名前と値は{LONGEST_WORD}字以内の文字列です", f"names and values are strings of at most {LONGEST_WORD} letters"
    )


def _require_allowed(requests: tuple[Request, ...], catalog: Catalog) -> None:
    """`PlanError` when the catalog cannot make a plan of these. The plan itself is made again by whoever stores it."""
    try:
        build(requests, catalog, host="", origin=Origin("model"))
    except PlanError as error:
        fault = error
    else:
        return
    raise PlanError(
        cast("PlanErrorType", fault.type),
        Text(
            f"言語モデルの答えはカタログに合いません: {fault.message.ja}",
            f"The model's answer does not fit the catalog: {fault.message.en}",
        ),
        fault.hint or refusals.REPHRASE,
    )


def _members(value: object, wanted: set[str], what: Text) -> dict[str, object]:
    found = untrusted.members(value)
    if found is None or found.keys() != wanted:
        names = ", ".join(sorted(wanted))
        raise _misshapen(f"{what.ja}のキーは {names} だけです", f"{what.en} is an object with exactly the keys {names}")
    return found


def _misshapen(ja: str, en: str) -> PlanError:
    return refusals.invalid(
        f"言語モデルの答えが決められた形ではありません（{ja}）", f"The model's answer has another form: {en}"
    )


def _declined(covers: str) -> Declined:
    part = Text("このタスクの一部", "a part of this task") if covers == "part" else Text("このタスク", "this task")
    return Declined(
        "unknown_action",
        Text(
            f"{part.ja}に当たるものがカタログにありません（言語モデルの判断）",
            f"Nothing in the catalog answers to {part.en} (so the model says)",
        ),
        refusals.REPHRASE,
    )
