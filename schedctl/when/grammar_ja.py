"""The grammar of Japanese schedules: tokens -> pieces -> parts in groups, and the task that remains.

At each token the recognisers of its kind are asked in turn, the most specific first; what none of them reads stays in
the task, unless it touches the timing (`9時30に`), which is a refusal: nothing beside a timing is left unread.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from schedctl.language import Lang, Text
from schedctl.when import dates_ja, days_ja, limits_ja, times_ja, units_ja
from schedctl.when.draft import CORES
from schedctl.when.groups_ja import found_in
from schedctl.when.marks_ja import bound
from schedctl.when.parts import Unclear
from schedctl.when.scan_ja import Mark, Match, Piece, Scan
from schedctl.when.task_ja import rest
from schedctl.when.tokens import Token, glue_between, tokens
from schedctl.when.unread_ja import UNREAD, mark_unread
from schedctl.when.vague_ja import hedge, now, nth_week, vague_day, vague_hours
from schedctl.when.words_days_ja import spoken

if TYPE_CHECKING:
    from schedctl.when.calendar import Calendars
    from schedctl.when.grammar import Found
    from schedctl.when.normalize import Sentence

Recogniser = Callable[[Scan, int], Match | None]
MEASURES: Final = frozenset(spoken("day days weeks months years year month minute minutes hours second hour slash"))
"""Numbers that may belong to the work: `過去24時間の`, `30日より古い`."""
COUNTED: Final = re.compile(r"[0-9]{4}年[0-9]{1,2}月[0-9]{1,2}日 [0-9:.]{5,15}(?:[+-][0-9]{2}:[0-9]{2})?から数えて")
MOST_PIECES: Final = 120
"""Nobody says a schedule in more; what looks at all pieces of a sentence thus stays short."""


def _mark(kind: str) -> Recogniser:
    def recognise(_scan: Scan, first: int) -> Match:
        return Match(first + 1, (Mark(kind),))

    return recognise


RECOGNISERS: Final[dict[str, tuple[Recogniser, ...]]] = {
    "letter": (days_ja.weekdays, units_ja.unit_frequency),
    "frequency_unit": (units_ja.unit_frequency,),
    "number": (dates_ja.digit_of_day, times_ja.clock, dates_ja.months, days_ja.days_of_month),
    "hour": (times_ja.clock,),
    "clock": (times_ja.clock,),
    "part_of_day": (times_ja.clock,),
    "fixed_time": (times_ja.clock,),
    "day_with_hours": (times_ja.day_with_hours,),
    "tonight": (times_ja.tonight,),
    "hourly": (times_ja.hourly,),
    "minutely": (times_ja.minutely,),
    "minute": (times_ja.step, units_ja.later),
    "minutes": (times_ja.step, units_ja.later),
    "hours": (times_ja.step, units_ja.later),
    "second": (times_ja.step, units_ja.later),
    "half_later": (units_ja.half_later,),
    "from_now": (units_ja.from_now,),
    "day": (units_ja.distance, units_ja.interval, units_ja.frequency, days_ja.days_of_month),
    "days": (units_ja.distance, units_ja.interval, units_ja.duration),
    "weeks": (units_ja.distance, units_ja.interval, units_ja.frequency, units_ja.duration),
    "months": (units_ja.distance, units_ja.interval, units_ja.frequency, units_ja.duration),
    "years": (units_ja.distance, units_ja.interval, units_ja.frequency, units_ja.duration),
    "year": (units_ja.distance, units_ja.interval, units_ja.frequency, dates_ja.year),
    "era": (dates_ja.year,),
    "month": (dates_ja.months,),
    "date": (dates_ja.date,),
    "slash": (dates_ja.slash,),
    "business_days": (units_ja.distance, units_ja.interval),
    "nth_business_day": (days_ja.business_day,),
    "nth": (days_ja.ordinal,),
    "nth_week": (nth_week,),
    "ordinal": (days_ja.ordinal_business, nth_week, days_ja.ordinal),
    "last": (days_ja.ordinal,),
    "first": (days_ja.ordinal,),
    "from_last": (days_ja.day_from_last, days_ja.ordinal_business, days_ja.ordinal),
    "weekday": (limits_ja.shift, days_ja.weekdays),
    "short_weekday": (days_ja.weekdays,),
    "class": (limits_ja.shift, days_ja.word),
    "set": (limits_ja.shift, days_ja.word),
    "each": (days_ja.word,),
    "named": (days_ja.word,),
    "repeat": (days_ja.word,),
    "period": (days_ja.word,),
    "relative": (days_ja.coming_or_relative,),
    "end": (dates_ja.end,),
    "bare_end": (dates_ja.bare_end,),
    "bare_start": (dates_ja.bare_end,),
    "month_set": (days_ja.word,),
    "quarter": (dates_ja.quarter,),
    "vague_day": (vague_day,),
    "vague_hours": (vague_hours,),
    "whole_day": (times_ja.whole_day,),
    "quiet": (times_ja.after_quiet,),
    "offset": (dates_ja.offset,),
    "next_morning": (dates_ja.next_morning,),
    "shift": (limits_ja.lone_shift,),
    "no_such_day": (limits_ja.short_months,),
    "times": (units_ja.count,),
    "in_all": (units_ja.count,),
    "zone": (limits_ja.zone,),
    "zone_name": (limits_ja.zone_name,),
    "offset_of_zone": (limits_ja.zone_offset,),
    "vague_zone": (limits_ja.vague_zone,),
    "named_calendar": (limits_ja.on_calendar,),
    "calendar": (limits_ja.unknown_calendar,),
    "counted_from": (limits_ja.counted_from,),
    "hedge": (hedge,),
    "now": (now,),
    **{
        kind: (_mark(kind),)
        for kind in ("from", "until", "dash", "during", "except", "only", "either", "origin", "of_week", "including")
    },
}


class JapaneseGrammar:
    """The grammar of Japanese sentences."""

    @property
    def lang(self) -> Lang:
        """Japanese."""
        return "ja"

    def find(self, sentence: Sentence, calendars: Calendars) -> tuple[Found, ...]:
        """All parts of the sentence, in their order."""
        phrases = _phrases(sentence.text, calendars)
        kinds = {phrase: "counted_from" if phrase.endswith("から数えて") else "named_calendar" for phrase in phrases}
        scan = Scan(sentence.text, tokens(sentence.text, kinds), calendars, phrases)
        _recognise(scan)
        mark_unread(scan)
        return found_in(scan, bound(scan))

    def rest(self, sentence: Sentence, used: tuple[Found, ...]) -> str:
        """The task: the original characters without the used parts and the glue around them."""
        return rest(sentence, used)


JAPANESE: Final = JapaneseGrammar()


def _phrases(text: str, calendars: Calendars) -> dict[str, str]:
    """Words of this sentence alone: names of calendars, and where a count began."""
    phrases: dict[str, str] = {}
    for name, _ in calendars.named:
        letters = name.lower()
        for phrase in (
            f"カレンダー「{letters}」",
            f"「{letters}」カレンダー",
            f"{letters}カレンダー",
            f"{letters}カレンダ",
        ):
            if phrase in text:
                phrases[phrase] = name
    counted = COUNTED.search(text) if "から数えて" in text else None
    if counted is not None:
        phrases[counted.group()] = counted.group()
    return phrases


def _recognise(scan: Scan) -> None:
    index = 0
    while index < len(scan.tokens):
        token = scan.tokens[index]
        if len(scan.pieces) > MOST_PIECES:
            scan.pieces.append(Piece(_too_much(), token.start, token.end, ""))
            return
        match = _match(scan, index, token)
        if match is None:
            if token.kind in UNREAD:
                scan.unread.append(index)
            index += 1
            continue
        end = scan.tokens[match.next - 1].end if match.end is None else match.end
        glue = token.glue if scan.follows(index) else None
        for part in match.parts:
            several = part is not match.parts[0] and isinstance(part, CORES) and isinstance(match.parts[0], CORES)
            scan.pieces.append(Piece(part, token.start, end, "と" if several else glue))
            glue = ""
        index = match.next
        _extend(scan, index, match.end)
        while scan.token(index).kind and scan.token(index).start < end:
            index += 1


def _extend(scan: Scan, following: int, end: int | None) -> None:
    """Let the token before `following` end at `end` where more was read than tokens: `12月|中`, `翌営業日に|ずらす`."""
    if end is None or following >= len(scan.tokens) or not scan.tokens[following - 1].end <= end:
        return
    token = scan.tokens[following]
    if token.start >= end:
        scan.tokens[following - 1] = scan.tokens[following - 1]._replace(end=end)
        scan.tokens[following] = token._replace(glue=glue_between(scan.text[end : token.start]))


def _too_much() -> Unclear:
    return Unclear(
        "conflicting_time",
        Text("日時の言葉が多すぎて、1つの予定として読めません", "There are too many words of time to be one schedule"),
    )


def _match(scan: Scan, index: int, token: Token) -> Match | None:
    recognisers = RECOGNISERS.get(token.kind)
    if recognisers is None or (token.kind in MEASURES and units_ja.is_of_work(scan, index)):
        return None
    for recognise in recognisers:
        match = recognise(scan, index)
        if match is not None:
            return match
    return None
