"""What an operator should know about a timing beside its sentence: each fact that has surprised somebody."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from schedctl.language import Text
from schedctl.when import cron, occurrences
from schedctl.when.model import (
    At,
    BusinessDays,
    Cron,
    Daily,
    DayRule,
    MonthDays,
    MonthWeekdays,
    Once,
    Recurring,
    Timing,
    Weekly,
)
from schedctl.when.saying.english import WEEKDAYS as WEEKDAYS_EN
from schedctl.when.saying.english import date_en, listed, numbered
from schedctl.when.saying.japanese import WEEKDAYS as WEEKDAYS_JA
from schedctl.when.saying.japanese import date_ja
from schedctl.when.saying.notes_clock import night_notes, step_notes
from schedctl.when.saying.notes_daylight import daylight_notes, shown_twice
from schedctl.when.saying.shape import has_short_months

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.when.calendar import Calendars

LONGEST: Final = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
MONTHS_SHORT: Final = ("Jan.", "Feb.", "Mar.", "Apr.", "May", "June", "July", "Aug.", "Sept.", "Oct.", "Nov.", "Dec.")
DATES_OF_CRON: Final = 4


def notes(timing: Timing, after: datetime, calendars: Calendars) -> tuple[Text, ...]:
    """What is worth saying about `timing` to somebody who registers it at `after`; often nothing."""
    if isinstance(timing, Once):
        return (*_night_of_once(timing), *shown_twice(timing))
    return (
        *(note for rule in timing.days for note in _day_notes(rule)),
        *_holidays_included(timing),
        *night_notes(timing),
        *step_notes(timing),
        *_interval(timing, after, calendars),
        *_either_field(timing, after, calendars),
        *daylight_notes(timing, after, calendars),
    )


def _night_of_once(timing: Once) -> Iterator[Text]:
    wall = timing.at.astimezone(ZoneInfo(timing.zone))
    yield from night_notes(
        Recurring(days=(Weekly((wall.weekday(),)),), times=(At(wall.hour, wall.minute),), zone=timing.zone)
    )


def _day_notes(rule: DayRule) -> Iterator[Text]:
    match rule:
        case MonthDays() if has_short_months(rule):
            yield from _short_months(rule)
        case MonthWeekdays() if any(abs(ordinal) == 5 for ordinal in rule.ordinals):
            ja = "・".join(f"{WEEKDAYS_JA[day]}曜" for day in rule.weekdays)
            en = listed([WEEKDAYS_EN[day] for day in rule.weekdays])
            yield Text(
                f"{ja}が5回ない月には、第5{ja}の分は実行しません",
                f"Nothing happens for the fifth {en} in months that have only four",
            )
        case BusinessDays(of="week") if any(abs(ordinal) == 5 for ordinal in rule.ordinals):
            yield Text(
                "営業日が5日ない週には、第5営業日の分は実行しません",
                "Nothing happens for the fifth business day in weeks that have fewer",
            )
        case _:
            return


def _short_months(rule: MonthDays) -> Iterator[Text]:
    months = rule.months.only or tuple(range(1, 13))
    for day in (day for day in rule.days if day > 28):
        short = [month for month in months if LONGEST[month - 1] < day]
        ja = [f"{month}月" for month in short]
        en = [MONTHS_SHORT[month - 1] for month in short]
        if day == 29 and 2 in months:
            ja, en = ["うるう年でない2月"], ["February outside leap years"]
        if not ja:
            continue
        if rule.short_months == "leave_out":
            yield Text(
                f"{day}日がない月（{'・'.join(ja)}）には実行しません",
                f"Left out where there is no {numbered(day)}: {listed(en)}",
            )
        else:
            yield Text(
                f"{day}日がない月（{'・'.join(ja)}）は末日に実行します",
                f"On the last day where there is no {numbered(day)}: {listed(en)}",
            )


def _holidays_included(timing: Recurring) -> Iterator[Text]:
    """`月曜から金曜` is often said for 平日, which leaves public holidays out."""
    plain = not (timing.within or timing.without or timing.moves)
    if plain and any(isinstance(rule, Weekly) and rule.weekdays == (0, 1, 2, 3, 4) for rule in timing.days):
        yield Text(
            "祝日にも実行します（祝日を除くなら「平日」と書いてください）",
            "Public holidays are included (say “every business day” to leave them out)",
        )


def _interval(timing: Recurring, after: datetime, calendars: Calendars) -> Iterator[Text]:
    """An interval is only known once its first date is."""
    if not any(_is_interval(rule) for rule in timing.days):
        return
    first = occurrences.next_after(timing, after, calendars)
    if first is not None:
        day = first.astimezone(ZoneInfo(timing.zone)).date()
        yield Text(f"最初は{_dated_ja(day)}です", f"The first one is on {_dated_en(day)}")


def _is_interval(rule: DayRule) -> bool:
    match rule:
        case Daily() | Weekly():
            return rule.every > 1
        case MonthDays() | MonthWeekdays() | BusinessDays():
            return rule.months.every > 1
        case _:
            return False


def _either_field(timing: Recurring, after: datetime, calendars: Calendars) -> Iterator[Text]:
    """Cron with both day fields fires when either matches, which nearly nobody expects."""
    expressions = [rule.expression for rule in timing.days if isinstance(rule, Cron)]
    if not expressions or not cron.day_fields_are_ored(expressions[0]):
        return
    days = _next_days(timing, after, calendars)
    if not days:
        return
    yield Text(
        f"cron の決まりで、日と曜日のどちらかに合えば実行します。次は{'、'.join(_dated_ja(day) for day in days)}です",
        f"Cron fires when either day field matches. The next dates: {listed([_dated_en(day) for day in days])}",
    )


def _next_days(timing: Recurring, after: datetime, calendars: Calendars) -> list[date]:
    """The next distinct dates."""
    zone = ZoneInfo(timing.zone)
    days: list[date] = []
    while len(days) < DATES_OF_CRON and (found := occurrences.next_after(timing, after, calendars)):
        days.append(found.astimezone(zone).date())
        after = datetime.combine(days[-1] + timedelta(days=1), time(), zone) - timedelta(seconds=1)
    return days


def _dated_ja(day: date) -> str:
    return f"{date_ja(day)}（{WEEKDAYS_JA[day.weekday()]}）"


def _dated_en(day: date) -> str:
    return f"{WEEKDAYS_EN[day.weekday()]} {date_en(day)}"
