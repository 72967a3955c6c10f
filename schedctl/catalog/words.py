"""How a name of the catalog may be said: the pieces of a word, and which words would sound the same.

`パッケージの更新`, `パッケージを更新` and `パッケージ更新` are one word in the pieces `パッケージ` and `更新`;
`apt.update`, `apt update` and `APT-Update` are one in `apt` and `update`.
The reader of tasks and the check for duplicates both go by the pieces.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from schedctl.catalog.placeholders import PLACEHOLDER

if TYPE_CHECKING:
    from schedctl.catalog.model import Action, Catalog, Group, Node

Joint = Literal["start", "particle", "separator"]

PARTICLE: Final = r"(?<=[^\sぁ-ゖ])[のをはがも](?=[^\sぁ-ゖ])"
KANA_KANJI: Final = r"(?<=[ァ-ヺー])(?=[一-鿿々])|(?<=[一-鿿々])(?=[ァ-ヺ])"
LATIN: Final = r"(?<=[a-z0-9}])(?=[^\x00-\x7f])|(?<=[^\x00-\x7f])(?=[a-z0-9{])"
ARTICLE: Final = re.compile(r"^(?:the|an?)\s+(?=\S)")
SEPARATOR: Final = r"(?P<separator>(?<=[a-z0-9])[\s._-]+(?=[a-z0-9])|(?<=[a-z0-9}])\s+(?=[a-z0-9{]))"
JOINTS: Final = re.compile(rf"{SEPARATOR}|\s*{PARTICLE}\s*|\s+|{KANA_KANJI}|{LATIN}")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a word that is said without a break, and what joins it to the one before."""

    text: str
    joint: Joint


def plain(word: str) -> str:
    """`word` in one width and one case."""
    return unicodedata.normalize("NFKC", word).lower().strip()


def pieces(word: str) -> tuple[Piece, ...]:
    """The pieces of a word, without an article before them. Placeholders (`{unit}`) are pieces of their own."""
    text = ARTICLE.sub("", plain(word))
    result: list[Piece] = []
    position, joint = 0, "start"
    for found in JOINTS.finditer(text):
        if found.start() > position:
            result.append(Piece(text[position : found.start()], joint if result else "start"))
            joint = "separator" if found["separator"] else "particle"
        position = found.end()
    if position < len(text):
        result.append(Piece(text[position:], joint if result else "start"))
    return tuple(result)


def sound(word: str) -> str:
    """Two words with the same sound cannot be told apart in a sentence."""
    return " ".join(PLACEHOLDER.sub("{}", piece.text) for piece in pieces(word))


def words_of(entry: Node | Group | Action) -> tuple[str, ...]:
    """Every word that names an entry: its name, its labels, its aliases."""
    return tuple(dict.fromkeys((entry.name, entry.label.ja, entry.label.en, *entry.aliases)))


def all_words(catalog: Catalog) -> tuple[str, ...]:
    """Every word of the catalog's nodes, groups and actions."""
    entries = (*catalog.nodes, *catalog.groups, *catalog.actions)
    return tuple(dict.fromkeys(word for entry in entries for word in words_of(entry)))
