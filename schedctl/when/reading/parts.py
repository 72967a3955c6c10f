"""Parts: what a grammar finds in a sentence, each a small meaning, in no language (`grammar.py` says how one plugs in).

`DayClass`, `NamedHoliday`, `Shift` and `Offset` of the model are parts as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from schedctl.when.model import At, DayClass, NamedHoliday, Offset, Shift

if TYPE_CHECKING:
    from datetime import date, datetime, timedelta

    from schedctl.errors import TimingErrorType
    from schedctl.language import Text

Unit = Literal["day", "week", "month", "year"]


@dataclass(frozen=True, slots=True)
class Repeat:
    """毎日, 隔週, 3か月ごと: every n-th day, week, month or year."""

    unit: Unit
    every: int = 1


@dataclass(frozen=True, slots=True)
class Weekdays:
    """月曜, 月・水・金 (0 = Monday). `each` says that also one of them recurs (毎月曜, Mondays)."""

    weekdays: tuple[int, ...]
    each: bool = False


@dataclass(frozen=True, slots=True)
class DaysOfMonth:
    """15日, 1日と15日, 末日 (-1). `each` says that it recurs monthly although nobody said 毎月 (末日, 月初)."""

    days: tuple[int, ...]
    each: bool = False


@dataclass(frozen=True, slots=True)
class NthWeekdays:
    """第1・第3日曜, 最終金曜 (-1)."""

    ordinals: tuple[int, ...]
    weekdays: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NthBusinessDays:
    """第3営業日, 最終営業日 (-1), of the month or of the week."""

    ordinals: tuple[int, ...]
    of: Literal["week", "month"] = "month"


@dataclass(frozen=True, slots=True)
class InMonth:
    """4月の, 1月と7月の, 2027年3月の: the months that the next days of month lie in, or that days are limited to.

    `each` says that they recur yearly although nobody said 毎年 (四半期の, 年度の).
    """

    months: tuple[int, ...]
    year: int | None = None
    each: bool = False


@dataclass(frozen=True, slots=True)
class Relative:
    """今日 (day 0), 来週 (week 1), 再来月 (month 2), 昨日 (day -1): a day, week, month or year counted from now.

    `later` says that a distance was given (3週間後, 2か月後): without a weekday or a date it means that very day.
    """

    unit: Unit
    number: int
    later: bool = False


@dataclass(frozen=True, slots=True)
class BusinessDaysLater:
    """3営業日後: counted from today."""

    days: int


@dataclass(frozen=True, slots=True)
class Later:
    """30分後, 1時間半後: so many minutes from now."""

    minutes: int


@dataclass(frozen=True, slots=True)
class Coming:
    """今度の, 次の: the next one, never today."""


@dataclass(frozen=True, slots=True)
class Clock:
    """9時, 朝7時・昼12時. `night` marks an hour (夜1時, 夜12時) that names one instant only where every day counts."""

    times: tuple[At, ...]
    night: bool = False


@dataclass(frozen=True, slots=True)
class PartOfDay:
    """朝, 夜, morning without an hour; `hours` are those that it can mean. It is no time of day."""

    hours: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Hourly:
    """毎時15分, 毎時0分と30分: these minutes of every hour."""

    minutes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """15分おき, 2時間ごと."""

    minutes: int


@dataclass(frozen=True, slots=True)
class Window:
    """9時から18時まで: minutes of the day; None is an open end. A last minute before the first is of the next day."""

    first: int | None
    last: int | None


@dataclass(frozen=True, slots=True)
class Except:
    """祝日を除く, 土日以外: the days (day parts, joined) that are left out."""

    days: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Only:
    """（営業日のみ）, 7月と8月だけ: the days (day parts, joined) that all others are limited to."""

    days: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Period:
    """12月1日から31日まで, 年内は, 来月末まで: day parts that name its first and its last day; empty is open."""

    start: tuple[Part, ...] = ()
    until: tuple[Part, ...] = ()
    days: int | None = None
    """3日間: the length, counted from the start (or from today)."""
    months: int | None = None
    """3か月間: the same, in months."""
    origin: bool = False
    """12月14日を起点に: an interval counts from the start; what began lately is as likely as what will begin."""


@dataclass(frozen=True, slots=True)
class ShortMonths:
    """（ない月は末日）: what a month without the 29th, 30th or 31st does."""

    choice: Literal["leave_out", "last_day"]


@dataclass(frozen=True, slots=True)
class Count:
    """全5回, 3回だけ."""

    number: int


@dataclass(frozen=True, slots=True)
class OnceOnly:
    """一度だけ, 1回だけ."""


@dataclass(frozen=True, slots=True)
class TimesPerUnit:
    """1日1回, 週に2回: how often, without saying when."""

    unit: Unit
    number: int


@dataclass(frozen=True, slots=True)
class InZone:
    """JST, UTC, America/New_York: an IANA name; or +09:00: a bare offset."""

    zone: str | timedelta


@dataclass(frozen=True, slots=True)
class OnCalendar:
    """工場カレンダーの: which named business calendar counts."""

    name: str


@dataclass(frozen=True, slots=True)
class Anchor:
    """2026年12月4日起点の: from which date an interval counts, and in which months only (what `describe` writes)."""

    origin: date
    months: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CountedFrom:
    """2026年11月30日10時0分から数えて: from when a count counts (what `describe` writes)."""

    wall: datetime
    offset: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Unclear:
    """Words that cannot be read as one timing: why, and what could be written in their place.

    `choices` replace the words in the sentence; each is shown only where the whole sentence then reads.
    """

    type: TimingErrorType
    message: Text
    choices: tuple[str, ...] = ()
    advice: Text | None = None


DayPart = (
    Repeat
    | Weekdays
    | DaysOfMonth
    | NthWeekdays
    | NthBusinessDays
    | DayClass
    | NamedHoliday
    | InMonth
    | Relative
    | BusinessDaysLater
    | Coming
)
TimePart = Clock | PartOfDay | Hourly | Step | Window
OtherPart = (
    Shift
    | Offset
    | Except
    | Only
    | Period
    | ShortMonths
    | Count
    | OnceOnly
    | TimesPerUnit
    | InZone
    | OnCalendar
    | Anchor
    | CountedFrom
    | Later
    | Unclear
)
Part = DayPart | TimePart | OtherPart
