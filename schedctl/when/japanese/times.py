"""Clock times in Japanese: `9時`, `朝7時・昼12時`, `9時から18時まで`, `毎時15分`, `22時から翌5時まで`."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from schedctl.language import Text
from schedctl.when.japanese.clocks import (
    HOUR,
    MOST_TIMES,
    TIME_GLUE,
    Read,
    clock_at,
    hedge,
    hours_of_list,
    impossible,
    seconds,
)
from schedctl.when.japanese.scan import CLOSE_GLUE, Match, Scan
from schedctl.when.japanese.words_times import DAYS_WITH_HOURS, HOURS, MORNING_POINTS
from schedctl.when.model import LAST_HOUR, MINUTES_A_DAY, At
from schedctl.when.reading.parts import Clock, Hourly, Part, PartOfDay, Relative, Step, Unclear, Window

NOON: Final = 12 * HOUR
MINUTE_GLUE: Final = frozenset(("と", "、", "・", ",", "や", "/"))
FIRST_GLUE: Final = CLOSE_GLUE | {"、"}
MEASURING: Final = frozenset(("comparison", "before", "after"))
"""What after a length makes it one of the work: `毎時、5分以上応答がない…`."""
ORDERED: Final = frozenset(("、", ",", "に、", ""))
"""Glue that makes a list only where the times ascend: after `9時、` a new thought may begin."""
NEXT_DAYS: Final = frozenset(("翌", "翌日", "翌朝", "次の日"))
AM: Final = frozenset(("午前", "朝", "早朝", "am", "ごぜん", "深夜", "未明", "明け方"))


def clock(scan: Scan, first: int) -> Match | None:
    """A clock time, a list of them, or a range."""
    read = clock_at(scan, first)
    if read is None:
        return hours_of_list(scan, first) or _hours_of_range(scan, first) or _part_of_day(scan, first)
    return _range_or_list(scan, first, read)


def _hours_of_range(scan: Scan, first: int) -> Match | None:
    """`9-18時`: both ends in one unit."""
    if scan.token(first).kind != "number" or scan.kind(first + 1) != "dash" or scan.token(first + 2).kind != "hour":
        return None
    return (
        _range(scan, first, Read(scan.token(first).number * HOUR, first + 1)) if scan.token(first).number < 24 else None
    )


def day_with_hours(scan: Scan, first: int) -> Match | None:
    """`毎朝`, `毎晩`, `明朝`: a day part, with the hour that it qualifies where there is one."""
    part, word = DAYS_WITH_HOURS[scan.token(first).word]
    read = clock_at(scan, first + 1, word) if scan.token(first + 1).glue in TIME_GLUE else None
    if read is None:
        return Match(first + 1, (part, PartOfDay(tuple(sorted(set(HOURS[word].values()))))))
    match = _range_or_list(scan, first + 1, read)
    return Match(match.next, (part, *match.parts))


def hours_said(scan: Scan, first: int) -> Match | None:
    """`朝イチの9時`, `定時（18時）に`, `営業時間9時から18時まで`: the hour beside a vague word settles it."""
    word = MORNING_POINTS.get(scan.token(first).word, "")
    read = clock_at(scan, first + 1, word) if scan.token(first + 1).glue in CLOSE_GLUE else None
    if read is None or read.problem is not None:
        return None
    match = _range_or_list(scan, first + 1, read)
    certain = word or read.minute >= NOON or isinstance(match.parts[0], Window)
    return match if certain else None


def tonight(scan: Scan, first: int) -> Match | None:
    """`今夜1時` is the coming night's 01:00, so tomorrow's date."""
    today = Relative("day", 0)
    read = clock_at(scan, first + 1, "今夜") if scan.token(first + 1).glue in TIME_GLUE else None
    if read is None:
        return Match(first + 1, (today, PartOfDay(tuple(range(17, 24)))))
    match = _range_or_list(scan, first + 1, read)
    return Match(match.next, (today, *match.parts))


def hourly(scan: Scan, first: int) -> Match | None:
    """`毎時`, `毎時15分`, `毎時0分と30分`, `毎時半`."""
    minutes, index = _minutes_of_hours(scan, first + 1)
    if scan.kind(index) in {"gap", "every"} or any(minute > 59 for minute in minutes):
        return Match(index, (impossible(scan, first, index, ("毎時0分",)),))
    index += scan.token(index).kind == "quiet" and scan.token(index).glue == ""
    return Match(index, (Hourly(tuple(sorted(set(minutes))) or (0,)),))


def _minutes_of_hours(scan: Scan, index: int) -> tuple[list[int], int]:
    """`15分`, `0分と30分`, `0,15,30,45分`, and the token after them."""
    minutes: list[int] = []
    while scan.token(index).glue in (MINUTE_GLUE if minutes else FIRST_GLUE) and scan.kind(index + 1) not in MEASURING:
        token = scan.token(index)
        listed = token.kind == "number" and scan.token(index + 1).glue in MINUTE_GLUE
        if not (token.kind in {"minute", "half"} or (listed and scan.token(index + 1).kind in {"number", "minute"})):
            break
        minutes.append(30 if token.kind == "half" else token.number)
        index += 1
    return minutes, index


def whole_day(_scan: Scan, first: int) -> Match | None:
    """`終日15分おき`."""
    return Match(first + 1, (Window(0, MINUTES_A_DAY - 1),))


def after_quiet(scan: Scan, first: int) -> Match | None:
    """`きっかり10時`."""
    return clock(scan, first + 1) if scan.token(first + 1).glue == "" else None


def minutely(_scan: Scan, first: int) -> Match | None:
    """`毎分`."""
    return Match(first + 1, (Step(1),))


def step(scan: Scan, first: int) -> Match | None:
    """`15分おき`, `2時間ごと`, `1時間半ごと`, `30分に1回`; for hours and minutes おき and ごと are one."""
    read = length(scan, first)
    if read is None:
        return None
    minutes, index = read
    if scan.kind(index) in {"every", "gap"}:
        if scan.token(first).kind == "second":
            return Match(index + 1, (seconds(scan, first, index + 1, "1分ごと"),))
        return Match(index + 1, (Step(minutes),))
    if scan.token(index).kind == "times" and scan.token(index).glue == "に":
        return _times_per_length(scan, index, minutes)
    return None


def _times_per_length(scan: Scan, index: int, minutes: int) -> Match | None:
    number = scan.token(index).number
    if number < 1 or scan.kind(index + 1) == "comparison":
        return None
    if number == 1:
        return Match(index + 1, (Step(minutes),))
    choices = (f"{minutes // number}分ごとに",) if minutes % number == 0 else ()
    message = Text(
        "決まった間隔で実行するのか、まとめて実行するのか決められません",
        "It is not said at which minutes these runs happen",
    )
    return Match(index + 1, (Unclear("ambiguous_time", message, choices),))


def length(scan: Scan, first: int) -> tuple[int, int] | None:
    """`90分`, `1時間半`, `1時間30分`: its minutes and the token after it."""
    token = scan.token(first)
    match token.kind:
        case "minute" | "minutes":
            return token.number, first + 1
        case "second":
            return 0, first + 1
        case "hours":
            return _hours(scan, first, token.number * HOUR)
        case _:
            return None


def _hours(scan: Scan, first: int, minutes: int) -> tuple[int, int]:
    following = scan.token(first + 1)
    if following.kind == "half" and following.glue == "":
        return minutes + 30, first + 2
    if following.kind in {"minute", "minutes"} and following.glue in {"", "と"}:
        return minutes + following.number, first + 2
    return minutes, first + 1


def _range_or_list(scan: Scan, first: int, read: Read) -> Match:
    if read.problem is not None:
        return Match(read.next, (read.problem,))
    return _range(scan, first, read) or _list(scan, first, read)


def _range(scan: Scan, first: int, start: Read) -> Match | None:
    """`9時から18時まで`, `9時~18時の間`; `9時から` alone begins a step's window, else is 9:00."""
    kind = scan.kind(start.next)
    if kind == "until":
        return Match(start.next + 1, (Window(None, start.minute),))
    if kind not in {"from", "dash"}:
        return None
    index = start.next + 1
    next_day = scan.kind(index, after=TIME_GLUE) != "" and scan.token(index).word in NEXT_DAYS
    word = "朝" if next_day and scan.token(index).word == "翌朝" else ""
    index += next_day
    end = clock_at(scan, index, word) if scan.token(index).glue in TIME_GLUE else None
    if end is None:
        return _open_range(scan, first, start)
    after = end.next + (scan.kind(end.next) in {"until", "during"})
    after += scan.kind(after) == "during"
    if end.problem is not None:
        return Match(after, (end.problem,))
    return Match(after, (_window(scan, first, start, end, next_day=next_day),))


