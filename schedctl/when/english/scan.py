"""How the English grammar looks for parts: rules by their first word, and what they find."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final

from schedctl.when.english.words import NUMBERS, ORDINALS
from schedctl.when.reading.grammar import Found

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from schedctl.when.reading.parts import Part

DIGIT: Final = "0"
"""The first word of a rule that begins with a number."""
FIRST_WORD: Final = re.compile(r"[a-z]+|\d")
NAME_TAIL: Final = re.compile(r"(?<=[a-z])[-_](?=[a-z])")
"""What makes a name of a word of time before it: `friday-bot`, `noon-db`."""
TOKEN: Final = re.compile(r"[^\s,;()「」\"]+")


@dataclass(frozen=True, slots=True)
class Hit:
    """What one rule found: parts with their places, in the order in which they bind.

    `bare` hours could be of the morning or the evening. `late` parts bind after the next hit (`2 days before ...`).
    `weak` words mean time only beside other words of time.
    """

    parts: tuple[Found, ...]
    start: int
    end: int
    bare: bool = False
    late: bool = False
    weak: bool = False


@dataclass(frozen=True)
class Rule:
    """A pattern that may begin with one of the words `starts`, and what its match means (None: nothing)."""

    starts: frozenset[str]
    pattern: str
    make: Callable[[re.Match[str]], Hit | None]

    @cached_property
    def match(self) -> Callable[[str, int], re.Match[str] | None]:
        """The compiled pattern's own `match`: compiled when it is first needed."""
        return compiled(self.pattern).match


@lru_cache(maxsize=256)
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled when it is first needed."""
    return re.compile(pattern)


def rule(starts: Iterable[str], pattern: str, make: Callable[[re.Match[str]], Hit | None]) -> Rule:
    """A rule that is tried where one of `starts` stands; a name of several words counts with its first."""
    firsts = (FIRST_WORD.match(start) for start in starts)
    return Rule(frozenset(DIGIT if first[0].isdigit() else first[0] for first in firsts if first), pattern, make)


def by_first_word(rules: Sequence[Rule]) -> dict[str, tuple[Rule, ...]]:
    """The rules that can begin with each word, in their order."""
    words = {word for each in rules for word in each.starts}
    return {word: tuple(each for each in rules if word in each.starts) for word in words}


def first_hit(rules: dict[str, tuple[Rule, ...]], text: str, place: int) -> Hit | None:
    """What the first rule that fits finds at `place`."""
    word = FIRST_WORD.match(text, place)
    if word is None:
        return None
    key = DIGIT if word[0].isdigit() else word[0]
    tried = rules.get(key) or rules.get(key.removesuffix("s"), ())
    for each in tried:
        found = each.match(text, place)
        if found is not None and (hit := each.make(found)) is not None:
            return None if NAME_TAIL.match(text, hit.end) and hit.parts else hit
    return None


def hits(rules: dict[str, tuple[Rule, ...]], text: str) -> Iterator[Hit]:
    """Everything that the rules find, from left to right; each word belongs to one hit at most."""
    place = 0
    while token := TOKEN.search(text, place):
        hit = first_hit(rules, text, token.start())
        if hit is not None:
            yield hit
        place = max(hit.end, token.start() + 1) if hit else token.end()


def whole(match: re.Match[str], *parts: Part, bare: bool = False, late: bool = False, weak: bool = False) -> Hit:
    """A hit whose parts all have the place of the whole match."""
    start, end = match.span()
    return Hit(tuple(Found(part, start, end) for part in parts), start, end, bare, late, weak)


def spanning(match: re.Match[str], end: int, *parts: Part) -> Hit:
    """A hit whose parts all reach from the match to `end`."""
    return Hit(tuple(Found(part, match.start(), end) for part in parts), match.start(), end)


def number_of(word: str) -> int:
    """`12`, `twelve`, `twenty-two`, `a`."""
    if word.isdigit():
        return int(word)
    return NUMBERS.get(word, 1)


def ordinal_of(words: str) -> int:
    """`1st`, `third`, `last` (-1), `second last` (-2)."""
    if words in ("last", "final"):
        return -1
    if words == "penultimate":
        return -2
    if words.endswith("last"):
        return -ordinal_of(re.split("[ -]", words)[0])
    if words in ORDINALS:
        return ORDINALS[words]
    return int(words.rstrip("stndrh"))
