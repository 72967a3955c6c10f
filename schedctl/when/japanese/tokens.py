"""A normalised sentence -> tokens: the words of `words_ja.py`, numbers with what they count, dates and clock times.

What lies between two tokens is either glue (a particle, punctuation, a bracket) or real text, which is never time.
The longest word wins; names such as `web01` or `10.0.0.1` are skipped as a whole. One pass, without going back.
"""

from __future__ import annotations

import re
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from schedctl.when.japanese.words import KINDS
from schedctl.when.japanese.words_days import ENGLISH_WEEKDAYS, WEEKDAY_LETTERS
from schedctl.when.japanese.words_times import HOURS, UNITS, ZONE_LETTERS, ZONES
from schedctl.when.reading.normalize import DIGITS, POWERS, number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LONGEST_GLUE: Final = 14
NO_PHRASES: Final[Mapping[str, str]] = MappingProxyType({})


class Token(NamedTuple):
    """A word or number: its kind, its letters, its number, its place, and the glue before it (None: real text)."""

    kind: str
    word: str
    number: int
    start: int
    end: int
    glue: str | None


def lengths_by_start(words: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """For the first two letters of each word (or its only one) the lengths of such words, longest first."""
    lengths: dict[str, set[int]] = {}
    for word in words:
        lengths.setdefault(word[:2], set()).add(len(word))
    return {start: tuple(sorted(each, reverse=True)) for start, each in lengths.items()}


ASCII_WORDS: Final = frozenset(
    word for word in (*ENGLISH_WEEKDAYS, *HOURS, *ZONES, *ZONE_LETTERS, "noon", "midnight") if word.isascii()
)
WORD_LENGTHS: Final = lengths_by_start(word for word in KINDS if not word.isascii())
UNIT_LENGTHS: Final = lengths_by_start(UNITS)
KANJI_NUMBER: Final = re.compile(f"[{''.join((*DIGITS, *POWERS))}]+|元(?=年)")
NO_UNIT: Final = re.compile("[月日]曜|月度|(?:ジ|フン|プン)[ァ-ヺー]")
"""What is no unit although it begins with one: `1日曜`, `3ジョブ`."""
NAME: Final = re.compile(r"(?:[a-z0-9_@\\/.~]|[-:+](?=[a-z0-9_/]))+")
"""An ASCII name or path: nothing inside it is time."""
ZONE_NAME: Final = re.compile(r"[a-z]+/[a-z_]+(?:[/+-][a-z0-9_]+)?|etc/gmt[+-]?[0-9]*")
NUMERIC: Final = re.compile(
    r"(?P<file>[0-9][0-9-]*[._][a-z][a-z0-9_.-]*)"
    r"|(?P<date>[0-9]{4}(?:-[0-9]{1,2}-[0-9]{1,2}|/[0-9]{1,2}/[0-9]{1,2}|\.[0-9]{1,2}\.[0-9]{1,2})(?![0-9/-]))(?:t(?=[0-9]))?"
    r"|(?P<clock>[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?(?![0-9:])(?:分(?=[にのかま、 ]))?)"
    r"|(?P<slash>[0-9]{1,2}/[0-9]{1,2}(?![0-9/]))"
    r"|(?P<name>[0-9]+(?:\.[0-9]+)+[a-z0-9_./:-]*|[0-9]+(?!(?:am|pm|a\.m|p\.m)(?![a-z]))[a-z_%][a-z0-9_./:-]*)"
    r"|(?P<number>[0-9]+)"
)
HALF_DAY: Final = re.compile(r"(?:am|pm)(?=[0-9])|[ap]\.m\.?(?![a-z0-9])")
ZONE_OF_HOUR: Final = re.compile(r"(?:utc|gmt|jst)(?=[0-9]{1,2}(?:時|:[0-9]))")
ERA_DATE: Final = re.compile(r"[rhs][0-9]{1,2}\.[0-9]{1,2}\.[0-9]{1,2}")
ERA_CLOCK: Final = re.compile(r" *の? *[0-9]{1,2}(?::[0-9]{2}|時(?!間))")
"""What makes `R9.4.1` a date, and not a version."""
OR: Final = re.compile("or(?=[0-9ぁ-んァ-ヶ一-龠])")
BEFORE_OR: Final = frozenset("時分半日曜")
BEFORE_SLASH: Final = frozenset("0123456789時分半")
SECOND_TIME: Final = re.compile("[0-9]{1,2}(?::[0-9]{2}|時)(?![0-9])(?!/(?![0-9]{1,2}(?::|時)))")
OFFSET: Final = re.compile(r"(?:utc|gmt)?[+-](?:0?[0-9]|1[0-4])(?::?[0-9]{2})?(?![0-9:時])")
ISO_CLOCK: Final = re.compile(r"[0-9]-[0-9]{2}[t ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?\Z")
"""An ISO 8601 date and time: a `-05:00` right behind it is an offset, not the end of a window."""
ISO_LENGTH: Final = 16
ASCII_STARTS: Final = frozenset("abcdefghijklmnopqrstuvwxyz_@\\/.~")
DIGIT_STARTS: Final = frozenset("0123456789")
KANJI_STARTS: Final = frozenset((*DIGITS, *POWERS, "元"))
STARTS: Final = frozenset(
    (*(start[0] for start in WORD_LENGTHS), *ASCII_STARTS, *DIGIT_STARTS, *KANJI_STARTS, "+", "-")
)
GLUE: Final = re.compile(
    r"[)」』\"']*(?P<before>には|では|にも|にて|のうちの?|の|に|は|も|で|と|や|を|が|へ|及び|および|並びに|そして|かつ|&|\+|/)?"
    r"[)」』\"']*(?P<mark>[、,，・。:;!.…]*)(?P<after>と|および|及び|さらに|そして|の)?"
    r"(?:ただし|但し|もし|なお|その日が|当日が|毎回|必ず|その月の)?[、,]?[(「『\"']*"
)
Found = tuple[str, int, int]
"""A kind, a number and the end of the token."""


def tokens(text: str, phrases: Mapping[str, str] = NO_PHRASES) -> list[Token]:
    """All tokens of a normalised text, in order; `phrases` are words of this sentence alone, with their kinds."""
    found: list[Token] = []
    last = place = 0
    size = len(text)
    while place < size:
        letter = text[place]
        if letter not in STARTS and not phrases:
            place += 1
            continue
        phrase = _phrase_at(text, place, phrases) if phrases else None
        kind, value, end = phrase or _token_at(text, place, letter)
        if kind:
            between = "" if place == last else glue_between(text[last:place]) if place - last <= LONGEST_GLUE else None
            found.append(Token(kind, text[place:end], value, place, end, between))
            last = end
        place = end
    return found


def _phrase_at(text: str, place: int, phrases: Mapping[str, str]) -> Found | None:
    for phrase, kind in phrases.items():
        if text.startswith(phrase, place):
            return kind, 0, place + len(phrase)
    return None


def _token_at(text: str, place: int, letter: str) -> Found:
    """The token that starts here; an empty kind for letters that are skipped."""
    for length in WORD_LENGTHS.get(text[place : place + 2], ()):
        word = text[place : place + length]
        kind = KINDS.get(word)
        if kind is not None and not _cuts_a_weekday(text, place + len(word)):
            return kind, 0, place + len(word)
    if letter in WORD_LENGTHS:
        return KINDS[letter], 0, place + 1
    if letter in DIGIT_STARTS:
        return _numeric(text, place)
    if letter in KANJI_STARTS:
        match = KANJI_NUMBER.match(text, place)
        return ("", 0, place + 1) if match is None else _counted(match.group(), text, match.end())
    if letter in ASCII_STARTS:
        return _name(text, place)
    signed = letter == "+" or (letter == "-" and ISO_CLOCK.search(text[max(0, place - ISO_LENGTH) : place]))
    offset = OFFSET.match(text, place) if signed else None
    if offset is not None:
        return "offset_of_zone", 0, offset.end()
    return ("dash" if letter == "-" else ""), 0, place + 1


def _cuts_a_weekday(text: str, end: int) -> bool:
    """`次の日|曜の9時`: a word must not take the first letter of a weekday."""
    return text[end : end + 1] == "曜" and text[end - 1] in WEEKDAY_LETTERS


def _numeric(text: str, place: int) -> Found:
    match = NUMERIC.match(text, place)
    if match is None:
        return "", 0, place + 1
    kind = match.lastgroup or ""
    if kind == "number":
        return _counted(match.group(), text, match.end())
    return ("" if kind in {"name", "file"} else kind), 0, match.end()


def _counted(digits: str, text: str, end: int) -> Found:
    """A number and the unit after it, if there is one (`1日曜` is no first day)."""
    value = number(digits)
    if value is None:
        return "", 0, end
    at = end + 1 if text[end : end + 1] == " " else end
    for length in (*UNIT_LENGTHS.get(text[at : at + 2], ()), 1):
        letters = text[at : at + length]
        unit = UNITS.get(letters)
        spaced = unit is not None and text[at + length - 1 : at + length + 1] == "間隔"
        if unit is not None and not spaced and not NO_UNIT.match(text, at):
            return unit, value, at + len(letters)
    return "number", value, end


def _name(text: str, place: int) -> Found:
    joint = _joint(text, place)
    if joint is not None:
        return joint
    match = NAME.match(text, place)
    if match is None:
        return "", 0, place + 1
    name, end = match.group(), match.end()
    if name == "z" and text[place - 1 : place].isdigit():
        return "offset_of_zone", 0, end
    half_day = HALF_DAY.match(text, place)
    zoned_hour = ZONE_OF_HOUR.match(text, place)
    if zoned_hour is not None:
        return "zone", 0, zoned_hour.end()
    if half_day is not None:
        return "part_of_day", 0, half_day.end()
    if name in ASCII_WORDS or (ERA_DATE.fullmatch(name) and ERA_CLOCK.match(text, end)):
        return _kind_of_name(name), 0, end
    zoned = OFFSET.fullmatch(name) or OFFSET.match(text, place)
    if zoned is not None:
        return "offset_of_zone", 0, max(end, zoned.end())
    if ZONE_NAME.fullmatch(name):
        return "zone_name", 0, end
    return "", 0, place + 1 if name[0] in "./" and len(name) == 1 else end


def _joint(text: str, place: int) -> Found | None:
    """What joins two times although it begins as a name does: `9~18時`, `9:00/18:00`, `3時or4時`."""
    if letter_is_dash(text, place):
        return "dash", 0, place + 1
    if letter_is_slash(text, place):
        return "", 0, place + 1
    if OR.match(text, place) and text[place - 1 : place] in BEFORE_OR:
        return "either", 0, place + 2
    return None


def letter_is_dash(text: str, place: int) -> bool:
    """Whether a tilde is a range (`9時~18時`) rather than the start of a path."""
    return text[place] == "~" and text[place + 1 : place + 2] != "/"


def letter_is_slash(text: str, place: int) -> bool:
    """Whether a slash joins two times (`9:00/18:00`) rather than beginning a path."""
    return text[place] == "/" and text[place - 1] in BEFORE_SLASH and SECOND_TIME.match(text, place + 1) is not None


def _kind_of_name(word: str) -> str:
    if word in ENGLISH_WEEKDAYS:
        return "weekday" if len(word) > 5 else "short_weekday"
    return KINDS.get(word, "date")


def is_glue(text: str, start: int, end: int) -> bool:
    """Whether nothing but particles and punctuation lies between two places."""
    return end - start <= LONGEST_GLUE and glue_between(text[start:end]) is not None


@lru_cache(maxsize=4096)
def glue_between(text: str) -> str | None:
    """The particle or separator between two tokens (the empty string where there is none), or None for real text."""
    match = GLUE.fullmatch(text.replace(" ", ""))
    if match is None:
        return None
    before, mark, after = (
        (match.group("before") or "").removesuffix("うち").removesuffix("うちの"),
        match.group("mark")[:1],
        match.group("after") or "",
    )
    return after or (f"{before}{mark}" if before in {"に", "は", "で", "には", "では"} else before or mark)
