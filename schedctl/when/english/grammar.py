"""The English grammar: which parts of time a sentence has, and the task that is left of it."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from schedctl.when.english import (
    beside,
    counts,
    dates,
    days,
    distances,
    half_days,
    hedges,
    limits,
    months,
    spans,
    steps,
    stray,
    times,
    vague,
    work,
    zones,
)
from schedctl.when.english.scan import Hit, by_first_word, hits
from schedctl.when.model import Shift
from schedctl.when.reading.draft import CORES
from schedctl.when.reading.grammar import Found
from schedctl.when.reading.parts import (
    Count,
    DaysOfMonth,
    InMonth,
    OnCalendar,
    OnceOnly,
    Period,
    Unclear,
    Weekdays,
)

if TYPE_CHECKING:
    from schedctl.language import Lang
    from schedctl.when.calendar import Calendars
    from schedctl.when.reading.normalize import Sentence

RULES: Final = by_first_word(
    (
        *months.OWN_DAYS,
        *work.RULES,
        *vague.RULES,
        *hedges.RULES,
        *counts.RULES,
        *limits.RULES,
        *steps.RULES,
        *times.RULES,
        *spans.RULES,
        *dates.RULES,
        *distances.RULES,
        *days.RULES,
        *months.RULES,
        *days.AFTER_NTH,
        *limits.LAST_RULES,
        *hedges.LAST_RULES,
    )
)
GLUE: Final = re.compile(
    r"[\s,;:()@\-]*(?:(?:on|at|in|of|the|and|&|from|for|then|only|that are|which are|both|also|but|as well as|plus"
    r"|always|during|starting|every time)(?!\w)[\s,;:()@\-]*)*"
)
BINDING: Final = re.compile(r"(?:^|\s)(?:and|&|as well as|plus)(?!\w)")
CALENDAR: Final = r"\(?calendar [\"「]?{name}[\"」]?\)?|(?:on |by |in )?(?:the )?{name} calendar(?!\w)"
LEFT: Final = re.compile(
    r"(?:(?:^|(?<=[\s,;(]))(?:(?:on|at|in|of|for|from|during|and|then|once|every time) )(?:the )?"
    r"|(?:^|(?<=[\s,;(]))the )?[\s,;:(@\-]*$"
)
RIGHT: Final = re.compile(r"[\s,;:)\-]*")
CONNECTIVE: Final = re.compile(r"(?:(?:and|then|and then|also)(?:,? | ?$))")
PUNCTUATION: Final = " ,;:-."


class English:
    """What English brings to reading."""

    @property
    def lang(self) -> Lang:
        """English."""
        return "en"

    def find(self, sentence: Sentence, calendars: Calendars) -> tuple[Found, ...]:
        """All parts of the sentence, in the order in which they bind."""
        text, marks = _marked(sentence, calendars)
        said = [*hits(RULES, text), *marks]
        ordered = sorted([*said, *stray.doubts(sentence.text, said)], key=lambda hit: hit.start)
        runs = _runs(sentence.text, beside.with_zones_of_time(sentence.text, ordered, GLUE))
        return tuple(
            part for group, run in enumerate(runs) for part in _group(sentence.text, [*run, *beside.doubts(run)], group)
        )

    def rest(self, sentence: Sentence, used: tuple[Found, ...]) -> str:
        """The task: the operator's own words without the used parts and the glue around them."""
        text = sentence.text
        kept: list[str] = []
        place = 0
        for start, end in _cuts(text, used):
            left = LEFT.search(text, place, start)
            kept.append(sentence.written(place, left.start() if left else start).strip())
            right = RIGHT.match(text, end)
            place = right.end() if right else end
        kept.append(sentence.written(place, len(text)).strip())
        return _task([part for part in kept if part])


def _task(kept: list[str]) -> str:
    text = " ".join(kept).strip(PUNCTUATION)
    leading = CONNECTIVE.match(text.lower())
    return text[leading.end() :].strip(PUNCTUATION) if leading else text


