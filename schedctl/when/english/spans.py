"""English words that take days with them: except holidays, only in July, until December 31, starting tomorrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schedctl.when.english import dates, days, distances, months
from schedctl.when.english.scan import DIGIT, Hit, Rule, by_first_word, compiled, first_hit, rule, spanning
from schedctl.when.english.words import AND, MONTH, MONTHS
from schedctl.when.reading.grammar import Found
from schedctl.when.reading.parts import (
    DaysOfMonth,
    Except,
    InMonth,
    Only,
    Part,
    PartOfDay,
    Period,
    Repeat,
    Unclear,
    Weekdays,
)

if TYPE_CHECKING:
    import re

DAY_RULES: Final = by_first_word((*dates.RULES, *distances.RULES, *days.RULES, *months.RULES, *days.AFTER_NTH))
PREPOSITIONS: Final = (
    r"(?:(?:on|in|during|for|at|of)(?: |$))*"
    r"(?:(?:the|any|all|every|each) (?=[a-z]*days? off|[a-z-]+ days?|[a-z ]*holidays?|weekends?))?"
)


NEW_PHRASE: Final = r"(?:on|in|at|every|each) "
"""What after a comma is no further day of a list: `only in March, on the 1st`."""


def days_at(text: str, place: int, *, one_phrase: bool = False) -> tuple[list[tuple[Part, ...]], int] | None:
    """The day parts that stand at `place`, joined by commas and `and`: those of each day, and where they end."""
    days: list[tuple[Part, ...]] = []
    end = -1
    while (hit := _day(text, place)) is not None:
        days.append(_without_repeats(hit))
        end = hit.end
        joint = compiled(AND).match(text, end)
        if joint is None or (one_phrase and "," in joint[0] and compiled(NEW_PHRASE).match(text, joint.end())):
            break
        place = joint.end()
    return (days, end) if days else None


def _without_repeats(hit: Hit) -> tuple[Part, ...]:
    """Days that are left out, or limited to, say which days and not how often."""
    return tuple(found.part for found in hit.parts if not isinstance(found.part, PartOfDay | Repeat))


def _day(text: str, place: int) -> Hit | None:
    glue = compiled(PREPOSITIONS).match(text, place)
    start = glue.end() if glue else place
    hit = first_hit(DAY_RULES, text, start) or first_hit(DAY_RULES, text, place)
    doubtful = hit is not None and any(isinstance(found.part, Unclear) for found in hit.parts)
    return None if doubtful else hit


def _one_day(text: str, place: int) -> tuple[tuple[Part, ...], int] | None:
    """The parts of one day, such as the edge of a period: a date, `tomorrow`, `next Monday`, `the end of March`."""
    if end := compiled(r"(?:the )?end of ").match(text, place):
        months = _day(text, end.end())
        if months and all(isinstance(found.part, InMonth) for found in months.parts):
            return (*(found.part for found in months.parts), DaysOfMonth((-1,))), months.end
    if month := compiled(rf"(?P<name>{MONTH})(?! \d)").match(text, place):
        return (InMonth(days.months_of(month["name"])),), month.end()
    hit = _day(text, place)
    if hit is None or any(isinstance(found.part, Repeat | Period | PartOfDay) for found in hit.parts):
        return None
    return tuple(found.part for found in hit.parts), hit.end


def _except(match: re.Match[str]) -> Hit | None:
    """`except on holidays`, `excluding weekends`, `but not in August`."""
    return _limited(match, Except)


def _only(match: re.Match[str]) -> Hit | None:
    """`only in July and August`, `only on business days`."""
    return _limited(match, Only)


def _limited(match: re.Match[str], kind: type[Except] | type[Only]) -> Hit | None:
    """Each day by itself: the months of one do not belong to the next."""
    found = days_at(match.string, match.end(), one_phrase=kind is Only)
    if found is None:
        return None
    days, end = found
    return Hit(tuple(Found(kind(parts), match.start(), end) for parts in days), match.start(), end)


def _from_to(match: re.Match[str]) -> Hit | None:
    """`from December 1 to December 31`, `between Dec 1 and Dec 31`; `from December 1` alone is a start."""
    first = _one_day(match.string, match.end())
    if first is None:
        return None
    if first[0] and all(isinstance(part, Weekdays) and len(part.weekdays) > 1 for part in first[0]):
        return spanning(match, first[1], *first[0])
    joint = compiled(r" and " if match["word"] == "between" else r",? ?(?:to|until|till|through|-) ").match(
        match.string, first[1]
    )
    last = _one_day(match.string, joint.end()) if joint else None
    if last is None:
        onwards = compiled(r" onwards?(?!\w)").match(match.string, first[1])
        end = onwards.end() if onwards else first[1]
        return spanning(match, end, Period(start=first[0])) if match["word"] not in ("between", None) else None
    return spanning(match, last[1], Period(first[0], last[0]))


def _dates_to(match: re.Match[str]) -> Hit | None:
    """`December 1 - December 31`, without a word before it."""
    return _from_to(match)


def _until(match: re.Match[str]) -> Hit | None:
    last = _one_day(match.string, match.end())
    return spanning(match, last[1], Period(until=last[0])) if last else None


RULES: Final[tuple[Rule, ...]] = (
    rule(
        ("except", "excepting", "excluding", "but", "other", "apart", "not", "skip", "skipping", "without", "unless"),
        r"(?:except(?:ing)?(?: for)?|excluding|but(?: not| never| for)?|other than|apart from|not|skip(?:ping)?|without"
        r"|unless (?:it is|it's)(?: an?)?) ",
        _except,
    ),
    rule(("only", "but"), r"(?:but )?only (?=(?:on|in|during|every|the) |[a-z-]+)", _only),
    rule(
        ("from", "between", "starting", "beginning", "effective", "as", "since"),
        r"(?P<word>from|between|starting(?: from| on)?|beginning(?: on)?|effective(?: from)?|as of) ",
        _from_to,
    ),
    rule((DIGIT, *MONTHS), r"(?P<word>(?!))?", _dates_to),
    rule(
        ("until", "till", "through", "thru", "ending", "up"),
        r"(?:until|till|through|thru|ending(?: on)?|up to) ",
        _until,
    ),
)
