"""English days: every other Friday, the last business day of each month, December 24, tomorrow, in 3 days."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.when.english.scan import Hit, Rule, compiled, number_of, ordinal_of, rule, whole
from schedctl.when.english.times import either
from schedctl.when.english.words import (
    ADVERBS,
    CLASS,
    CLASSES,
    COUNTED,
    HOLIDAY_NAME,
    HOLIDAYS,
    MONTH,
    MONTHS,
    ORDINAL,
    PART_OF_DAY,
    PARTS_OF_DAY,
    TWO_MEANINGS,
    UNITS,
    WEEKDAY,
    WEEKDAY_LIST,
    WEEKDAY_RANGE,
    WEEKDAYS,
    one_of,
)
from schedctl.when.model import At, DayClass, NamedHoliday
from schedctl.when.reading.parts import (
    BusinessDaysLater,
    Clock,
    Coming,
    Part,
    PartOfDay,
    Relative,
    Repeat,
    Unclear,
    Weekdays,
)

if TYPE_CHECKING:
    import re


END: Final = r"(?!\w)"
BUSINESS: Final = r"(?:business |working |work)days?"
EACH: Final = "(?:every|each)"


def weekdays_of(words: str) -> tuple[int, ...]:
    """`mon, wed and fri`, `monday to friday`."""
    found: set[int] = set()
    for part in compiled(f"{WEEKDAY_RANGE}|{WEEKDAY}").findall(words):
        names = [WEEKDAYS[name] for name in compiled(one_of(WEEKDAYS)).findall(part)]
        first, last = names[0], names[-1]
        found.update((first + n) % 7 for n in range((last - first) % 7 + 1))
    return tuple(sorted(found))


def months_of(words: str) -> tuple[int, ...]:
    """`january and july`."""
    return tuple(sorted({MONTHS[name] for name in compiled(one_of(MONTHS)).findall(words)}))


def class_of(words: str) -> DayClass:
    """`business days`, `public holiday`."""
    plain = "day off" if words == "days off" else words
    return DayClass(CLASSES[plain] if plain in CLASSES else CLASSES[plain.removesuffix("s")])


def _beside(match: re.Match[str], *parts: Part) -> Hit:
    """Day parts with the part of the day that stands beside them: `tomorrow morning`, `every night`."""
    name = match["part"]
    return whole(match, *parts, *((PartOfDay(PARTS_OF_DAY[name]),) if name else ()))


SHORT_NAMES_OF_OTHERS: Final = frozenset(("sun", "sat", "mon", "wed"))
"""Short names that are words or machines of their own: they are days only beside other words of time."""
BEFORE_A_DAY: Final = r"(?:^|[,(]|\b(?:on|every|each|next|this|and|to|until|from|last|between|at|:\d\d|[ap]m)) ?$"
WITH_PART: Final = rf"(?: (?P<part>{PART_OF_DAY})(?P<parts>s)?(?!\w))?"


def _every_day(match: re.Match[str]) -> Hit:
    if match["part_alone"]:
        return whole(match, Repeat("day"), PartOfDay(PARTS_OF_DAY[match["part_alone"]]))
    return _beside(match, Repeat("day"))


def _every_named(match: re.Match[str]) -> Hit:
    """`every midnight`."""
    return whole(match, Repeat("day"), Clock((At(0 if match["named"] == "midnight" else 12),)))


def _every_few(match: re.Match[str]) -> Hit:
    """`every 3 days`, `every other week`, `every quarter`."""
    if match["quarter"]:
        return _quarterly(match)
    return whole(match, repeat_of(match["alternate"] or match["number"], match["unit"]))


def repeat_of(number: str | None, unit: str) -> Repeat:
    """`other week`, `3 days`, `second month`: how often."""
    if number is None:
        return Repeat(UNITS[unit])
    if number in ("other", "alternate"):
        return Repeat(UNITS[unit], 2)
    every = ordinal_of(number) if compiled(f"{ORDINAL}$").match(number) else number_of(number)
    return Repeat(UNITS[unit], every)


def _every_weekday(match: re.Match[str]) -> Hit:
    if match["class"]:
        return _beside(match, class_of(match["class"]))
    if match["range"]:
        return _beside(match, Weekdays((0, 1, 2, 3, 4), each=True))
    if match["weekend"]:
        return _beside(match, Weekdays((5, 6), each=True))
    return _beside(match, Weekdays(weekdays_of(match["days"]), each=True))


def _every_other_weekday(match: re.Match[str]) -> Hit:
    if match["nth"]:
        return _either_tradition(match)
    return _beside(match, Repeat("week", 2), Weekdays(weekdays_of(match["days"])))


def _either_tradition(match: re.Match[str]) -> Hit:
    """`every third Friday`: every three weeks, or the third Friday of each month?"""
    nth = ordinal_of(match["nth"])
    doubt = Unclear(
        "ambiguous_time",
        Text(
            f"「{match[0]}」は「{nth}週間ごと」とも「毎月第{nth}」とも読めます",
            f"“{match[0]}” could be every {nth} weeks, or the {match['nth']} one of each month",
        ),
        (f"every {nth} weeks on {match['days']}", f"on the {match['nth']} {match['days']} of every month"),
    )
    return whole(match, doubt)


def _weekdays(match: re.Match[str]) -> Hit | None:
    """`Friday`, `Mondays`, `Mon, Wed and Fri`, `Monday to Friday`."""
    words = match["days"]
    if words in SHORT_NAMES_OF_OTHERS and not compiled(BEFORE_A_DAY).search(match.string[: match.start()]):
        return None
    if (other := compiled(" or (?:on )?").match(match.string, match.end())) and (
        choice := compiled(WEEKDAY).match(match.string, other.end())
    ):
        return either(match.start(), match.span(), choice.span(), match.string)
    plural = compiled(r"[a-z]{3,}days(?!\w)").search(words) is not None
    return _beside(match, Weekdays(weekdays_of(words), each=plural or match["parts"] is not None))


def _classes(match: re.Match[str]) -> Hit:
    """`business days`, `weekdays`, `on weekends`."""
    if match["weekdays"]:
        return whole(match, Weekdays((0, 1, 2, 3, 4), each=True))
    if match["weekends"]:
        return whole(match, Weekdays((5, 6), each=True))
    return whole(match, class_of(match["class"]))


def _holiday(match: re.Match[str]) -> Hit:
    name = match["name"]
    holiday = NamedHoliday(HOLIDAYS.get(name, name))
    return whole(match, *((Repeat("year"), holiday) if match["each"] is not None else (holiday,)))


def _adverb(match: re.Match[str]) -> Hit:
    unit, every = ADVERBS[match["word"]]
    extra = (PartOfDay(PARTS_OF_DAY["night"]),) if match["word"] == "nightly" else ()
    return whole(match, Repeat(unit, every), *extra, weak=True)


def _quarterly(match: re.Match[str]) -> Hit:
    """`quarterly`: with the calendar's quarters, or every three months from now?"""
    doubt = Unclear(
        "ambiguous_time",
        Text("四半期のどの月か決められません", f"“{match[0]}” does not say in which months"),
        ("every 3 months", "every January, April, July and October"),
    )
    return whole(match, doubt, weak=match[0] == "quarterly")


