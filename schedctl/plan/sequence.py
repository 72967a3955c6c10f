"""`A after doing B` and `A before doing B`: tokens in the order in which things are to be done."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from schedctl.catalog.model import Action
from schedctl.plan.grammar import GERUNDS
from schedctl.plan.refusals import misplaced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedctl.plan.tokens import Token

TURNS: Final = ("after", "before")
ORDERED: Final = ("then", "last", "first", "kara")


def in_sequence(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """The tokens with what comes first before a `then`; `PlanError` where a gerund or `after` has no such place.

    Only one in a sentence, behind its main clause, directly before a gerund: `after the upgrade` may mean another's.
    """
    turns = [place for place, token in enumerate(tokens) if token.meaning in TURNS]
    gerunds = [place for place, token in enumerate(tokens) if _is_gerund(token)]
    if not turns and not gerunds:
        return tuple(tokens)
    wrong = [tokens[place] for place in (*turns, *gerunds)]
    if len(turns) != 1 or gerunds != [turns[0] + 1] or any(token.meaning in ORDERED for token in tokens):
        raise misplaced(wrong[0])
    main, turn, rest = tokens[: turns[0]], tokens[turns[0]], tokens[turns[0] + 1 :]
    if not any(isinstance(token.meaning, Action) for token in main):
        raise misplaced(turn)
    then = dataclasses.replace(turn, meaning="then")
    return (*_without_end(rest), then, *main) if turn.meaning == "after" else (*main, then, *rest)


def _is_gerund(token: Token) -> bool:
    return isinstance(token.meaning, Action) and token.said.lower().split(" ")[0] in GERUNDS.values()


def _without_end(tokens: Sequence[Token]) -> Sequence[Token]:
    """The same without the full stop and the courtesy at its end, which belong to the whole sentence."""
    while tokens and tokens[-1].meaning in ("end", "do"):
        tokens = tokens[:-1]
    return tokens
