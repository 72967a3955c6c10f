"""What stands beside the words of time: two schedules multiplied into one, and zones that belong to the work."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.when.english.scan import Hit
from schedctl.when.model import DayClass
from schedctl.when.reading.draft import CORES
from schedctl.when.reading.grammar import Found
from schedctl.when.reading.parts import (
    BusinessDaysLater,
    Clock,
    Coming,
    Count,
    DaysOfMonth,
    Except,
    Hourly,
    InMonth,
    InZone,
    Part,
    Period,
    Relative,
    Repeat,
    Step,
    Unclear,
    Weekdays,
    Window,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

DAYS: Final = (*CORES, InMonth, Relative, BusinessDaysLater, Coming, Repeat)
TIMES: Final = (Clock, Step, Hourly, Window)
OF_WORK: Final = re.compile(
    r"(?:^|[\s(])(?:the|an?|our|my|your|this|that|its|each|all|any|to|into|from|as|of|with|via|named?|called|set)[\s\"「']*$"
)
"""Words before a zone that make it the work's: `set the clock to UTC`, `the Asia/Tokyo region`."""
NEAR: Final = 40
"""Letters before a zone that can tell whose it is."""
AT_THE_END: Final = re.compile(r"[ .,!?)]*$")
LASTING_WORK: Final = re.compile(
    r"\b(?:\w{2,}ed|idle|inactive|unused|old|silent|offline|down|up|running|stuck|empty)$|"
    r"\b(?:keep|kept|retain|store|save|hold|silence|mute|block|ban|suppress|pause|snooze|disable|enable|lock|cache"
    r"|archive|quarantine|preserve|wait|sleep|extend|renew|grant|allow|reserve|valid|logs?|data|backups?|stats|metrics)\b"
)
"""Work that itself lasts so long: `keep the logs for 10 days`."""


def doubts(run: Sequence[Hit]) -> tuple[Hit, ...]:
    """`Mondays at 9 and Wednesdays at 10`: two schedules, which would become every day at every time."""
    days, times = _alternating(run)
    if _has_its_own_time(run):
        return _conflict(run)
    if min(len(days), len(times)) < 2 or len(set(days)) == 1 or len(set(times)) == 1:
        return ()
    return _conflict(run)


def _has_its_own_time(run: Sequence[Hit]) -> bool:
    """`daily at 9am, but on Sundays at 11am`: days that are left out of one time, and have another."""
    kinds = [type(found.part) for hit in run for found in hit.parts if isinstance(found.part, Clock | Except)]
    return any(kinds[place : place + 3] == [Clock, Except, Clock] for place in range(len(kinds)))


def _conflict(run: Sequence[Hit]) -> tuple[Hit, ...]:
    start, end = run[0].start, run[-1].end
    doubt = Unclear(
        "conflicting_time",
        Text(
            "曜日や日付ごとに時刻が違い、1つの予定として読めません",
            "The days have different times, so the sentence cannot be read as one schedule",
        ),
        advice=Text("予定ごとに1つの文に分けてください", "Write one sentence for each schedule"),
    )
    return (Hit((Found(doubt, start, end),), start, end),)


def _alternating(run: Sequence[Hit]) -> tuple[list[frozenset[Part]], list[frozenset[Part]]]:
    """The days and the times of a run, each stretch between two of the other kind as one."""
    days: list[set[Part]] = []
    times: list[set[Part]] = []
    before: bool | None = None
    for found in (found for hit in run for found in hit.parts):
        if not isinstance(found.part, (*DAYS, *TIMES)):
            continue
        is_time = isinstance(found.part, TIMES)
        stretches = times if is_time else days
        if is_time is not before:
            stretches.append(set())
        stretches[-1].add(_plain(found.part))
        before = is_time
    return [frozenset(each) for each in days], [frozenset(each) for each in times]


def _plain(part: Part) -> Part:
    """`Mondays` and `every Monday` are the same days."""
    return replace(part, each=False) if isinstance(part, Weekdays | DaysOfMonth) else part


