"""English limits: exceptions, periods, counts, what happens on holidays, zones and calendars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from schedctl.language import Text
from schedctl.when.english.dates import date_at, plain_date
from schedctl.when.english.days import class_of, months_of, weekdays_of
from schedctl.when.english.scan import DIGIT, Hit, Rule, compiled, number_of, rule, spanning, whole
from schedctl.when.english.words import (
    CLASS,
    COUNTED,
    MONTH_LIST,
    NUMBERS,
    UNITS,
    VAGUE,
    VAGUE_FIRST,
    WEEKDAY,
    one_of,
)
from schedctl.when.model import DayClass, Offset, Shift, Weekly
from schedctl.when.reading.parts import (
    Anchor,
    DaysOfMonth,
    InMonth,
    Period,
    Relative,
    ShortMonths,
    Unclear,
)

if TYPE_CHECKING:
    import re


END: Final = r"(?!\w)"
BUSINESS_DAY: Final = r"(?:business|working|work) ?day"
A_HOLIDAY: Final = r"(?:a |an |on |the |any )*(?:public |bank |national )?holidays?"
A_WEEKEND: Final = r"(?:a |an |on |the |any )*weekends?"
CLOSED: Final = (
    rf"(?:(?:{A_WEEKEND} or {A_HOLIDAY}|{A_HOLIDAY} or {A_WEEKEND}|not (?:on )?(?:a )?{BUSINESS_DAY}s?|closed)"
    r"|(?:a |an |on |the |any )*(?:"
    rf"(?P<weekend>weekends?)|(?P<class>{CLASS})|(?P<weekdays>{WEEKDAY}(?:(?:,| or|, or) (?:an? |on )?{WEEKDAY})*)))"
)
"""What a day falls on; without a group it is any day that is no business day."""
IF: Final = (
    r"(?:if|when|whenever|should|in case) "
    r"(?:(?:it|that|this|that day|this day|the day|that date|the date)(?:'s| is| falls| lands| fall| were)* ?)?"
    r"(?:falls |falling )?"
)
TARGET: Final = (
    rf"(?:(?P<to>previous|preceding|prior|next|following) (?:{BUSINESS_DAY}|day)"
    rf"|{BUSINESS_DAY} (?P<side>before|after)(?: (?:it|that))?)"
)
MOVED: Final = (
    r"(?:,? ?(?:then |it |do |use |run |runs |move |moves |moved |shift |shifts |to |on |at |take |the |instead )*)"
)
NOT: Final = r"(?:do not|don't|does not|doesn't)"
SKIP: Final = (
    r"(?:(?:just )?skip(?:ped)?(?: it| that)?|do nothing|not at all|no run|it is skipped|leave it out|cancel it"
    rf"|{NOT} (?:run|do it|execute)(?: it)?)"
)
SHORT_MONTHS: Final = (
    r"(?:(?:or |use |using |on )*(?:the )?last day (?:of|in|for) (?:shorter|short|the shorter) months"
    r"|or (?:on )?the 28th in other years"
    r"|(?P<out>(?:skip(?:ping)?|leav(?:e|ing) out) (?:months|years) (?:without it|that (?:do not|don't) have it)))"
)
FEW: Final = r"every (?:few|couple(?: of)?|several|so many) ?(?:minutes|hours|days|weeks|months)?"


def _closed(match: re.Match[str]) -> DayClass | Weekly:
    groups = match.groupdict()
    if groups["weekend"]:
        return Weekly((5, 6))
    if groups["class"]:
        return class_of(groups["class"])
    if groups["weekdays"]:
        return Weekly(weekdays_of(groups["weekdays"]))
    return DayClass("closed")


def _shift(match: re.Match[str]) -> Hit:
    """`if it is a holiday then the previous business day`, `or the next business day if it falls on a weekend`."""
    word = match["to"] or match["side"]
    to: Literal["previous", "next"] = "previous" if word in ("previous", "preceding", "prior", "before") else "next"
    # Who moves a day to a business day means every day that is none; only a `public holiday` is meant to the letter.
    bare = (match["class"] or "") in ("holiday", "holidays")
    return whole(match, Shift(to, DayClass("closed") if bare else _closed(match)))


def _skip(match: re.Match[str]) -> Hit:
    """`if it is a public holiday, skip it`."""
    return whole(match, Shift("skip", _closed(match)))


def _offset(match: re.Match[str]) -> Hit:
    """`2 business days before the 15th`: counted when the day itself is settled."""
    number = number_of(match["number"] or "one")
    sign = -1 if match["side"] in ("before", "prior to", "earlier", "ahead of") else 1
    return whole(match, Offset(sign * number, business=bool(match["business"])), late=match["then"] is None)


def _eve(match: re.Match[str]) -> Hit:
    """`on the eve of January 1`: the day before it."""
    return whole(match, Offset(-1), late=True, weak=True)


def _short_months(match: re.Match[str]) -> Hit:
    return whole(match, ShortMonths("leave_out" if match["out"] else "last_day"))


def _anchor(match: re.Match[str]) -> Hit | None:
    """`counted from 1 December 2026`, `counted from the week of 30 November 2026`, `counted from December 2026`."""
    found = date_at(match.string, match.end())
    day = plain_date(found[0]) if found else None
    if found is None or day is None:
        return None
    only = compiled(rf", only in (?P<months>{MONTH_LIST})").match(match.string, found[1])
    months = months_of(only["months"]) if only else ()
    return spanning(match, only.end() if only else found[1], Anchor(day, months))


def _lasting(match: re.Match[str]) -> Hit:
    """`for 10 days`, `for two weeks`: only beside other words of time."""
    days = number_of(match["number"]) * (7 if match["unit"] == "week" else 1)
    return whole(match, Period(days=days), weak=True)


def _rest_of(match: re.Match[str]) -> Hit:
    """`until the end of the month`, `for the rest of the year`."""
    unit = UNITS[match["unit"]]
    return whole(match, Period(until=(Relative(unit, 1 if match["next"] else 0),)))


def _rest_of_month(match: re.Match[str]) -> Hit:
    """`until the end of January`, `for the rest of December`."""
    year = int(match["year"]) if match["year"] else None
    return whole(match, Period(until=(InMonth(months_of(match["months"]), year), DaysOfMonth((-1,)))))


def _some_hours(match: re.Match[str]) -> Hit:
    """`for the next two hours`: a schedule has first and last days, no last hour."""
    doubt = Unclear(
        "ambiguous_time",
        Text(
            f"「{match[0]}」のような、時間で区切った期間の予定は立てられません",
            f"A schedule cannot end after hours, as “{match[0]}” says",
        ),
        advice=Text("回数か、終わりの日で書いてください", "Say how many times, or until which day"),
    )
    return whole(match, doubt)


def _dangling(match: re.Match[str]) -> Hit:
    """`every day at 9 unless the disk is full`: a limit that is none of ours must not be lost in the task."""
    doubt = Unclear(
        "ambiguous_time",
        Text(
            f"「{match[0]}」のあとが日付や曜日として読めません（条件つきの予定は立てられません）",
            f"What follows “{match[0]}” cannot be read as days (a schedule has no other conditions)",
        ),
        advice=Text("日や曜日で書くか、条件を外してください", "Name days or weekdays, or leave the condition out"),
    )
    return whole(match, doubt, weak=True)


def _which_of_them(match: re.Match[str]) -> Hit:
    """`weekday at 9`: each of them?"""
    doubt = Unclear(
        "ambiguous_time",
        Text("毎回のことか、1回だけのことか決められません", f"“{match[0]}” does not say whether each is meant"),
        (f"every {match[0]}",),
    )
    return whole(match, doubt, weak=True)


def _vague(match: re.Match[str]) -> Hit:
    """`occasionally`, `every few hours`: nobody has decided when."""
    doubt = Unclear(
        "ambiguous_time",
        Text(f"「{match[0]}」ではいつ実行するか決められません", f"“{match[0]}” does not say exactly when"),
        advice=Text("実行する日と時刻を1つに決めてください", "Decide on exact days and an exact time"),
    )
    return whole(match, doubt)


def _hours_of_whom(match: re.Match[str]) -> Hit:
    """`every 5 minutes during business hours`: which hours are they?"""
    doubt = Unclear(
        "ambiguous_time",
        Text(f"「{match[0]}」が何時から何時までか決められません", f"It is not certain which hours “{match[0]}” means"),
        ("from 9:00 to 18:00",),
    )
    return whole(match, doubt, weak=True)


def _impossible_clock(match: re.Match[str]) -> Hit:
    """`25:70`: a time that no clock shows; by itself (`ratio 31:60`) it is of the work."""
    message = Text(f"「{match[0]}」という時刻はありません", f"There is no such time as {match[0]}")
    return whole(match, Unclear("impossible_time", message), weak=True)


BUSINESS_HOURS: Final = (
    r"(?:during|in|within|outside(?: of)?) (?:the )?(?:business|working|office|work|opening|peak|off-peak) hours"
)
CONDITIONS: Final = (
    *("except", "excluding", "other than", "apart from", "but not", "unless"),
    *("if", "when", "whenever", "provided", "as long as", "while", "until", "till", "every", "each"),
)
IF_FIRST: Final = ("if", "when", "whenever", "should", "in")
RULES: Final[tuple[Rule, ...]] = (
    rule(IF_FIRST, rf"{IF}{CLOSED}{MOVED}{TARGET}(?: instead)?{END}", _shift),
    rule(IF_FIRST, rf"{IF}{CLOSED},? ?(?:then )?{SKIP}{END}", _skip),
    rule(
        (
            *("or", "on", "moved", "moving", "using", "use", "otherwise", "the", "shifted", "business", "working"),
            *("previous", "preceding", "prior", "next", "following"),
        ),
        rf"(?:or |otherwise |moved |moving |shifted |using |use |to |on )*(?:the )?{TARGET},? {IF}{CLOSED}{END}",
        _shift,
    ),
    rule(
        ("skip", "skipped", "skipping", "not", "do", "don"),
        rf"{SKIP},? (?:if|when) (?:it|that|this|the day)?(?:'s| is| falls)? ?{CLOSED}{END}",
        _skip,
    ),
    rule(
        ("or", "use", "using", "on", "skip", "skipping", "leave", "leaving", "the"),
        rf"{SHORT_MONTHS}{END}",
        _short_months,
    ),
    rule(("counted",), r"counted from (?:the week of )?", _anchor),
    rule(
        (DIGIT, "a", "an", "the", "then", *NUMBERS),
        rf"(?P<then>then )?(?:(?P<number>{COUNTED})|the) (?P<business>business |working |work )?days? "
        rf"(?P<side>before|after|prior to|ahead of|earlier|later){END}(?! (?:now|tomorrow|yesterday))",
        _offset,
    ),
    rule(("on", "the", "eve"), r"(?:on )?(?:the )?eve of (?=\w)", _eve),
    rule(("for",), rf"for (?:the next )?(?P<number>{COUNTED}) (?P<unit>day|week)s?{END}", _lasting),
    rule(
        ("until", "till", "through", "for", "to"),
        r"(?:until|till|through|to|for) (?:the )?(?:end|rest|remainder) of (?:the|this|(?P<next>next)) "
        rf"(?P<unit>week|month|year){END}",
        _rest_of,
    ),
    rule(
        ("until", "till", "through", "for", "to", "up"),
        rf"(?:until|till|through|to|for|up to) (?:the )?(?:end|rest|remainder) of "
        rf"(?P<months>{MONTH_LIST})(?:,? (?P<year>20\d\d)(?![:\d]))?{END}",
        _rest_of_month,
    ),
    rule(("for",), rf"for the next {COUNTED} (?:hours?|hrs?|minutes?|mins?){END}", _some_hours),
    rule((*VAGUE_FIRST, "every", "each"), rf"(?:{VAGUE}|{FEW}){END}", _vague),
)
LAST_RULES: Final[tuple[Rule, ...]] = (
    rule(CONDITIONS, rf"{one_of(CONDITIONS)}{END}", _dangling),
    rule(("but",), rf"but (?:not )?(?:the )?(?:first|second|third|fourth|fifth|last){END}", _dangling),
    rule(("during", "in", "within", "outside"), rf"{BUSINESS_HOURS}{END}", _hours_of_whom),
    rule((DIGIT,), r"(?:\d{1,2}:[6-9]\d|(?:3\d|[4-9]\d):[0-5]\d)(?![\d:])", _impossible_clock),
    rule(("weekday", "weekend"), rf"(?:weekday|weekend){END}", _which_of_them),
)
"""What is tried when nothing else fits."""
