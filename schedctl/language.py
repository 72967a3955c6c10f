"""The two languages that an operator may read, and sentences that exist in both."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

Lang = Literal["ja", "en"]

JAPANESE_LETTER: Final = r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f]"


@dataclass(frozen=True, slots=True)
class Text:
    """One sentence for the operator, in natural Japanese and in natural English."""

    ja: str
    en: str

    def say(self, lang: Lang) -> str:
        """The sentence in `lang`."""
        return self.ja if lang == "ja" else self.en


def is_japanese(text: str) -> bool:
    """Whether it has a kana or kanji in it. (To compile so wide a class costs 5 ms: that is left to who asks.)"""
    return re.search(JAPANESE_LETTER, text) is not None


def language_of(sentence: str) -> Lang:
    """`ja` when the sentence has a kana or kanji in it, else `en`."""
    return "ja" if is_japanese(sentence) else "en"