def _window(scan: Scan, first: int, start: Read, end: Read, *, next_day: bool) -> Part:
    last = end.minute + (MINUTES_A_DAY if next_day else 0)
    carried = _carried(start, end)
    if not next_day and not end.word and carried is not None:
        last = carried
    if not next_day and last <= start.minute < MINUTES_A_DAY // 2:
        hour = end.minute // HOUR
        begin = scan.letters(first, start.next)
        choices = (f"{begin}から{hour + 12}時まで", f"{begin}から翌{hour}時まで") if hour < 12 else ()
        message = Text(
            "時間の範囲の終わりが、その日の午後なのか翌日なのか決められません",
            "It is not certain whether the range ends that afternoon or the next day",
        )
        return Unclear("ambiguous_time", message, choices)
    return Window(start.minute, last)


def _open_range(scan: Scan, first: int, start: Read) -> Match:
    index = start.next + 1
    word = scan.token(start.next).word
    if word == "より":
        return Match(start.next, (Clock((_at(start.minute),), start.night),))
    if scan.token(index).glue is not None and _begins_step(scan, index):
        return Match(index, (Window(start.minute, None),))
    if word in {"以降", "以後"}:
        return Match(index, (hedge(scan, first, index, (scan.letters(first, start.next),)),))
    return Match(index, (Clock((_at(start.minute),), start.night),))


