"""English days of a month: the 1st and 15th, the last Friday, the third business day of each quarter, month end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.when.english.days import BUSINESS, EACH, END, months_of, repeat_of, weekdays_of
from schedctl.when.english.scan import DIGIT, Hit, Rule, compiled, ordinal_of, rule, whole
from schedctl.when.english.words import (
    FROM_END,
    MONTH_LIST,
    NUMBER,
    NUMBERED,
    ORDINAL,
    ORDINAL_LIST,
    ORDINALS,
    WEEKDAY_LIST,
    one_of,
)
from schedctl.when.reading.grammar import Found
from schedctl.when.reading.parts import (
    DaysOfMonth,
    InMonth,
    NthBusinessDays,
    NthWeekdays,
    Part,
    Relative,
    Repeat,
    Unclear,
)

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

TAIL: Final = (
    r"(?: (?:of|in) (?:"
    rf"(?:{EACH}|the|a|any) (?P<month>month)|(?P<relative>this|next) month"
    rf"|{EACH} (?P<nth_month>other|{ORDINAL}) month|every (?P<n_months>{NUMBER}) months"
    rf"|(?:{EACH}|the) (?P<quarter>quarter)|(?:{EACH}|the) (?P<year>(?:fiscal |calendar )?year)"
    rf"|(?:{EACH}|the) (?P<week>week)"
    rf"|(?P<each>{EACH} )?(?P<months>{MONTH_LIST})(?:,? (?P<in_year>2[01]\d\d(?![\d:])))?"
    r")(?!\w))?"
)
MOST_BUSINESS_DAYS: Final = 23
LAST_DAY: Final = r"(?:month[- ]end|(?:the )?end of (?:the|each|every) month|(?:the )?end of month)"


def _nth(match: re.Match[str]) -> Hit | None:
    """`the 1st and 15th of every month`, `the last Friday`, `the 3rd business day of each quarter`."""
    core = _core(match)
    frame = tuple(_frame(match))
    if core is None or frame == (None,):
        return None
    if match["each_before"] and not any(isinstance(part, Repeat) for part in frame):
        frame = (Repeat("month"), *frame)
    start, end = match.span()
    nouns = (match.end("noun") if match["noun"] else match.end("nth")) if any(frame) else end
    places = [Found(part, nouns, end) if end > nouns else Found(part, start, end) for part in frame if part]
    return Hit((*places, Found(core, start, nouns)), start, end)


def _ordinals(match: re.Match[str]) -> tuple[int, ...]:
    return tuple(sorted({ordinal_of(word) for word in compiled(ORDINAL).findall(match["nth"])}))


def _core(match: re.Match[str]) -> DaysOfMonth | NthWeekdays | NthBusinessDays | Unclear | None:
    ordinals = _ordinals(match)
    noun = match["noun"]
    if noun is None or noun in ("day", "days"):
        return DaysOfMonth(ordinals) if _are_days(match, ordinals) else None
    if compiled(BUSINESS).fullmatch(noun) and max(map(abs, ordinals)) > MOST_BUSINESS_DAYS:
        return _no_such_day(match)
    if compiled(BUSINESS).fullmatch(noun):
        return NthBusinessDays(ordinals, "week" if match["week"] else "month")
    if compiled(r"weekdays?|weekends?").fullmatch(noun):
        return _of_what(match)
    return NthWeekdays(ordinals, weekdays_of(noun)) if max(map(abs, ordinals)) <= 5 else None


def _no_such_day(match: re.Match[str]) -> Unclear:
    message = Text("そのような営業日のある月はありません", f"No month has a {match['nth']} business day")
    return Unclear("impossible_time", message, ("on the last business day of every month",))


def _are_days(match: re.Match[str], ordinals: tuple[int, ...]) -> bool:
    """`the 15th` is a day; `the first` is one only `of every month`, and `the last` needs its noun or its month."""
    numbered = compiled(NUMBERED).search(match["nth"]) is not None or _is_last_day(match)
    has_tail = match.end() > (match.end("noun") if match["noun"] else match.end("nth"))
    return max(map(abs, ordinals)) <= 31 and not match["week"] and (numbered or has_tail)


def _is_last_day(match: re.Match[str]) -> bool:
    """`on the last day` needs no month; `the last day` alone could be of the work."""
    from_end = compiled(FROM_END).fullmatch(match["nth"]) is not None
    return from_end and match["noun"] == "day" and match.string[: match.start()].endswith("on ")


def _of_what(match: re.Match[str]) -> Unclear:
    """`the last weekday of the month`: Monday to Friday, holidays or not?"""
    before = match.string[match.start() : match.start("noun")]
    return Unclear(
        "ambiguous_time",
        Text("営業日のことか、曜日のことか決められません", f"It is not certain which days “{match['noun']}” counts"),
        (f"{before}business day", f"{before}Friday"),
    )


def _frame(match: re.Match[str]) -> Iterator[Part | None]:
    """The months that the end of the phrase names, before their days; None alone: not a phrase of ours."""
    if match["month"]:
        yield Repeat("month")
    elif match["relative"]:
        yield Relative("month", 0 if match["relative"] == "this" else 1)
    elif match["nth_month"] or match["n_months"]:
        yield repeat_of(match["nth_month"] or match["n_months"], "month")
    elif match["quarter"] or match["year"]:
        yield _part_of_year(match)
    elif match["months"]:
        if match["each"]:
            yield Repeat("year")
        yield InMonth(months_of(match["months"]), int(match["in_year"]) if match["in_year"] else None)


def _months_own(match: re.Match[str]) -> Hit | None:
    """`every month's last Friday`, `next month's second business day`."""
    ordinals = _ordinals(match)
    core = DaysOfMonth(ordinals) if match["noun"].startswith("day") else _core(match)
    frame = {"next": Relative("month", 1), "this": Relative("month", 0)}.get(match["whose"], Repeat("month"))
    return whole(match, frame, core) if core is not None and max(map(abs, ordinals)) <= 31 else None


def _part_of_year(match: re.Match[str]) -> InMonth | None:
    """Quarters and years begin with their first day and end with their last; days in between are not counted."""
    last = match["nth"].endswith("last") or match["nth"] == "final"
    if match["quarter"]:
        return InMonth((3, 6, 9, 12) if last else (1, 4, 7, 10), each=True)
    fiscal = match["year"].startswith("fiscal")
    return InMonth(((3 if fiscal else 12) if last else (4 if fiscal else 1),), each=True)


def _month_end(match: re.Match[str]) -> Hit:
    return whole(match, DaysOfMonth((-1,), each=True))


def _year_end(match: re.Match[str]) -> Hit:
    """`at the end of each quarter`, `on the last day of the year` is with the numbered days."""
    months: tuple[int, ...] = (3, 6, 9, 12) if "quarter" in match[0] else (3,) if "fiscal" in match[0] else (12,)
    return whole(match, InMonth(months, each=True), DaysOfMonth((-1,), each=True))


def _end_of_month(match: re.Match[str]) -> Hit:
    """`at the end of next month`: one day, while `the end of the month` comes again."""
    return whole(match, Relative("month", 0 if match["which"] == "this" else 1), DaysOfMonth((-1,)))


def _each_quarter(match: re.Match[str]) -> Hit:
    """`every quarter on the last business day`: the same as the last one of each quarter."""
    last = match["nth"] == "last"
    ordinals = (-1 if last else 1,)
    core: Part = DaysOfMonth(ordinals) if match["noun"] == "day" else NthBusinessDays(ordinals)
    return whole(match, InMonth((3, 6, 9, 12) if last else (1, 4, 7, 10), each=True), core)


def _fixed_day(match: re.Match[str]) -> Hit:
    """`Christmas`, `every New Year's Eve`: days with a name that are no public holidays of the calendar."""
    day: tuple[Part, ...] = (InMonth((12,)), DaysOfMonth((FIXED_DAYS[match["name"]],)))
    return whole(match, *((Repeat("year"), *day) if match["each"] else day))


def _fortnight(match: re.Match[str]) -> Hit:
    return whole(match, Repeat("week", 2))


FIXED_DAYS: Final = {"christmas": 25, "christmas day": 25, "christmas eve": 24, "new year's eve": 31}
"""Named days of December."""
OWN_DAYS: Final[tuple[Rule, ...]] = (
    rule(
        ("every", "each", "next", "this"),
        rf"(?P<whose>every|each|next|this) month's (?P<nth>{ORDINAL_LIST}) "
        rf"(?P<noun>days?|{BUSINESS}|{WEEKDAY_LIST})(?P<week>(?!))?{END}",
        _months_own,
    ),
)
"""Tried before the words of the work: `next month's report` is one of those."""
RULES: Final[tuple[Rule, ...]] = (
    rule(("every", "each"), rf"{EACH} fortnight{END}", _fortnight),
    rule(
        ("every", "each", "quarterly"),
        rf"(?:{EACH} quarter|quarterly),? (?:on )?(?:the )?(?P<nth>first|last) (?P<noun>day|{BUSINESS}){END}",
        _each_quarter,
    ),
    rule(("the", "end"), rf"(?:the )?end of (?P<which>this|next) month{END}", _end_of_month),
    rule(
        ("every", "each", "christmas", "new"),
        rf"(?P<each>{EACH} )?(?P<name>{one_of(FIXED_DAYS)}){END}",
        _fixed_day,
    ),
    rule(
        ("every", "each", "the", DIGIT, *ORDINALS, "last", "final", "penultimate"),
        rf"(?:(?P<each_before>{EACH} )|the )?(?P<nth>{ORDINAL_LIST})"
        rf"(?: (?P<noun>days?|{BUSINESS}|weekdays?|weekends?|{WEEKDAY_LIST}){END})?{TAIL}",
        _nth,
    ),
    rule(("month", "the", "end"), rf"{LAST_DAY}{END}", _month_end),
    rule(
        ("the", "end", "quarter", "year", "fiscal"),
        r"(?:(?:the )?end of (?:the|each|every) (?:quarter|(?:fiscal |calendar )?year)"
        rf"|(?:quarter|(?:fiscal )?year)[- ]end){END}",
        _year_end,
    ),
)
