"""Pieces of a Japanese sentence -> parts in groups, each with whether it stands before a noun of the work."""

from __future__ import annotations

import re
from typing import Final

from schedctl.when.japanese.scan import LIST_GLUE, Mark, Piece, Scan
from schedctl.when.reading.draft import DAY_PARTS
from schedctl.when.reading.grammar import Found
from schedctl.when.reading.parts import (
    Clock,
    Hourly,
    InMonth,
    Later,
    Part,
    PartOfDay,
    Period,
    Relative,
    Repeat,
    Step,
    Unclear,
    Window,
)

OF_WORK: Final = re.compile(
    r"(?:分|付け?|時点|現在|までに?|から|以降|以前|中|間|頃|台)?の(?=[^\s、。,)」])|分(?![0-9])"
)
"""What follows a day or a time that belongs to a noun: `昨日の|バックアップ`, `先月分`, `9時までの|ログ`."""
LIMITS: Final = ("までに", "以降", "以後")
"""`9時に|8時までに|届いた…`: by when or since when things of the work happened."""
TIMES: Final = (Clock, Step, Hourly)
EVERY_DAY: Final = Repeat("day")


def found_in(scan: Scan, pieces: list[Piece]) -> tuple[Found, ...]:
    """Parts in groups, each with whether it stands before a noun of the work."""
    groups: list[list[Piece]] = []
    for piece in pieces:
        if not groups or _begins_group(groups[-1], piece):
            groups.append([])
        groups[-1].append(piece)
    found: list[Found] = []
    for number, group in enumerate(groups):
        following = groups[number + 1][0].start if number + 1 < len(groups) else None
        of_work = _is_of_work(scan.text, group, following) or _is_when_of_work(scan.text, groups[:number], group)
        for piece in group:
            if not isinstance(piece.part, Mark):
                joined = piece.glue in LIST_GLUE
                found.append(Found(piece.part, piece.start, piece.end, number, joined, of_work))
    return tuple(found)


def _begins_group(group: list[Piece], piece: Piece) -> bool:
    """Whether a new thought begins: after real text, at a day after a time, at a time after `9時に`."""
    if piece.glue is None:
        return True
    if piece.start == group[-1].start:
        return False
    part = piece.part
    if isinstance(part, (*DAY_PARTS, Period)):
        return _begins_day(group, piece)
    if isinstance(part, Window):
        return (
            "に" in piece.glue and not _has(group, (Step, Hourly)) and (_has(group, DAY_PARTS) or _has(group, (Clock,)))
        )
    if isinstance(part, Unclear | PartOfDay):
        return "に" in piece.glue and _has(group, TIMES)
    if isinstance(part, (*TIMES, Later)):
        return _has(group, TIMES) and piece.glue not in LIST_GLUE - {"に、", "、", "も、"}
    return False


def _begins_day(group: list[Piece], piece: Piece) -> bool:
    """Whether a day part begins a new thought: after a time, after `月曜に`, or a second way to name a day."""
    glue = piece.glue or ""
    if _has(group, (*TIMES, Window)) and not (piece.part == EVERY_DAY and _only_every_day(group)):
        return True
    if "に" in glue:
        return not all(isinstance(each.part, InMonth) and each.part.each for each in group)
    return isinstance(piece.part, Relative) and _has(group, DAY_PARTS) and glue not in {"", "の", "と", "・"}


def _only_every_day(group: list[Piece]) -> bool:
    """`毎朝7時と毎晩9時` is one list of times."""
    return all(each.part == EVERY_DAY for each in group if isinstance(each.part, DAY_PARTS))


def _has(group: list[Piece], kinds: tuple[type[Part], ...]) -> bool:
    return any(isinstance(each.part, kinds) for each in group)


def _is_of_work(text: str, group: list[Piece], following: int | None) -> bool:
    """Whether a noun of the work comes next, and not another word of time (which begins at `following`)."""
    last = group[-1]
    match = OF_WORK.match(text, last.end)
    if match is None and _is_subject(text, group):
        return True
    return (match is not None and match.end() != following) or _looks_back(last.part)


def _is_subject(text: str, group: list[Piece]) -> bool:
    """`今日|が期限の…`: a relative day that is the subject of a clause is one of the work's."""
    return text.startswith("が", group[-1].end) and all(isinstance(piece.part, Relative) for piece in group)


def _is_when_of_work(text: str, before: list[list[Piece]], group: list[Piece]) -> bool:
    """`毎日6時に|夜間|に失敗した…`, `毎日9時に|3日後|に切れる…`: after a timing, when the work's own things happen."""
    if not before or len(group) > 1 or not (_has(before[-1], TIMES) and _has(before[-1], DAY_PARTS)):
        return False
    part = group[0].part
    if isinstance(part, Unclear):
        return group[0].glue == "に" and text[group[0].start : group[0].end].endswith(LIMITS)
    return isinstance(part, PartOfDay) or (isinstance(part, Relative) and part.later and group[0].glue == "に")


def _looks_back(part: Part | Mark) -> bool:
    """A period that began in the past (`昨日から今日まで`) is one of the work's data."""
    if not isinstance(part, Period):
        return False
    return any(isinstance(edge, Relative) and edge.number < 0 for edge in (*part.start, *part.until))
