"""One clock time in Japanese: `9時半`, `午後3時`, `21:05`, `夜9時`, `10時5分前`, and why some are none."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.when.japanese.scan import Match
from schedctl.when.japanese.words_times import (
    ENGLISH_NOONS,
    FIXED_TIMES,
    HOURS,
    NIGHT,
    TONIGHT,
    TWO_NOONS,
    Hours,
)
from schedctl.when.model import LAST_HOUR, At
from schedctl.when.reading.parts import Clock, Unclear

if TYPE_CHECKING:
    from schedctl.when.japanese.scan import Scan

HOUR: Final = 60
MOST_TIMES: Final = 48
MOST_WORDS: Final = 4
CLOCK: Final = re.compile(r"(\d+):(\d\d)(?::(\d\d))?(?:\.\d+)?分?")
TIME_GLUE: Final = frozenset(("", "の", "、", ",", "に", "は", "に、", "は、"))
"""What may stand between 朝 and its hour."""


@dataclass(frozen=True, slots=True)
class Read:
    """One clock time: its minute of the day, the word before its hour, and the token after it."""

    minute: int
    next: int
    word: str = ""
    night: bool = False
    problem: Unclear | None = None


def seconds(scan: Scan, first: int, last: int, choice: str) -> Unclear:
    """Seconds: the timer ticks once a minute."""
    return Unclear(
        "impossible_time",
        Text(
            f"「{scan.letters(first, last)}」は秒の指定です。予定は分の単位で動きます",
            "Seconds cannot be scheduled: schedules run by the minute",
        ),
        (choice,),
    )


def clock_at(scan: Scan, first: int, word: str = "") -> Read | None:
    """One clock time from the token at `first` on."""
    index = first
    words = [word] if word else []
    while (
        len(words) < MOST_WORDS
        and scan.token(index).kind == "part_of_day"
        and (index == first or scan.token(index).glue in TIME_GLUE)
    ):
        words.append(scan.token(index).word)
        index += 1
    token = scan.token(index)
    if words and index > first and token.glue not in TIME_GLUE:
        return None
    minute, after = _said(scan, index)
    if after == index:
        return None
    after = _without_quiet(scan, after)
    half = scan.token(after)
    if half.kind == "part_of_day" and half.word.isascii() and half.glue == "":
        words.append(half.word)
        after += 1
    elif token.kind == "number" and not (words and words[-1].isascii()):
        return None
    return _qualified(scan, first, after, minute, words)


def _said(scan: Scan, index: int) -> tuple[int, int]:
    """The minute of day as said, and the token after it (the same where there is none); -1 for an impossible one."""
    token = scan.token(index)
    match token.kind:
        case "hour":
            return _hour_and_minute(scan, index)
        case "clock":
            return _of_clock(token.word), index + 1
        case "number":
            return token.number * HOUR, index + 1
        case "fixed_time":
            minute = FIXED_TIMES[token.word]
            following = scan.kind(index + 1)
            if following == "half":
                return minute + 30, index + 2
            again = following == "hour" and scan.token(index + 1).number * HOUR == minute
            return minute, index + 1 + again
        case _:
            return 0, index


SECONDS: Final = -2


def _hour_and_minute(scan: Scan, index: int) -> tuple[int, int]:
    hour = scan.token(index).number
    minute, after = 0, index + 1
    following = scan.token(after)
    if following.kind == "half" and following.glue == "":
        minute, after = 30, after + 1
    elif following.kind == "minute" and following.glue == "":
        minute, after = following.number, after + 1
        if scan.kind(after, after=frozenset(("",))) == "before" and minute < HOUR:
            return hour * HOUR - minute, after + 1
    if scan.kind(after, after=frozenset(("",))) == "second":
        return (hour * HOUR + minute if scan.token(after).number == 0 else SECONDS), after + 1
    return (hour * HOUR + minute if minute < HOUR and hour <= LAST_HOUR else -1), after


def _of_clock(letters: str) -> int:
    match = CLOCK.fullmatch(letters)
    if match is None:
        return -1
    hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
    if second:
        return SECONDS
    return hour * HOUR + minute if minute < HOUR and hour <= LAST_HOUR else -1


def _without_quiet(scan: Scan, index: int) -> int:
    return index + (scan.token(index).kind == "quiet" and scan.token(index).glue == "")


def _qualified(scan: Scan, first: int, after: int, minute: int, words: list[str]) -> Read:
    """The time with what 朝, 午後 or 夜 make of it, and without what blurs it."""
    after = _without_quiet(scan, after)
    word = words[-1] if words else ""
    if minute < 0:
        hour = f"{scan.token(first).number % 24}時"
        problem = seconds(scan, first, after, hour) if minute == SECONDS else impossible(scan, first, after, ())
        return Read(0, after, word, problem=problem)
    following = scan.token(after)
    if following.kind == "about" and following.glue == "":
        return Read(
            minute, after + 1, word, problem=hedge(scan, first, after + 1, (_said_plainly(scan, first, after),))
        )
    if following.kind == "number" and following.glue == "" and scan.text[following.end : following.end + 1] in "にの、":
        return Read(minute, after + 1, word, problem=_bare_minutes(scan, first, after))
    return _after_words(scan, first, Read(minute, after, word), words)


def _after_words(scan: Scan, first: int, read: Read, words: list[str]) -> Read:
    """`夜9時` is 21:00; several words before one hour must agree (`夜の午後8時`; `朝晩9時` is two times)."""
    hour, minute = divmod(read.minute, HOUR)
    meant = [_hour_after(hour, word) for word in words]
    settled = {each for each in meant if each is not None}
    if not words:
        return read
    if len(settled) == 1 and None not in meant:
        return replace(read, minute=settled.pop() * HOUR + minute)
    night = NIGHT.get(read.word, {}).get(hour)
    if night is not None and len(words) == 1:
        return replace(read, minute=night * HOUR + minute, night=True)
    return replace(read, problem=_wrong_half(scan, first, read.next, hour, minute, read.word))


def _hour_after(hour: int, word: str) -> int | None:
    return _hours_of(word).get(hour)


def _hours_of(word: str) -> Hours:
    if word == "今夜":
        return TONIGHT
    return HOURS[word] | ENGLISH_NOONS.get(word, {})


def _wrong_half(scan: Scan, first: int, after: int, hour: int, minute: int, word: str) -> Unclear:
    """`午後12時` (noon or midnight?), `午前13時`, `夜5時`."""
    rest = f"{minute}分" if minute else ""
    said = scan.letters(first, after)
    if hour == 12 and word in TWO_NOONS:
        choices = (f"12時{rest}", f"0時{rest}") if minute else ("正午", "0時")
        message = Text(f"「{said}」は正午とも深夜0時とも読めます", "This could be noon or midnight")
        return Unclear("ambiguous_time", message, choices)
    choices = tuple(f"{each}時{rest}" for each in dict.fromkeys((hour, (hour + 12) % 24)) if each <= LAST_HOUR)
    if hour > 12:
        return impossible(scan, first, after, (f"{hour}時{rest}", f"{word}{hour - 12}時{rest}"))
    message = Text(f"「{said}」が何時を指すのか決められません", "It is not certain which hour this means")
    return Unclear("ambiguous_time", message, choices)


def impossible(scan: Scan, first: int, after: int, choices: tuple[str, ...]) -> Unclear:
    """`25:70`: a time that no clock shows."""
    return Unclear(
        "impossible_time",
        Text(
            f"「{scan.letters(first, after)}」という時刻はありません",
            f"There is no such time as {scan.letters(first, after)}",
        ),
        choices,
    )


def hedge(scan: Scan, first: int, after: int, choices: tuple[str, ...]) -> Unclear:
    """`9時ごろ`: a timer needs one minute."""
    return Unclear(
        "ambiguous_time",
        Text(
            f"「{scan.letters(first, after)}」では時刻が1つに決まりません",
            f"“{scan.letters(first, after)}” does not settle on one time",
        ),
        choices,
    )


def _said_plainly(scan: Scan, first: int, after: int) -> str:
    """The time without the word that blurs it; `9時までに` keeps its に."""
    return scan.letters(first, after) + ("に" if scan.token(after).word.endswith("に") else "")


def _bare_minutes(scan: Scan, first: int, after: int) -> Unclear:
    number = scan.token(after).word
    return Unclear(
        "ambiguous_time",
        Text(
            f"時刻のあとの「{number}」が何を指すのか決められません",
            f"It is not certain what “{number}” after the time means",
        ),
        (f"{scan.letters(first, after)}{number}分",),
    )


def hours_of_list(scan: Scan, first: int) -> Match | None:
    """`9・12・15時`: the hours of a list in one unit."""
    hours: list[int] = []
    index = first
    while scan.token(index).kind == "number" and len(hours) < MOST_TIMES:
        hours.append(scan.token(index).number)
        index += 1
        if scan.token(index).glue not in {"・", "、", ",", "/"}:
            return None
    hours.append(scan.token(index).number)
    ascending = all(before < later < 24 for before, later in pairwise(hours))
    if len(hours) < 2 or scan.token(index).kind != "hour" or not ascending or scan.token(first).glue is None:
        return None
    return Match(index + 1, (Clock(tuple(At(hour) for hour in hours)),))
