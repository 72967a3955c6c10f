"""Why times, zones and single instants are refused, and edits that would help (days are in `refusals.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedctl.language import Text
from schedctl.when.model import At
from schedctl.when.reading.grammar import Edit, Found, Refusal
from schedctl.when.reading.refusals import nothing_found

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime


def no_time(after: Found | None) -> Refusal:
    """Days without a time of day; never taken as midnight."""
    message = Text("何時に実行するかが書かれていません", "The sentence does not say at what time of day to run")
    if after is None:
        return Refusal("no_time", message, nothing_found().edits)
    return Refusal(
        "no_time",
        message,
        tuple(
            Edit(after.end, after.end, Text(f"の{hour}時に", f" at {hour}:00 "), takes_particle=True)
            for hour in (9, 21)
        ),
    )


def only_part_of_day(place: Found, hours: tuple[int, ...]) -> Refusal:
    """`夜に` is no time of day."""
    by_day = [hour for hour in hours if hour < 24]
    likely = dict.fromkeys((by_day[len(by_day) // 2], by_day[0]))
    message = Text(
        "時間帯だけで、何時に実行するかが書かれていません",
        "Only a part of the day is given; the sentence does not say at what time to run",
    )
    instead = [
        Edit(place.start, place.end, Text(f"{hour}時に", f"at {hour}:00"), takes_particle=True) for hour in likely
    ]
    beside = [
        Edit(place.end, place.end, Text(f"の{hour}時に", f" at {hour}:00"), takes_particle=True) for hour in likely
    ]
    return Refusal("no_time", message, (*instead, *beside))


def hour_against_part_of_day(place: Found, hours: tuple[int, ...], hour: int) -> Refusal:
    """`毎晩、…を9時に`: in the evening, or at nine in the morning?"""
    likely = [each for each in hours if each % 12 == hour % 12]
    return Refusal(
        "ambiguous_time",
        Text(
            f"時間帯と「{hour}時」が合わず、どの時刻か決められません",
            f"The part of the day and {hour}:00 do not agree, so the time is not certain",
        ),
        tuple(
            Edit(place.start, place.end, Text(f"{each % 24}時", f"{each % 24}:00"))
            for each in dict.fromkeys([*likely, hour])
        ),
    )


def past(at: datetime, now: datetime, places: tuple[Found, ...], edits: tuple[Text, ...]) -> Refusal:
    """A one-shot that is over."""
    start, end = (places[0].start, places[-1].end) if places else (0, 0)
    return Refusal(
        "past_time",
        Text(
            f"{at:%Y-%m-%d %H:%M} はもう過ぎています（いまは {now:%Y-%m-%d %H:%M}）",
            f"{at:%Y-%m-%d %H:%M} is already past (it is {now:%Y-%m-%d %H:%M})",
        ),
        tuple(Edit(start, end, words) for words in edits),
    )


def window_without_step(place: Found) -> Refusal:
    """`9時から18時まで`: how often?"""
    return Refusal(
        "ambiguous_time",
        Text(
            "時間の範囲だけで、その中で何分おきに実行するかが書かれていません",
            "A range of times is given, but not how often to run in it",
        ),
        (
            Edit(place.end, place.end, Text("30分おきに", " every 30 minutes "), takes_particle=True),
            Edit(place.end, place.end, Text("1時間ごとに", " every hour "), takes_particle=True),
        ),
    )


def no_such_wall_time(wall: datetime, zone: str, later: datetime) -> Refusal:
    """A wall-clock time inside a daylight-saving gap."""
    return Refusal(
        "impossible_time",
        Text(
            f"{zone} の時計では {wall:%Y-%m-%d %H:%M} は夏時間の切り替えで飛ばされ、存在しません",
            f"{wall:%Y-%m-%d %H:%M} does not exist in {zone}: the clock skips it for daylight saving time",
        ),
        (),
        Text(f"切り替えのあと、{later:%H:%M} 以降の時刻を書いてください", f"Write a time from {later:%H:%M} on"),
    )


def wall_time_twice(wall: datetime, zone: str, offsets: tuple[str, ...], place: Found | None) -> Refusal:
    """A wall-clock time inside a fold."""
    edits = (
        ()
        if place is None
        else tuple(Edit(place.end, place.end, Text(f" UTC{each}", f" UTC{each}")) for each in offsets)
    )
    return Refusal(
        "ambiguous_time",
        Text(
            f"{zone} の時計では {wall:%Y-%m-%d %H:%M} が2回あります（{' と '.join(offsets)}）",
            f"{wall:%Y-%m-%d %H:%M} happens twice in {zone} ({' and '.join(offsets)})",
        ),
        edits,
        Text("時差を付けて書いてください", "Write it with its offset"),
    )


def once_or_again(place: Found) -> Refusal:
    """`毎日9時に一度だけ`: once each day, or once in all?"""
    return Refusal(
        "ambiguous_time",
        Text("繰り返しと「一度だけ」の両方が書かれています", "Both a repetition and “once” are given"),
        (Edit(place.start, place.end, Text("", ""), takes_particle=True),),
    )


def night_of_which_day(place: Found, times: Sequence[At]) -> Refusal:
    """`月曜の夜1時`: the night that begins on Monday, or Monday's small hours?"""
    return Refusal(
        "ambiguous_time",
        Text(
            "日付が変わる前後のどちらの夜か決められません",
            "It is not certain whether the night before or after that day is meant",
        ),
        tuple(Edit(place.start, place.end, _spoken(times, small_hours)) for small_hours in (24, 0)),
        Text(
            "夜が明ける前の時刻は、その日の夜なら25時のように、その日の未明なら夜と付けずに書いてください",
            "Write 25:00 for the night that begins on that day, leave out the night for the early hours of that day",
        ),
    )


def _spoken(times: Sequence[At], small_hours: int) -> Text:
    """The times with the hours after midnight counted from `small_hours` on."""
    said = [At(at.hour % 12 + small_hours if at.hour % 24 < 12 else at.hour, at.minute) for at in times]
    return Text(
        "と".join(f"{at.hour}時{at.minute}分" if at.minute else f"{at.hour}時" for at in said),
        " and ".join(f"{at.hour}:{at.minute:02d}" for at in said),
    )


def no_task() -> Refusal:
    """A timing and nothing to do."""
    return Refusal(
        "no_task",
        Text("何をするかが書かれていません", "The sentence does not say what to do"),
        (Edit(-1, -1, Text("にmarsのログを確認", " check the logs on mars")),),
    )


def offset_of_repetition(place: Found) -> Refusal:
    """`毎日9時(-05:00)`: an offset is not a zone."""
    return Refusal(
        "ambiguous_time",
        Text(
            "繰り返しの予定では、時差だけからはどの地域の時計か決められません",
            "For a repetition, a bare offset does not say which zone's clock counts",
        ),
        (Edit(place.start, place.end, Text("(UTC)", "UTC")), Edit(place.start, place.end, Text("", ""))),
        Text("Asia/Tokyo のような IANA の名前で書いてください", "Write an IANA name such as Asia/Tokyo"),
    )
