"""Japanese words that say when without settling it: `たまに`, `上旬`, `年末年始`, `第2週`, `今すぐ`."""

from __future__ import annotations

from typing import Final

from schedctl.language import Text
from schedctl.when.japanese.clocks import TIME_GLUE
from schedctl.when.japanese.dates import date, months, slash, year
from schedctl.when.japanese.scan import CLOSE_GLUE, Match, Scan
from schedctl.when.japanese.words_days import spoken
from schedctl.when.japanese.words_times import LATER_ON
from schedctl.when.reading.parts import Coming, DaysOfMonth, Part, ShortMonths, Unclear

AFTER_WHICH_A_HEDGE_IS_WORK: Final = frozenset("たのるい")


def hedge(scan: Scan, first: int) -> Match | None:
    """`たまに`, `そのうち`: no timer can be set to that."""
    token = scan.token(first)
    if token.word in LATER_ON and scan.text[token.start - 1 : token.start] in AFTER_WHICH_A_HEDGE_IS_WORK:
        return None
    message = Text(f"「{token.word}」では、いつ実行するかが決まりません", f"“{token.word}” does not say when to run")
    return Match(first + 1, (Unclear("ambiguous_time", message, ("", "毎日9時に", "明日の9時に")),))


def now(_scan: Scan, first: int) -> Match:
    """`今すぐ`: a schedule begins a minute from now at the earliest."""
    message = Text("予約するのはこれから先の時刻です", "A schedule is for a time to come")
    return Match(first + 1, (Unclear("no_time", message, ("1分後に",)),))


def vague_day(scan: Scan, first: int) -> Match | None:
    """`月の上旬`, `年末年始`: which days?"""
    token, following = scan.token(first), scan.token(first + 1)
    if following.kind in DATES and scan.text[token.end : following.start].strip() == "(":
        return DATES[following.kind](scan, first + 1)  # `年末年始(12/29~1/3)`: which days, is said
    beside = following.glue in CLOSE_GLUE and following.kind in BESIDE_DAYS
    if token.word in THIRDS and following.glue in THIRD_GLUE and following.kind in OF_THIRDS:
        return Match(first + 1, THIRDS[token.word])
    if token.word == "週明け" and following.glue in CLOSE_GLUE and following.word.startswith("月曜"):
        return Match(first + 1, (Coming(),))
    if not (
        beside
        or (scan.follows(first) and token.glue in CLOSE_GLUE)
        or scan.text[token.end : token.end + 1] in {"に", "は"}
    ):
        return None
    message = Text(
        f"「{token.word}」がどの日を指すのか決められません", f"It is not certain which days “{token.word}” means"
    )
    return Match(first + 1, (Unclear("ambiguous_time", message, VAGUE_CHOICES.get(token.word, ())),))


def within(scan: Scan, first: int) -> Match | None:
    """`来週中の9時に`, `年内に9時から`: on which of its days, or on each?"""
    token, following = scan.token(first), scan.token(first + 1)
    if following.kind not in CLOCKS or following.glue not in {"", "の", "に", "に、"}:
        return None
    message = Text(
        f"「{token.word}」のどの日に実行するのか、毎日なのかが書かれていません",
        f"The sentence does not say on which day of “{token.word}” to run, or whether on each",
    )
    return Match(first + 1, (Unclear("no_day", message, (f"{token.word}は毎日", "明日の")),))


def vague_hours(scan: Scan, first: int) -> Match | None:
    """`営業時間中に15分おき`, `朝イチに`: which hours? Before a noun (`営業時間中のログ`) it is the work's."""
    token, following = scan.token(first), scan.token(first + 1)
    beside = following.glue in TIME_GLUE and following.kind in BESIDE_HOURS
    close = scan.follows(first) and token.glue in CLOSE_GLUE
    ends = scan.text[token.end : token.end + 1] in {"に", "は", "、", ""}
    if not (beside or (close and ends) or (ends and scan.text[token.end : token.end + 1] != "")):
        return None
    message = Text(
        f"「{token.word}」が何時を指すのか決められません", f"It is not certain which hours “{token.word}” means"
    )
    return Match(first + 1, (Unclear("ambiguous_time", message, ("9時", "9時から18時まで", "0時から12時まで")),))


DATES: Final = {"slash": slash, "date": date, "month": months, "year": year}
CLOCKS: Final = frozenset(spoken("hour clock part_of_day fixed_time"))
BESIDE_HOURS: Final = frozenset(spoken("hour clock minute minutes hours hourly minutely part_of_day fixed_time"))
BESIDE_DAYS: Final = frozenset(
    spoken(
        "minute minutes hours hourly day month class weekday set end repeat hour clock part_of_day fixed_time except "
        "until from bare_end bare_start last first from_last ordinal nth nth_business_day"
    )
)
THIRDS: Final[dict[str, tuple[Part, ...]]] = {
    "上旬": (DaysOfMonth(tuple(range(1, 11)), each=True),),
    "中旬": (DaysOfMonth(tuple(range(11, 21)), each=True),),
    "下旬": (DaysOfMonth(tuple(range(21, 32)), each=True), ShortMonths("leave_out")),
}
"""The ten days that are meant where it is said which of them: `上旬の月曜`, `下旬の平日`."""
THIRD_GLUE: Final = frozenset(("", "の", "は", "、", "は、"))
OF_THIRDS: Final = frozenset(spoken("class weekday set each repeat"))
VAGUE_CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "年末年始": ("12月29日から1月3日",),
    "年末": ("12月31日", "12月28日"),
    "年始": ("1月4日",),
    "週明け": ("月曜", "毎週月曜", "週の最初の営業日"),
    "週初め": ("毎週月曜", "週の最初の営業日"),
    "週初": ("毎週月曜", "週の最初の営業日"),
    "上旬": ("1日から10日", "1日", "10日"),
    "中旬": ("11日から20日", "15日"),
    "下旬": ("21日から末日", "25日", "末日"),
    "休み明け": ("休日の翌営業日", "週の最初の営業日"),
    "休日明け": ("休日の翌営業日",),
    "祝日明け": ("祝日の翌営業日",),
    "奇数週": ("隔週", "第1・第3"),
    "偶数週": ("隔週", "第2・第4"),
    "休前日": ("休日の前営業日", "金曜"),
}


def nth_week(scan: Scan, first: int) -> Match | None:
    """`第2週の火曜`, `2週目の火曜`."""
    token = scan.token(first)
    if token.kind == "ordinal" and scan.token(first + 1).kind == "weeks" and scan.token(first + 1).glue == "":
        return _week_of_month(scan, first + 2, scan.token(first + 1).number)
    return _week_of_month(scan, first + 1, token.number) if token.kind == "nth_week" else None


def _week_of_month(scan: Scan, after: int, number: int) -> Match:
    beside = scan.kind(after) == "weekday"
    last = after + beside
    message = Text(
        "「第n週」は、月の何日から数える週なのか決められません",
        "The n-th week of a month can be counted in several ways",
    )
    choices = (f"第{number}{scan.token(after).word}",) if beside else (f"第{number}月曜",)
    return Match(last, (Unclear("ambiguous_time", message, choices),))
