"""`祝日も含めて`, `土日祝日を問わず`, `祝日でも`: days that a schedule has anyway, or that are added to its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schedctl.when.japanese.scan import CLOSE_GLUE, Mark, Piece
from schedctl.when.model import DayClass, Shift
from schedctl.when.reading.draft import CORES
from schedctl.when.reading.parts import Repeat, Weekdays

if TYPE_CHECKING:
    from collections.abc import Sequence

JOINTS: Final = frozenset(("と", "や", "・"))
WEEKEND: Final = Weekdays((5, 6), each=True)
GLUE_OF_MARK: Final = CLOSE_GLUE | {"も", "を", "に", "で"}


def with_included(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces without what is said of days that are included: it goes with the piece beside it."""
    result: list[Piece] = []
    following = list(pieces)
    while following:
        piece = following.pop(0)
        first = _included(result) if piece.part == Mark("including") and piece.glue in GLUE_OF_MARK else None
        if first is None:
            result.append(piece)
            continue
        days = result[first:]
        del result[first:]
        others = [each.part for each in (*result, *following) if isinstance(each.part, (*CORES, Repeat, Shift))]
        adds = any(part in {WEEKEND, DayClass("business")} for part in others)
        if not others or any(isinstance(part, Shift) for part in others):
            result += [*days, piece]
        elif result and days[0].glue is not None:
            result += [days[-1]._replace(start=days[0].start, end=piece.end, glue="と")] if adds else []
            result[-1] = result[-1]._replace(end=piece.end)
        elif following and following[0].glue is not None:
            result += [days[-1]._replace(start=days[0].start, end=piece.end)] if adds else []
            glue = "と" if adds else days[0].glue
            start = following[0].start if adds else days[0].start
            following[0] = following[0]._replace(start=start, glue=glue)
        else:
            result += [*days, piece]
    return result


def _included(result: Sequence[Piece]) -> int | None:
    """Where the closed days or weekdays in front of the mark begin."""
    first = len(result)
    while first and isinstance(result[first - 1].part, DayClass | Weekdays):
        first -= 1
        if result[first].glue not in JOINTS:
            break
    return first if first < len(result) else None
