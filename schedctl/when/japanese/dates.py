"""Dates in Japanese: years, months, `2026年12月24日`, `12/24`, `2026-12-24`, quarters, `翌日` and `前営業日`."""

from __future__ import annotations

import re
from typing import Final

from schedctl.language import Text
from schedctl.when.japanese.of_year import stands_alone
from schedctl.when.japanese.scan import CLOSE_GLUE, Match, Scan
from schedctl.when.japanese.times import clock
from schedctl.when.japanese.weekdays import weekdays
from schedctl.when.japanese.words_days import (
    ENDS,
    FIRST_DAY,
    HALF_END,
    HALF_START,
    HALVES,
    LAST_DAY,
    OFFSETS,
    QUARTER_END,
    QUARTER_START,
    spoken,
)
from schedctl.when.japanese.words_times import HOURS
from schedctl.when.model import Offset
from schedctl.when.reading.normalize import year_of_era
from schedctl.when.reading.parts import (
    BusinessDaysLater,
    DaysOfMonth,
    InMonth,
    NthBusinessDays,
    Part,
    PartOfDay,
    Period,
    Relative,
    Repeat,
    Unclear,
)

ERA_LETTERS: Final = {"r": "令和", "h": "平成", "s": "昭和"}
YEARS: Final = range(1, 10_000)
MOST_MONTHS: Final = 24
YEAR_LONG: Final = re.compile("(?:中|いっぱい|の間)(?=[はに、毎])")
DAYS_OF_QUARTER: Final = frozenset(
    spoken(
        "class day ordinal hour clock nth nth_day weekday nth_business_day bare_start bare_end vague_day part_of_day"
    )
)
"""What after a bare 四半期 counts within it."""


def year(scan: Scan, first: int) -> Match | None:
    """`2026年12月…`, `令和9年1月…`; a year alone is a period."""
    index = first + (scan.token(first).kind == "era")
    token = scan.token(index)
    if token.kind != "year" or (index > first and token.glue != "") or token.word.endswith("度"):
        return None
    number = year_of_era(scan.token(first).word, token.number) if index > first else token.number
    if number not in YEARS:
        return None
    following = scan.token(index + 1)
    if following.kind in {"month", "number"} and following.glue in CLOSE_GLUE:
        return months(scan, index + 1, year=number)
    named = ENDS.get(following.word) if following.kind in {"end", "named"} and following.glue in CLOSE_GLUE else None
    if named and isinstance(named[0], InMonth):
        return Match(index + 2, (InMonth(named[0].months, number), *named[1:]))
    whole = YEAR_LONG.match(scan.text, token.end)
    only = following.kind == "only" and following.glue in CLOSE_GLUE
    following = scan.token(index + 1 + only)
    if number < 1000 or not (whole or following.kind in {"repeat", "class", "weekday", "named"}):
        return None
    period = Period((InMonth((1,), number),), (InMonth((12,), number),))
    return Match(index + 1 + only, (period,), whole.end() if whole and not only else None)


def months(scan: Scan, first: int, year: int | None = None) -> Match | None:
    """`4月`, `1月と7月`, `1・4・7・10月`, `7月から9月`: the months in which days lie."""
    numbers: list[int] = []
    index = first
    while index - first < MOST_MONTHS and _is_listed_month(scan, index):
        numbers.append(scan.token(index).number)
        index += 1
        if _is_month_range(scan, index) and not (
            scan.kind(index + 2) == "until" and (year or _is_of_a_year(scan, first))
        ):
            numbers.extend(_between(numbers[-1], scan.token(index + 1).number))
            index += 2
            index += scan.kind(index) == "until"
            break
        if not scan.joined(index) or scan.token(index).glue == "も":
            break
    if not numbers or scan.token(index - 1).kind not in {"month", "until"}:
        return None
    match = _in_months(scan, first, index, numbers, year)
    whole = YEAR_LONG.match(scan.text, scan.token(index - 1).end)
    if whole is None:
        return match
    if "いっぱい" in whole.group() and len(numbers) == 1 and isinstance(match.parts[0], Part):
        return Match(index, (Period(until=(match.parts[0],)),), whole.end())
    return match._replace(end=whole.end())


def _is_listed_month(scan: Scan, index: int) -> bool:
    token, following = scan.token(index), scan.token(index + 1)
    if token.kind == "number":
        return scan.joined(index + 1) and following.kind in {"number", "month"}
    return token.kind == "month"


def _is_of_a_year(scan: Scan, first: int) -> bool:
    """`来年1月から3月まで`: a period, and not the months of each year."""
    return scan.follows(first, Relative) and scan.token(first).glue in CLOSE_GLUE


