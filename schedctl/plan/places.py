"""Which nodes a stretch of tokens names: nodes, groups, all of them, all but some."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedctl.catalog.model import Group, Node
from schedctl.plan.tokens import Token, is_place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedctl.catalog.model import Catalog


@dataclass(frozen=True, slots=True)
class Places:
    """The nodes that were named, in the order of naming. `any_kind`: only those that suit the action are meant."""

    tokens: tuple[Token, ...]
    nodes: tuple[str, ...]
    any_kind: bool = False

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
    if token.meaning == "and" or token.said in ("(", ")", "（", "）"):
        return True
    before = tokens[at - 1].meaning
    return token.meaning == "of" and (before in ("every", "except_before") or isinstance(before, Group))


def _places(tokens: tuple[Token, ...], catalog: Catalog) -> Places:
    everything = tuple(node.name for node in catalog.nodes)
    named = [token for token in tokens if is_place(token)]
    left_out = _left_out(tokens)
    kept = [token for token in named if token not in left_out]
    nodes = _members(kept, catalog) if kept else everything
    without = _members(left_out, catalog)
    any_kind = not kept or any(token.meaning == "every" for token in kept)
    return Places(tokens, tuple(name for name in nodes if name not in without), any_kind)


def _left_out(tokens: tuple[Token, ...]) -> list[Token]:
    """The places before 以外 (but not all nodes or a group that stand first), or after `except`."""
    meanings = [token.meaning for token in tokens]
    if "except_after" in meanings:
        return [token for token in tokens[meanings.index("except_after") :] if is_place(token)]
    if "except_before" not in meanings:
        return []
    before = [token for token in tokens[: meanings.index("except_before")] if is_place(token)]
    whole_first = len(before) > 1 and (before[0].meaning == "every" or isinstance(before[0].meaning, Group))
    return before[1:] if whole_first else before


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