def limits_said_apart(text: str, run: Sequence[Hit], runs: Sequence[Sequence[Hit]]) -> list[Hit]:
    """`check mars, 10 times`, `check mars for a week`: a limit of the schedule, or of the work? Empty: the work's."""
    start, end = run[0].start, run[-1].end
    part = run[0].parts[0].part if run[0].parts else None
    if not isinstance(part, Count | Period) or AT_THE_END.match(text, end) is None:
        return []
    if not any(_comes_again(found.part) for each in runs for hit in each for found in hit.parts):
        return []
    said, before = text[start:end], text[:start].rstrip()
    if isinstance(part, Count):
        doubt = _limit_of_what(said, f"only {said}") if before[-1:] in {",", "(", ";"} else None
    else:
        doubt = None if LASTING_WORK.search(before) else _limit_of_what(said)
    return [Hit((Found(doubt, start, end),), start, end)] if doubt else []


def _comes_again(part: Part) -> bool:
    return isinstance(part, Repeat | Step | Hourly | DayClass) or (
        isinstance(part, Weekdays) and (part.each or len(part.weekdays) > 1)
    )


def _limit_of_what(said: str, *choices: str) -> Unclear:
    return Unclear(
        "ambiguous_time",
        Text(
            f"「{said}」が予定の終わりなのか、作業の言葉なのか決められません",
            f"It is not certain whether “{said}” ends the schedule or is part of the work",
        ),
        choices,
        Text(
            "予定の回数や期間なら、時刻のすぐ後に書いてください",
            "If it ends the schedule, write it right after the time of day",
        ),
    )


def with_zones_of_time(text: str, ordered: Sequence[Hit], glue: re.Pattern[str]) -> list[Hit]:
    """The hits without the zones that are the work's; one of which that is not certain becomes a doubt."""
    kept: list[Hit] = []
    for place, hit in enumerate(ordered):
        if not _is_zone(hit):
            kept.append(hit)
            continue
        left = place > 0 and _touch(text, ordered[place - 1], hit, glue)
        following = ordered[place + 1] if place + 1 < len(ordered) else None
        right = following is not None and _touch(text, hit, following, glue)
        match _whose(text, hit, left=left, right=following if right else None):
            case "time":
                kept.append(hit)
            case "unclear":
                kept.append(_unclear_zone(text, hit))
            case _:
                pass
    return kept


def _is_zone(hit: Hit) -> bool:
    return bool(hit.parts) and all(isinstance(f.part, InZone) and isinstance(f.part.zone, str) for f in hit.parts)


def _touch(text: str, before: Hit, hit: Hit, glue: re.Pattern[str]) -> bool:
    both = bool(before.parts) and bool(hit.parts)
    return both and glue.fullmatch(text, before.end, hit.start) is not None


def _whose(text: str, hit: Hit, *, left: bool, right: Hit | None) -> str:
    """Whether a zone is of the `time`, of the `work`, or `unclear`."""
    before, said = text[max(0, hit.start - NEAR) : hit.start], text[hit.start : hit.end]
    if OF_WORK.search(before):
        return "work"
    led = said.startswith("(") or before.rstrip()[-1:] in {",", ";", ":", "("}
    if left:
        return "time"
    if not before.strip():
        set_off = right is not None or said.startswith(("in ", "on ", "(")) or text[hit.end : hit.end + 1] in {",", ":"}
        return "time" if set_off else "unclear"
    if right is not None:
        return "time" if led or _right_before_a_clock(text, hit, right) else "unclear"
    if AT_THE_END.match(text, hit.end):
        return "time" if led else "unclear"
    return "unclear" if led or said.startswith("in ") else "work"


def _right_before_a_clock(text: str, hit: Hit, following: Hit) -> bool:
    """`check mars UTC 9:00 every day`."""
    clock = isinstance(following.parts[0].part, Clock) and not text.startswith("at ", following.start)
    return clock and not text[hit.start : hit.end].startswith("in ")


def _unclear_zone(text: str, hit: Hit) -> Hit:
    said = text[hit.start : hit.end].strip("()")
    doubt = Unclear(
        "ambiguous_time",
        Text(
            f"「{said}」が予定のタイムゾーンなのか、作業の言葉なのか決められません",
            f"It is not certain whether “{said}” is the schedule's time zone or part of the work",
        ),
        advice=Text(
            "予定のタイムゾーンなら、時刻のすぐ後に書いてください",
            "If it is the schedule's zone, write it right after the time of day",
        ),
    )
    return Hit((Found(doubt, hit.start, hit.end),), hit.start, hit.end)
