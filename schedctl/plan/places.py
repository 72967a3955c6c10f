"""Which nodes a stretch of tokens names: nodes, groups, all of them, all but some."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from schedctl.catalog.model import Group, Node
from schedctl.plan.refusals import open_exception
from schedctl.plan.tokens import Token, is_place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedctl.catalog.model import Catalog


BRACKETS: Final = ("(", ")", "（", "）")
WHOLE: Final = re.compile(r"(?i)all|every")


@dataclass(frozen=True, slots=True)
class Places:
    """The nodes that were named, in the order of naming. `any_kind`: only those that suit the action are meant."""

    tokens: tuple[Token, ...]
    nodes: tuple[str, ...]
    any_kind: bool = False
    named: frozenset[str] = frozenset()
    """Those that were named one by one, and not as part of a group or of all."""

    @property
    def start(self) -> int:
        """Where the stretch begins."""
        return self.tokens[0].start


def with_places(tokens: Sequence[Token], catalog: Catalog) -> tuple[Token | Places, ...]:
    """The tokens with every stretch that names nodes as one; an exception that names none stays a token."""
    result: list[Token | Places] = []
    at = 0
    while at < len(tokens):
        length = _stretch(tokens, at)
        if length:
            result.append(_places(tuple(tokens[at : at + length]), catalog))
        else:
            result.append(tokens[at])
        at += length or 1
    return tuple(result)


def _stretch(tokens: Sequence[Token], start: int) -> int:
    """How many tokens from `start` name nodes together: places joined by と or `and`, with 以外 or `except`."""
    end = start
    at = start
    while at < len(tokens):
        token = tokens[at]
        if is_place(token) or (token.meaning == "except_before" and end == at > start):
            end = at + 1
        elif token.meaning == "except_after":
            if not (at + 1 < len(tokens) and is_place(_next_place(tokens, at))):
                break
        elif not _joins(tokens, at, end == start):
            break
        at += 1
    return end - start if any(is_place(token) for token in tokens[start:end]) else 0


def _next_place(tokens: Sequence[Token], at: int) -> Token:
    after = [
        token for token in tokens[at + 1 :] if token.said not in ("(", "（") and token.meaning not in ("on", "filler")
    ]
    return after[0] if after else tokens[at]


def _joins(tokens: Sequence[Token], at: int, nothing_yet: bool) -> bool:
    """Whether the token holds two names together: と, `and`, a bracket, or の after all nodes or an exception."""
    token = tokens[at]
    if nothing_yet:
        return False
    if token.meaning == "and" or token.said in BRACKETS:
        return True
    before = tokens[at - 1].meaning
    return token.meaning == "of" and (before in ("every", "except_before") or isinstance(before, Group))


def _places(tokens: tuple[Token, ...], catalog: Catalog) -> Places:
    everything = tuple(node.name for node in catalog.nodes)
    kept, left_out = _divided(tokens)
    nodes = _members(kept, catalog) if kept else everything
    without = _members(left_out, catalog)
    named = _members([token for token in kept if isinstance(token.meaning, Node)], catalog)
    for name in named:
        if name in without:
            raise open_exception(left_out[0])
    any_kind = not kept or any(token.meaning == "every" for token in kept)
    return Places(tokens, tuple(name for name in nodes if name not in without), any_kind, frozenset(named))


def _divided(tokens: tuple[Token, ...]) -> tuple[list[Token], list[Token]]:
    """The places that are meant and those that are left out; `PlanError` where it cannot be told which is which."""
    exceptions = [place for place, token in enumerate(tokens) if token.meaning in ("except_before", "except_after")]
    if not exceptions:
        return _named(tokens), []
    at = exceptions[0]
    if len(exceptions) > 1:
        raise open_exception(tokens[exceptions[1]])
    before, after = _named(tokens[:at]), _named(tokens[at + 1 :])
    if tokens[at].meaning == "except_after":
        if before and WHOLE.match(tokens[at].said):
            raise open_exception(tokens[at])
        return before, after
    if after:
        if not _is_whole(after, tokens[at + 1]):
            raise open_exception(after[0])
        return after, before
    return (before[:1], before[1:]) if _is_whole(before[:-1], tokens[1]) else ([], before)


def _is_whole(named: list[Token], joint: Token) -> bool:
    """Whether these are what an exception is taken from: all nodes or one group, and no further item of a list."""
    if len(named) != 1 or isinstance(named[0].meaning, Node):
        return False
    holds_together = joint.meaning == "of" or joint.said in BRACKETS or joint is named[0]
    return holds_together or (named[0].meaning == "every" and joint.said == "、")


def _named(tokens: Sequence[Token]) -> list[Token]:
    return [token for token in tokens if is_place(token)]


def _members(tokens: Sequence[Token], catalog: Catalog) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for token in tokens:
        match token.meaning:
            case Node(name=name):
                names[name] = None
            case Group(name=group):
                names |= dict.fromkeys(node.name for node in catalog.nodes if group in node.groups)
            case _:
                names |= dict.fromkeys(node.name for node in catalog.nodes)
    return tuple(names)
