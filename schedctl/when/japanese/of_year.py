"""Days counted within a year: `毎年度の初日`, `毎年最終営業日`, `来年の第1月曜`.

Of the first or last day of a kind it is certain in which month of the year it lies; what else follows a year is left
to others, and a day of no month is refused there (`毎年15日`, `毎年第3月曜`).
"""

from __future__ import annotations

from typing import Final

from schedctl.language import Text
from schedctl.when.japanese.scan import CLOSE_GLUE, Match, Scan
from schedctl.when.japanese.words_days import ENDS, FIRST_DAY, LAST_DAY, RELATIVES, spoken
from schedctl.when.reading.parts import InMonth, Part, Relative, Unclear

YEARS: Final = frozenset(spoken("毎年 まいとし まいねん 各年 例年"))
FISCAL_YEARS: Final = frozenset(spoken("毎年度 年度"))
DAYS: Final = frozenset(
    spoken(
        "end first last from_last ordinal nth nth_day nth_business_day business_days number day weekday letter class "
        "bare_end bare_start"
    )
)
"""Kinds of which a day within a year is made."""
OF_MONTHS: Final = "月"
"""`毎年月末`: the end of a month, not of the year."""


def of_year(scan: Scan, first: int) -> Match | None:
    """`毎年度|初日`, `毎年|最終営業日`, `来年の|第1営業日`: the year with the month in which such a day lies."""
    word = scan.token(first).word
    relative = RELATIVES.get(word)
    if isinstance(relative, Relative) and relative.unit == "week" and _is_edge(scan, first + 1):
        return Match(first + 2, (_edge_of_week(scan, first),))
    of_one = isinstance(relative, Relative) and relative.unit == "year" and relative.number >= 0
    if word not in YEARS | FISCAL_YEARS and not of_one:
        return None
    sign = _side(scan, first + 1)
    if not sign:
        return None
    months = {1: 4, -1: 3} if word in FISCAL_YEARS else {1: 1, -1: 12}
    parts: tuple[Part, ...] = (InMonth((months[sign],), each=not of_one),)
    return Match(first + 1, (relative, *parts) if of_one and relative is not None else parts)


def _is_edge(scan: Scan, index: int) -> bool:
    token = scan.token(index)
    named = token.kind == "end" and not token.word.startswith(OF_MONTHS) and token.glue in CLOSE_GLUE
    return named and ENDS[token.word] in {(FIRST_DAY,), (LAST_DAY,)}


def _edge_of_week(scan: Scan, first: int) -> Unclear:
    """`今週の|最終日`: Friday or Sunday, and never the last day of a month."""
    week, said = scan.token(first).word, scan.letters(first, first + 2)
    last = ENDS[scan.token(first + 1).word] == (LAST_DAY,)
    message = Text(f"「{said}」がどの曜日なのか決められません", f"It is not certain which weekday “{said}” is")
    choices = (f"{week}の金曜", f"{week}の日曜") if last else (f"{week}の月曜", f"{week}の日曜")
    return Unclear("ambiguous_time", message, choices)


def _side(scan: Scan, index: int) -> int:
    """1 where the day behind a year counts from its start, -1 from its end, 0 where that is not certain."""
    token = scan.token(index)
    if token.glue not in CLOSE_GLUE or not stands_alone(scan, index):
        return 0
    match token.kind:
        case "end" if not token.word.startswith(OF_MONTHS):
            day = ENDS[token.word]
            return int(day == (FIRST_DAY,)) - int(day == (LAST_DAY,))
        case "first" | "last" if not token.word.startswith(OF_MONTHS) and _is_day(scan, index + 1):
            return 1 if token.kind == "first" else -1
        case "from_last":
            return -1
        case "ordinal" | "nth" | "nth_business_day":
            last = index + (token.kind == "ordinal")
            return int(scan.token(last).number == 1)
        case _:
            return 0


def stands_alone(scan: Scan, first: int) -> bool:
    """Whether no second day is listed behind the one at `first`: `初日|と最終日` lie in no one month."""
    index = first + 1
    while scan.kind(index) in DAYS:
        index += 1
    return not (scan.joined(index) and scan.token(index).kind in DAYS)


def _is_day(scan: Scan, index: int) -> bool:
    return scan.kind(index) in {"class", "weekday"}
