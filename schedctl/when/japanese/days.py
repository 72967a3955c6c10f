"""Days in Japanese: weekdays, dates, days of the month, ordinals, relative days."""

from __future__ import annotations

from typing import Final

from schedctl.language import Text
from schedctl.when.japanese.scan import Match, Scan
from schedctl.when.japanese.units import distance
from schedctl.when.japanese.weekdays import AT_ONCE, LONGEST_LIST, RANGES, weekdays
from schedctl.when.japanese.words_days import (
    CLASSES,
    EACH,
    ENDS,
    LAST_DAY,
    MONTHS,
    NAMED_DAYS,
    PERIODS,
    RELATIVES,
    REPEATS,
    SETS,
    spoken,
)
from schedctl.when.reading.parts import (
    DaysOfMonth,
    NthBusinessDays,
    NthWeekdays,
    Part,
    Relative,
    Repeat,
    ShortMonths,
    Unclear,
    Weekdays,
)

LAST: Final = 31
EXCEPT_GLUE: Final = frozenset(("", "は", "を"))
COMING_DAYS: Final = frozenset(
    spoken("weekday named day class letter set end ordinal last first month month_set repeat each")
)
WORDS: Final[dict[str, tuple[Part, ...]]] = {
    **{
        word: (part,)
        for table in (CLASSES, SETS, EACH, MONTHS, REPEATS, RELATIVES, PERIODS)
        for word, part in table.items()
    },
    **ENDS,
    **NAMED_DAYS,
}
"""Words that are parts as they stand."""


def word(scan: Scan, first: int) -> Match | None:
    """A word that is a part as it stands: `毎日`, `平日`, `来週`, `末日`, `元日`."""
    return Match(first + 1, WORDS[scan.token(first).word])


def coming_or_relative(scan: Scan, first: int) -> Match | None:
    """`今度の金曜`, `来週`; `次` counts only before a weekday."""
    token = scan.token(first)
    if token.word in {"今度", "次", "次回"}:
        return Match(first + 1, WORDS[token.word]) if scan.kind(first + 1) in COMING_DAYS else None
    return _from_today(scan, first) or Match(first + 1, WORDS[token.word])


def _from_today(scan: Scan, first: int) -> Match | None:
    """`今日から3日後`: what a distance counts from anyway."""
    if RELATIVES[scan.token(first).word] != Relative("day", 0) or scan.token(first + 1).word != "から":
        return None
    return distance(scan, first + 2) if scan.kind(first + 1) == "from" and scan.kind(first + 3) == "after" else None


def ordinal(scan: Scan, first: int) -> Match | None:
    """`第2火曜`, `第1・第3の月曜`, `最終金曜`, `最後から2番目の金曜`, `第3営業日`."""
    ordinals, index = _ordinals(scan, first)
    if not ordinals:
        return None
    if scan.token(first).kind == "first" and scan.token(first).glue == "の" and scan.token(first - 1).kind == "from":
        return Match(index, (_first_since(scan, first, index),))
    if any(number == 0 for number in ordinals):
        index += scan.kind(index) in {"class", "weekday"}
        return Match(index, (_no_such_ordinal(scan, first, index),))
    if scan.kind(index) == "class" and scan.token(index).word in {"営業日", "平日", "稼働日"}:
        return Match(index + 1, (_business(scan, first, index + 1, ordinals),))
    if scan.kind(index, after=EXCEPT_GLUE) == "except" and scan.pieces and isinstance(scan.pieces[-1].part, Weekdays):
        return Match(index, (NthWeekdays(ordinals, scan.pieces[-1].part.weekdays),))  # `毎週土曜(第2・第4を除く)`
    if scan.kind(index) in {"set", "class"}:
        return Match(index + 1, (_which_ordinal(scan, first, index + 1, ordinals),))
    if scan.kind(index) in {"weekday", "letter"}:
        match = weekdays(scan, index)
        days = match.parts[0] if match else None
        if match is not None and isinstance(days, Weekdays):
            return Match(match.next, (_nth_weekdays(scan, first, match.next, ordinals, days),))
    if scan.text[scan.token(index - 1).end : scan.token(index - 1).end + 1] == "週":
        return Match(index, (_nth_week(scan, first, index),))
    return None


