"""A number with a unit: `3日後`, `2週間ごと`, `30分後`, `月末の3日前`, `1日1回`, `3営業日後`."""

from __future__ import annotations

from typing import Final

from schedctl.language import Text
from schedctl.when.japanese.scan import CLOSE_GLUE, Mark, Match, Scan
from schedctl.when.japanese.times import length, seconds
from schedctl.when.japanese.words_times import FREQUENCY_UNITS, HALVES_LATER
from schedctl.when.model import Offset
from schedctl.when.reading.parts import (
    BusinessDaysLater,
    Count,
    DaysOfMonth,
    Later,
    OnceOnly,
    Part,
    Period,
    Relative,
    Repeat,
    TimesPerUnit,
    Unclear,
    Unit,
)

UNIT_OF: Final[dict[str, Unit]] = {
    "day": "day",
    "days": "day",
    "weeks": "week",
    "months": "month",
    "years": "year",
    "year": "year",
}
UNIT_NAMES: Final[dict[Unit, str]] = {"day": "日", "week": "週間", "month": "か月", "year": "年"}
TRIES: Final = (
    "リトライ",
    "再試行",
    "試行",
    "繰り返",
    "連続",
    "失敗",
    "成功",
    "ずつ",
    "まで再",
    "までリトライ",
    "までの再",
    "目",
    "分",
)
DAY: Final = 24 * 60
LONGEST_TIE: Final = 99_999
MOST_MONTHS: Final = 1_200
LENGTHS: Final = {"days": ("days", 1), "weeks": ("days", 7), "months": ("months", 1), "years": ("months", 12)}


def is_of_work(scan: Scan, index: int) -> bool:
    """Whether the number here measures the work: `過去24時間の`, `30日より古い`, `3日分`."""
    token = scan.token(index)
    before = scan.token(index - 1) if index else None
    if before is not None and before.kind == "look_back" and token.glue in CLOSE_GLUE:
        return True
    if scan.text[token.end : token.end + 1] in {"分", "間"} and token.kind in {
        "day",
        "month",
        "year",
        "months",
        "weeks",
    }:
        return True
    if scan.kind(index + 1, after=frozenset(("",))) == "before" and token.kind not in {"minute", "hour"}:
        return not scan.follows_anchor(index)
    return scan.kind(index + 1) == "comparison"


def later(scan: Scan, first: int) -> Match | None:
    """`30分後`, `1時間半後`."""
    read = length(scan, first)
    if read is None or scan.kind(read[1]) != "after":
        return None
    minutes, index = read
    if scan.token(first).kind == "second" or (scan.token(index - 1).kind == "second"):
        return Match(index + 1, (seconds(scan, first, index + 1, "1分後"),))
    return Match(index + 1, (Later(minutes),))


def quiet_later(scan: Scan, first: int) -> Match | None:
    """`ちょうど1時間後`."""
    return later(scan, first + 1) if scan.token(first + 1).glue == "" else None


def half_later(scan: Scan, first: int) -> Match | None:
    """`半日後`."""
    return Match(first + 1, (Later(HALVES_LATER[scan.token(first).word]),))


def from_now(scan: Scan, first: int) -> Match | None:
    """`今から30分後`: adds nothing to a distance."""
    read = length(scan, first + 1)
    if scan.token(first + 1).kind in LENGTHS and scan.token(first + 1).glue in {"", "、"}:
        return duration(scan, first + 1)
    if read is not None and scan.token(first + 1).glue in {"", "、"} and scan.kind(read[1]) == "after":
        return later(scan, first + 1)
    if read is not None and scan.text.startswith("で", scan.token(read[1] - 1).end):
        return Match(read[1], (Later(read[0]),)) if read[0] else None
    return None


