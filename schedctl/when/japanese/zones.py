"""Whose clock counts in Japanese: `9時JST`, `日本時間で毎日9時`; a zone that is not beside a time is of the work."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.when.japanese.scan import Match, Scan
from schedctl.when.japanese.words_days import spoken
from schedctl.when.japanese.words_times import ZONES
from schedctl.when.reading.parts import InZone, Unclear
from schedctl.when.reading.zones_said import is_of_an_area, unknown_zone, zone_called

if TYPE_CHECKING:
    from schedctl.when.japanese.tokens import Token

BEFORE_TIMES: Final = frozenset(("", "の", "で", "では", "は", "、", "で、", "では、", "は、", ":", ","))
"""What may stand between a zone and the time that it is of: `日本時間で|毎日`, `UTC: |毎日`."""
TIMES: Final = frozenset(
    spoken(
        "hour clock part_of_day fixed_time hourly minutely day_with_hours tonight minute hours repeat relative date "
        "slash month day weekday class set each end year era offset_of_zone zone zone_name"
    )
)
"""Kinds that begin a time."""
OF_THE_TIME: Final = re.compile(r"\s*(?:\)(?!まで|から|[~-])|\)?\s*[に、。,:はで(]|の[0-9]|$)")
"""What follows a zone that is said of the time before it: `9時UTC|に`; `9時 UTC|ログを…` is of the work."""
CLOSES: Final = re.compile(r"(?:[)）]|で|です|にて|基準)*[。\s]*$")
BEFORE_A_LAST_ZONE: Final = ("(", "、", "。", ",")


def zone(scan: Scan, first: int) -> Match | None:
    """`JST`, `日本時間`."""
    return _attached(scan, first, InZone(ZONES[scan.token(first).word]))


def zone_name(scan: Scan, first: int) -> Match | None:
    """`America/New_York`, in whatever case."""
    said = scan.token(first).word
    name = zone_called(said)
    if name is not None:
        return _attached(scan, first, InZone(name))
    close = scan.follows(first) and scan.token(first).glue == ""
    return Match(first + 1, (unknown_zone(said),)) if close and is_of_an_area(said) else None


def _attached(scan: Scan, first: int, part: InZone) -> Match | None:
    """The zone where it stands beside a time; unclear where it could be of either; None where it is of the work."""
    token, following = scan.token(first), scan.token(first + 1)
    if _ends_sentence(scan.text, token) or (following.kind in TIMES and following.glue in BEFORE_TIMES):
        return Match(first + 1, (part,))
    if not scan.follows(first):
        return None
    by_itself = OF_THE_TIME.match(scan.text, token.end) is not None
    if token.glue == "":
        return Match(first + 1, (part if by_itself else _whose_zone(token),))
    says_how = scan.text.startswith(("で", "にて", "基準"), token.end)
    return Match(first + 1, (_whose_zone(token),)) if says_how else None


def _ends_sentence(text: str, token: Token) -> bool:
    """`…を確認(UTC)`, `…を確認、日本時間で`: apart from the work, at the very end."""
    ahead = text[: token.start].rstrip()
    return ahead.endswith(BEFORE_A_LAST_ZONE) and CLOSES.match(text, token.end) is not None


def _whose_zone(token: Token) -> Unclear:
    said = token.word.upper() if token.word.isascii() and "/" not in token.word else token.word
    message = Text(
        f"「{said}」が時刻のことか作業のことか決められません",
        f"It is not certain whether “{said}” is of the time or of the work",
    )
    advice = Text(
        f"時刻のことなら 9時（{said}）に のように時刻のすぐあとの括弧に、作業のことなら時刻から離して書いてください",
        f"If it is of the time, write it in brackets right behind the time (“9時（{said}）に”)",
    )
    return Unclear("ambiguous_time", message, advice=advice)


def zone_offset(scan: Scan, first: int) -> Match | None:
    """`+09:00`, `UTC+9`."""
    if scan.token(first).word == "z":
        return Match(first + 1, (InZone(timedelta(0)),))
    letters = scan.token(first).word.removeprefix("utc").removeprefix("gmt")
    digits = letters[1:].replace(":", "")
    hours, minutes = (int(digits), 0) if len(digits) <= 2 else (int(digits[:-2]), int(digits[-2:]))
    if hours > 14 or minutes > 59 or not (scan.follows(first) or letters != scan.token(first).word):
        return None
    offset = timedelta(hours=hours, minutes=minutes)
    return Match(first + 1, (InZone(-offset if letters[0] == "-" else offset),))


def vague_zone(scan: Scan, first: int) -> Match | None:
    """`現地時間9時`: which?"""
    token, following = scan.token(first), scan.token(first + 1)
    beside = following.kind in TIMES and following.glue in BEFORE_TIMES
    if not beside and not (scan.follows(first) and (token.glue == "" or not token.word.isascii())):
        return None
    said = token.word.upper()
    message = Text(f"「{said}」がどの地域の時計なのか決められません", f"It is not certain which clock “{said}” is")
    advice = Text("Asia/Tokyo のような IANA の名前で書いてください", "Write an IANA name such as Asia/Tokyo")
    choices = ("日本時間", "UTC")
    return Match(first + 1, (Unclear("ambiguous_time", message, choices, advice if token.word.isascii() else None),))
