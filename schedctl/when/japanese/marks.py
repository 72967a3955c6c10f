"""から, まで, を除く, のみ, か: words that bind the parts around them into periods, exclusions, limits and choices."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.when.japanese.including import with_included
from schedctl.when.japanese.scan import CLOSE_GLUE, Mark, Piece, Scan
from schedctl.when.japanese.unbound import closed_by_during, without_marks
from schedctl.when.reading.draft import CORES
from schedctl.when.reading.parts import (
    Anchor,
    BusinessDaysLater,
    Clock,
    Coming,
    DaysOfMonth,
    Except,
    Hourly,
    InMonth,
    Only,
    Part,
    Period,
    Relative,
    Repeat,
    Step,
    Unclear,
    Weekdays,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

EDGES: Final = (Relative, InMonth, DaysOfMonth, Weekdays, BusinessDaysLater, Coming)
"""Parts of which the first and last day of a period are made."""
EXCLUDABLE: Final = (*CORES, InMonth, Relative, Period)
TIMES: Final = (Clock, Step, Hourly)
JOINTS: Final = frozenset(("と", "や", "・", "及び", "および", "並びに", "&", "/", "も", "さらに"))
COMMAS: Final = frozenset(("、", ","))


def bound(scan: Scan) -> list[Piece]:
    """The pieces with every mark bound to its parts; a mark that binds nothing was no word of time."""
    if not any(isinstance(piece.part, Mark) for piece in scan.pieces):
        return scan.pieces
    pieces = closed_by_during(_origins(_periods(scan)))
    pieces = _filters(scan, with_included(pieces))
    pieces = _choices(scan, pieces)
    return without_marks(scan, pieces)


def _mark(pieces: Sequence[Piece], index: int, *kinds: str, glue: frozenset[str] = CLOSE_GLUE) -> bool:
    if index >= len(pieces) or pieces[index].glue not in glue:
        return False
    part = pieces[index].part
    return isinstance(part, Mark) and part.kind in kinds


def _edge_end(pieces: Sequence[Piece], first: int) -> int:
    """Where the run of parts that name one date, beginning at `first`, ends."""
    index = first
    kinds: set[type] = set()
    while index < len(pieces) and isinstance(pieces[index].part, EDGES):
        part = pieces[index].part
        apart = index > first and pieces[index].glue not in CLOSE_GLUE
        if apart or type(part) in kinds or (isinstance(part, Weekdays) and len(part.weekdays) > 1):
            break
        kinds.add(type(part))
        index += 1
    return index


def _periods(scan: Scan) -> list[Piece]:
    pieces, bounded = scan.pieces, list[Piece]()
    index = 0
    while index < len(pieces):
        end = _edge_end(pieces, index)
        period = _period_at(pieces, index, end) if end > index else None
        if period is None:
            bounded.extend(pieces[index : max(end, index + 1)])
            index = max(end, index + 1)
        else:
            part, after = period
            bounded.append(Piece(part, pieces[index].start, pieces[after - 1].end, pieces[index].glue))
            index = after
    return bounded


def _period_at(pieces: Sequence[Piece], first: int, end: int) -> tuple[Part, int] | None:
    """The period whose first edge is `pieces[first:end]`, and the piece after it."""
    start = _parts(pieces[first:end])
    monthly = first > 0 and pieces[first].glue in CLOSE_GLUE and pieces[first - 1].part == Repeat("month")
    if monthly and isinstance(start[0], DaysOfMonth) and _mark(pieces, end, "from", "dash", "until"):
        return _open_stretch(), end + 1
    if _mark(pieces, end, "until"):
        return Period(until=start), end + 1 + _mark(pieces, end + 1, "during")
    if _mark(pieces, end, "origin") and not any(isinstance(part, InMonth) and part.year for part in start):
        return Period(start, origin=True), end + 1
    if not _mark(pieces, end, "from", "dash"):
        return None
    if end + 1 < len(pieces) and _is_days(pieces[end + 1].part):
        return _of_length(start, pieces[end + 1].part), end + 2
    last = _edge_end(pieces, end + 1)
    closes = _mark(pieces, last, "until", "during") or _mark(pieces, last, "except", "only")
    closes = closes or _are_dates(start, _parts(pieces[end + 1 : last]))
    if last > end + 1 and pieces[end + 1].glue in CLOSE_GLUE and (closes or not _names_days(pieces, last)):
        after = last + _mark(pieces, last, "until", "during")
        after += _mark(pieces, after, "during")
        until = _parts(pieces[end + 1 : last])
        return _between(start, until), after
    return (Period(start), end + 1) if _mark(pieces, end, "from") else None


def _open_stretch() -> Unclear:
    """`毎月28日以降の…`, `毎月25日から翌月5日まで`: a stretch of every month that goes beyond it."""
    message = Text(
        "毎月のいつからいつまでなのか、1つに決まりません", "It is not certain which days of each month are meant"
    )
    return Unclear("ambiguous_time", message)


def _are_dates(*edges: tuple[Part, ...]) -> bool:
    """`8月13日から15日`: a stretch also without まで."""
    return all(any(isinstance(part, DaysOfMonth) for part in edge) for edge in edges)


def _names_days(pieces: Sequence[Piece], index: int) -> bool:
    """`12月から毎月1日`, `来週から月曜の9時`: what follows から without まで are the days themselves."""
    return not any(isinstance(piece.part, Repeat) for piece in pieces[index:])


def _between(start: tuple[Part, ...], until: tuple[Part, ...]) -> Part:
    if all(isinstance(part, DaysOfMonth) for part in (*start, *until)):
        message = Text(
            "何月のことか、毎月のことかが書かれていません",
            "The sentence does not say in which month, or whether in each",
        )
        return Unclear("ambiguous_time", message, ())
    return Period(start, until)


def _is_days(part: Part | Mark) -> bool:
    return isinstance(part, Mark) and part.kind.startswith(("days ", "months "))


def _of_length(start: tuple[Part, ...], mark: Part | Mark) -> Period:
    """`明日から3日間`, `今日から3か月間`."""
    unit, number = mark.kind.split() if isinstance(mark, Mark) else ("days", "1")
    return Period(start, months=int(number)) if unit == "months" else Period(start, days=int(number))


def _parts(pieces: Sequence[Piece]) -> tuple[Part, ...]:
    return tuple(piece.part for piece in pieces if not isinstance(piece.part, Mark))


def _origins(pieces: list[Piece]) -> list[Piece]:
    """`2026年12月4日起点`: what an interval counts from."""
    for index in range(len(pieces) - 1, 0, -1):
        if not _mark(pieces, index, "origin", "of_week"):
            continue
        first = index - 2 if isinstance(pieces[index - 1].part, DaysOfMonth) else index - 1
        origin = _date_of(pieces[first:index])
        if origin is None:
            continue
        last = index + 1 + _mark(pieces, index + 1, "origin")
        only, after = _months_only(pieces, last)
        anchor = Piece(Anchor(origin, only), pieces[first].start, pieces[after - 1].end, pieces[first].glue)
        pieces[first:after] = [anchor]
    return pieces


def _date_of(pieces: Sequence[Piece]) -> date | None:
    if not pieces or not isinstance(pieces[0].part, InMonth) or pieces[0].part.year is None:
        return None
    day = pieces[1].part.days[0] if len(pieces) > 1 and isinstance(pieces[1].part, DaysOfMonth) else 1
    try:
        return date(pieces[0].part.year, pieces[0].part.months[0], day)
    except ValueError:
        return None


def _months_only(pieces: Sequence[Piece], index: int) -> tuple[tuple[int, ...], int]:
    if index < len(pieces) and pieces[index].glue in COMMAS and _mark(pieces, index + 1, "only"):
        part = pieces[index].part
        if isinstance(part, InMonth):
            return part.months, index + 2
    return (), index


def _filters(scan: Scan, pieces: list[Piece]) -> list[Piece]:
    """Bind `を除く` and `のみ` to the days before them."""
    result: list[Piece] = []
    for index, piece in enumerate(pieces):
        if isinstance(piece.part, Mark) and piece.part.kind in {"except", "only"} and result:
            taken = _taken(scan, result, piece, days_follow=_days_follow(pieces, index))
            if taken:
                days = _parts(result[-taken:])
                if isinstance(result[-1].part, Unclear):
                    continue
                part = Except(days) if piece.part.kind == "except" else Only(days)
                result[-taken:] = [Piece(part, result[-taken].start, piece.end, result[-taken].glue)]
                continue
            if (
                piece.part.kind == "only"
                and isinstance(result[-1].part, (*EXCLUDABLE, Clock))
                and piece.glue in CLOSE_GLUE
            ):
                result[-1] = result[-1]._replace(end=piece.end)
                continue
        result.append(piece)
    return result


def _days_follow(pieces: Sequence[Piece], index: int) -> bool:
    return any(isinstance(piece.part, (*CORES, Repeat)) for piece in pieces[index + 1 :])


def _taken(scan: Scan, before: Sequence[Piece], mark: Piece, *, days_follow: bool) -> int:
    """How many of the pieces before the mark are the days that it speaks of."""
    if mark.glue not in CLOSE_GLUE and mark.glue not in {"は", "を"}:
        return 0
    number = 0
    while number < len(before) and isinstance(before[-1 - number].part, (*EXCLUDABLE, Repeat, Anchor, Unclear)):
        piece = before[-1 - number]
        number += 1
        if number == len(before):
            break
        if before[-1 - number].start == piece.start:  # one word of two parts: 元日
            continue
        if scan.text[piece.start - 1 : piece.start] == "(":
            break
        if not _continues(before[-1 - number], piece):
            break
    only = isinstance(mark.part, Mark) and mark.part.kind == "only"
    if only and not (number and _stands_apart(scan, before, number)):
        return 0
    return number if days_follow or number < len(before) or not only else 0


def _stands_apart(scan: Scan, before: Sequence[Piece], number: int) -> bool:
    """Whether the last `number` pieces limit others: in brackets, or after the time (`毎日9時、|平日|のみ`)."""
    ahead = scan.text[: before[-number].start].rstrip(" ").removesuffix("ただし").removesuffix("但し")
    if ahead.endswith("("):
        return True
    return ahead.endswith(("、", "。", ",")) and any(isinstance(piece.part, TIMES) for piece in before[:-number])


def _continues(before: Piece, piece: Piece) -> bool:
    """Whether the piece before belongs to the same list of days, or to the same date."""
    if piece.glue in JOINTS:
        return True
    if piece.glue in CLOSE_GLUE:
        dated = isinstance(before.part, InMonth | Relative) and isinstance(piece.part, (*CORES, InMonth))
        return dated or (
            isinstance(before.part, Repeat) and piece.glue == "" and isinstance(piece.part, (*CORES, InMonth))
        )
    return piece.glue in COMMAS and type(before.part) is type(piece.part) and isinstance(piece.part, Weekdays)


def _choices(scan: Scan, pieces: list[Piece]) -> list[Piece]:
    """`月曜か火曜`: the operator decides, not the reader."""
    for index in range(len(pieces) - 2, 0, -1):
        if index + 1 >= len(pieces) or not _mark(pieces, index, "either", glue=CLOSE_GLUE | COMMAS):
            continue
        before, after = pieces[index - 1], pieces[index + 1]
        if after.glue != "" or isinstance(before.part, Mark):
            continue
        first, second = scan.text[before.start : before.end], scan.text[after.start : after.end]
        message = Text(
            f"「{first}」と「{second}」のどちらなのか決められません",
            f"It is not said which of “{first}” and “{second}” is meant",
        )
        part = Unclear("ambiguous_time", message, (first, second))
        pieces[index - 1 : index + 2] = [Piece(part, before.start, after.end, before.glue)]
    return pieces