def _two_meanings(match: re.Match[str]) -> Hit:
    word = match["word"]
    doubt = Unclear(
        "ambiguous_time",
        Text(f"「{word}」は2通りに読めます", f"“{word}” has two meanings"),
        TWO_MEANINGS[word],
    )
    return whole(match, doubt)


SOON: Final = {"today": 0, "tomorrow": 1, "yesterday": -1, "the day after tomorrow": 2, "day after tomorrow": 2}


def _soon(match: re.Match[str]) -> Hit:
    if match["tonight"]:
        return whole(match, Relative("day", 0), PartOfDay(PARTS_OF_DAY["night"]))
    return _beside(match, Relative("day", SOON.get(match["day"], -2)))


def _this_part(match: re.Match[str]) -> Hit:
    return _beside(match, Relative("day", 0))


def _next(match: re.Match[str]) -> Hit:
    """`next Wednesday` is Wednesday of next week; `this Friday` one of this week; `the coming Friday` the next one."""
    word, unit = match["word"], match["unit"]
    number = 1 if word in ("next", "following") else 0
    if unit:
        return whole(match, Relative(repeat_of(None, unit).unit, number))
    if match["business"]:
        return whole(match, BusinessDaysLater(1)) if number else whole(match, Relative("day", 0), DayClass("business"))
    if match["weekend"]:
        return whole(match, Relative("week", number), Weekdays((5, 6)))
    days = Weekdays(weekdays_of(match["days"]))
    if match["coming"] or word in ("coming", "upcoming"):
        return _beside(match, Coming(), days)
    return _beside(match, Relative("week", number), days)