def _ordinals(scan: Scan, first: int) -> tuple[tuple[int, ...], int]:
    """The numbers of `第1・第3`, `第2、4`, `最終`, `最後から2番目の`, `第1と最終`, and the token after them."""
    numbers: list[int] = []
    index = first
    while True:
        number, after = _one_ordinal(scan, index, listed=bool(numbers))
        if number is None:
            return tuple(sorted(set(numbers))), index
        numbers.append(number)
        index = after
        last, after = _one_ordinal(scan, index + 1, listed=True) if scan.kind(index) in RANGES else (None, index)
        if last is not None:
            numbers.extend(range(number + 1, min(last, LONGEST_LIST) + 1))
            index = after
        if index - first > LONGEST_LIST:
            return (), first
        if not (scan.joined(index) or scan.token(index).glue == ""):
            return tuple(sorted(set(numbers))), index


def _one_ordinal(scan: Scan, index: int, *, listed: bool) -> tuple[int | None, int]:
    token, following = scan.token(index), scan.token(index + 1)
    match token.kind:
        case "ordinal" if following.kind in {"number", "nth", "business_days"} and following.glue == "":
            return following.number, index + 2
        case "number" if listed and scan.joined(index):
            return token.number, index + 1
        case "nth":
            return token.number, index + 1
        case "last":
            return -1, index + 1
        case "first":
            return 1, index + 1
        case "from_last" if following.kind in {"nth", "number"} and following.glue == "":
            return -following.number, index + 2
        case _:
            return None, index


def _first_since(scan: Scan, first: int, after: int) -> Unclear:
    """`12月5日以降の|最初の月曜`: a day counted from another, and not the first of each month."""
    said = scan.letters(first - 1, after)
    message = Text(
        f"「{said}」は日を数えないと決まらない日です", f"The day that “{said}” means would have to be counted out"
    )
    advice = Text("その日の日付を書いてください", "Write the date of that day")
    return Unclear("ambiguous_time", message, advice=advice)


def _nth_weekdays(scan: Scan, first: int, after: int, ordinals: tuple[int, ...], days: Weekdays) -> Part:
    if any(abs(number) > 5 for number in ordinals):
        return _no_such_ordinal(scan, first, after)
    return NthWeekdays(ordinals, days.weekdays)


def _which_ordinal(scan: Scan, first: int, after: int, ordinals: tuple[int, ...]) -> Unclear:
    """`第1土日`: the Sunday may come before the Saturday; `第2祝日`: of what?"""
    said = scan.letters(first, after)
    message = Text(f"「{said}」がどの日を指すのか決められません", f"It is not certain which days “{said}” means")
    weekend = scan.token(after - 1).kind == "set" and min(ordinals) > 0
    choices = ("と".join(f"第{number}土曜と第{number}日曜" for number in ordinals),) if weekend else ("第1営業日",)
    return Unclear("ambiguous_time", message, choices)


def _business(scan: Scan, first: int, after: int, ordinals: tuple[int, ...]) -> Part:
    if any(abs(number) > 23 or number == 0 for number in ordinals):
        return _no_such_ordinal(scan, first, after)
    return NthBusinessDays(ordinals)


def _no_such_ordinal(scan: Scan, first: int, after: int) -> Unclear:
    said = scan.letters(first, after)
    return Unclear(
        "impossible_time",
        Text(f"「{said}」という日は1か月の中にありません", f"No month has such a day as “{said}”"),
        ("最終営業日", "第1月曜"),
    )


def _nth_week(scan: Scan, first: int, after: int) -> Unclear:
    return Unclear(
        "ambiguous_time",
        Text(
            "「第n週」は、月の何日から数える週なのか決められません",
            "The n-th week of a month can be counted in several ways",
        ),
        (scan.letters(first, after),),
        Text("何番目の曜日かで書いてください", "Write the n-th weekday instead"),
    )


def business_day(scan: Scan, first: int) -> Match | None:
    """`3営業日目`."""
    token = scan.token(first)
    if token.kind != "nth_business_day":
        return None
    return Match(first + 1, (_business(scan, first, first + 1, (token.number,)),))


