"""One way of writing for everything that is read: width, case, dashes; numerals and era years as numbers.

The task must keep the operator's own characters, so a normalised sentence knows where each of its characters came from.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

SAME_LETTER: Final = str.maketrans(
    {
        **dict.fromkeys("〜～∼˜", "~"),
        **dict.fromkeys("‘’", "'"),
        **dict.fromkeys("‐‑‒–—―−─━", "-"),
        **dict.fromkeys("\t\n\r\v\f\u3000\u00a0\u2003\u2002\u2009\u200b\ufeff", " "),
        "，": ",",
        "【": "(",
        "】": ")",
        "[": "(",
        "]": ")",
        "〔": "(",
        "〕": ")",
        "｢": "「",
        "｣": "」",
    }
)
WITH_ITS_MARK: Final = re.compile(r".[\uff9e\uff9f\u3099\u309a]?", re.DOTALL)
"""One character and the voicing mark that may follow it: what can become one letter."""

DIGITS: Final = {letter: value for value, letter in enumerate("〇一二三四五六七八九")} | {"零": 0}
POWERS: Final = {"十": 10, "百": 100, "千": 1000}
ERAS: Final = {"令和": 2018, "平成": 1988, "昭和": 1925, "西暦": 0}
"""The year before the first of each era; 西暦 says that a year is of none."""

LONGEST_NUMBER: Final = 9


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as written and as it is read; `starts` maps places in `text` to `original` (None: the same)."""

    original: str
    text: str
    starts: tuple[int, ...] | None = None

    def place(self, index: int) -> int:
        """Where the character at `index` of `text` begins in `original`; the end maps to the end."""
        return index if self.starts is None else self.starts[index]

    def written(self, start: int, end: int) -> str:
        """The operator's own characters for `text[start:end]`."""
        return self.original[self.place(start) : self.place(end)]


def normalize(original: str) -> Sentence:
    """The sentence in half-width, lower-case letters, with one kind of dash and one blank where there are several.

    Each character is traceable.
    """
    if unicodedata.is_normalized("NFKC", original):
        text = original.lower().translate(SAME_LETTER)
        if len(text) == len(original) and "  " not in text:
            return Sentence(original, text)
    letters: list[str] = []
    starts: list[int] = []
    previous = ""
    for match in WITH_ITS_MARK.finditer(original):
        written = match.group().translate(SAME_LETTER)
        read = unicodedata.normalize("NFKC", written).lower().translate(SAME_LETTER)
        if read == " " == previous:
            continue
        previous = read
        letters.append(read)
        starts.extend([match.start()] * len(read))
    starts.append(len(original))
    return Sentence(original, "".join(letters), tuple(starts))


def number(digits: str) -> int | None:
    """`12`, `十二`, `二〇二七`, `元` as a number; None when it is longer than any number of a timing."""
    if len(digits) > LONGEST_NUMBER:
        return None
    if digits.isascii():
        return int(digits)
    if digits == "元":
        return 1
    if any(letter in POWERS for letter in digits):
        return _with_powers(digits)
    return int("".join(str(DIGITS[letter]) for letter in digits))


def _with_powers(digits: str) -> int:
    """`二十五`: each power is multiplied by the digit before it, which is one where there is none."""
    total = 0
    pending: int | None = None
    for letter in digits:
        if letter in POWERS:
            total += POWERS[letter] * (1 if pending is None else pending)
            pending = None
        else:
            pending = (pending or 0) * 10 + DIGITS[letter]
    return total + (pending or 0)


def year_of_era(era: str, year: int) -> int:
    """`令和9年` is 2027."""
    return ERAS[era] + year
