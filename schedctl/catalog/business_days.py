"""calendar.toml -> the business calendars."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from schedctl.catalog import keys
from schedctl.catalog.problems import Place, Problems
from schedctl.catalog.table import Table, table_of
from schedctl.language import Text
from schedctl.when.calendar import BusinessCalendar, Calendars

CALENDAR: Final = "calendar.toml"
MONTH_AND_DAY: Final = re.compile(r"(\d\d)-(\d\d)")
LEAP_YEAR: Final = 2024
COUNTRY: Final = re.compile(r"[A-Z]{2}")


def calendars_of(document: dict[str, object]) -> Calendars:
    """The calendars alone of a document that was checked when it was adopted: all that a tick needs of it."""
    problems = Problems()
    files = table_of(Place("", ""), document.get("files"), None, problems).values
    return parse_calendars(table_of(Place(CALENDAR), files.get(CALENDAR, {}), keys.CALENDAR_FILE, problems))


def parse_calendars(file: Table) -> Calendars:
    """The default calendar at the top of the file, and the named ones under `[calendars.NAME]`."""
    named = file.inner_tables("calendars", keys.CALENDAR)
    return Calendars(_calendar(file), tuple((name, _calendar(table)) for name, table in named))


def _calendar(table: Table) -> BusinessCalendar:
    closed, opened = _dates(table, "closed"), _dates(table, "open")
    for day in sorted(closed & opened):
        table.note(
            "open",
            Text(f"{day} は closed にもあります", f"{day} stands in closed as well"),
            Text("どちらか一方から消してください", "Remove it from one of the two"),
        )
    yearly = frozenset(
        found for word in table.strings("closed_yearly") if (found := _month_and_day(table, word)) is not None
    )
    return BusinessCalendar(_country(table), closed, yearly, opened)


def _country(table: Table) -> str:
    country = table.string("country", "JP")
    if country and (not COUNTRY.fullmatch(country) or not _has_holidays(country)):
        table.note(
            "country",
            Text(f"国「{country}」の祝日は登録されていません", f"The public holidays of “{country}” are not known"),
            Text(
                "JP のような ISO 3166 の2文字か、祝日なしなら空文字列を書いてください",
                'Write two letters of ISO 3166 such as JP, or "" for no holidays',
            ),
        )
    return country


def _has_holidays(country: str) -> bool:
    """Asked only for other countries than Japan: importing holidays takes longer than a whole tick."""
    if country == "JP":
        return True
    from holidays import list_supported_countries

    return country in list_supported_countries()


def _dates(table: Table, key: str) -> frozenset[date]:
    days: set[date] = set()
    for word in table.strings(key):
        try:
            days.add(date.fromisoformat(word))
        except ValueError:
            table.note(
                key,
                Text(f"「{word}」という日付はありません", f"There is no date “{word}”"),
                Text(f"例: {key} = [2026-12-29, 2026-12-30]", f"For example: {key} = [2026-12-29, 2026-12-30]"),
            )
    return frozenset(days)


def _month_and_day(table: Table, word: str) -> tuple[int, int] | None:
    found = MONTH_AND_DAY.fullmatch(word)
    try:
        day = date(LEAP_YEAR, int(found[1]), int(found[2])) if found else None
    except ValueError:
        day = None
    if day is None:
        table.note(
            "closed_yearly",
            Text(f"「{word}」という月日はありません", f"There is no month and day “{word}”"),
            Text('例: closed_yearly = ["12-31", "01-02"]', 'For example: closed_yearly = ["12-31", "01-02"]'),
        )
        return None
    return day.month, day.day
