"""A task -> tokens: at each place the longest word that is known there. What is no word stays, as `Unknown`."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from schedctl.catalog.model import Action, Group, Node
from schedctl.catalog.parameters import accepts
from schedctl.plan.grammar import ASKS_FOR
from schedctl.plan.lexicon import VALUE_ENDS, Meaning, Value, Word, lexicon, value_form
from schedctl.plan.operands import names_something
from schedctl.plan.sentence import Sentence, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.catalog.model import Catalog, Parameter

SPACE: Final = re.compile(r"[ \t\r]+")
LATIN_WORD: Final = re.compile(r"[A-Za-z0-9_.:/@$=+\\-]+(?<![.:])|[^ \t\r\n]|\n")


@dataclass(frozen=True, slots=True)
class Unknown:
    """A stretch of the task that no word accounts for."""


UNKNOWN: Final = Unknown()


@dataclass(frozen=True, slots=True)
class Token:
    """One word of the task: where it stands, what it means, how it was said, and the values said inside it."""

    start: int
    end: int
    meaning: Meaning | Unknown
    said: str
    parameters: tuple[tuple[str, str], ...] = ()


def tokens_of(task: str, catalog: Catalog) -> tuple[Token, ...]:
    """The tokens of a task; together with the spaces between them they are the whole of it."""
    text = sentence(task)
    words = lexicon(catalog)
    found: list[Token] = []
    place = 0
    while place < len(text.plain):
        space = SPACE.match(text.plain, place)
        if space:
            place = space.end()
            continue
        token = _longest(text, place, words) or _unknown(text, place)
        if isinstance(token.meaning, Action):
            token = _with_arguments(text, token, token.meaning, words)
        found.append(token)
        place = token.end
    return tuple(_answered(_unknown_together(text, found)))


def _longest(text: Sentence, place: int, words: tuple[Word, ...]) -> Token | None:
    best: Token | None = None
    for word in words:
        found = word.form.match(text.plain, place)
        if found and found.end() > (best.end if best else place):
            said = found.groupdict()
            parameters = _values(
                word.meaning, {name: value for name, value in said.items() if value is not None}, words
            )
            if parameters is not None:
                best = Token(place, found.end(), word.meaning, text.said(place, found.end()), parameters)
    return best


def _values(meaning: Meaning, said: dict[str, str], words: tuple[Word, ...]) -> tuple[tuple[str, str], ...] | None:
    """The values of parameters said inside a word; None where one of them is no value."""
    if not isinstance(meaning, Action):
        return ()
    values: list[tuple[str, str]] = []
    for parameter in meaning.parameters:
        if parameter.name in said:
            value = meant_by(parameter, said[parameter.name])
            if value is None or (parameter.pattern is not None and not names_something(value, words)):
                return None
            values.append((parameter.name, value))
    return tuple(values)


def meant_by(parameter: Parameter, said: str) -> str | None:
    """The value that a word means for a parameter; None where it means none."""
    for word, value in (*((value, value) for value in parameter.values), *parameter.aliases):
        if word.lower() == said.lower():
            return value
    return said if parameter.pattern is not None and accepts(parameter, said) else None


def _unknown(text: Sentence, place: int) -> Token:
    found = LATIN_WORD.match(text.plain, place)
    end = found.end() if found else place + 1
    return Token(place, end, UNKNOWN, text.said(place, end))


def _with_arguments(text: Sentence, token: Token, action: Action, words: tuple[Word, ...]) -> Token:
    """`unit.restart nginx`, `unit.restart unit=nginx` and `unit.restart(nginx)`: values that follow a name directly."""
    missing = [parameter for parameter in action.parameters if parameter.name not in dict(token.parameters)]
    end, values = token.end, dict(token.parameters)
    while True:
        argument = _argument(text, end, missing, words)
        if argument is None:
            return Token(token.start, end, action, text.said(token.start, end), tuple(sorted(values.items())))
        end, parameter, value = argument
        values[parameter.name] = value
        missing = [other for other in missing if other is not parameter]


def _argument(
    text: Sentence, place: int, missing: list[Parameter], words: tuple[Word, ...]
) -> tuple[int, Parameter, str] | None:
    for parameter in missing:
        said = f"(?P<value>{value_form(parameter)}){VALUE_ENDS}"
        named = rf"(?i)\s*[(,]?\s*{parameter.name}\s*=\s*{said}\)?"
        alone = rf"(?i)(?:\s+|\s*(?P<open>\()){said}(?(open)\))"
        for form in (named, alone) if len(missing) == 1 else (named,):
            found = re.compile(form).match(text.plain, place)
            value = meant_by(parameter, found["value"]) if found else None
            if found and value is not None and (form is named or _is_free(text, found, words)):
                return found.end(), parameter, value
    return None


def _is_free(text: Sentence, found: re.Match[str], words: tuple[Word, ...]) -> bool:
    """Whether what would be read as a value is no word of its own (`unit.restart on mars`)."""
    if not names_something(found["value"], words):
        return False
    token = _longest(text, found.start("value"), words)
    return token is None or isinstance(token.meaning, Value)


def _unknown_together(text: Sentence, tokens: list[Token]) -> list[Token]:
    """Unknown stretches that touch each other are one."""
    result: list[Token] = []
    for token in tokens:
        before = result[-1] if result else None
        if token.meaning is UNKNOWN and before and before.meaning is UNKNOWN and before.end == token.start:
            result[-1] = Token(before.start, token.end, UNKNOWN, text.said(before.start, token.end))
        else:
            result.append(token)
    return result


def _answered(tokens: list[Token]) -> Iterator[Token]:
    """The `?` of `could you …?` ends an order, any other asks; and so does の behind a verb at the end (するの)."""
    asked = False
    for before, token, after in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False):
        if token.meaning == "do" and ASKS_FOR.match(token.said):
            asked = True
        if asked and token.meaning == "question" and token.said in ("?", "\uff1f"):
            yield dataclasses.replace(token, meaning="end")
        elif token.meaning == "of" and _is_verb(before) and (after is None or after.meaning == "end"):
            yield dataclasses.replace(token, meaning="question")
        else:
            yield token
        asked = asked and token.meaning not in ("end", "question")


def _is_verb(token: Token | None) -> bool:
    return token is not None and token.meaning in ("do", "change", "look")


def is_place(token: Token) -> bool:
    """Whether it names nodes."""
    return isinstance(token.meaning, Node | Group) or token.meaning == "every"