def distance(scan: Scan, first: int) -> Match | None:
    """`3日後`, `2週間後`, `15日の3日後`, `月末の2営業日前`."""
    token = scan.token(first)
    after = scan.kind(first + 1)
    if after not in {"after", "before"}:
        return None
    anchored = scan.follows_anchor(first)
    sign = 1 if after == "after" else -1
    if token.number == 0:
        return None
    if token.kind == "business_days":
        if anchored:
            return Match(first + 2, (Offset(sign * token.number, business=True),))
        return Match(first + 2, (BusinessDaysLater(token.number),)) if sign > 0 else None
    unit = UNIT_OF[token.kind]
    if anchored and unit in {"day", "week"}:
        return Match(first + 2, (Offset(sign * token.number * (7 if unit == "week" else 1)),))
    return Match(first + 2, (Relative(unit, token.number, later=True),)) if sign > 0 and not anchored else None


def joined_distance(scan: Scan, first: int) -> Match | None:
    """`2日と3時間後`, `1週間と2日後`: one distance of two lengths."""
    token, following = scan.token(first), scan.token(first + 1)
    size = {"day": 1, "days": 1, "weeks": 7}.get(token.kind, 0) * token.number
    if not 0 < size <= LONGEST_TIE or following.glue not in {"", "と"}:
        return None
    if following.kind in {"day", "days"} and scan.kind(first + 2) == "after":
        return Match(first + 3, (Relative("day", size + following.number, later=True),))
    read = length(scan, first + 1) if following.kind != "second" else None
    if read is None or scan.kind(read[1]) != "after":
        return None
    return Match(read[1] + 1, (Later(size * DAY + read[0]),))


def interval(scan: Scan, first: int) -> Match | None:
    """`3日ごと`, `2週間に1回`, `隔週` in numbers; `3日おき` has two readings, `1日おき` has one."""
    token = scan.token(first)
    every = scan.kind(first + 1)
    if every not in {"every", "gap"} or token.kind not in {*UNIT_OF, "business_days"} or token.number > LONGEST_TIE:
        return None
    if token.kind == "business_days":
        return Match(first + 2, (_every_business_days(),))
    unit = UNIT_OF[token.kind]
    if token.number == 0:
        return Match(first + 2, (_no_interval(),))
    if every == "every":
        return Match(first + 2, (Repeat(unit, token.number),))
    if token.number == 1:
        return Match(first + 2, (Repeat(unit, 2),))
    return Match(first + 2, (_two_gaps(scan, first, unit),))


def _two_gaps(scan: Scan, first: int, unit: Unit) -> Unclear:
    number, name = scan.token(first).number, UNIT_NAMES[unit]
    said = scan.letters(first, first + 2).removesuffix("に")
    return Unclear(
        "ambiguous_time",
        Text(
            f"「{said}」は{number}{name}ごとにも、間を{number}{name}空けた{number + 1}{name}ごとにも読めます",
            f"“{said}” can mean every {number} or every {number + 1} {unit}s",
        ),
        (f"{number}{name}ごと", f"{number + 1}{name}ごと"),
    )


def _no_interval() -> Unclear:
    return Unclear("impossible_time", Text("間隔が0では繰り返せません", "An interval of zero cannot repeat"), ("毎日",))


def _every_business_days() -> Unclear:
    return Unclear(
        "ambiguous_time",
        Text(
            "営業日を数える間隔は、どの日から数えるのか決められません",
            "An interval of business days has no certain day to count from",
        ),
        ("毎営業日", "毎週月曜"),
    )


def frequency(scan: Scan, first: int) -> Match | None:
    """`1日1回`, `1日に2回`, `1週間に1回`."""
    token, times = scan.token(first), scan.token(first + 1)
    if token.kind not in UNIT_OF or times.kind != "times" or times.glue not in {"", "に"} or times.number == 0:
        return None
    if token.number == 1:
        return Match(first + 2, (TimesPerUnit(UNIT_OF[token.kind], times.number),))
    if times.number == 1 and token.number > 1:
        return Match(first + 2, (Repeat(UNIT_OF[token.kind], token.number),))
    return None


