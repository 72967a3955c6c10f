"""English words of time: tables, and the fragments of patterns that are made of them. No logic.

All of it is matched against normalised text: lower case, half width, one kind of dash and space.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schedctl.when.reading.parts import Unit


def one_of(words: Iterable[str]) -> str:
    """A pattern for any of `words`, the longest first."""
    return "(?:" + "|".join(sorted(words, key=len, reverse=True)) + ")"


WEEKDAYS: Final = {
    name: number
    for number, names in enumerate(
        (
            ("monday", "mon"),
            ("tuesday", "tues", "tue"),
            ("wednesday", "weds", "wed"),
            ("thursday", "thurs", "thur", "thu"),
            ("friday", "fri"),
            ("saturday", "sat"),
            ("sunday", "sun"),
        )
    )
    for name in names
}
MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sept", "sep"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}
ONES: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
TEENS: Final = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen"),
    *("sixteen", "seventeen", "eighteen", "nineteen"),
)
TENS: Final = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90}
NUMBERS: Final = {
    **{word: value for value, word in enumerate((*ONES, *TEENS), start=1)},
    **TENS,
    **{f"{tens}-{one}": value + n for tens, value in TENS.items() for n, one in enumerate(ONES, start=1)},
}
ORDINALS: Final = {
    word: value
    for value, word in enumerate(
        (
            *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
            *("eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth"),
            *("eighteenth", "nineteenth", "twentieth"),
        ),
        start=1,
    )
}
UNITS: Final[dict[str, Unit]] = {"day": "day", "week": "week", "month": "month", "year": "year"}
ADVERBS: Final[dict[str, tuple[Unit, int]]] = {
    "daily": ("day", 1),
    "nightly": ("day", 1),
    "weekly": ("week", 1),
    "fortnightly": ("week", 2),
    "monthly": ("month", 1),
    "yearly": ("year", 1),
    "annually": ("year", 1),
}
TWO_MEANINGS: Final = {
    "biweekly": ("every 2 weeks", "every week"),
    "bi-weekly": ("every 2 weeks", "every week"),
    "bimonthly": ("every 2 months", "every month"),
    "bi-monthly": ("every 2 months", "every month"),
}
"""Words that half of their readers take for twice in that time, the other half for every second time."""
CLASSES: Final[dict[str, Literal["business", "closed", "holiday"]]] = {
    **dict.fromkeys(("business day", "working day", "work day", "workday"), "business"),
    **dict.fromkeys(("non-business day", "non-working day", "nonworking day", "closed day", "day off"), "closed"),
    **dict.fromkeys(("holiday", "public holiday", "bank holiday", "national holiday"), "holiday"),
}
PLURALS: Final = {"day off": "days off"}
HOLIDAYS: Final = {
    "new year's day": "元日",
    "coming of age day": "成人の日",
    "national foundation day": "建国記念の日",
    "emperor's birthday": "天皇誕生日",
    "vernal equinox day": "春分の日",
    "showa day": "昭和の日",
    "constitution memorial day": "憲法記念日",
    "greenery day": "みどりの日",
    "children's day": "こどもの日",
    "marine day": "海の日",
    "mountain day": "山の日",
    "respect for the aged day": "敬老の日",
    "autumnal equinox day": "秋分の日",
    "sports day": "スポーツの日",
    "culture day": "文化の日",
    "labor thanksgiving day": "勤労感謝の日",
}
DOUBTFUL_ZONES: Final = {
    **dict.fromkeys(("est", "edt", "et"), "America/New_York"),
    **dict.fromkeys(("cst", "cdt"), "America/Chicago"),
    **dict.fromkeys(("mst", "mdt"), "America/Denver"),
    **dict.fromkeys(("pst", "pdt", "pt"), "America/Los_Angeles"),
    **dict.fromkeys(("bst", "wet"), "Europe/London"),
    **dict.fromkeys(("cet", "cest"), "Europe/Berlin"),
    **dict.fromkeys(("aest", "aedt"), "Australia/Sydney"),
    "ist": "Asia/Kolkata",
    "kst": "Asia/Seoul",
    "sgt": "Asia/Singapore",
    "hkt": "Asia/Hong_Kong",
}
"""Short names that several zones share, or that say summer or winter time: each with the zone that is likely meant."""
PARTS_OF_DAY: Final = {
    "morning": tuple(range(12)),
    "afternoon": tuple(range(12, 19)),
    "evening": tuple(range(16, 24)),
    "night": (*range(18, 30), *range(6)),
}
"""The hours that a part of the day can mean; those of a night run on after midnight."""
QUARTERS: Final = {"first": (1, 4, 7, 10), "last": (3, 6, 9, 12)}

AND: Final = r"(?: ?, ?and | and | ?, ?| ?& ?| ?/ ?(?=[a-z]))"
"""What joins the members of a list."""
WEEKDAY: Final = rf"(?:{one_of(WEEKDAYS)}s?(?![a-z])\.?)"
WEEKDAY_RANGE: Final = rf"(?:{WEEKDAY}(?: ?- ?| to | through | thru ){WEEKDAY})"
WEEKDAY_LIST: Final = rf"(?:(?:{WEEKDAY_RANGE}|{WEEKDAY})(?:{AND}(?:on )?(?:{WEEKDAY_RANGE}|{WEEKDAY})){{0,9}})"
MONTH: Final = rf"(?:{one_of(MONTHS)}(?![a-z])\.?)"
MONTH_LIST: Final = rf"(?:{MONTH}(?:{AND}{MONTH}){{0,11}})"
NUMBER: Final = rf"(?:\d{{1,5}}|{one_of(NUMBERS)})(?![\w])"
COUNTED: Final = rf"(?:{NUMBER}|an?|another)"
"""How many: a number, or one as `a`."""
NUMBERED: Final = r"(?:[0-3]?\d(?:st|nd|rd|th)(?!\w))"
"""`1st`, `22nd`."""
FROM_END: Final = rf"(?:(?:{one_of(ORDINALS)}|{NUMBERED})(?:-| )(?:to(?:-| ))?last|penultimate|last|final)"
ORDINAL: Final = rf"(?:{FROM_END}|{NUMBERED}|{one_of(ORDINALS)}(?!\w))"
ORDINAL_LIST: Final = rf"(?:{ORDINAL}(?:{AND}(?:the )?{ORDINAL}){{0,30}})"
YEAR: Final = r"(?:2[01]\d\d(?![\d:/-]))"
DAY_NUMBER: Final = r"(?:(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?(?![\w:%]| ?[ap]\.?m\b|\.\d))"
DAY_LIST: Final = rf"(?:{DAY_NUMBER}(?:{AND}(?:the )?{DAY_NUMBER}){{0,30}})"
PART_OF_DAY: Final = one_of(PARTS_OF_DAY)
CLASS: Final = one_of((*CLASSES, *(f"{word}s" for word in CLASSES), "days off"))
HOLIDAY_NAME: Final = one_of((*HOLIDAYS, *HOLIDAYS.values()))
HEDGES: Final = one_of(("around", "about", "approximately", "approx", "approx.", "roughly", "circa", "some time"))
VAGUE_WORDS: Final = (
    *("occasionally", "periodically", "regularly", "sometimes", "sometime", "some time", "from time to time"),
    *("now and then", "every now and then", "every so often", "once in a while", "every once in a while"),
    *("at some point", "at regular intervals", "on a regular basis", "eventually", "frequently", "often"),
    *("soon", "later today", "later", "whenever possible", "when convenient", "when you can", "as needed"),
)
"""Words that say that nobody has decided when."""
VAGUE: Final = one_of(VAGUE_WORDS)
VAGUE_FIRST: Final = tuple(dict.fromkeys(words.split(" ")[0] for words in VAGUE_WORDS))