def _begins_step(scan: Scan, index: int) -> bool:
    if scan.token(index).kind in {"hourly", "minutely"}:
        return True
    following = length(scan, index)
    return following is not None and scan.kind(following[1]) in {"every", "gap"}


def _list(scan: Scan, first: int, read: Read) -> Match:
    reads = [read]
    while len(reads) < MOST_TIMES and (scan.joined(reads[-1].next) or _runs_on(scan, reads[-1].next)):
        following = clock_at(scan, reads[-1].next)
        if following is None or (scan.token(reads[-1].next).glue in ORDERED and following.minute <= reads[-1].minute):
            break
        if following.problem is not None:
            return Match(following.next, (following.problem,))
        carried = _carried(reads[-1], following) if not following.word else None
        if not following.word and carried is None and following.minute < reads[-1].minute:
            return Match(following.next, (_which_half(scan, first, following),))
        reads.append(following if carried is None else replace(following, minute=carried, word=reads[-1].word))
    last = reads[-1].next
    if len(reads) == 2 and scan.kind(last) == "during":
        return Match(last + 1, (Window(reads[0].minute, reads[1].minute),))
    times = tuple(sorted({_at(each.minute) for each in reads}, key=lambda at: at.minute_of_day))
    return Match(last, (Clock(times, any(each.night for each in reads)),))


def _runs_on(scan: Scan, index: int) -> bool:
    """`8時12時20時`, `8:00 12:00`: times side by side."""
    token = scan.token(index)
    apart = scan.text[scan.token(index - 1).end : token.start].strip()
    return token.glue == "" and not apart and token.kind in {"hour", "clock"}


def _carried(before: Read, bare: Read) -> int | None:
    """`午後1時と3時`: the word carries on to a later bare hour of the same half of the day; None where it does not."""
    if bare.word or not before.word or bare.minute >= MINUTES_A_DAY // 2 or before.minute < MINUTES_A_DAY // 2:
        return None
    later = bare.minute + MINUTES_A_DAY // 2
    return later if before.minute < later < MINUTES_A_DAY else None


def _which_half(scan: Scan, first: int, bare: Read) -> Unclear:
    hour, minute = divmod(bare.minute, HOUR)
    rest = f"{minute}分" if minute else ""
    begin = scan.letters(first, bare.next - 1 - (minute > 0))
    return Unclear(
        "ambiguous_time",
        Text(
            f"あとの「{hour}時」が午前なのか午後なのか決められません",
            f"It is not certain whether the later {hour}:{minute:02d} is in the morning or the afternoon",
        ),
        (f"{begin}と{hour + 12}時{rest}", f"{begin}と午前{hour}時{rest}"),
    )


def _part_of_day(scan: Scan, first: int) -> Match | None:
    """`夜に` without an hour is no time; 真夜中 and 正午 are."""
    token = scan.token(first)
    if token.kind != "part_of_day" or token.word.isascii():
        return None
    after = scan.text[token.end : token.end + 1]
    close = scan.follows(first) and token.glue in CLOSE_GLUE
    if token.word == "真夜中" and (after in {"に", "", "、", " "} or close):
        return Match(first + 1, (Clock((At(0),)),))
    if after in {"に", "、"} or (close and after in {"は", "の", "", " "}):
        return Match(first + 1, (PartOfDay(tuple(sorted(set(HOURS[token.word].values())))),))
    return None


def _at(minute: int) -> At:
    return At(minute // HOUR % (LAST_HOUR + 1), minute % HOUR)
