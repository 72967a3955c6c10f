"""The grammar of Japanese schedules: tokens -> pieces -> parts in groups, and the task that remains.

At each token the recognisers of its kind are asked in turn, the most specific first; what none of them reads stays in
the task, unless it touches the timing (`9時30に`), which is a refusal: nothing beside a timing is left unread.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from schedctl.language import Lang, Text
from schedctl.when.japanese import dates, days, limits, times, units, zones
from schedctl.when.japanese.approximate import MEASURES as LENGTHS
from schedctl.when.japanese.approximate import about
from schedctl.when.japanese.beside import mark_beside
from schedctl.when.japanese.groups import found_in
from schedctl.when.japanese.marks import bound
from schedctl.when.japanese.of_year import of_year
from schedctl.when.japanese.qualified import mark_qualified
from schedctl.when.japanese.scan import Mark, Match, Piece, Scan
from schedctl.when.japanese.stray import mark_stray
from schedctl.when.japanese.task import rest
from schedctl.when.japanese.tokens import Token, glue_between, tokens
from schedctl.when.japanese.unread import UNREAD, mark_unread
from schedctl.when.japanese.vague import hedge, now, nth_week, vague_day, vague_hours, within
from schedctl.when.japanese.words_days import spoken
from schedctl.when.reading.draft import CORES
from schedctl.when.reading.parts import Unclear

if TYPE_CHECKING:
    from schedctl.when.calendar import Calendars
    from schedctl.when.reading.grammar import Found
    from schedctl.when.reading.normalize import Sentence

Recogniser = Callable[[Scan, int], Match | None]
MEASURES: Final = frozenset(spoken("day days weeks months years year month minute minutes hours second hour slash"))
"""Numbers that may belong to the work: `過去24時間の`, `30日より古い`."""
NAMED_AFTER_DAYS: Final = frozenset(spoken("end set class quarter next_morning vague_day month_set"))
NOUN_OF_WORK: Final = re.compile(
    "処理|メンテ|作業|バッチ|対応|ジョブ|モード|設定|用(?![意件事])|版|締め|集計|決算|レポート|報告|棚卸"
)
"""`年度末|処理`, `土日|用の設定`: work that is named after days, which say nothing about when."""
COUNTED: Final = re.compile(r"[0-9]{4}年[0-9]{1,2}月[0-9]{1,2}日 [0-9:.]{5,15}(?:[+-][0-9]{2}:[0-9]{2})?から数えて")
MOST_PIECES: Final = 120
"""Nobody says a schedule in more; what looks at all pieces of a sentence thus stays short."""


def _mark(kind: str) -> Recogniser:
    def recognise(_scan: Scan, first: int) -> Match:
        return Match(first + 1, (Mark(kind),))

    return recognise


RECOGNISERS: Final[dict[str, tuple[Recogniser, ...]]] = {
    "letter": (days.weekdays, units.unit_frequency),
    "frequency_unit": (units.unit_frequency,),
    "number": (units.digit_of_day, times.clock, dates.months, days.days_of_month),
    "hour": (times.clock,),
    "clock": (times.clock,),
    "part_of_day": (times.clock,),
    "fixed_time": (times.clock,),
    "day_with_hours": (times.day_with_hours,),
    "tonight": (times.tonight,),
    "hourly": (times.hourly,),
    "minutely": (times.minutely,),
    "minute": (times.step, units.later),
    "minutes": (times.step, units.later),
    "hours": (times.step, units.later),
    "second": (times.step, units.later),
    "half_later": (units.half_later,),
    "from_now": (units.from_now,),
    "day": (units.distance, units.joined_distance, units.interval, units.frequency, days.days_of_month),
    "days": (units.distance, units.joined_distance, units.interval, units.duration),
    "weeks": (units.distance, units.joined_distance, units.interval, units.frequency, units.duration),
    "months": (units.distance, units.interval, units.frequency, units.duration),
    "years": (units.distance, units.interval, units.frequency, units.duration),
    "year": (units.distance, units.interval, units.frequency, dates.year),
    "era": (dates.year,),
    "month": (dates.months,),
    "date": (dates.date,),
    "slash": (dates.slash,),
    "business_days": (units.distance, units.interval),
    "nth_business_day": (days.business_day,),
    "nth": (days.ordinal,),
    "nth_week": (nth_week,),
    "ordinal": (days.ordinal_business, nth_week, days.ordinal),
    "last": (days.ordinal,),
    "first": (days.ordinal,),
    "from_last": (days.day_from_last, days.ordinal_business, days.ordinal),
    "weekday": (limits.shift, days.weekdays),
    "short_weekday": (days.weekdays,),
    "class": (limits.shift, days.word),
    "set": (limits.shift, days.word),
    "each": (days.word,),
    "named": (days.word,),
    "work": (of_year,),
    "repeat": (of_year, days.word),
    "period": (within, days.word),
    "relative": (of_year, days.coming_or_relative),
    "end": (dates.end,),
    "bare_end": (dates.bare_end,),
    "bare_start": (dates.bare_end,),
    "month_set": (days.word,),
    "quarter": (dates.quarter,),
    "vague_day": (vague_day,),
    "vague_hours": (times.hours_said, vague_hours),
    "whole_day": (times.whole_day,),
    "quiet": (times.after_quiet, units.quiet_later),
    "offset": (dates.offset,),
    "next_morning": (dates.next_morning,),
    "shift": (limits.lone_shift,),
    "no_such_day": (limits.short_months,),
    "times": (units.count,),
    "in_all": (units.count,),
    "zone": (zones.zone,),
    "zone_name": (zones.zone_name,),
    "offset_of_zone": (zones.zone_offset,),
    "vague_zone": (zones.vague_zone,),
    "named_calendar": (limits.on_calendar,),
    "calendar": (limits.unknown_calendar,),
    "counted_from": (limits.counted_from,),
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
        mark_beside(scan)
        mark_stray(scan)
        mark_qualified(scan)
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
    if token.kind in NAMED_AFTER_DAYS and NOUN_OF_WORK.match(scan.text, token.end):
        return None
    recognisers = RECOGNISERS.get(token.kind)
    if recognisers is None or (token.kind in MEASURES and units.is_of_work(scan, index)):
        return None
    if token.kind in LENGTHS or token.kind == "number":
        recognisers = (about, *recognisers)
    for recognise in recognisers:
        match = recognise(scan, index)
        if match is not None:
            return match
    return None
