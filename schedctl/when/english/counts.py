"""How many times in English: 5 times in all, twice a week, exactly 3 times."""

from __future__ import annotations

from datetime import datetime, time
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.when.english.clocks import OFFSET, clock_at, offset_of
from schedctl.when.english.dates import date_at, plain_date
from schedctl.when.english.scan import DIGIT, Hit, Rule, compiled, number_of, rule, spanning, whole
from schedctl.when.english.words import ADVERBS, NUMBER, NUMBERS, UNITS
from schedctl.when.reading.parts import Count, CountedFrom, OnceOnly, TimesPerUnit, Unclear

if TYPE_CHECKING:
    import re

END: Final = r"(?!\w)"
TIMES: Final = rf"(?P<number>once|twice|thrice|{NUMBER} times?)"


def _times_a_day(match: re.Match[str]) -> Hit:
    """`twice a week`, `three times per day`, `once daily`."""
    unit = UNITS[match["unit"]] if match["unit"] else ADVERBS[match["adverb"]][0]
    return whole(match, TimesPerUnit(unit, _times(match["number"])))


def _times(words: str) -> int:
    plain = words.removesuffix(" times").removesuffix(" time")
    return {"once": 1, "twice": 2, "thrice": 3}.get(plain) or number_of(plain)


def _count(match: re.Match[str]) -> Hit:
    """`5 times`, `twice`: only beside other words of time (`retry 3 times` is work)."""
    number = _times(match["number"])
    if number == 1:
        return whole(match, OnceOnly(), weak=match["only"] is None)
    if match["only"] is None and not (match["total"] or match["in_all"]) and _each_time(match):
        message = Text(
            f"「{match[0]}」が毎回の回数なのか、全部の回数なのか決められません",
            f"It is not certain whether “{match[0]}” is said of each time or in all",
        )
        return whole(match, Unclear("ambiguous_time", message, (f"exactly {number} times",)), weak=True)
    return whole(match, Count(number), weak=match["only"] is None)


def _each_time(match: re.Match[str]) -> bool:
    """`every day at 9am twice`, `twice on Sundays`: without a comma it could be said of each."""
    if match["number"] in ("twice", "thrice"):
        return True
    return compiled(r"(?:\d|[ap]\.?m\.?|noon|midnight|o'clock) $").search(match.string[: match.start()]) is not None


def _counted_count(match: re.Match[str]) -> Hit | None:
    """`5 times (counted from 30 November 2026 at 10:00)`."""
    found = date_at(match.string, match.end())
    day = plain_date(found[0]) if found else None
    clock = (
        clock_at(match.string, found[1] + len(" at ")) if found and match.string.startswith(" at ", found[1]) else None
    )
    if day is None or clock is None:
        return None
    offset = compiled(OFFSET).match(match.string, clock.end)
    end = offset.end() if offset else clock.end
    wall = datetime.combine(day, time(*divmod(clock.minute, 60)))
    since = CountedFrom(wall, offset_of(offset) if offset else None)
    return spanning(match, end, Count(_times(match["number"])), since)


TIMES_A_DAY: Final = (
    rf"{TIMES} (?:(?:a|an|per|each|every) (?P<unit>day|week|month|year)|(?P<adverb>daily|weekly|monthly|yearly)){END}"
)
COUNT_FIRST: Final = (DIGIT, "once", "twice", "thrice", *NUMBERS)
RULES: Final[tuple[Rule, ...]] = (
    rule(COUNT_FIRST, TIMES_A_DAY, _times_a_day),
    rule(COUNT_FIRST, rf"{TIMES} \(?counted from ", _counted_count),
    rule(
        (*COUNT_FIRST, "only", "just", "for", "exactly", "a", "in"),
        r"(?:for )?(?P<in_all>a total of |in total )?(?P<only>only |just |exactly )?"
        rf"{TIMES}(?P<total> only| in total)?{END}"
        r"(?! (?:the|it|this|that|all|every|an?)(?!\w))",
        _count,
    ),
)
