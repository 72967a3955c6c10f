"""English times of day: at 9am and 6pm, between 9 and 17, around noon (refused)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.when.english.clocks import OFFSET, Spoken, clock_at, offset_of
from schedctl.when.english.scan import DIGIT, Hit, Rule, compiled, rule, whole
from schedctl.when.english.words import AND, HEDGES, NUMBERS, PART_OF_DAY, PARTS_OF_DAY
from schedctl.when.model import MINUTES_A_DAY, At
from schedctl.when.reading.grammar import Found
from schedctl.when.reading.parts import Clock, InZone, PartOfDay, Unclear, Window

if TYPE_CHECKING:
    import re

NEXT_DAY: Final = r"(?: (?:(?:on |of )?the (?:next|following) (?:day|morning)|next (?:day|morning)))?"
TO: Final = r"(?: ?- ?| to | until | till | through )"
A_STEP: Final = r"\b(?:every|each|hourly|half-hourly)\b"
NOON: Final = 12 * 60
OF_DAY: Final = r" (?:in the (?:morning|afternoon|evening)|at night)(?!\w)"
"""What makes a time of a number before it: `8 in the evening`."""


def _clocks(match: re.Match[str]) -> Hit | None:
    """`at 9`, `9am`, `at 9 and 18`, `9:00, noon and 6pm`."""
    text, start = match.string, match.start()
    with_at = bool(match["at"])
    found = clock_at(text, match.end(), military=with_at)
    if found is None or (found.naked and not (with_at or compiled(OF_DAY).match(text, found.end))):
        return None
    clocks = [found]
    while joint := compiled(rf"{AND}(?:again )?(?:at )?").match(text, clocks[-1].end):
        following = clock_at(text, joint.end(), military=clocks[-1].military)
        if following is None or (following.naked and not with_at):
            break
        clocks.append(following)
    end = clocks[-1].end
    if (other := compiled(" or (?:at )?").match(text, end)) and (choice := clock_at(text, other.end())):
        return either(match.end(), (match.end(), end), (other.end(), choice.end), text)
    if any(clock.half for clock in clocks) and any(clock.bare for clock in clocks):
        return _half_of_which(match, clocks)
    times = tuple(dict.fromkeys(At(*divmod(clock.minute, 60)) for clock in clocks))
    parts = [Found(Clock(times), match.end(), end)]
    if offset := compiled(OFFSET).match(text, end):
        parts.append(Found(InZone(offset_of(offset)), offset.start(), offset.end()))
        end = offset.end()
    return Hit(tuple(parts), start, end, bare=all(clock.bare for clock in clocks))


def either(start: int, one: tuple[int, int], other: tuple[int, int], text: str) -> Hit:
    """`at 9 or 10`, `Monday or Tuesday`: the operator decides, not the reader."""
    first, second = text[one[0] : one[1]], text[other[0] : other[1]]
    doubt = Unclear(
        "ambiguous_time",
        Text(
            f"「{first}」と「{second}」のどちらなのか決められません",
            f"It is not said which of “{first}” and “{second}” is meant",
        ),
        (first, second),
    )
    return Hit((Found(doubt, start, other[1]),), start, other[1])


def _ish(match: re.Match[str]) -> Hit:
    """`9ish`."""
    return _not_exact(match, match["clock"])


def _no_such_half(match: re.Match[str]) -> Hit | None:
    """`13pm`: a time that no clock shows."""
    hour, _, minute = match["clock"].partition(":")
    if 1 <= int(hour) <= 12:
        return None
    message = Text(f"「{match[0]}」という時刻はありません", f"There is no such time as {match[0]}")
    return whole(match, Unclear("impossible_time", message, (f"at {int(hour)}:{minute or '00'}",)))


def _half_of_which(match: re.Match[str], clocks: list[Spoken]) -> Hit:
    """`at 9 and 11pm`: nine in the morning or in the evening?"""
    end = clocks[-1].end
    said = [f"{clock.minute // 60 % 12 or 12}:{clock.minute % 60:02d}" for clock in clocks]
    one = " and ".join(f"{word}{clock.half or 'a'}m" for word, clock in zip(said, clocks, strict=True))
    other = " and ".join(f"{word}{clock.half or 'p'}m" for word, clock in zip(said, clocks, strict=True))
    doubt = Unclear(
        "ambiguous_time",
        Text("午前か午後か決められない時刻があります", "It is not certain whether each time is am or pm"),
        (f"at {one}", f"at {other}"),
    )
    return Hit((Found(doubt, match.start(), end),), match.start(), end)


def _window(match: re.Match[str]) -> Hit | None:
    """`from 9 to 17`, `between 9am and 5pm`, `9:00-18:00`, `from 22:00 to 05:00 the next day`."""
    text, word = match.string, match["word"] or ""
    first = clock_at(text, match.end())
    if first is None:
        return None
    joint = compiled(r" and " if word.startswith("between") else TO).match(text, first.end)
    last = clock_at(text, joint.end(), military=first.military) if joint else None
    if joint is None or last is None or (not word and (first.naked and last.naked)):
        return None
    if not word and joint[0] == "-" and not _has_step(text) and compiled(OFFSET).match(text, first.end):
        return None
    next_day = compiled(NEXT_DAY).match(text, last.end)
    end = next_day.end() if next_day else last.end
    over_midnight = end > last.end
    return _bounded(Found(Window(0, 0), match.start(), end), first, last, over_midnight=over_midnight)


def _has_step(text: str) -> bool:
    return compiled(A_STEP).search(text) is not None


def _bounded(place: Found, first: Spoken, last: Spoken, *, over_midnight: bool) -> Hit:
    start, stop = first.minute, last.minute
    if last.half and first.bare and not first.half:
        start = _in_half_before(start, stop)
    if not over_midnight and first.bare and last.bare and stop < start and (first.naked or last.naked):
        return _nine_to_five(place, start, stop)
    window = Window(start, stop + MINUTES_A_DAY if over_midnight and stop < MINUTES_A_DAY else stop)
    return Hit((Found(window, place.start, place.end),), place.start, place.end)


def _in_half_before(start: int, stop: int) -> int:
    """`1 to 5pm` begins at 13:00, `9 to 5pm` at 09:00: the latest such hour before the end."""
    start %= NOON
    return start + NOON if start + NOON < stop else start


def _nine_to_five(place: Found, start: int, stop: int) -> Hit:
    """`between 9 and 5`: until the afternoon, or until the next morning?"""
    hour, last = divmod(start, 60)[0], divmod(stop, 60)[0]
    doubt = Unclear(
        "ambiguous_time",
        Text(
            "午前か午後か決められない時刻があります",
            "It is not certain whether the range ends in the afternoon or at night",
        ),
        (f"from {hour}:00 to {last + 12}:00", f"from {hour}:00 to {last:02d}:00 the next day"),
    )
    return Hit((Found(doubt, place.start, place.end),), place.start, place.end)


def _not_then(match: re.Match[str]) -> Hit | None:
    """`not at 9 but at 10am`: a time at which not to run says no time at which to run."""
    found = clock_at(match.string, match.end())
    if found is None:
        return None
    doubt = Unclear(
        "conflicting_time",
        Text("実行しない時刻が書かれています", "That is a time at which not to run"),
        advice=Text("実行する時刻だけを書いてください", "Write only the time at which to run"),
    )
    return Hit((Found(doubt, match.start(), found.end),), match.start(), found.end)


def _half_window(match: re.Match[str]) -> Hit | None:
    """`until 18:00`, `after 9:00`: a window with an open end."""
    found = clock_at(match.string, match.end())
    if found is None or (found.naked and not match["at"]):
        return None
    ends = match["word"] in ("until", "till", "through")
    window = Window(None, found.minute) if ends else Window(found.minute, None)
    return Hit((Found(window, match.start(), found.end),), match.start(), found.end)


def _deadline(match: re.Match[str]) -> Hit | None:
    """`by 9am`, `before noon`: a limit is no time of day."""
    found = clock_at(match.string, match.end())
    if found is None or found.naked:
        return None
    clock = match.string[match.end() : found.end]
    doubt = Unclear(
        "ambiguous_time",
        Text(
            "期限だけで、何時に実行するかが書かれていません",
            "That is a limit; the sentence does not say at what time to run",
        ),
        (f"at {clock}",),
    )
    return Hit((Found(doubt, match.start(), found.end),), match.start(), found.end)


def _hedged(match: re.Match[str]) -> Hit | None:
    """`around 9`, `at about noon`."""
    found = clock_at(match.string, match.end())
    if found is None:
        return None
    hit = _not_exact(match, match.string[match.end() : found.end])
    return Hit(tuple(replace(part, end=found.end) for part in hit.parts), hit.start, found.end)


def _not_exact(match: re.Match[str], clock: str) -> Hit:
    doubt = Unclear(
        "ambiguous_time",
        Text("時刻がはっきりしません", "The time of day is not exact"),
        (f"at {clock}",),
        Text("実行する時刻を1つに決めてください", "Decide on one exact time"),
    )
    return whole(match, doubt)


def _part_of_day(match: re.Match[str]) -> Hit:
    return whole(match, PartOfDay(PARTS_OF_DAY[match["name"]]), weak=match["in"] is None)


CLOCKS_FIRST: Final = (DIGIT, "noon", "midday", "midnight", "half", "quarter", "a", *NUMBERS)
RULES: Final[tuple[Rule, ...]] = (
    rule(
        ("at", "around", "about", "approximately", "roughly", "approx", "circa", "some", "sometime"),
        rf"(?:at )?{HEDGES}(?: at)? (?=\S)",
        _hedged,
    ),
    rule(("from", "between", "at", *CLOCKS_FIRST), r"(?P<word>from |between )?(?:at )?(?=\S)", _window),
    rule(
        ("until", "till", "through", "after", "from", "starting"),
        r"(?P<word>until|till|through|after|from|starting(?: from)?) (?P<at>at )?(?=\S)",
        _half_window,
    ),
    rule(("not",), r"not at (?=\S)", _not_then),
    rule((DIGIT, "at"), r"(?:at )?(?P<clock>(?:1[3-9]|2\d|0\d?)(?::[0-5]\d)?) ?[ap]m(?!\w)", _no_such_half),
    rule((DIGIT, "at"), r"(?:at )?(?P<clock>\d{1,2}(?::\d\d)?(?: ?[ap]m)?)(?: |-)?ish(?!\w)", _ish),
    rule(("by", "before", "no"), r"(?:by|before|no later than) (?=\S)", _deadline),
    rule(("at", *CLOCKS_FIRST), r"(?P<at>at )?(?=\S)", _clocks),
    rule(
        ("in", "at", "during", *PARTS_OF_DAY),
        rf"(?P<in>in the |during the |at (?=night))?(?P<name>{PART_OF_DAY})(?!\w)",
        _part_of_day,
    ),
)