def _cuts(text: str, used: tuple[Found, ...]) -> list[tuple[int, int]]:
    """The places of all used parts, those with nothing but glue between them as one."""
    cuts: list[tuple[int, int]] = []
    for start, end in sorted({(found.start, found.end) for found in used}):
        if cuts and (start <= cuts[-1][1] or GLUE.fullmatch(text, cuts[-1][1], start)):
            cuts[-1] = (cuts[-1][0], max(end, cuts[-1][1]))
        else:
            cuts.append((start, end))
    return cuts


def _marked(sentence: Sentence, calendars: Calendars) -> tuple[str, list[Hit]]:
    """Names that are written in full: zones and calendars. They are blanked, so that no rule looks into them."""
    text = sentence.text
    marks = list(zones.marks(sentence))
    for name, _ in calendars.named:
        lower = re.escape(name.lower())
        for match in re.finditer(CALENDAR.format(name=lower), text):
            marks.append(Hit((Found(OnCalendar(name), *match.span()),), *match.span()))
    for mark in marks:
        text = text[: mark.start] + "_" * (mark.end - mark.start) + text[mark.end :]
    return text, marks


def _runs(text: str, ordered: list[Hit]) -> list[list[Hit]]:
    """Hits with nothing but glue between them, together; weak ones by themselves are no words of time."""
    runs: list[list[Hit]] = []
    for hit in ordered:
        if runs and GLUE.fullmatch(text, runs[-1][-1].end, hit.start):
            runs[-1].append(hit)
        else:
            runs.append([hit])
    said = [run for run in runs if any(hit.parts for hit in run)]
    return [kept for run in said if (kept := beside.limits_said_apart(text, run, said) if _is_work(run) else run)]


def _is_work(run: list[Hit]) -> bool:
    """`retry 3 times`, `keep for 30 days`: numbers of the work, away from any other word of time."""
    return all(
        hit.weak and all(isinstance(f.part, Count | OnceOnly | Period | Unclear) for f in hit.parts) for hit in run
    )


def _group(text: str, run: list[Hit], group: int) -> list[Found]:
    """The parts of one run in the order in which they bind, with what the run as a whole tells about each."""
    of_work = all(hit.weak for hit in run)
    joined = {id(hit) for before, hit in pairwise(run) if _joins(text, before, hit)}
    return [
        Found(found.part, found.start, found.end, group, id(hit) in joined, of_work)
        for hit in _in_order(half_days.settled(run))
        for found in hit.parts
    ]


def _in_order(run: list[Hit]) -> list[Hit]:
    """`2 business days before the 15th (if it is a holiday, ...)`: settle the day with its shift first, then count."""
    ordered: list[Hit] = []
    waiting: list[Hit] = []
    for hit in _dates_first(run):
        if hit.late:
            waiting.append(hit)
            continue
        if waiting and ordered and not _is_shift(hit) and any(isinstance(f.part, CORES) for f in ordered[-1].parts):
            ordered += waiting
            waiting = []
        ordered.append(hit)
    return ordered + waiting


def _dates_first(run: list[Hit]) -> list[Hit]:
    """`Thursday, December 24`: the date decides, and the weekday beside it must agree."""
    ordered = list(run)
    for place, (one, other) in enumerate(pairwise(run)):
        kinds = {type(found.part) for found in other.parts}
        if [type(found.part) for found in one.parts] == [Weekdays] and kinds == {InMonth, DaysOfMonth}:
            ordered[place], ordered[place + 1] = other, one
    return ordered


def _is_shift(hit: Hit) -> bool:
    return any(isinstance(found.part, Shift) for found in hit.parts)


def _joins(text: str, before: Hit, hit: Hit) -> bool:
    """Whether `and` stands between two hits, or a comma between two of one kind."""
    between = text[before.end : hit.start]
    if BINDING.search(between):
        return True
    kinds = [{type(found.part) for found in each.parts} for each in (before, hit)]
    return "," in between and kinds[0] == kinds[1]


ENGLISH: Final = English()
