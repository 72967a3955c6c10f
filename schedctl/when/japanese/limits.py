"""What moves days in Japanese (`（休日なら前営業日）`, `ない月は末日`), and whose calendar counts."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from schedctl.language import Text
from schedctl.when.japanese.days import weekdays
from schedctl.when.japanese.scan import Match, Scan
from schedctl.when.japanese.words import SHIFTS
from schedctl.when.japanese.words_days import BUSINESS, CLASSES, CLOSED, ENDS, OFFSETS, SETS
from schedctl.when.model import DayClass, Shift, Weekly
from schedctl.when.reading.parts import (
    Clock,
    CountedFrom,
    DaysOfMonth,
    NthWeekdays,
    OnCalendar,
    Part,
    Repeat,
    ShortMonths,
    Unclear,
    Weekdays,
)

DONE: Final = re.compile(
    r"(?:に|へ|を|で)?(?:実行|実施|処理|起動|移動|変更|振替|振り替え|振替え|スライド|対応|ずら|行[うっい]|動か|回[しす]|する|して|とする|とし|扱い)"
    r"[ぁ-ん]{0,8}(?=[)。、]|$)|て(?=[)。、0-9\s午朝夜昼正]|$)"
)
"""A verb that ends the clause of a shift: `翌営業日に|実行する`."""
SUBJECT_GLUE: Final = frozenset(("", "は", "には", "の", "も", "に", "で", "は、"))
ACTION_GLUE: Final = frozenset(("", "は", "、", "に", "の", ",", "は、"))


def shift(scan: Scan, first: int) -> Match | None:
    """`休日なら前営業日`, `祝日の場合はスキップ`, `土日は実行しない`, `営業日でなければ翌営業日`."""
    subject = _subject(scan, first)
    if subject is None:
        return None
    when, index = subject
    glue = scan.token(index).glue
    condition = scan.kind(index, after=frozenset(("",)))
    if condition == "not_condition" and when == BUSINESS:
        return _action(scan, first, index + 1, CLOSED)
    if condition == "condition":
        return _action(scan, first, index + 1, when)
    if glue not in SUBJECT_GLUE:
        return None
    token = scan.token(index)
    if token.kind == "shift" and (
        glue in {"は", "には", "も", "は、"} or (glue == "" and SHIFTS[token.word] != "skip")
    ):
        return _action(scan, first, index, when)
    if token.kind == "offset" and glue in {"は", "は、"} and token.word in OFFSETS:
        return _action(scan, first, index, when)
    return None


def _subject(scan: Scan, first: int) -> tuple[DayClass | Weekly, int] | None:
    """`休日`, `土日`, `土曜・日曜`, `土日または祝日`: what a day may fall on."""
    days: list[int] = []
    kinds: set[str] = set()
    index = first
    while True:
        token = scan.token(index)
        part: Part | None = None
        if token.kind == "class":
            part = CLASSES[token.word]
        elif token.kind == "set":
            part = SETS[token.word]
        elif token.kind == "weekday":
            match = weekdays(scan, index)
            part = match.parts[0] if match is not None and isinstance(match.parts[0], Weekdays) else None
        if isinstance(part, DayClass):
            kinds.add(part.kind)
        elif isinstance(part, Weekdays):
            days.extend(part.weekdays)
        else:
            return None
        index += 1
        either = scan.kind(index) == "either"
        following = scan.token(index + either)
        of_repeat = following.glue == "、" and scan.follows(first, Repeat)  # `毎週金曜、休日の場合は`
        if following.kind not in {"class", "set", "weekday"} or of_repeat or not (either or scan.joined(index)):
            return _when(days, kinds, index)
        index += either


def _when(days: list[int], kinds: set[str], index: int) -> tuple[DayClass | Weekly, int] | None:
    if kinds == {"holiday"} and {5, 6} <= set(days):
        return DayClass("closed"), index
    if len(kinds) == 1 and not days:
        kind = kinds.pop()
        return (
            (DayClass("business"), index)
            if kind == "business"
            else (DayClass("holiday" if kind == "holiday" else "closed"), index)
        )
    if days and not kinds:
        return Weekly(tuple(sorted(set(days)))), index
    return (DayClass("closed"), index) if "closed" in kinds else None


def _action(scan: Scan, first: int, index: int, when: DayClass | Weekly) -> Match | None:
    """`前営業日`, `スキップ`, `翌営業日に順延`: where the day goes."""
    token = scan.token(index)
    if token.glue not in ACTION_GLUE:
        return None
    if when == BUSINESS:
        return None
    if token.kind == "shift":
        way = SHIFTS[token.word]
        return _done(scan, index, Shift(way, when))
    if token.kind == "offset":
        days, business = OFFSETS[token.word]
        if abs(days) == 1 and business:
            return _done(scan, index, Shift("previous" if days < 0 else "next", when))
        return Match(index + 1, (_which_neighbour(scan, first, index, days),))
    if token.kind in {"weekday", "relative"}:
        earlier = token.word.startswith("金")
        return Match(index + 1, (_which_neighbour(scan, first, index, -1 if earlier else 1),))
    return None


def _done(scan: Scan, index: int, part: Shift) -> Match:
    """The rest of `翌営業日に順延してください` says the same again."""
    index += 1
    while scan.token(index).glue in {"", "に", "へ"} and scan.token(index).kind == "shift":
        if SHIFTS[scan.token(index).word] != part.to:
            break
        index += 1
    rest = DONE.match(scan.text, scan.token(index - 1).end)
    return Match(index, (part,), None if rest is None else rest.end())


def _which_neighbour(scan: Scan, first: int, index: int, days: int) -> Unclear:
    said = scan.token(index).word
    condition = scan.text[scan.token(first).start : scan.token(index).start]
    return Unclear(
        "ambiguous_time",
        Text(
            f"移した先の「{said}」も休みのときにどうするか決められません",
            f"It is not said what happens when “{said}” is closed too",
        ),
        (f"{condition}{'前営業日' if days < 0 else '翌営業日'}",),
    )


def lone_shift(scan: Scan, first: int) -> Match | None:
    """`毎月25日（前倒し）`, `休みなら翌営業日`: days that fall on a closed day."""
    way = SHIFTS[scan.token(first).word]
    if "休み" in scan.token(first).word and scan.kind(first + 1, after=frozenset(("",))) == "condition":
        return _action(scan, first, first + 2, CLOSED)
    if way == "skip" or not (scan.follows_anchor(first) or _ends_schedule(scan, first)):
        return None
    return Match(first + 1, (Shift(way),))


def _ends_schedule(scan: Scan, first: int) -> bool:
    """`毎月25日の9時(前倒し)に`, `毎月25日の9時、前倒しで`: right behind the time, and no noun of the work after it."""
    token = scan.token(first)
    dated = any(isinstance(piece.part, DaysOfMonth | NthWeekdays | Weekdays) for piece in scan.pieces)
    apart = scan.text[token.end : token.end + 1] in {"で", ")", "、", "。", ""}
    if token.glue is None:
        return (
            dated and apart and scan.text[token.start - 1] in "、。(" and scan.text[token.end :].strip("です)。 ") == ""
        )
    return dated and apart and token.glue in {"", "、"} and scan.follows(first, Clock)


def short_months(scan: Scan, first: int) -> Match | None:
    """`ない月は末日`, `ない月は飛ばす`, `ない年は28日`."""
    following = scan.token(first + 1)
    if following.glue not in ACTION_GLUE:
        return None
    if following.kind == "end" and ENDS[following.word] == ENDS["末日"]:
        return Match(first + 2, (ShortMonths("last_day"),))
    if following.kind == "month" and following.number == 2 and scan.token(first + 2).word == "28日":
        return Match(first + 3, (ShortMonths("last_day"),))
    if following.kind == "day" and following.number == 28 and "年" in scan.token(first).word:
        return Match(first + 2, (ShortMonths("last_day"),))
    if following.kind == "shift" and SHIFTS[following.word] == "skip":
        return Match(first + 2, (ShortMonths("leave_out"),))
    return None


def on_calendar(scan: Scan, first: int) -> Match | None:
    """`工場カレンダー`, `カレンダー「工場」`: one of the named calendars."""
    return Match(first + 1, (OnCalendar(scan.phrases[scan.token(first).word]),))


def unknown_calendar(scan: Scan, first: int) -> Match | None:
    """`本社カレンダーの営業日`, where there is no such calendar: its days must not be taken for the usual ones."""
    if scan.kind(first + 1) not in {"class", "ordinal", "last", "first"}:
        return None
    names = "、".join(name for name, _ in scan.calendars.named)
    message = Text("その名前の営業日カレンダーはありません", "There is no business calendar of that name")
    advice = Text(f"使えるカレンダーは{names}です", f"The calendars are {names}") if names else None
    return Match(first + 1, (Unclear("ambiguous_time", message, (), advice),))


def counted_from(scan: Scan, first: int) -> Match | None:
    """`2026年11月30日 10:00から数えて`: what `describe` writes beside a count."""
    numbers = [int(each) for each in re.findall(r"[0-9]+", scan.token(first).word.split(" ")[0])]
    clock = scan.token(first).word.split(" ")[1].removesuffix("から数えて")
    try:
        at = datetime.fromisoformat(f"{numbers[0]:04d}-{numbers[1]:02d}-{numbers[2]:02d}T{clock}")
    except ValueError:
        return None
    return Match(first + 1, (CountedFrom(at.replace(tzinfo=None), at.utcoffset()),))
