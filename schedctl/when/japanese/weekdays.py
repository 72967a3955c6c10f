"""Weekdays in Japanese: `月曜`, `月・水・金`, `火木`, `月~金`, `月曜から金曜`, `12/24(木)`."""

from __future__ import annotations

import re
from typing import Final

from schedctl.when.japanese.scan import CLOSE_GLUE, Match, Scan
from schedctl.when.japanese.words_days import (
    ENGLISH_WEEKDAYS,
    WEEKDAY_LETTERS,
    WEEKDAYS,
)
from schedctl.when.reading.parts import DaysOfMonth, Repeat, Weekdays

LONGEST_LIST: Final = 62
"""Tokens of one list: twice the days of a month."""
RANGES: Final = frozenset(("from", "dash"))
AT_ONCE: Final = frozenset(("",))


def weekdays(scan: Scan, first: int) -> Match | None:
    """`月曜`, `月・水・金`, `火木`, `月~金`, `月曜から金曜`, `Mondayと木曜`."""
    days = [_weekday(scan, first)]
    strong = scan.token(first).kind == "weekday"
    index = first + 1
    while index - first < LONGEST_LIST and (_is_listed_weekday(scan, index) or _is_weekday_range(scan, index)):
        index, strong = _more_weekdays(scan, index, days, strong=strong)
    found = tuple(sorted({day for day in days if day is not None}))
    if not found or not (strong or _is_clearly_weekdays(scan, first, index, len(found))):
        return None
    each = scan.kind(index, after=AT_ONCE) == "every" and scan.token(index).word in {"ごと", "ごとに", "毎", "毎に"}
    return Match(index + each, (Weekdays(found, each=each or scan.token(first).word.endswith("days")),))


def _weekday(scan: Scan, index: int) -> int | None:
    token = scan.token(index)
    match token.kind:
        case "weekday":
            return WEEKDAYS.get(token.word, ENGLISH_WEEKDAYS.get(token.word))
        case "short_weekday":
            return ENGLISH_WEEKDAYS[token.word]
        case "letter":
            return WEEKDAY_LETTERS[token.word]
        case _:
            return None


def _is_listed_weekday(scan: Scan, index: int) -> bool:
    token = scan.token(index)
    return _weekday(scan, index) is not None and (scan.joined(index) or (token.glue == "" and _is_short(scan, index)))


def _is_short(scan: Scan, index: int) -> bool:
    """Whether letters stand side by side: `月水金`, `火木曜`, `(火)(木)`."""
    before, token = scan.token(index - 1), scan.token(index)
    if before.kind not in {"letter", "weekday"}:
        return False
    return scan.text[token.start - 1] != "(" or scan.text[before.end : token.start] == ")("


def _is_weekday_range(scan: Scan, index: int) -> bool:
    return scan.kind(index) in RANGES and scan.kind(index + 1) in {"weekday", "letter", "short_weekday"}


def _more_weekdays(scan: Scan, index: int, days: list[int | None], *, strong: bool) -> tuple[int, bool]:
    """Read one more member of the list, or the end of a range; the index after it."""
    if _is_weekday_range(scan, index):
        last = _weekday(scan, index + 1)
        first = days[-1]
        if first is not None and last is not None:
            days.extend((first + step) % 7 for step in range(1, (last - first) % 7 + 1))
        strong = strong or scan.token(index + 1).kind == "weekday"
        after = index + 2
        return after + (scan.kind(after, after=AT_ONCE) == "until"), strong
    if _is_listed_weekday(scan, index):
        days.append(_weekday(scan, index))
        return index + 1, strong or scan.token(index).kind == "weekday"
    return index, strong


def _is_clearly_weekdays(scan: Scan, first: int, after: int, number: int) -> bool:
    """Single letters are weekdays only in a list beside words of time, or in brackets after a date: `12/24(木)`."""
    start, end = scan.token(first).start, scan.token(after - 1).end
    if number == 1:
        in_brackets = scan.text[start - 1 : start] == "(" and scan.text[end : end + 1] == ")"
        short = scan.token(first).kind == "short_weekday"
        close = scan.token(first).glue in CLOSE_GLUE and (short or _is_of_day_and_time(scan, first, after))
        return scan.follows(first) and (in_brackets or close)
    following = scan.token(after)
    if scan.token(first + 1).glue == "・" and DOING.match(scan.text, end):
        return True
    return scan.follows(first) or (following.glue is not None and following.kind in BESIDE)


def _is_of_day_and_time(scan: Scan, first: int, after: int) -> bool:
    """`12/5土 4:00`, `毎週土 3:00`: one letter between a date or an interval and its time."""
    beside = scan.token(after).glue in CLOSE_GLUE and scan.token(after).kind in CLOCKS
    return beside and scan.follows(first, DaysOfMonth, Repeat)


DOING: Final = re.compile("[には](?!関|つい|よ)")
"""What stands behind `土・日` where they are days on which something is done."""
CLOCKS: Final = frozenset(("hour", "clock", "part_of_day", "fixed_time"))
BESIDE: Final = frozenset(
    (
        "hour",
        "clock",
        "part_of_day",
        "fixed_time",
        "except",
        "only",
        "condition",
        "hourly",
        "minute",
        "hours",
        "class",
        "every",
        "number",
    )
)
"""What may stand beside a list of single letters so that it is one of weekdays."""
