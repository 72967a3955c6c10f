"""Instants and days as a person reads them: on a terminal, in a report, on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from schedctl.when.saying.japanese import WEEKDAYS as WEEKDAYS_JA

if TYPE_CHECKING:
    from datetime import date, datetime, timedelta

    from schedctl.language import Lang


def instant_said(at: datetime, zone: str, lang: Lang) -> str:
    """An instant with weekday, date, time and UTC offset, in a zone."""
    local = at.astimezone(ZoneInfo(zone))
    offset = local.strftime("%z")
    offset = f"{offset[:3]}:{offset[3:]}"
    if lang == "ja":
        return f"{local:%Y-%m-%d}（{WEEKDAYS_JA[local.weekday()]}）{local:%H:%M} {offset}"
    return f"{local:%a %Y-%m-%d %H:%M} {offset}"


def day_said(day: date, lang: Lang, *, with_year: bool = False) -> str:
    """A day as the heading of a calendar: `12/06（日）`, `Sun 6 Dec`."""
    if lang == "ja":
        year = f"{day.year}/" if with_year else ""
        return f"{year}{day:%m/%d}（{WEEKDAYS_JA[day.weekday()]}）"
    return f"{day:%a} {day.day} {day:%b}" + (f" {day.year}" if with_year else "")


def moment_said(at: datetime, zone: str, lang: Lang) -> str:
    """An instant in a list that is near it in time: `12/06（日）03:00`, `Sun 6 Dec 03:00`."""
    local = at.astimezone(ZoneInfo(zone))
    return f"{day_said(local.date(), lang)}{'' if lang == 'ja' else ' '}{local:%H:%M}"


def age_said(age: timedelta, lang: Lang) -> str:
    """`40 秒`, `3 分`, `5 時間`, `2 日`."""
    seconds = max(0, int(age.total_seconds()))
    units = ((86_400, "日", "d"), (3600, "時間", "h"), (60, "分", "min"), (1, "秒", "s"))
    size, ja, en = next(unit for unit in units if seconds >= 2 * unit[0] or unit[0] == 1)
    return f"{seconds // size} {ja if lang == 'ja' else en}"
