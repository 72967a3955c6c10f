"""English distances of days: in 3 days, two weeks from today; and those that readers count differently."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.when.english.days import END, repeat_of
from schedctl.when.english.scan import DIGIT, Hit, Rule, number_of, rule, whole
from schedctl.when.english.words import COUNTED, MONTH, NUMBERS, WEEKDAY, WEEKDAYS
from schedctl.when.reading.parts import BusinessDaysLater, Later, Relative, Unclear

if TYPE_CHECKING:
    import re


def _days_later(match: re.Match[str]) -> Hit:
    """`in 3 days`, `two weeks from now`, `in 2 business days`, `a week from tomorrow`, `a week today`."""
    groups = match.groupdict()
    number = number_of(match["number"])
    if groups.get("from") and groups["from"].endswith("tomorrow"):
        return _from_tomorrow(match, number, 2 if "after" in groups["from"] else 1)
    if match["business"]:
        return whole(match, BusinessDaysLater(number))
    return whole(match, Relative(repeat_of(None, match["unit"]).unit, number, later=True))


def _joined(match: re.Match[str]) -> Hit:
    """`in 2 days and 3 hours`, `in a week and two days`: one distance of two lengths."""
    days = number_of(match["first"]) * (7 if match["unit"] == "week" else 1)
    if match["more"]:
        return whole(match, Relative("day", days + number_of(match["more"]), later=True))
    minutes = number_of(match["minutes"]) if match["minutes"] else 0
    return whole(match, Later((days * 24 + number_of(match["hours"])) * 60 + minutes))


def _from_tomorrow(match: re.Match[str], number: int, since: int) -> Hit:
    days = {"day": number, "week": number * 7}.get(match["unit"] or "")
    if days is None:
        return _which_day(match)
    return whole(match, Relative("day", days + since, later=True))


def _which_day(match: re.Match[str]) -> Hit:
    """`the Monday after next`, `a month from Friday`: readers count these differently."""
    doubt = Unclear(
        "ambiguous_time",
        Text(f"「{match[0]}」がどの日を指すのか決められません", f"It is not certain which day “{match[0]}” means"),
        advice=Text("日付で書いてください", "Write the date"),
    )
    return whole(match, doubt)


def _week_from(match: re.Match[str]) -> Hit:
    """`a week from Monday`: of which Monday?"""
    doubt = Unclear(
        "ambiguous_time",
        Text(
            f"「{match[0]}」がどの日から数えるのか決められません",
            f"It is not certain from which day “{match[0]}” counts",
        ),
        (f"next {match['day']}",),
    )
    return whole(match, doubt)


FROM: Final = r"from (?P<from>now|today|tomorrow|the day after tomorrow)"
LATER_UNIT: Final = r"(?:(?P<business>(?:business |working |work)days?)|(?P<unit>day|week|month|year)s?(?:'| time)?)"
JOINED: Final = (
    rf"in (?P<first>{COUNTED}) (?P<unit>day|week)s?,? (?:and )?"
    rf"(?:(?P<hours>{COUNTED}) hours?(?:,? (?:and )?(?P<minutes>{COUNTED}) min(?:ute)?s?)?"
    rf"|(?P<more>{COUNTED}) days?){END}"
)
RULES: Final[tuple[Rule, ...]] = (
    rule(("in",), JOINED, _joined),
    rule((DIGIT, "a", *NUMBERS), rf"{COUNTED} weeks? from (?:this |next )?(?P<day>{WEEKDAY}){END}", _week_from),
    rule(("in",), rf"in (?P<number>{COUNTED}) {LATER_UNIT}(?: from now)?{END}", _days_later),
    rule((DIGIT, "a", "an", *NUMBERS), rf"(?P<number>{COUNTED}) {LATER_UNIT} (?:{FROM}|today){END}", _days_later),
    rule(
        (DIGIT, "a", "an", *NUMBERS),
        rf"{COUNTED} (?:days?|weeks?|months?|quarters?|years?|fortnights?) (?:from|on|after) "
        rf"(?:this |next |the )?(?:{WEEKDAY}|{MONTH}|\d{{1,2}}(?:st|nd|rd|th)){END}"
        rf"|{COUNTED} (?:week|fortnight) (?:tomorrow|{WEEKDAY}){END}",
        _which_day,
    ),
    rule(
        ("the", *WEEKDAYS, "week", "month", "year"),
        rf"(?:the )?(?:{WEEKDAY}|week|month|year) after next{END}(?: (?:on )?{WEEKDAY}{END})?",
        _which_day,
    ),
)
