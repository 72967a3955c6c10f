"""A sentence -> what it means, or a refusal that says why and what to write instead.

The way of a sentence: `normalize` (width, case) -> a grammar finds parts (`parts.py` says how a language plugs in)
-> `select` (timing or work) -> `assemble` (one timing) -> the grammar gives the task that remains.
A cron expression at the start of the sentence takes none of this way.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from schedctl.errors import TimingError
from schedctl.language import is_japanese
from schedctl.when.calendar import JAPAN, Calendars
from schedctl.when.english.grammar import ENGLISH
from schedctl.when.japanese.grammar import JAPANESE
from schedctl.when.model import Reading, Timing
from schedctl.when.reading import cron_words, hints, refusals_times
from schedctl.when.reading.assemble import assemble
from schedctl.when.reading.draft import Moment, moment
from schedctl.when.reading.grammar import Found, Grammar, Refusal
from schedctl.when.reading.normalize import Sentence, normalize
from schedctl.when.reading.parts import OnCalendar
from schedctl.when.reading.select import select

if TYPE_CHECKING:
    from datetime import datetime

ENGLISH_TIME: Final = re.compile(
    r"\b(?:every|each|daily|weekly|monthly|yearly|hourly|today|tonight|tomorrow|on|at|in|next) "
)
COURTESY: Final = re.compile(
    r"(?:どうか|何卒|では|それでは)?(?:よろしく)?(?:(?:お願い|御願い)(?:し(?:ます|たいです|ておきます)|いたします|致します|できますか)?"
    r"|よろしく(?:です|ね)?|頼(?:む|みます|んだ)|たの(?:む|みます))[ねよ。!！、\s]*|です[。!！]*"
)
"""A request that does not say for what."""
"""Words that open an English time, and that a Japanese sentence has only inside its names."""


def read(text: str, now: datetime, zone: str, calendars: Calendars = JAPAN) -> Reading:
    """The timing and the task of an instruction, read at `now` on the clock of `zone`.

    `TimingError` where it cannot be read as one timing and one task; each suggestion in its hint can be read.
    """
    return _explained(text, moment(now, zone, calendars), needs_task=True)


def read_timing(text: str, now: datetime, zone: str, calendars: Calendars = JAPAN) -> Timing:
    """The timing of a sentence that may have no task, such as one that `describe` wrote."""
    return _explained(text, moment(now, zone, calendars), needs_task=False).timing


def _explained(text: str, at: Moment, *, needs_task: bool) -> Reading:
    sentence = normalize(text)
    grammar = grammar_of(sentence, at.calendars)
    try:
        return _read(sentence, grammar, at, needs_task=needs_task)
    except Refusal as refusal:
        error = hints.explained(refusal, sentence, grammar.lang, lambda other: _reads(other, at))
    raise error


def _reads(text: str, at: Moment) -> bool:
    """Whether a suggestion can be read itself."""
    sentence = normalize(text)
    try:
        _read(sentence, grammar_of(sentence, at.calendars), at, needs_task=True)
    except (Refusal, TimingError):
        return False
    return True


def grammar_of(sentence: Sentence, calendars: Calendars) -> Grammar:
    """The grammar of the words of time: English also where only the work is Japanese (`every day at 9 ログを確認`)."""
    if not is_japanese(sentence.text):
        return ENGLISH
    if ENGLISH_TIME.search(sentence.text) and not _has_japanese_time(sentence, calendars):
        return ENGLISH
    return JAPANESE


def _has_japanese_time(sentence: Sentence, calendars: Calendars) -> bool:
    found = (each for each in JAPANESE.find(sentence, calendars) if not isinstance(each.part, OnCalendar))
    return any(is_japanese(sentence.text[each.start : each.end]) for each in found)


def _read(sentence: Sentence, grammar: Grammar, at: Moment, *, needs_task: bool) -> Reading:
    reading = cron_words.read(sentence, at)
    if reading is None:
        used = select(grammar.find(sentence, at.calendars))
        reading = Reading(assemble(used, at), grammar.rest(sentence, used))
    if needs_task and not has_words(reading.task):
        raise refusals_times.no_task()
    return reading


def has_words(task: str) -> bool:
    """Whether a task has anything in it that could be work."""
    return any(letter.isalnum() for letter in COURTESY.sub("", task))


__all__ = ["Found", "read", "read_timing"]
