"""What stands right behind a time and is no particle, and what follows `ただし`: neither may be lost in the task.

`9時すぎる…` could be a misspelt time as well as the work; `ただし1月は第5営業日` is a second schedule unless it
limits or moves the first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.when.japanese.scan import Mark, Piece, Scan
from schedctl.when.model import Offset, Shift
from schedctl.when.reading.draft import CORES
from schedctl.when.reading.parts import (
    Clock,
    Count,
    Hourly,
    InZone,
    Later,
    OnCalendar,
    OnceOnly,
    Period,
    ShortMonths,
    Step,
    Unclear,
    Window,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

TIMES: Final = (Clock, Hourly, Step, Window, Later)
STRAY: Final = re.compile(
    r"(?!に|の|は(?!ん)|で|と(?!り)|も|まず|また|さらに|すべて|ぜんぶ|きちんと|ちゃんと|とりあえず|ひとまず|いったん|から|より|まで|を|が|へ|や|か|ね|よ(?!り)|だけ|だ[よね、。]|なら|です|お(?:願|ねが)|ください"
    r"|[こそあ](?:の|れ|こ)|うちの|いつもの|ぜひ|かならず|しっかり)[ぁ-ん]+"
    r"|[+/&×~-](?=[0-9])|(?:(?<=[+-])|\s[+-])\d{2}:?\d{2}(?![\d:-])|分(?=[にの、])|半(?=分に)|寄り"
    r"|\s?\(?(?:サーバー?|ホスト|ローカル|端末|機器|自国|現場)(?:側)?の?(?:時刻|時間|タイム)\)?"
)
"""Hiragana that is no particle, signs before a number, and whose clock it is, where no zone is named."""
BETWEEN_DAYS: Final = re.compile(r"[+/&×](?=[0-9月火水木金土日第])")
NEGATED: Final = re.compile(r"(?:し|く)?(?:ないで|ない|なくて|ず)")
"""`祝日は除外|しないで`: the opposite of an exception."""
HOWEVER: Final = re.compile(r"(?:ただし|但し)[、,\s]*")
CLAUSE: Final = re.compile("[^。)]*")
LIMITING: Final = (Shift, Offset, ShortMonths, Count, OnceOnly, Period, InZone, OnCalendar, Unclear)
LIMITING_MARKS: Final = frozenset(("except", "only", "from", "until"))


def mark_stray(scan: Scan) -> None:
    """Put an `Unclear` at each such word."""
    found = [*_stray(scan), *_second_schedules(scan)]
    if found:
        scan.pieces.extend(found)
        scan.pieces.sort(key=lambda piece: (piece.start, piece.end))


def _stray(scan: Scan) -> Iterator[Piece]:
    starts = {piece.start for piece in scan.pieces}
    for piece in scan.pieces:
        pattern = _pattern_behind(piece)
        letters = pattern.match(scan.text, piece.end) if pattern else None
        if letters is None or any(place in starts for place in range(letters.start(), letters.end())):
            continue
        if pattern is STRAY and letters.end() in starts:
            continue
        message = Text(
            f"時刻や日のすぐあとの「{letters.group()}」がその続きなのか作業のことなのか決められません",
            f"It is not certain whether “{letters.group()}” right behind the time belongs to it or to the work",
        )
        hiragana = pattern is STRAY and "ぁ" <= letters.group()[0] <= "ん"
        end = letters.start() if hiragana else letters.end()
        yield Piece(Unclear("ambiguous_time", message, ("に",) if hiragana else ()), letters.start(), end, "")


def _pattern_behind(piece: Piece) -> re.Pattern[str] | None:
    """What must not stand right behind this piece."""
    if isinstance(piece.part, TIMES):
        return STRAY
    if isinstance(piece.part, CORES):
        return BETWEEN_DAYS
    return NEGATED if isinstance(piece.part, Mark) and piece.part.kind == "except" else None


def _second_schedules(scan: Scan) -> Iterator[Piece]:
    for however in HOWEVER.finditer(scan.text):
        clause = CLAUSE.match(scan.text, however.end())
        end = however.end() if clause is None else clause.end()
        inside = [piece for piece in scan.pieces if however.end() <= piece.start < end]
        if inside and inside[0].start == however.end() and not any(_limits(piece) for piece in inside):
            message = Text(
                "「ただし」のあとが、除く日や移す先として読めません",
                "What follows “ただし” cannot be read as days that are left out or moved",
            )
            advice = Text("日によって時刻や日が違うなら、予定を分けてください", "Write one sentence for each schedule")
            doubt = Unclear("conflicting_time", message, advice=advice)
            yield Piece(doubt, inside[0].start, inside[-1].end, inside[0].glue)


def _limits(piece: Piece) -> bool:
    if isinstance(piece.part, Mark):
        return piece.part.kind in LIMITING_MARKS
    return isinstance(piece.part, LIMITING)
