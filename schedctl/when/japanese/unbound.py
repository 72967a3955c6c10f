"""まで, 以外, を除く that bind nothing: beside a part, or after days that nobody here knows, they are a refusal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.when.japanese.scan import CLOSE_GLUE, Mark, Piece, Scan
from schedctl.when.reading.parts import Except, InMonth, Period, Relative, Unclear

if TYPE_CHECKING:
    from collections.abc import Sequence

UNKNOWN_DAYS: Final = re.compile("(?:日|週|月|期間|休暇|休み|時間帯|シーズン)[はをも]?$")
STRETCHES: Final = (InMonth, Period, Relative)
NEEDS_DAYS: Final = frozenset(("until", "except", "either"))
"""Marks that change what the part right before them says."""


def without_marks(scan: Scan, pieces: Sequence[Piece]) -> list[Piece]:
    """The parts among the pieces; a mark that binds nothing was no word of time, or is unclear."""
    return [_unbound(scan, pieces[index]) for index in range(len(pieces)) if _counts(scan, pieces, index)]


def closed_by_during(pieces: Sequence[Piece]) -> list[Piece]:
    """`今月の間は毎日`: 間 adds nothing to a stretch of days, and is not of the work."""
    closed: list[Piece] = []
    for piece in pieces:
        before = closed[-1] if closed else None
        adds_nothing = before is not None and before.end == piece.start and isinstance(before.part, STRETCHES)
        if before is not None and adds_nothing and piece.part == Mark("during"):
            closed[-1] = before._replace(end=piece.end)
        else:
            closed.append(piece)
    return closed


def _counts(scan: Scan, pieces: Sequence[Piece], index: int) -> bool:
    """Whether a piece is a part, or a mark that binds nothing although it stands right beside one."""
    piece = pieces[index]
    if not isinstance(piece.part, Mark):
        return True
    behind = index > 0 and pieces[index - 1].end == piece.start and not isinstance(pieces[index - 1].part, Mark)
    if piece.part.kind == "except" and not behind:
        return _excepts_unknown_days(scan, piece, pieces[index + 1] if index + 1 < len(pieces) else None)
    return behind and piece.part.kind in NEEDS_DAYS


def _excepts_unknown_days(scan: Scan, mark: Piece, following: Piece | None) -> bool:
    """`創立記念日を除く|平日`, `ただし棚卸日は除く`: days that nobody here knows must not be lost in the task."""
    if following is not None and following.glue in CLOSE_GLUE:
        return True
    ends = scan.text[mark.end :].strip("。)!、 ") == ""
    return ends and UNKNOWN_DAYS.search(scan.text, 0, mark.start) is not None


def _unbound(scan: Scan, piece: Piece) -> Piece:
    """`祝日まで`, `毎日以外`: the mark and the part before it say something, and it is not certain what."""
    if isinstance(piece.part, Except) and _explains_a_name(scan, piece):
        return piece._replace(part=_unknown_name())
    if not isinstance(piece.part, Mark):
        return piece
    said = scan.text[piece.start : piece.end]
    message = Text(f"「{said}」が何にかかるのか読み取れません", f"It is not certain what “{said}” belongs to")
    return piece._replace(part=Unclear("ambiguous_time", message), glue="")


def _explains_a_name(scan: Scan, piece: Piece) -> bool:
    """`GW(4/29~5/5)を除く`: days that explain a name which nobody here knows, and which would stay in the task."""
    inside = scan.text[piece.start - 1 : piece.start] == "(" and ")" in scan.text[piece.start : piece.end]
    before = scan.text[piece.start - 2 : piece.start - 1]
    return inside and before.isalnum() and all(each.end != piece.start - 1 for each in scan.pieces)


def _unknown_name() -> Unclear:
    message = Text(
        "除く期間の名前と括弧の中の日付を、1つの予定として読めません",
        "A name with its days in brackets cannot be read as what is left out",
    )
    advice = Text("名前は書かず、日付だけを書いてください", "Write the days alone, without the name")
    return Unclear("ambiguous_time", message, advice=advice)