def _is_month_range(scan: Scan, index: int) -> bool:
    if scan.kind(index) not in {"from", "dash"} or scan.token(index + 1).kind != "month":
        return False
    following = scan.token(index + 2)
    return following.glue != "" or following.kind not in {"day", "end", "bare_end", "bare_start"}


def _between(first: int, last: int) -> list[int]:
    return [(first + step - 1) % 12 + 1 for step in range(1, (last - first) % 12 + 1)]


def _in_months(scan: Scan, first: int, after: int, numbers: list[int], year: int | None) -> Match:
    if any(not 1 <= number <= 12 for number in numbers):
        said = scan.letters(first, after)
        message = Text(f"「{said}」という月はありません", f"There is no such month as “{said}”")
        return Match(after, (Unclear("impossible_time", message, ("12月",)),))
    return Match(after, (InMonth(tuple(sorted(set(numbers))), year),))


def slash(scan: Scan, first: int) -> Match | None:
    """`12/24`: month and day; a part of a whole (`1/2のデータ`) where no day of that month can be meant."""
    month, day = (int(number) for number in scan.token(first).word.split("/"))
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return Match(first + 1, (InMonth((month,)), DaysOfMonth((day,))))


def date(scan: Scan, first: int) -> Match | None:
    """`2026-12-24`, `2026/12/24`, `R8.12.24`."""
    letters = scan.token(first).word.rstrip("t").replace("/", "-").replace(".", "-")
    era = ERA_LETTERS.get(letters[0])
    year_, month, day = (int(number) for number in letters.lstrip("rhs").split("-"))
    year_ = year_of_era(era, year_) if era else year_
    if not (1 <= month <= 12 and 1 <= day <= 31 and year_ in YEARS):
        said = scan.token(first).word
        return Match(
            first + 1,
            (
                Unclear(
                    "impossible_time", Text(f"「{said}」という日はありません", f"There is no such date as “{said}”")
                ),
            ),
        )
    return Match(first + 1, (InMonth((month,), year_), DaysOfMonth((day,))))


def end(scan: Scan, first: int) -> Match | None:
    """`末日`, `四半期末`, `月末最終営業日`; before 最終営業日 or 第1営業日 it only says of what."""
    parts = ENDS[scan.token(first).word]
    if isinstance(parts[0], InMonth) and not (stands_alone(scan, first) or _is_listed_end(scan, first)):
        return Match(first + 1, (_two_ends(scan, first),))
    counted = _counted_from_end(scan, first) if parts == ENDS["末日"] else None
    if counted is not None:
        return counted
    following = scan.kind(first + 1)
    if parts == (FIRST_DAY,) and following == "day" and scan.token(first + 1).number == 1:
        return Match(first + 2, parts)  # `月初1日`: the same day, said twice
    if following in {"last", "first", "ordinal", "class"} and isinstance(parts[-1], DaysOfMonth):
        business = _business_of(scan, first + 1, last=parts[-1].days == (-1,))
        if business is not None:
            return Match(business[0], (*parts[:-1], business[1]))
    return Match(first + 1, parts)


def _is_listed_end(scan: Scan, first: int) -> bool:
    """`上期末と下期末`: the next one says its month itself."""
    following = scan.token(first + 1)
    return following.kind == "end" and isinstance(ENDS[following.word][0], InMonth)


def _two_ends(scan: Scan, first: int) -> Unclear:
    said = scan.letters(first, first + 2)
    message = Text(f"「{said}」がどの月の日なのか決められません", f"It is not certain of which months “{said}” speaks")
    return Unclear("ambiguous_time", message, advice=Text("予定ごとに分けてください", "Write one sentence for each"))


def _counted_from_end(scan: Scan, first: int) -> Match | None:
    """`月末から3日目`, `末日から3営業日目`: the last day is the first."""
    token = scan.token(first + 2)
    if scan.kind(first + 1) == "from" and scan.kind(first + 3) == "before" and token.number:
        steps = {"day": Offset(-token.number), "business_days": Offset(-token.number, business=True)}
        return Match(first + 4, (LAST_DAY, steps[token.kind])) if token.kind in steps else None
    if scan.kind(first + 1) != "from" or token.kind not in {"nth_day", "nth_business_day"} or token.number == 0:
        return None
    if token.kind == "nth_day":
        return Match(first + 3, (DaysOfMonth((-min(token.number, 31),), each=True),))
    return Match(first + 3, (NthBusinessDays((-min(token.number, 23),)),))


