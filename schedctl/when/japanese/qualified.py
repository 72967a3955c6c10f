"""Words before a time that say which one is meant, and that nobody here knows: `繁忙期の|月曜9時に`, `来たる|月曜`.

Left in the task they would be lost: the schedule would fire on any Monday.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.when.japanese.scan import Mark, Piece, Scan
from schedctl.when.reading.parts import Unclear

if TYPE_CHECKING:
    from collections.abc import Iterator

QUALIFIER: Final = re.compile(r"[^\s、。，．,;:()（）「」『』をにはがへ]*[^\x00-\x7f、。)）」』をにはがへ]の$")
"""`繁忙期の`; a name in Latin letters (`marsの月曜9時に`) is a node's or a program's, and of the work."""
OF_THE_WORK: Final = frozenset("のをがと")
"""What follows a time that belongs to a noun of the work: `ディスクの月曜9時の確認`."""


def mark_qualified(scan: Scan) -> None:
    """Put an `Unclear` at each phrase that qualifies the part behind it and was not read."""
    found = [_doubt(scan.text, words.start(), words.end()) for words in _qualifiers(scan)]
    scan.pieces.extend(found)
    scan.pieces.sort(key=lambda piece: (piece.start, piece.end))


def _qualifiers(scan: Scan) -> Iterator[re.Match[str]]:
    behind = 0
    for first, last in _runs(scan.pieces):
        words = QUALIFIER.search(scan.text, behind, first.start)
        if words is not None and scan.text[last.end : last.end + 1] not in OF_THE_WORK:
            yield words
        behind = last.end


def _runs(pieces: list[Piece]) -> Iterator[tuple[Piece, Piece]]:
    """The first part and the last piece of those that belong together."""
    run: list[Piece] = []
    for piece in pieces:
        if run and piece.glue is None:
            yield run[0], run[-1]
            run = []
        if run or not isinstance(piece.part, Mark):
            run.append(piece)
    if run:
        yield run[0], run[-1]


def _doubt(text: str, start: int, end: int) -> Piece:
    said = text[start:end].removesuffix("の")
    message = Text(
        f"「{said}」が日時のことか作業のことか決められません",
        f"It is not certain whether “{said}” is of the time or of the work",
    )
    advice = Text(
        "日時のことなら日付や曜日で書き、作業のことなら日時のあとに書いてください",
        "If it says when, write days or dates; if it is of the work, write it behind the time",
    )
    return Piece(Unclear("ambiguous_time", message, advice=advice), start, end, None)
