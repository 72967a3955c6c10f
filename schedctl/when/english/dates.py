"""English dates: December 24, the 24th of December 2026, 12/24, 2026-12-24, in July and August."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from schedctl.language import Text
from schedctl.when.english.days import months_of
from schedctl.when.english.scan import DIGIT, Hit, Rule, rule, whole
from schedctl.when.english.words import DAY_LIST, DAY_NUMBER, MONTH, MONTH_LIST, MONTHS, YEAR
from schedctl.when.reading.grammar import Found
from schedctl.when.reading.parts import DaysOfMonth, InMonth, Part, Period, Repeat, Unclear

END: Final = r"(?!\w)"
TO: Final = r"(?: ?- ?| to | through | until )"
NUMBER_OF_DAY: Final = re.compile(r"\d+")


def _days_of(words: str) -> tuple[int, ...]:
    return tuple(sorted({int(number) for number in NUMBER_OF_DAY.findall(words)}))


def _date(match: re.Match[str]) -> Hit:
    """`December 24`, `Dec 24th, 2026`, `1 and 15 April`, `the 24th of December`; `every` makes it yearly."""
    groups = match.groupdict()
    year = int(groups["year"]) if groups["year"] else None
    months = InMonth(months_of(groups["month"]), year)
    days = DaysOfMonth(_days_of(groups["days"]))
    return whole(match, *((Repeat("year"), months, days) if groups["each"] else (months, days)))


def _date_range(match: re.Match[str]) -> Hit:
    """`December 1 to 31`, `1-5 December`."""
    year = int(match["year"]) if match["year"] else None
    months = InMonth(months_of(match["month"]), year)
    first, last = (DaysOfMonth(_days_of(match[name])) for name in ("first", "last"))
    return whole(match, Period((months, first), (months, last)))


def _months(match: re.Match[str]) -> Hit:
    """`in July and August`, `every January`, `December 2026`."""
    months = InMonth(months_of(match["months"]), int(match["year"]) if match["year"] else None)
    if match["each"]:
        return whole(match, Repeat("year"), months)
    return Hit((Found(months, match.start("months"), match.end()),), match.start(), match.end())


def _year(match: re.Match[str]) -> Hit:
    """`in 2027`: from its first day to its last."""
    year = int(match["year"])
    first, last = (InMonth((1,), year), DaysOfMonth((1,))), (InMonth((12,), year), DaysOfMonth((31,)))
    return whole(match, Period(first, last))


def _numeric(match: re.Match[str]) -> Hit:
    """`2026-12-24`, `2026/12/24`, `12/24`, `12/24/2026`: month before day."""
    groups = match.groupdict()
    year = groups["iso_year"] or groups["year"]
    month, day = int(groups["iso_month"] or groups["month"]), int(groups["iso_day"] or groups["day"])
    if groups["iso_year"] is None and month != day and 1 <= month <= 12 and 1 <= day <= 12:
        return _month_or_day(match, month, day, f", {year}" if year else "")
    if 1 <= month <= 12 and 1 <= day <= 31:
        return whole(match, InMonth((month,), int(year) if year else None), DaysOfMonth((day,)))
    if 1 <= day <= 12 and 1 <= month <= 31:  # `25/12/2026` can only be day and month
        return whole(match, InMonth((day,), int(year) if year else None), DaysOfMonth((month,)))
    doubt = Unclear(
        "impossible_time",
        Text(
            f"{match[0]} という日はありません（月/日の順で読みます）",
            f"There is no {match[0]} (it is read as month/day)",
        ),
    )
    return whole(match, doubt)


def _month_or_day(match: re.Match[str], month: int, day: int, year: str) -> Hit:
    """`10/12`: the twelfth of October, or the tenth of December?"""
    doubt = Unclear(
        "ambiguous_time",
        Text(f"「{match[0]}」は月/日とも日/月とも読めます", f"“{match[0]}” could be month/day or day/month"),
        tuple(f"{_full_name(one)} {other}{year}" for one, other in ((month, day), (day, month))),
    )
    return whole(match, doubt)


def _full_name(month: int) -> str:
    return max((name for name, number in MONTHS.items() if number == month), key=len).capitalize()


def plain_date(parts: tuple[Part, ...]) -> date | None:
    """The date of `1 December 2026` or the first of `December 2026`; None where the parts are none, or no such date."""
    months = next((part for part in parts if isinstance(part, InMonth)), None)
    days = next((part for part in parts if isinstance(part, DaysOfMonth)), DaysOfMonth((1,)))
    if months is None or months.year is None or days.days[0] < 1:
        return None
    try:
        return date(months.year, months.months[0], days.days[0])
    except ValueError:
        return None


def date_at(text: str, place: int) -> tuple[tuple[Part, ...], int] | None:
    """The parts of the date that stands at `place`, and where it ends."""
    for each in RULES:
        found = each.match(text, place)
        if found and (hit := each.make(found)):
            return tuple(found.part for found in hit.parts), hit.end
    return None


RULES: Final[tuple[Rule, ...]] = (
    rule(
        MONTHS,
        rf"(?P<month>{MONTH}) (?P<first>{DAY_NUMBER}){TO}(?P<last>{DAY_NUMBER})(?:,? (?P<year>{YEAR}))?{END}",
        _date_range,
    ),
    rule(
        (DIGIT, "the"),
        rf"(?:the )?(?P<first>{DAY_NUMBER}){TO}(?:the )?(?P<last>{DAY_NUMBER}) (?:of )?(?P<month>{MONTH})"
        rf"(?:,? (?P<year>{YEAR}))?{END}",
        _date_range,
    ),
    rule(
        ("every", "each", *MONTHS),
        rf"(?:(?P<each>every|each) )?(?P<month>{MONTH}) (?:the )?(?P<days>{DAY_LIST})(?:,? (?P<year>{YEAR}))?{END}",
        _date,
    ),
    rule(
        ("every", "each", "the", DIGIT),
        rf"(?:(?P<each>every|each) |the )?(?P<days>{DAY_LIST}) (?:of )?(?P<month>{MONTH})(?:,? (?P<year>{YEAR}))?{END}",
        _date,
    ),
    rule(
        (DIGIT,),
        r"(?:(?P<iso_year>[12]\d{3})(?P<mark>[-/])(?P<iso_month>\d{1,2})(?P=mark)(?P<iso_day>\d{1,2})(?:t(?=\d)|(?!\w))"
        r"|(?P<month>\d{1,2})/(?P<day>\d{1,2})(?:/(?P<year>[12]\d{3}))?(?![\w/]))",
        _numeric,
    ),
    rule(
        ("every", "each", "in", "during", *MONTHS),
        rf"(?:(?P<each>every|each) |in |during )(?P<months>{MONTH_LIST})(?:,? (?P<year>{YEAR}))?{END}",
        _months,
    ),
    rule(("in", "during", "throughout"), rf"(?:in|during|throughout) (?P<year>{YEAR}){END}", _year),
    rule(MONTHS, rf"(?P<each>(?!))?(?P<months>{MONTH}),? (?P<year>{YEAR}){END}", _months),
)