def bare_end(scan: Scan, first: int) -> Match | None:
    """`来月末`, `3月末`, `毎月初め`."""
    if scan.token(first).glue != "" or not scan.follows(first, Relative, InMonth, Repeat):
        return None
    part = scan.pieces[-1].part
    if isinstance(part, Relative) and part.unit == "week" and scan.token(first + 1).word.startswith(("土曜", "日曜")):
        return weekdays(scan, first + 1) if scan.token(first + 1).glue in CLOSE_GLUE else None
    if isinstance(part, Relative) and part.unit == "week" and scan.token(first).kind == "bare_end":
        message = Text(
            "週末の土曜と日曜のどちらなのか書かれていません",
            "The weekend has two days; the sentence does not say which",
        )
        return Match(first + 1, (Unclear("ambiguous_time", message, ("土曜", "日曜")),))
    if not isinstance(part, InMonth) and not (isinstance(part, Relative | Repeat) and part.unit == "month"):
        return None
    day = -1 if scan.token(first).kind == "bare_end" else 1
    counted = _counted_from_end(scan, first) if day == -1 else None
    if counted is not None:
        return counted
    business = _business_of(scan, first + 1, last=day == -1) if scan.token(first + 1).glue in CLOSE_GLUE else None
    if business is not None:
        return Match(business[0], (business[1],))
    return Match(first + 1, (DaysOfMonth((day,), each=True),))


def _business_of(scan: Scan, index: int, *, last: bool) -> tuple[int, Part] | None:
    if scan.token(index).kind == "class" and scan.token(index).word in {"営業日", "稼働日", "平日"}:
        return index + 1, NthBusinessDays((-1 if last else 1,))
    following = scan.token(index + 1)
    if scan.token(index).kind in {"last", "first"} and following.word in {"営業日", "稼働日"}:
        return index + 2, NthBusinessDays((-1 if scan.token(index).kind == "last" else 1,))
    if scan.token(index).kind == "ordinal" and following.kind == "business_days" and not last:
        return index + 2, NthBusinessDays((following.number,))
    return None


def quarter(scan: Scan, first: int) -> Match | None:
    """`四半期ごとの末日`, `半期の第1営業日`: whether its first or last month counts is said by the day."""
    word = scan.token(first).word
    half = word.removeprefix("毎").removeprefix("各").startswith("半期")
    months_of = {-1: HALF_END if half else QUARTER_END, 1: HALF_START if half else QUARTER_START}
    following = scan.token(first + 1)
    if following.glue in CLOSE_GLUE and not stands_alone(scan, first + 1):
        return Match(first + 1, (_which_month(word),))
    if following.glue in CLOSE_GLUE or (word.endswith(("ごと", "毎")) and following.glue == "に"):
        if following.kind == "end" and isinstance(ENDS[following.word][0], DaysOfMonth):
            day = ENDS[following.word][0]
            sign = -1 if day == DaysOfMonth((-1,), each=True) else 1
            return Match(first + 1, (months_of[sign],))
        if following.kind in {"last", "from_last"}:
            return Match(first + 1, (months_of[-1],))
        counted = scan.token(first + 2)
        first_one = following.kind == "ordinal" and counted.kind == "business_days" and counted.number == 1
        if following.kind == "first" or first_one:
            return Match(first + 1, (months_of[1],))
    bare = word in {*HALVES, "四半期"} and not word.endswith(("ごと", "毎")) and not word.startswith(("毎", "各"))
    if bare and not (following.glue in CLOSE_GLUE and following.kind in DAYS_OF_QUARTER):
        return None
    return Match(first + 1, (_which_month(word),))


def _which_month(word: str) -> Unclear:
    name = "半期" if "四" not in word else "四半期"
    return Unclear(
        "ambiguous_time",
        Text(
            f"{name}のどの月のどの日なのか書かれていません",
            "The sentence does not say which month and day of the quarter",
        ),
        (f"{name}末", f"{name}の初日"),
    )


def offset(scan: Scan, first: int) -> Match | None:
    """`月末の前日`, `祝日の翌営業日`: a day counted from the one before; without one it is a word of the work."""
    if not scan.follows_anchor(first):
        ahead = OFFSETS[scan.token(first).word] == (1, True) and scan.token(first + 1).glue is not None
        return Match(first + 1, (BusinessDaysLater(1),)) if ahead else None
    days, business = OFFSETS[scan.token(first).word]
    return Match(first + 1, (Offset(days, business),))


def next_morning(scan: Scan, first: int) -> Match | None:
    """`金曜の翌朝6時`."""
    if not scan.follows_anchor(first):
        message = Text(
            "「翌朝」がどの日の翌朝なのか決められません", "It is not certain which day's next morning is meant"
        )
        return Match(first + 1, (Unclear("ambiguous_time", message, ("明朝", "毎朝")),))
    match = clock(scan, first + 1) if scan.token(first + 1).glue in CLOSE_GLUE else None
    if match is None:
        return Match(first + 1, (Offset(1), PartOfDay(tuple(sorted(HOURS["朝"].values())))))
    return Match(match.next, (Offset(1), *match.parts))