def unit_frequency(scan: Scan, first: int) -> Match | None:
    """`週1回`, `月に2度`."""
    token, times = scan.token(first), scan.token(first + 1)
    unit = FREQUENCY_UNITS.get(token.word)
    if unit is None or times.kind != "times" or times.glue not in {"", "に"} or times.number == 0:
        return None
    return Match(first + 2, (TimesPerUnit(unit, times.number),))


def count(scan: Scan, first: int) -> Match | None:
    """`全5回`, `3回だけ`, `一度だけ`; a bare number of times counts only right after what says when."""
    index = first
    in_all = scan.token(first).kind == "in_all"
    index += in_all
    times = scan.token(index)
    if times.kind != "times" or times.word.endswith("目") or (in_all and times.glue != "") or times.number == 0:
        return None
    limit = scan.kind(index + 1, after=frozenset(("",)))
    limited = limit in {"only", "until"}
    bare = scan.follows(first) and (times.number == 1 or times.word.endswith("回"))
    if not (in_all or limited or bare) or _is_amount_of_work(scan, first, index):
        return None
    if bare and not (in_all or limited) and times.number > 1 and scan.token(first).glue == "に":
        return Match(index + 1, (_of_each_or_in_all(times.number),))
    after = index + 1 + limited
    after += scan.kind(after, after=frozenset(("",))) == "only"
    repeated = scan.pieces[-1].part if scan.pieces and scan.follows(first) else None
    if isinstance(repeated, Repeat) and repeated.every == 1 and not in_all:
        return Match(after, (TimesPerUnit(repeated.unit, times.number),))
    part: Part = OnceOnly() if times.number == 1 else Count(times.number)
    return Match(after, (part,))


def _of_each_or_in_all(number: int) -> Unclear:
    """`毎日9時に3回…`: three times each day, or on three days?"""
    message = Text(
        f"「{number}回」が毎回の回数なのか、全部の回数なのか決められません",
        f"It is not certain whether “{number}回” is said of each time or in all",
    )
    return Unclear("ambiguous_time", message, (f"全{number}回", f"{number}回だけ"))


def _is_amount_of_work(scan: Scan, first: int, index: int) -> bool:
    """`3回リトライして`, `最大3回まで`: how often the work itself tries."""
    before = scan.token(first - 1) if first else None
    if before is not None and before.kind == "look_back" and scan.token(first).glue in CLOSE_GLUE:
        return True
    return scan.text.startswith(TRIES, scan.token(index).end) or scan.kind(index + 1) == "comparison"


def duration(scan: Scan, first: int) -> Match | None:
    """`3日間毎日`, `今日から1週間`: how long, where a repetition stands beside it."""
    token = scan.token(first)
    if token.kind == "months" and not token.word.endswith("間"):
        return None
    unit, size = LENGTHS[token.kind]
    number = token.number * size
    if not 1 <= number <= (MOST_MONTHS if unit == "months" else LONGEST_TIE):
        return None
    if scan.pieces and scan.follows(first) and scan.pieces[-1].part == Mark("from"):
        return Match(first + 1, (Mark(f"{unit} {number}"),))
    period = Period(months=number) if unit == "months" else Period(days=number)
    only = scan.kind(first + 1, after=frozenset(("",))) == "only"
    following = scan.token(first + 1 + only)
    if following.kind in {"repeat", "day_with_hours"} and following.glue in {"", "、", "は", "の"}:
        return Match(first + 1 + only, (period,))
    return Match(first + 2, (period,)) if only and scan.follows(first) else None


def digit_of_day(scan: Scan, first: int) -> Match | None:
    """`5の付く日`: the 5th, 15th and 25th."""
    token = scan.token(first)
    if scan.token(first + 1).kind != "digit_of_day" or scan.token(first + 1).glue != "":
        return None
    if not 4 <= token.number <= 8:
        message = Text(
            f"「{token.number}の付く日」がどの日を含むのか決められません", "It is not certain which days this includes"
        )
        return Match(first + 2, (Unclear("ambiguous_time", message, (f"毎月{max(token.number, 1)}日",)),))
    return Match(first + 2, (Repeat("month"), DaysOfMonth((token.number, token.number + 10, token.number + 20))))