def ordinal_business(scan: Scan, first: int) -> Match | None:
    """`第3営業日`, `第1・第3営業日`, `末から3営業日目`: where the unit swallowed the number."""
    numbers: list[int] = []
    index = first
    sign = -1 if scan.token(first).kind == "from_last" else 1
    while index - first < LONGEST_LIST and (
        scan.token(index).kind in {"ordinal", "from_last"}
        or (numbers and scan.token(index).kind in {"number", "business_days"})
    ):
        if numbers and not scan.joined(index):
            return None
        index += scan.token(index).kind in {"ordinal", "from_last"}
        token = scan.token(index)
        if token.kind not in {"number", "business_days", "nth_business_day"}:
            return None
        numbers.append(sign * token.number)
        index += 1
        last = scan.token(index + 2)
        if scan.kind(index) in RANGES and scan.kind(index + 1) == "ordinal" and last.kind == "business_days":
            numbers.extend(sign * each for each in range(token.number + 1, min(last.number, LONGEST_LIST) + 1))
            return Match(index + 3, (_business(scan, first, index + 3, tuple(sorted(set(numbers)))),))
        if token.kind != "number":
            return Match(index, (_business(scan, first, index, tuple(sorted(set(numbers)))),))
    return None


def day_from_last(scan: Scan, first: int) -> Match | None:
    """`最後から3日目`, `末から2日目`."""
    following = scan.token(first + 1)
    if following.kind != "nth_day" or following.glue != "":
        return None
    return Match(first + 2, (_days_of_month(scan, first, first + 2, (-following.number,)),))


def days_of_month(scan: Scan, first: int) -> Match | None:
    """`15日`, `1日と15日`, `1・15日`, `1日から5日`, `15日と末日`."""
    days: list[int] = []
    index = first
    while True:
        token = scan.token(index)
        if (
            token.kind == "number" and scan.joined(index + 1) and scan.token(index + 1).kind in {"number", "day"}
        ) or token.kind == "day":
            days.append(token.number)
        elif token.kind == "end" and days and ENDS[token.word][0] == DaysOfMonth((-1,), each=True):
            days.append(-1)
        else:
            break
        index += 1
        ends = scan.kind(index + 1) in {"times", "every", "gap", "after"} or index - first > LONGEST_LIST
        if ends or not scan.joined(index):
            break
    if not days or not any(scan.token(at).kind == "day" for at in range(first, index)):
        return None
    if scan.kind(index) in RANGES and scan.kind(index + 1) == "end" and _is_monthly(scan):
        return _until_the_last(scan, index, days)
    last = _range_of_days(scan, index, days)
    if last:
        index = last
    return Match(index, (_days_of_month(scan, first, index, tuple(days)),))


def _until_the_last(scan: Scan, index: int, days: list[int]) -> Match | None:
    """`毎月25日から末日`: however long the month is."""
    if ENDS[scan.token(index + 1).word] != (LAST_DAY,) or not 1 <= days[-1] <= LAST:
        return None
    after = index + 2
    after += scan.kind(after, after=AT_ONCE) == "until"
    days.extend(range(days[-1] + 1, LAST + 1))
    return Match(after, (DaysOfMonth(tuple(sorted(set(days)))), ShortMonths("leave_out")))


def _range_of_days(scan: Scan, index: int, days: list[int]) -> int:
    """`毎月1日から5日`: the days in between; a period (`12月1日から31日まで`) is left to `periods`."""
    if scan.kind(index) not in RANGES or scan.token(index + 1).kind != "day" or not _is_monthly(scan):
        return 0
    last = scan.token(index + 1).number
    days.extend(range(days[-1] + 1, min(last, 31) + 1))
    after = index + 2
    return after + (scan.kind(after, after=AT_ONCE) == "until")


def _is_monthly(scan: Scan) -> bool:
    return bool(scan.pieces) and isinstance(scan.pieces[-1].part, Repeat) and scan.pieces[-1].part.unit == "month"


def _days_of_month(scan: Scan, first: int, after: int, days: tuple[int, ...]) -> Part:
    if any(not 1 <= abs(day) <= 31 for day in days):
        said = scan.letters(first, after)
        return Unclear(
            "impossible_time",
            Text(f"「{said}」という日はありません", f"There is no such day as “{said}”"),
            ("末日", "1日"),
        )
    return DaysOfMonth(tuple(sorted(set(days))))
