"""A model's text -> what it asks for, checked word by word against the catalog, or a refusal. Pure.

Nothing is repaired here and nothing is guessed: a name is in the catalog letter for letter, or it is refused.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from schedctl.catalog import pattern
from schedctl.errors import PlanError
from schedctl.language import Text
from schedctl.plan.request import Request
from schedctl.planner import refusals, untrusted
from schedctl.planner.prompt import STAGES, doable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schedctl.catalog.model import Action, Catalog, Node, Parameter

MOST_STEPS: Final = 200
LONGEST_VALUE: Final = 200
FENCED: Final = re.compile(r"```[A-Za-z]*[ \t]*\n(.*)\n[ \t]*```", re.DOTALL)


class Declined(PlanError):
    """The model says that the catalog has nothing for the task, or for part of it: asking again would not help."""


def read(content: str, task: str, catalog: Catalog) -> tuple[Request, ...]:
    """The steps that the model asks for, in order; `Declined` when it finds none, `PlanError` when unusable."""
    plain = unwrapped(content)
    if not plain:
        raise refusals.invalid("言語モデルの答えが空でした", "The model's answer is empty")
    try:
        value = untrusted.parse(plain)
    except ValueError:
        raise refusals.invalid(
            "言語モデルの答えが JSON ではありません", "The model's answer is not one JSON object"
        ) from None
    found = _keys(value, {"steps", "leftover"}, Text("答え", "the answer"))
    steps, leftover = untrusted.items(found["steps"]), _words(found["leftover"])
    if steps is None or len(steps) > MOST_STEPS:
        raise _misshapen(Text(f"steps は{MOST_STEPS}件までの配列です", f"“steps” is an array of at most {MOST_STEPS}"))
    if leftover or not steps:
        raise _declined(leftover, task)
    requests = tuple(_request(step, catalog) for step in steps)
    if any(later.stage < earlier.stage for earlier, later in pairwise(requests)):
        raise _misshapen(Text("stage が前の手順より小さくなっています", "“stage” falls from one step to the next"))
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


def _request(value: object, catalog: Catalog) -> Request:
    """One step, with every word of it found in the catalog."""
    found = _keys(value, {"action", "node", "parameters", "stage"}, Text("手順", "a step"))
    action, able = _action(found["action"], catalog)
    node = _node(found["node"], action, able, catalog)
    stage = untrusted.count(found["stage"])
    if stage is None or stage >= STAGES:
        raise _misshapen(
            Text(f"stage は0から{STAGES - 1}までの整数です", f"“stage” is a whole number from 0 to {STAGES - 1}")
        )
    return Request(node.name, action.name, _parameters(found["parameters"], action), stage)


def _action(name: object, catalog: Catalog) -> tuple[Action, tuple[Node, ...]]:
    choices = {action.name: (action, nodes) for action, nodes in doable(catalog)}
    if not isinstance(name, str) or name not in choices:
        word = _word(name)
        raise PlanError(
            "unknown_action",
            Text(
                f"言語モデルが、カタログにないアクション「{word}」を選びました",
                f"The model chose “{word}”, which is no action",
            ),
            _nearest(word, choices),
        )
    return choices[name]


def _node(name: object, action: Action, able: tuple[Node, ...], catalog: Catalog) -> Node:
    chosen = next((node for node in able if node.name == name), None)
    if chosen is not None:
        return chosen
    word = _word(name)
    if any(node.name == name for node in catalog.nodes):
        raise PlanError(
            "unknown_node",
            Text(
                f"言語モデルが選んだ「{action.name}」は「{word}」では実行できません",
                f"The model chose {action.name} on {word}, which cannot do it",
            ),
            _nearest(word, [node.name for node in able]),
        )
    raise PlanError(
        "unknown_node",
        Text(
            f"言語モデルが、カタログにないノード「{word}」を選びました", f"The model chose “{word}”, which is no node"
        ),
        _nearest(word, [node.name for node in able]),
    )


def _parameters(value: object, action: Action) -> tuple[tuple[str, str], ...]:
    given = untrusted.members(value)
    declared = {parameter.name: parameter for parameter in action.parameters}
    if given is None or given.keys() != declared.keys():
        names = ", ".join(declared) or "{}"
        raise _misshapen(
            Text(f"{action.name} の parameters は {names} です", f"“parameters” of {action.name} are exactly: {names}")
        )
    return tuple((name, _value(given[name], parameter, action)) for name, parameter in declared.items())


def _value(value: object, parameter: Parameter, action: Action) -> str:
    if isinstance(value, str) and value.isprintable() and len(value) <= LONGEST_VALUE and _fits(value, parameter):
        return value
    word, place = _word(value), f"{action.name} の {parameter.name}"
    allowed = ", ".join(parameter.values) or parameter.pattern or ""
    raise refusals.invalid(
        f"言語モデルが {place} に、許されていない値「{word}」を選びました",
        f"The model chose “{word}” for {parameter.name} of {action.name}; allowed: {allowed}",
    )


def _fits(value: str, parameter: Parameter) -> bool:
    if parameter.values:
        return value in parameter.values
    return parameter.pattern is not None and pattern.admits(parameter.pattern, value)


def _keys(value: object, wanted: set[str], what: Text) -> dict[str, object]:
    found = untrusted.members(value)
    if found is None or found.keys() != wanted:
        names = ", ".join(sorted(wanted))
        raise _misshapen(
            Text(f"{what.ja}のキーは {names} だけです", f"{what.en} is an object with exactly the keys {names}")
        )
    return found


def _words(value: object) -> tuple[str, ...]:
    words = untrusted.items(value)
    if words is None or not all(isinstance(word, str) for word in words):
        raise _misshapen(Text("leftover は文字列の配列です", "“leftover” is an array of strings"))
    return tuple(word.strip() for word in words if isinstance(word, str) and word.strip())


def _misshapen(reason: Text) -> PlanError:
    return refusals.invalid(
        f"言語モデルの答えが決められた形ではありません（{reason.ja}）",
        f"The model's answer has another form: {reason.en}",
    )


def _declined(leftover: tuple[str, ...], task: str) -> Declined:
    """Only words of the operator's own task are repeated; what else a model writes is not for an operator's eyes."""
    own = [untrusted.shown(word) for word in leftover if word in task]
    ja = (
        f"「{'」「'.join(own)}」に当たるものがカタログにありません"
        if own
        else "このタスクに当たるものがカタログにありません"
    )
    quoted = ", ".join(f"“{word}”" for word in own)
    en = f"The catalog has nothing for {quoted}" if own else "The catalog has nothing for this task"
    return Declined("unknown_action", Text(f"{ja}（言語モデルの判断）", f"{en} (so the model says)"), refusals.REPHRASE)


def _word(value: object) -> str:
    return untrusted.shown(value if isinstance(value, str) else str(type(value).__name__))


def _nearest(word: str, names: Iterable[str]) -> Text:
    near = ", ".join(get_close_matches(word, list(names), n=3, cutoff=0.3) or list(names)[:3])
    return Text(f"近いもの: {near}。{refusals.EXACT_NAMES.ja}", f"Nearest: {near}. {refusals.EXACT_NAMES.en}")
