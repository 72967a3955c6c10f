"""Break a paragraph into lines of a terminal: by cells (a kanji takes two), between words and as Japanese is broken."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.text import Text as Styled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NEVER_FIRST: Final = "、。，．・：；！？）」』】〉》〕］｝ーっゃゅょァィゥェォッャュョ々〜…,.!?:;)]}%"
NEVER_LAST: Final = "（「『【〈《〔［｛([{"
WIDE: Final = r"[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]"
PIECE: Final = re.compile(rf"\s+|(?:(?!{WIDE})\S)+|{WIDE}")
"""A space, a word, or one wide letter: between two pieces a line may end."""


def wrapped(text: Styled, width: int) -> list[Styled]:
    """The paragraph's lines, none wider than `width` cells; spaces at the end of a line are dropped."""
    lines: list[Styled] = []
    for paragraph in text.split("\n", allow_blank=True):
        for line in paragraph.divide(list(_breaks(paragraph.plain, width))):
            line.rstrip()
            lines.append(line)
    return lines


def command_lines(words: Sequence[str], width: int) -> list[str]:
    """A command as one could paste it into a shell: broken only between arguments, with a backslash at each break."""
    lines: list[str] = []
    for piece in _options_with_values(words):
        if lines and cell_len(lines[-1]) + 1 + cell_len(piece) + len(" \\") <= width:
            lines[-1] += f" {piece}"
        else:
            lines.append(f"  {piece}" if lines else piece)
    return [*(f"{line} \\" for line in lines[:-1]), *lines[-1:]]


def hung(text: str, width: int, margin: str) -> str:
    """The paragraph's lines as one text, each but the first behind `margin`."""
    return f"\n{margin}".join(line.plain for line in wrapped(Styled(text), width - len(margin)))


def _options_with_values(words: Sequence[str]) -> Iterator[str]:
    """Quoted arguments; one that looks like an option stays beside what looks like its value."""
    option = ""
    for word in map(shlex.quote, words):
        if option and word.startswith("-"):
            yield option
            option = ""
        if word.startswith("-") and "=" not in word:
            option = word
        else:
            yield f"{option} {word}" if option else word
            option = ""
    if option:
        yield option


def _breaks(plain: str, width: int) -> Iterator[int]:
    """The offsets at which new lines begin."""
    begin, used = 0, 0
    for start, piece in _unbreakable(plain):
        offset, rest = start, piece
        if offset > begin and used + cell_len(rest.rstrip()) > width:
            yield offset
            begin, used = offset, 0
        while used + cell_len(rest.rstrip()) > width:
            fits = _fitting(rest, width)
            offset, rest = offset + fits, rest[fits:]
            yield offset
            begin, used = offset, 0
        used += cell_len(rest)


def _unbreakable(plain: str) -> Iterator[tuple[int, str]]:
    """Pieces that stay whole, each with its offset: closing marks stay with what they close, opening ones likewise."""
    begin = 0
    for piece, following in pairwise([*PIECE.finditer(plain), None]):
        if piece is None:
            return
        end = piece.end()
        glued = following is not None and (
            following[0][0] in NEVER_FIRST or piece[0][-1] in NEVER_LAST or following[0].isspace()
        )
        if not glued:
            yield begin, plain[begin:end]
            begin = end


def _fitting(piece: str, width: int) -> int:
    """How many letters of a piece fit into one line; at least one."""
    used = 0
    for count, letter in enumerate(piece):
        used += cell_len(letter)
        if used > width:
            return max(1, count)
    return len(piece)
