"""The canonical Japanese sentence of a timing. The reader reads each of these forms back to the same value.

    Once              2026年12月1日（火） 09:00
                      2026年11月1日（日） 01:30 UTC-04:00 (where the clock shows 01:30 twice)
    Daily             毎日                                 3日ごと（2026年12月1日起点）
    Weekly            毎週月曜・水曜                       毎週月曜から金曜 (a run of three or more)
                      2週間ごとの金曜（2026年11月30日の週起点）
    MonthDays         毎月1日・15日・末日                  毎月最後から3日目 (-3)
                      毎月31日（ない月は飛ばす）           毎月31日（ない月は末日）
                      毎年2月29日（ない年は飛ばす）        毎年2月29日（ない年は28日）
    MonthWeekdays     毎月第1・第3日曜                     毎月最終金曜             毎月最後から2番目の金曜
                      毎月第1・第3の月曜・水曜 (several weekdays: every ordinal with every weekday)
    BusinessDays      毎月第3営業日                        毎月最終営業日           毎週第1営業日
    ...Months         毎年4月1日  毎年1月・7月の第2火曜    2か月ごとの15日（2026年12月起点）
    DayClass          毎営業日                             休日                     祝日
    NamedHoliday      毎年成人の日
    InMonths          毎年1月・7月の毎日
    Dates             2026年12月24日・2026年12月31日
    Cron              0 3 * * 1
    several rules     毎週月曜と毎月1日
    within            （7月・8月のみ）                     （営業日のみ）
    without           （祝日と2026年12月31日を除く）       （水曜を除く）
    Shift             （休日なら前営業日）                 （祝日なら翌営業日）     （土曜・日曜なら実行しない）
    Offset            の2営業日前                          の翌日  の前日  の3日後
    At                09:00                                09:00と18:00             26:00
    Every             30分ごと  2時間ごと                  毎時15分 (60 minutes from 00:15 to 23:59)
                      09:00から18:00まで30分ごと           22:00から翌05:00まで1時間ごと
    start, until      2026年12月1日から2026年12月31日まで、…   2026年12月1日から、…   2026年12月31日まで、…
    count             …、5回（2026年11月30日 10:00から数えて）
    calendar          …（カレンダー「工場」）
    zone              …（America/New_York）

In this order: period、 days (within) (without) moves times、 count (calendar) (zone). `毎日` is left out before a step
where nothing else hangs on it: `15分ごと`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never
from zoneinfo import ZoneInfo

from schedctl.when.model import (
    EVERY_MONTH,
    MINUTES_A_DAY,
    At,
    BusinessDays,
    Cron,
    Daily,
    Dates,
    DayClass,
    DayRule,
    Every,
    InMonths,
    MonthDays,
    Months,
    MonthWeekdays,
    Move,
    NamedHoliday,
    Offset,
    Once,
    Recurring,
    Shift,
    TimeRule,
    Weekly,
)
from schedctl.when.saying.shape import clock_of_instant, from_start_to_end, has_short_months, is_run, needs_no_day

if TYPE_CHECKING:
    from datetime import date

WEEKDAYS: Final = "月火水木金土日"
CLASSES: Final = {"business": "営業日", "closed": "休日", "holiday": "祝日"}


def once_ja(timing: Once) -> str:
    """One instant as the wall clock of its zone shows it, without the zone."""
    wall = timing.at.astimezone(ZoneInfo(timing.zone))
    return f"{date_ja(wall.date())}（{WEEKDAYS[wall.weekday()]}） {clock_of_instant(wall)}"


def recurring_ja(timing: Recurring) -> str:
    """Days and times with all that limits them, without the zone."""
    days = "と".join(day_rule_ja(rule) for rule in timing.days)
    filters = _filter(timing.within, "のみ") + _filter(timing.without, "を除く")
    moves = "".join(_move(move) for move in timing.moves)
    times = "と".join(time_ja(time) for time in timing.times)
    all_of_them = f"{days}{filters}{moves}" if not needs_no_day(timing) else ""
    main = " ".join(part for part in (all_of_them, times) if part)
    return f"{_period(timing.start, timing.until)}{main}{_count(timing)}"


def _filter(rules: tuple[DayRule, ...], word: str) -> str:
    said = [_filter_rule(rule, alone=len(rules) == 1) for rule in rules]
    return f"（{'と'.join(said)}{word}）" if rules else ""


def _filter_rule(rule: DayRule, *, alone: bool) -> str:
    """Days that are left out, or limited to; beside others weekdays need their 毎週, lest they join 第4金曜."""
    match rule:
        case Weekly(every=1) if alone:
            return weekdays_ja(rule.weekdays)
        case MonthDays():
            return _rule_of_month(rule).removesuffix(_short_months(rule))
        case DayClass():
            return CLASSES[rule.kind]
        case NamedHoliday():
            return rule.name
        case InMonths():
            return _months_list(rule.months)
        case _:
            return day_rule_ja(rule)


def day_rule_ja(rule: DayRule) -> str:
    """The days of one rule: `毎週日曜`."""
    match rule:
        case Daily() | Weekly():
            return _interval_rule(rule)
        case MonthDays() | MonthWeekdays() | BusinessDays():
            return _rule_of_month(rule)
        case DayClass():
            return "毎営業日" if rule.kind == "business" else CLASSES[rule.kind]
        case NamedHoliday():
            return f"毎年{rule.name}"
        case InMonths():
            return f"毎年{_months_list(rule.months)}の毎日"
        case Dates():
            return "・".join(date_ja(day) for day in rule.dates)
        case Cron():
            return rule.expression
        case _:
            assert_never(rule)


def _interval_rule(rule: Daily | Weekly) -> str:
    if isinstance(rule, Daily):
        return f"{rule.every}日ごと（{date_ja(rule.anchor)}起点）" if rule.anchor else "毎日"
    if rule.anchor is None:
        return f"毎週{weekdays_ja(rule.weekdays)}"
    return f"{rule.every}週間ごとの{weekdays_ja(rule.weekdays)}（{date_ja(rule.anchor)}の週起点）"


def _rule_of_month(rule: MonthDays | MonthWeekdays | BusinessDays) -> str:
    months, origin = _months(rule.months)
    match rule:
        case MonthDays():
            joint = "の" if len(rule.months.only) > 1 or origin else ""
            days = "・".join(_day_of_month(day) for day in from_start_to_end(rule.days))
            return f"{months}{joint}{days}{origin}{_short_months(rule)}"
        case MonthWeekdays():
            joint = "の" if rule.months != EVERY_MONTH else ""
            return f"{months}{joint}{_nth_weekdays(rule)}{origin}"
        case BusinessDays():
            joint = "の" if rule.months != EVERY_MONTH else ""
            of = months if rule.of == "month" else "毎週"
            return f"{of}{joint}{_ordinals(rule.ordinals)}営業日{origin}"
        case _:
            assert_never(rule)


def _day_of_month(day: int) -> str:
    if day > 0:
        return f"{day}日"
    return "末日" if day == -1 else f"最後から{-day}日目"


def _ordinals(numbers: tuple[int, ...]) -> str:
    """`第1・第3`, `最後から2番目の`: what stands before a weekday or a business day."""
    words = "・".join(_ordinal(number) for number in from_start_to_end(numbers))
    return f"{words}の" if words.endswith("番目") else words


def _ordinal(number: int) -> str:
    if number > 0:
        return f"第{number}"
    return "最終" if number == -1 else f"最後から{-number}番目"


def _nth_weekdays(rule: MonthWeekdays) -> str:
    nth = _ordinals(rule.ordinals)
    several = len(rule.weekdays) > 1 and not nth.endswith("の")
    return f"{nth}{'の' if several else ''}{_listed(rule.weekdays)}"


def _short_months(rule: MonthDays) -> str:
    if not has_short_months(rule):
        return ""
    leap_days = rule.months.only == (2,)
    if rule.short_months == "leave_out":
        return "（ない年は飛ばす）" if leap_days else "（ない月は飛ばす）"
    return "（ない年は28日）" if leap_days else "（ない月は末日）"


def _months(months: Months) -> tuple[str, str]:
    """What stands before the days, and the origin that stands after them."""
    if months.anchor is None:
        return (f"毎年{_months_list(months.only)}" if months.only else "毎月"), ""
    only = f"、{_months_list(months.only)}のみ" if months.only else ""
    return f"{months.every}か月ごと", f"（{months.anchor.year}年{months.anchor.month}月起点{only}）"


def _months_list(months: tuple[int, ...]) -> str:
    return "・".join(f"{month}月" for month in months)


def weekdays_ja(weekdays: tuple[int, ...]) -> str:
    """`月曜・水曜`; a run of three or more as `月曜から金曜`."""
    if is_run(weekdays):
        return f"{WEEKDAYS[weekdays[0]]}曜から{WEEKDAYS[weekdays[-1]]}曜"
    return _listed(weekdays)


def _listed(weekdays: tuple[int, ...]) -> str:
    return "・".join(f"{WEEKDAYS[day]}曜" for day in weekdays)


def _move(move: Move) -> str:
    match move:
        case Shift():
            day = CLASSES[move.when.kind] if isinstance(move.when, DayClass) else _listed(move.when.weekdays)
            to = {"previous": "前営業日", "next": "翌営業日", "skip": "実行しない"}[move.to]
            return f"（{day}なら{to}）"
        case Offset():
            unit = "営業日" if move.business else "日"
            if abs(move.days) == 1:
                return f"の{'翌' if move.days > 0 else '前'}{unit}"
            return f"の{abs(move.days)}{unit}{'後' if move.days > 0 else '前'}"
        case _:
            assert_never(move)


def time_ja(time: TimeRule) -> str:
    """`09:00`, or a step with its window: `22:00から翌05:00まで1時間ごと`."""
    match time:
        case At():
            return f"{time.hour:02d}:{time.minute:02d}"
        case Every(minutes=60, last=last) if time.first < 60 and last == MINUTES_A_DAY - 1:
            return f"毎時{time.first}分"
        case Every():
            step = f"{time.minutes // 60}時間ごと" if time.minutes % 60 == 0 else f"{time.minutes}分ごと"
            all_day = (time.first, time.last) == (0, MINUTES_A_DAY - 1)
            return step if all_day else f"{_clock(time.first)}から{_clock(time.last)}まで{step}"
        case _:
            assert_never(time)


def _clock(minute: int) -> str:
    next_day, minute = divmod(minute, MINUTES_A_DAY)
    return f"{'翌' if next_day else ''}{minute // 60:02d}:{minute % 60:02d}"


def date_ja(day: date) -> str:
    """`2026年12月1日`."""
    return f"{day.year}年{day.month}月{day.day}日"


def _period(start: date | None, until: date | None) -> str:
    first = f"{date_ja(start)}から" if start else ""
    last = f"{date_ja(until)}まで" if until else ""
    return f"{first}{last}、" if first or last else ""


def _count(timing: Recurring) -> str:
    if timing.count is None or timing.counted_from is None:
        return ""
    since = timing.counted_from.astimezone(ZoneInfo(timing.zone))
    return f"、{timing.count}回（{date_ja(since.date())} {clock_of_instant(since)}から数えて）"
