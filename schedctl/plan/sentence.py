"""A sentence in one width, with the way back to the operator's own characters."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final

VOICING: Final = ("\uff9e", "\uff9f")
"""Half-width marks that make one character of two: ｶ and ﾞ are ガ."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """`plain` is NFKC; `origins[i]` is where its i-th character began in `original` (one more at the end)."""

    original: str
    plain: str
    origins: tuple[int, ...]

    def said(self, start: int, end: int) -> str:
        """The operator's own characters for `plain[start:end]`."""
        return self.original[self.origins[start] : self.origins[end]]


def sentence(original: str) -> Sentence:
    """`original` in one width."""
    plain: list[str] = []
    origins: list[int] = []
    for start, cluster in _clusters(original):
        for char in unicodedata.normalize("NFKC", cluster):
            plain.append(char)
            origins.append(start)
    return Sentence(original, "".join(plain), (*origins, len(original)))


def _clusters(text: str) -> list[tuple[int, str]]:
    """Each character with the combining ones after it, and its place."""
    clusters: list[tuple[int, str]] = []
    for place, char in enumerate(text):
        if clusters and (char in VOICING or unicodedata.combining(char)):
            start, before = clusters[-1]
            clusters[-1] = (start, before + char)
        else:
            clusters.append((place, char))
    return clusters
