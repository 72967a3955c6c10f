"""A refusal as the operator is told it: the sentence, and suggestions that were read before they are shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from schedctl.errors import TimingError
from schedctl.language import Lang, Text

if TYPE_CHECKING:
    from schedctl.when.reading.grammar import Edit, Refusal
    from schedctl.when.reading.normalize import Sentence

LONGEST_ECHO: Final = 200
"""Sentences longer than this are not repeated in a hint."""
MOST: Final = 3
CLOSING: Final = (")", "）")
PARTICLES: Final = ("に", "の", "は", "で", "、", " ")
JOINTS: Final = ("と", "や", "・", "、")
WITHOUT_PREPOSITION: Final = ("every", "from", "tomorrow", "today")
PREPOSITION: Final = re.compile(r"(?<![a-z])(?:at|in|on|during) $", re.IGNORECASE)
"""`at 9` becomes `every day at 9`, and never `at every day at 9`."""
EXAMPLE: Final = Text("毎週月曜の9時にmarsのログを確認して", "every Monday at 9:00 check the logs on mars")

Reads = Callable[[str], bool]


def explained(refusal: Refusal, sentence: Sentence, lang: Lang, reads: Reads) -> TimingError:
    """The error for `refusal`: of its edits, those are offered with which `reads` can read the whole sentence."""
    offered: list[str] = []
    if len(sentence.original) <= LONGEST_ECHO:
        for edit in refusal.edits:
            text = edited(edit, sentence, lang)
            if text not in offered and len(offered) < MOST and reads(text):
                offered.append(text)
    return TimingError(refusal.type, refusal.message, _hint(refusal.advice, offered, lang))


def edited(edit: Edit, sentence: Sentence, lang: Lang) -> str:
    """The operator's sentence with the words of `edit` in their place."""
    words = edit.words.say(lang)
    if edit.start < 0:
        written = sentence.original.rstrip(" 　。、.,")
        return (written.removesuffix("に") if words.startswith("に") else written) + words
    start, end = sentence.place(edit.start), sentence.place(edit.end)
    before, after = sentence.original[:start], sentence.original[end:]
    if lang == "en" and words.startswith(WITHOUT_PREPOSITION):
        before = PREPOSITION.sub("", before)
    if edit.takes_particle:
        if after.startswith(CLOSING):
            before, after = before + after[0], after[1:]
        cut = _without_particle(after, lang)
        before = before.removesuffix("の") if not words and cut != after else before
        after = cut
        words = words if lang == "en" or after else words.rstrip("に")
    if lang == "ja" and not words:
        before, after = _without_joint(before, after)
    text = f"{before}{words}{after}"
    return " ".join(text.split()) if lang == "en" else text


def _without_particle(after: str, lang: Lang) -> str:
    if lang == "ja" and after.startswith(PARTICLES):
        return after[1:]
    return after


def _without_joint(before: str, after: str) -> tuple[str, str]:
    """Nothing is left of what bound the words that were cut out: `月曜と|毎日|の9時`, `9時に|隔年|で`."""
    if before.endswith(JOINTS):
        return before[:-1], after
    if after.startswith(PARTICLES) and (not before or before.endswith(PARTICLES)):
        return before, after[1:]
    return before, after


def _hint(advice: Text | None, offered: list[str], lang: Lang) -> Text:
    said = () if advice is None else (advice,)
    if offered:
        ja = "か".join(f"「{each}」" for each in offered)
        en = " or ".join(f"“{each}”" for each in offered)
        return _joined(*said, Text(f"{ja}のように書いてください", f"Write {en}"))
    example = EXAMPLE.say(lang)
    return _joined(*said, Text(f"例：「{example}」", f"For example: “{example}”"))


def _joined(*texts: Text) -> Text:
    return Text("。".join(text.ja for text in texts), ". ".join(text.en for text in texts))
