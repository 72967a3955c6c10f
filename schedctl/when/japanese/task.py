"""The task that remains of a Japanese sentence: the operator's own characters, without the timing and its particles."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from schedctl.when.japanese.tokens import is_glue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedctl.when.reading.grammar import Found
    from schedctl.when.reading.normalize import Sentence

AFTER: Final = re.compile(
    r"[)」』\"'\s]*(?:になったら|になれば|より(?!も|前|後|あと|まえ|早|遅|古|新)|には|では|にも(?!う|の|っと|し)|にて|から|に|は(?!じ|や)|で(?!き|も)|の(?!こり|ち)|も(?!う|の|っと|し)"
    r"|と(?!り|に|も|か)|を目安に|,)?(?:(?:です|だ)?[ねよ](?=[、。!\s]|$)|です(?=[、。!\s]|$))?[)\s]*[、,。;:・]*\s*"
)
"""The particle and punctuation that go with a timing before them; `もう一度` and `とりあえず` begin with none."""
CONNECTIVES: Final = ("ただし", "但し", "もし", "なお", "その日が", "当日が", "その月の")
"""Words before an exclusion or a shift that belong to it."""
LEADING: Final = re.compile(
    r"[\s、。，．,;:・)」』】〕！!→⇒｜|／＝=>-]*(?:(?:には|では|にて|に|は|で|の|を|と|も|へ)(?=[\s、])[\s、]*)?"
)
TRAILING: Final = " 　\t\r\n、。，．,;:：；・"
OPENING: Final = "(（「『"
CLOSING: Final = {"(": ")", "（": "）", "「": "」", "『": "』"}


def rest(sentence: Sentence, used: Sequence[Found]) -> str:
    """The task of `sentence` when the parts `used` are its timing."""
    kept: list[str] = []
    place = 0
    for start, end in _spans(sentence.text, used):
        start, end = _with_brackets(sentence.text, start, end)
        kept.append(_without_connective(sentence.written(place, start)) if place < start else "")
        after = AFTER.match(sentence.text, end)
        place = end if after is None else after.end()
    kept.append(sentence.written(place, len(sentence.text)))
    return _trimmed("".join(kept))


def _spans(text: str, used: Sequence[Found]) -> list[tuple[int, int]]:
    """The places of the parts, those with nothing but glue between them as one."""
    spans: list[tuple[int, int]] = []
    for found in used:
        if spans and (found.start <= spans[-1][1] or is_glue(text, spans[-1][1], found.start)):
            spans[-1] = (spans[-1][0], max(spans[-1][1], found.end))
        else:
            spans.append((found.start, found.end))
    return spans


def _with_brackets(text: str, start: int, end: int) -> tuple[int, int]:
    """The brackets around a timing go with it."""
    while start > 0 and text[start - 1] in OPENING and text[end : end + 1] == CLOSING[text[start - 1]]:
        start, end = start - 1, end + 1
    if text[start - 1 : start] == "(" and text.find(")", start, end) < text.find("(", start, end) % (end + 1):
        start -= 1  # `(月)~(金)`: the first of them was opened before the timing
    return start, end


def _without_connective(before: str) -> str:
    bare = before.rstrip(TRAILING)
    connective = next((each for each in CONNECTIVES if bare.endswith(each)), None)
    if connective is None:
        return before
    kept = bare.removesuffix(connective)
    # `（ただし祝日は除く）`: its closing bracket goes with the part behind it.
    return kept[:-1] if kept[-1:] in tuple(OPENING) else kept


def _trimmed(task: str) -> str:
    task = task.strip(TRAILING)
    match = LEADING.match(task)
    task = task[match.end() :] if match is not None else task
    return task.strip(TRAILING)