RULES: Final[tuple[Rule, ...]] = (
    rule(
        ("every", "each"),
        rf"{EACH} (?:(?:single )?day(?!\w){WITH_PART}|(?P<part_alone>{PART_OF_DAY}){END})",
        _every_day,
    ),
    rule(
        ("all",),
        r"all days(?= (?:but|except|excluding) )(?P<part>(?!))?(?P<part_alone>(?!))?",
        _every_day,
    ),
    rule(("every", "each"), rf"{EACH} (?P<named>noon|midday|midnight){END}", _every_named),
    rule(("everyday",), rf"everyday{END}{WITH_PART}(?P<part_alone>(?!))?", _every_day),
    rule(("every", "each"), rf"{EACH} (?P<each>)(?P<name>{HOLIDAY_NAME}){END}", _holiday),
    rule(
        ("every", "each", "alternate", "alternating"),
        rf"(?:{EACH} (?:other|alternate)|alternate|alternating|{EACH} (?P<nth>second|third|fourth|2nd|3rd|4th)) "
        rf"(?P<days>{WEEKDAY_LIST}){END}{WITH_PART}"
        rf"(?! (?:of|in) (?:the|each|every|{MONTH}))",
        _every_other_weekday,
    ),
    rule(
        ("every", "each"),
        rf"{EACH} (?:(?P<class>{CLASS})|(?P<range>weekday)|(?P<weekend>weekend)s?|(?P<days>{WEEKDAY_LIST})){END}"
        rf"{WITH_PART}",
        _every_weekday,
    ),
)
AFTER_NTH: Final[tuple[Rule, ...]] = (
    rule(
        ("weekday", "weekend"),
        rf"(?P<class>(?!))?(?:(?P<range>weekday)|(?P<weekend>weekend)) (?P<part>{PART_OF_DAY})s{END}",
        _every_weekday,
    ),
    rule(
        ("every", "each", "alternate"),
        rf"(?:(?:{EACH} )?(?P<alternate>alternate)|{EACH}(?: (?P<number>other|{ORDINAL}|{COUNTED}))?) "
        rf"(?P<unit>day|week|month|year)s?{END}|{EACH} (?P<quarter>quarter){END}",
        _every_few,
    ),
    rule(
        ("the", "day", "today", "tomorrow", "yesterday", "tonight"),
        r"(?:(?P<tonight>tonight)|(?P<day>today|tomorrow|yesterday|(?:the )?day after tomorrow"
        rf"|(?:the )?day before yesterday){END}{WITH_PART}){END}",
        _soon,
    ),
    rule(("this",), rf"this (?P<part>morning|afternoon|evening|night){END}", _this_part),
    rule(
        ("next", "this", "coming", "upcoming", "the", "following"),
        r"(?:the )?(?P<word>next|this|coming|upcoming|following) (?P<coming>coming )?"
        rf"(?:(?P<unit>week|month|year)(?!')|(?P<business>{BUSINESS})|(?P<weekend>weekend)|(?P<days>{WEEKDAY_LIST}))"
        rf"{END}{WITH_PART}",
        _next,
    ),
    rule(WEEKDAYS, rf"(?P<days>{WEEKDAY_LIST}){END}{WITH_PART}", _weekdays),
    rule(
        (*CLASSES, "weekdays", "weekends", "days"),
        rf"(?:(?P<class>{CLASS})|(?P<weekdays>weekdays)|(?P<weekends>weekends)){END}",
        _classes,
    ),
    rule(HOLIDAYS, rf"(?P<each>(?!))?(?P<name>{HOLIDAY_NAME}){END}", _holiday),
    rule(("quarterly",), rf"quarterly{END}", _quarterly),
    rule(("on", "a", *ADVERBS), rf"(?:on )?(?:an? )?(?P<word>{one_of(ADVERBS)})(?: basis){END}", _adverb),
    rule(ADVERBS, rf"(?P<word>{one_of(ADVERBS)}){END}", _adverb),
    rule(TWO_MEANINGS, rf"(?P<word>{one_of(TWO_MEANINGS)}){END}", _two_meanings),
)
"""What is tried after the days of a month: `every second Tuesday of the month` is none of these."""
