"""English words of time that belong to the work: yesterday's backup, logs older than 30 days, the last 24 hours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.when.english.scan import DIGIT, Hit, Rule, compiled, rule
from schedctl.when.english.words import ADVERBS, MONTH, MONTHS, NUMBER, NUMBERS, ORDINALS, WEEKDAY, WEEKDAYS, one_of
from schedctl.when.reading.grammar import Found
from schedctl.when.reading.parts import Unclear

if TYPE_CHECKING:
    import re

UNIT: Final = r"(?:seconds?|minutes?|mins?|hours?|hrs?|days?|nights?|weeks?|months?|quarters?|years?)"
ONE_UNIT: Final = r"(?:minute|hour|night|week|month|quarter|year|weekend)"
DETERMINERS: Final = (
    *("the", "a", "an", "our", "my", "your", "their", "its", "all", "any"),
    *("latest", "last", "previous", "new", "old", "recent", "current"),
)
ADJECTIVE: Final = rf"(?:{one_of(ADVERBS)}|hourly|morning|afternoon|evening|night)"
DAY_NAME: Final = rf"(?:yesterday|today|tomorrow|tonight|{WEEKDAY}|{MONTH}|(?:this|last|next|previous|that) {ONE_UNIT})"


def _work(match: re.Match[str]) -> Hit:
    return Hit((), match.start(), match.end())


def _of_hours(match: re.Match[str]) -> Hit | None:
    """`check logs from 9am to 5pm`; beside a step they are its window."""
    return None if compiled(STEP).search(match.string) else _work(match)


def _from_which(match: re.Match[str]) -> Hit:
    """`collect the logs from Friday`: Friday's logs, or from Friday on?"""
    said, day = match["said"], match["day"]
    doubt = Unclear(
        "ambiguous_time",
        Text(
            f"「{said}」が、いつから始めるかなのか、作業の対象なのか決められません",
            f"It is not certain whether “{said}” says when to start or belongs to the work",
        ),
        (f"starting {day.capitalize()}",),
    )
    return Hit((Found(doubt, match.start("said"), match.end("said")),), match.start(), match.end())


STEP: Final = r"\b(?:(?:every|each) (?:\S+ )?(?:minutes?|mins?|hours?|hrs?|half)|(?:half-)?hourly)\b"
CLOCK: Final = r"(?:\d{1,2}(?::[0-5]\d)? ?[ap]m|\d{1,2}:[0-5]\d|noon|midnight)"
TO: Final = r"(?: ?- ?| to | through | and )"
RECORDS: Final = (
    *("logs", "log", "entries", "records", "events", "messages", "errors", "metrics", "traffic", "requests", "data"),
)
RULES: Final[tuple[Rule, ...]] = (
    rule(RECORDS, rf"{one_of(RECORDS)} (?:from|between) {CLOCK}(?: to | and | until | ?- ?){CLOCK}(?!\w)", _of_hours),
    rule(
        RECORDS,
        rf"{one_of(RECORDS)} (?P<said>from (?P<day>{WEEKDAY}))(?!\w)(?!,? (?:to|until|till|through|-|onwards?)(?!\w))",
        _from_which,
    ),
    rule(
        ("the", "our", "all"),
        rf"(?:the|our|all) (?:{MONTH}{TO}{MONTH}|{WEEKDAY}{TO}{WEEKDAY})(?= [a-z])"
        r"(?! (?:on|at|in|every|each|from|daily)(?!\w))",
        _work,
    ),
    rule(
        ("the", "our", "my", "last"),
        rf"(?:the|our|my|last night's) {CLOCK}(?= [a-z])"
        r"(?! (?:on|at|in|to|and|or|from|every|each|daily|utc|jst|gmt|tomorrow|today|sharp|mark|hour)(?!\w))",
        _work,
    ),
    rule(
        ("the", "last", "past", "previous", "over", "in", "within", "during", "for", "from", "of", "since"),
        r"(?:(?:over|in|within|during|for|from|of|since) )?(?:the )?(?:last|past|previous|preceding|most recent) "
        rf"(?:{NUMBER} (?:business |working )?{UNIT}|{ONE_UNIT})(?:'s?)?(?!\w)",
        _work,
    ),
    rule(
        ("older", "newer", "younger", "more", "less", "longer", "larger", "for", "at", "up", "fewer"),
        rf"(?:older|newer|younger|more|less|longer|fewer) than (?:{NUMBER}|an?) {UNIT}(?: old| ago)?(?!\w)",
        _work,
    ),
    rule((DIGIT, "a", "an", *NUMBERS), rf"(?:{NUMBER}|an?)(?: |-){UNIT}(?: |-)(?:old|ago|long|worth)(?!\w)", _work),
    rule((DIGIT,), r"(?:\d+-(?:second|minute|hour|day|week|month|year)s?|24/7|24x7)(?!\w)", _work),
    rule(
        ("yesterday", "today", "tomorrow", "tonight", "this", "last", "next", "previous", "that", *WEEKDAYS, *MONTHS),
        rf"{DAY_NAME}'s(?: {ADJECTIVE}(?= [a-z]))?(?!\w)",
        _work,
    ),
    rule(
        ("from", "of", "since"),
        rf"(?:from|of|since) (?:yesterday|last {WEEKDAY}|the day before|the (?:night|day|week|month) before)(?!\w)",
        _work,
    ),
    rule(("last",), rf"last {WEEKDAY}(?!\w)(?! (?:of|in) )", _work),
    rule(
        DETERMINERS,
        rf"{one_of(DETERMINERS)} (?:{one_of(ADVERBS)}|hourly|quarterly|annual"
        r"|(?:fiscal[- ])?(?:day|week|month|quarter|year)[- ]end)(?= [a-z])"
        r"(?! (?:on|at|in|every|each|from|between)(?!\w))",
        _work,
    ),
    rule(ORDINALS, r"(?:second|first|third)(?=-| (?:server|node|disk|replica|one|half|stage|phase)s?(?!\w))", _work),
)
