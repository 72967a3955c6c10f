"""What steps must be to each other: prerequisites before, conflicts apart, nothing after a final one."""

from __future__ import annotations

import dataclasses
from itertools import groupby
from typing import TYPE_CHECKING

from schedctl.language import Text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from schedctl.catalog.model import Action, Catalog
    from schedctl.plan.model import Step


def order_faults(steps: Sequence[Step], catalog: Catalog) -> Iterator[Text]:
    """Everything about these steps together that the catalog does not allow."""
    actions = {action.name: action for action in catalog.actions}
    names = sorted({step.action for step in steps if step.action in actions})
    for name in names:
        for other in actions[name].conflicts:
            if other in names:
                yield Text(
                    f"「{name}」と「{other}」は一緒に実行できません", f"“{name}” and “{other}” cannot go together"
                )
    for place, step in enumerate(steps):
        if step.action in actions:
            yield from _faults_on_node(steps, place, actions[step.action])


def _faults_on_node(steps: Sequence[Step], place: int, action: Action) -> Iterator[Text]:
    node = steps[place].target.node
    before = {step.action for step in steps[:place] if step.target.node == node}
    after = [step.action for step in steps[place + 1 :] if step.target.node == node]
    for name in action.prerequisites:
        if name not in before:
            yield Text(f"「{action.name}」の前に「{name}」がありません", f"“{name}” is missing before “{action.name}”")
    if action.final and after:
        yield Text(
            f"{node} では「{action.name}」の後に「{after[0]}」を実行できません",
            f"On {node}, “{after[0]}” cannot come after “{action.name}”",
        )


def in_stages(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps with their stages counted from 0; stages in a row that have one and the same node become one leg."""
    result: list[Step] = []
    number, last = -1, frozenset[str]()
    for _, stage in groupby(sorted(steps, key=lambda step: step.stage), key=lambda step: step.stage):
        together = tuple(stage)
        nodes = frozenset(step.target.node for step in together)
        if len(nodes) > 1 or nodes != last:
            number += 1
        last = nodes
        result += [dataclasses.replace(step, stage=number) for step in together]
    return tuple(result)
