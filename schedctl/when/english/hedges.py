"""English words that leave a schedule open: maybe, at the latest, 9 to 5, one Saturday, for a while, by Friday.

Most are weak: a doubt only right beside other words of time, since the work may use the same words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.when.english.scan import DIGIT, Hit, Rule, compiled, rule, whole
from schedctl.when.english.words import CLASS, CLASSES, HEDGES, MONTH, NUMBER, NUMBERS, WEEKDAY, WEEKDAYS, one_of
from schedctl.when.reading.parts import Unclear

if TYPE_CHECKING:
    import re

END: Final = r"(?!\w)"
PERHAPS: Final = (
    *("maybe", "perhaps", "possibly", "probably", "presumably", "likely", "ideally", "preferably", "hopefully"),
    *("if possible", "if you can", "if needed", "if necessary", "whenever you can", "tentatively", "provisionally"),
)
"""Words that say that nobody insists on the time."""
BOUNDS: Final = (
    r"(?:at the (?:very )?(?:latest|earliest|soonest)|(?:no|not) (?:earlier|later|sooner) than"
    r"|(?:nearly|almost|just (?:before|after)|shortly (?:before|after)|give or take)|at (?:least|most))"
)
FOR_NOW: Final = (
    r"(?:for (?:a (?:little |short )?while|now|the time being|the moment|some time|a bit|a few (?:days|weeks|months))"
    r"|until further notice|temporarily)"
)
NEXT_FEW: Final = rf"(?:the )?(?:next|first|last|coming|following) {NUMBER}"
SOME: Final = (
    r"(?:(?:one|some|any|most|several|two|three) of (?:the |these |those )?"
    rf"|(?:an?|one|some|any|most|either) |{NEXT_FEW} )"
)
EDGE_DAY: Final = (
    r"(?:(?:the )?(?:tomorrow|today|tonight|end of|noon|midnight)"
    rf"|(?:next|this) (?:week|month|year|{WEEKDAY})|{WEEKDAY}|{MONTH} \d{{1,2}}(?:st|nd|rd|th)?"
    r"|the \d{1,2}(?:st|nd|rd|th)|\d{1,2}(?:st|nd|rd|th)|\d{1,4}[-/]\d[\d/-]*)"
)


def _doubt(match: re.Match[str], *, weak: bool = True, choices: tuple[str, ...] = ()) -> Hit:
    said = match[0].strip()
    doubt = Unclear(
        "ambiguous_time",
        Text(f"「{said}」ではいつ実行するか決められません", f"“{said}” does not say exactly when"),
        choices,
        Text("実行する日と時刻を1つに決めてください", "Decide on exact days and an exact time"),
    )
    return whole(match, doubt, weak=weak)


def _perhaps(match: re.Match[str]) -> Hit:
    """`maybe tomorrow at 9`; at either end of the sentence it is about the whole of it."""
    first = compiled(r"(?:please|then|and)?[\s,]*").fullmatch(match.string, 0, match.start()) is not None
    return _doubt(match, weak=not (first or _is_last(match)))


def _is_last(match: re.Match[str]) -> bool:
    return compiled(r"[ .,!?)]*$").match(match.string, match.end()) is not None


def _bound(match: re.Match[str]) -> Hit:
    """`9am at the latest`, `at the earliest 9am`: a limit is no time of day."""
    return _doubt(match)


def _latest(match: re.Match[str]) -> Hit | None:
    """`9am latest`; `check the latest logs` is of the work."""
    behind = compiled(r"(?:\d|[ap]\.?m\.?|noon|midnight|o'clock)[\s,(]*$").search(
        match.string, max(0, match.start() - 12), match.start()
    )
    return _doubt(match) if behind else None


def _for_now(match: re.Match[str]) -> Hit:
    """`for a while`: until when is the schedule to run?"""
    doubt = Unclear(
        "ambiguous_time",
        Text(f"「{match[0]}」ではいつまで続けるか決められません", f"“{match[0]}” does not say until when it is to run"),
        advice=Text("終わりの日を書いてください", "Write the last day, as in “until December 31”"),
    )
    return whole(match, doubt, weak=not _is_last(match))


def _some_day(match: re.Match[str]) -> Hit:
    """`one Saturday`, `a Sunday`, `the next 3 Sundays`: which of them, or each?"""
    return _doubt(match)


def _deadline(match: re.Match[str]) -> Hit:
    """`by Friday`, `after December 10`: a limit is no day."""
    return _doubt(match)


def _naked_range(match: re.Match[str]) -> Hit:
    """`9 to 5 hourly`: numbers that a window of hours could be made of."""
    first, last = int(match["first"]), int(match["last"])
    last += 12 if last <= first and last + 12 <= 24 else 0
    choices = (f"from {first}:00 to {last}:00",) if first < last <= 24 else ()
    return _doubt(match, choices=choices)


BEHIND_ITS_DAYS: Final = (
    rf"(?:and )?(?P<days>{CLASS}|{WEEKDAY}|weekends?)(?: are)?"
    r" (?P<how>excluded|included|exempt(?:ed)?|excepted|omitted)"
)


def _excluded(match: re.Match[str]) -> Hit:
    """`weekends excluded`, `holidays included`: the days are named before what is said of them."""
    return _doubt(match, weak=False, choices=() if match["how"] == "included" else (f"except on {match['days']}",))


def _strong(match: re.Match[str]) -> Hit:
    """`throughout January`, `over the next two weeks`, `never on Sundays but …`: limits that are not read."""
    return _doubt(match, weak=False)


RULES: Final[tuple[Rule, ...]] = (
    rule(
        (*CLASSES, *(f"{name}s" for name in CLASSES), *WEEKDAYS, "weekend", "weekends", "and", "days"),
        rf"{BEHIND_ITS_DAYS}{END}",
        _excluded,
    ),
    rule(
        ("throughout", "over", "in", "during"),
        rf"(?:throughout (?:the )?(?:whole )?(?:{MONTH}|day|week|month|quarter|year|night|weekends?)"
        rf"|(?:over|during) the (?:next|coming|following) (?:{NUMBER} |few |couple of )?(?:days?|weeks?|months?)"
        rf"|(?:in|during) the (?:first|second|third|fourth|last|final) (?:week|half|fortnight|ten days) of"
        rf" (?:{MONTH}|(?:the|every|each) (?:month|year))){END}",
        _strong,
    ),
    rule(("never",), rf"never (?:on|at|in){END}", _strong),
    rule(
        ("around", "about", "approximately", "approx", "roughly", "circa"),
        rf"{HEDGES} (?=(?:(?:on )?{EDGE_DAY}|every|each|hourly|daily|weekly|monthly|yearly){END})",
        _bound,
    ),
    rule(PERHAPS, rf"{one_of(PERHAPS)}{END}", _perhaps),
    rule(
        ("at", "no", "not", "before", "nearly", "almost", "just", "shortly", "give"),
        rf"{BOUNDS}{END}(?! (?:{NUMBER}|once|one) (?:times?|servers?|nodes?))",
        _bound,
    ),
    rule(("latest", "earliest"), rf"(?:latest|earliest){END}", _latest),
    rule(("for", "until", "temporarily"), rf"{FOR_NOW}{END}", _for_now),
    rule(
        (
            "a",
            "an",
            "one",
            "some",
            "any",
            "most",
            "several",
            "either",
            "two",
            "three",
            "the",
            "next",
            "first",
            "last",
            "coming",
            "following",
        ),
        rf"{SOME}(?=(?:{WEEKDAY}|weekends?|weekdays?|{CLASS}){END})",
        _some_day,
    ),
    rule(
        ("by", "before", "after", "past", "within"), rf"(?:by|before|after|past|within) (?={EDGE_DAY}{END})", _deadline
    ),
)
TYPOS: Final = ("evry", "evrey", "ever", "evey", "eveyr", "everry", "eevry", "evryday", "dialy", "daly", "weekdys")
IN_TURN: Final = r"(?:alternating between|alternately(?: on)?|in turn on|rotating between)"
FIRST_HOURS: Final = (
    r"(?:during|in|within|for) the (?:first|last|final) (?:few |two |three )?(?:half[- ])?(?:hours?|minutes?)"
)
LAST_RULES: Final[tuple[Rule, ...]] = (
    rule(
        (DIGIT, *NUMBERS),
        r"(?P<first>\d{1,2})(?::00)?(?: ?- ?| to | until | till )(?P<last>\d{1,2})(?::00)?(?![\w:/.-])",
        _naked_range,
    ),
    rule(
        ("day", "week", "month", "quarter", "year", "hour", "minute"),
        rf"(?:day|week|month|quarter|year|hour|minute)s? (?:after|before|from|past|prior to|into){END}",
        _bound,
    ),
    rule(TYPOS, rf"{one_of(TYPOS)}{END}", _bound),
    rule(("alternating", "alternately", "in", "rotating"), rf"{IN_TURN}{END}", _bound),
    rule(("during", "in", "within", "for"), rf"{FIRST_HOURS}{END}", _bound),
    rule(("or",), rf"or(?: so| thereabouts| later| earlier| before| after)?{END}", _bound),
)
"""What is tried when nothing else fits."""
