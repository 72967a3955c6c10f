"""All words that a task can be made of: the catalog's, each in every way it may be said, and the grammar's."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from schedctl.catalog.model import Action, Group, Node, Parameter
from schedctl.catalog.pattern import inner
from schedctl.catalog.placeholders import PLACEHOLDER
from schedctl.catalog.words import Piece, pieces, words_of
from schedctl.plan.grammar import ENGLISH, GROUP_BEFORE, JAPANESE, NODE_AFTER, NODE_BEFORE, OTHER_FORMS, Mark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.catalog.model import Catalog

STARTS: Final = r"(?<![a-zA-Z0-9_])(?<![a-zA-Z0-9][-.@])"
ENDS: Final = r"(?![a-zA-Z0-9_])(?![-.@:=][a-zA-Z0-9])"
ADVERBS: Final = ("全部", "すべて", "全て", "まとめて", "一括で", *JAPANESE["one_by_one"])
"""What may stand inside a word (パッケージを全部更新, LLMを順番に再起動)."""
BETWEEN: Final = {
    "start": "",
    "particle": rf"\s*(?:[のをはがも]\s*)?(?:(?:{'|'.join(ADVERBS)})\s*)?",
    "separator": r"(?:\s+(?:(?:the|a|an|my|our|its)\s+)?|[._-])",
}
VALUE_STARTS: Final = r"(?<![A-Za-z0-9_.:/@=+~$%\\-])"
VALUE_ENDS: Final = r"(?<![.:,;])(?![A-Za-z0-9_/@=+~$%\\(':-])(?!\.(?:[A-Za-z0-9]|\s+(?:on|in|at|of|for)\s))"
"""A value counts as it is written: a sign before or behind it is part of it, but for the mark that ends a sentence."""


@dataclass(frozen=True, slots=True)
class Value:
    """A word that stands for a value of a parameter with closed values."""

    said: str


Meaning = Node | Group | Action | Value | Mark


@dataclass(frozen=True, slots=True)
class Word:
    """One way to say something. `form` has a named group for each parameter that is said inside it."""

    form: re.Pattern[str]
    meaning: Meaning


@lru_cache(maxsize=8)
def lexicon(catalog: Catalog) -> tuple[Word, ...]:
    """Every word of a catalog, then the grammar's (of two equally long words the earlier one counts)."""
    return (*_catalog_words(catalog), *grammar_words())


def value_form(parameter: Parameter) -> str:
    """A regular expression for the values of a parameter, as they may be said."""
    if parameter.pattern is not None:
        said = (rf"(?-i:{inner(parameter.pattern)})", *(_spelled(word) for word, _ in parameter.aliases))
    else:
        said = tuple(_spelled(word) for word in value_words(parameter))
    return rf"(?:{'|'.join(said)})"


def value_words(parameter: Parameter) -> tuple[str, ...]:
    """The closed values and the words that stand for values, the longest first."""
    return tuple(
        sorted({*parameter.values, *(word for word, _ in parameter.aliases)}, key=lambda word: (-len(word), word))
    )


@cache
def grammar_words() -> tuple[Word, ...]:
    """The words of grammar.py."""
    japanese = [Word(re.compile(form), mark) for mark, forms in JAPANESE.items() for form in forms]
    english = [Word(_english(form), mark) for mark, forms in ENGLISH.items() for form in forms]
    return (*japanese, *english)


def _english(form: str) -> re.Pattern[str]:
    spaced = form.replace(" ", r"\s+")
    if form[0].isalpha() or form.startswith("(?:"):
        return re.compile(rf"(?i){STARTS}(?:{spaced}){ENDS}")
    return re.compile(f"(?i){spaced}")


def _catalog_words(catalog: Catalog) -> Iterator[Word]:
    for action in catalog.actions:
        for said in words_of(action):
            yield Word(_form(said, action), action)
    for place in (*catalog.nodes, *catalog.groups):
        for said in words_of(place):
            # `GPUを再起動` means a device: a group's bare name needs its ノード or nodes.
            after = NODE_AFTER if isinstance(place, Group) and said == place.name else f"(?:{NODE_AFTER})?"
            before = GROUP_BEFORE if isinstance(place, Group) else NODE_BEFORE
            yield Word(re.compile(f"(?i){before}{_joined(pieces(said), {})}{after}"), place)
    values = {word for action in catalog.actions for parameter in action.parameters for word in value_words(parameter)}
    for word in sorted(values):
        yield Word(re.compile(f"(?i){_bounded(_spelled(word), word)}"), Value(word))


def _form(said: str, action: Action) -> re.Pattern[str]:
    values = {parameter.name: value_form(parameter) for parameter in action.parameters}
    return re.compile(f"(?i){_joined(pieces(said), values)}")


def _joined(parts: tuple[Piece, ...], values: dict[str, str]) -> str:
    form = "".join(BETWEEN[part.joint] + _piece(part, values) for part in parts)
    return _bounded(form, parts[0].text + parts[-1].text)


def _piece(part: Piece, values: dict[str, str]) -> str:
    """A piece as a regular expression: its letters, or the values of the parameter that it stands for."""
    form = ""
    position = 0
    for found in PLACEHOLDER.finditer(part.text):
        starts = "" if found.start() else VALUE_STARTS
        ends = "" if found.end() < len(part.text) else VALUE_ENDS
        form += _spelled(part.text[position : found.start()]) + f"{starts}(?P<{found[1]}>{values[found[1]]}){ends}"
        position = found.end()
    return form + (OTHER_FORMS.get(part.text) or _spelled(part.text[position:]))


def _spelled(text: str) -> str:
    return r"\s*".join(re.escape(stretch) for stretch in text.split())


def _bounded(form: str, text: str) -> str:
    """Latin letters and digits match as whole words only; kana and kanji have no such boundary."""
    starts = STARTS if re.match(r"[a-zA-Z0-9{]", text) else ""
    ends = ENDS if re.search(r"[a-zA-Z0-9}]$", text) else ""
    return f"{starts}{form}{ends}"
