"""English clock times: 9, 9am, half past six, noon, 18:30; what their words leave open; and UTC offsets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from schedctl.when.english.scan import compiled, number_of
from schedctl.when.english.words import NUMBER, NUMBERS, one_of
from schedctl.when.model import LAST_HOUR, At

MINUTES: Final = r"(?:minutes?|mins?|m)(?!\w)"
HOURS: Final = r"(?:hours?|hrs?|h)(?!\w)"
HOUR_WORDS: Final = one_of(word for word, value in NUMBERS.items() if value <= 12)
MERIDIEM: Final = r"(?:[ap]m(?!\w)|[ap]\.m\.)"
OTHER_UNITS: Final = r"(?:seconds?|days?|weeks?|months?|years?|percent|times)"
CLOCK: Final = (
    r"(?:(?:12 )?(?P<named>noon|midday|midnight)(?!\w)"
    rf"|(?P<spoken>half|(?:a )?quarter|(?:five|ten|twenty(?:-five)?)|{NUMBER} minutes?) (?P<side>past|after|to|before) "
    rf"(?P<spoken_hour>\d{{1,2}}(?!\d)|{HOUR_WORDS})(?P<spoken_half> ?{MERIDIEM})?(?!\w)"
    rf"|(?P<hour>\d{{1,2}})(?P<dot>[:.h])(?P<minute>[0-5]\d)(?::00)?(?![\d:])(?P<half> ?{MERIDIEM})?(?![\w%])"
    rf"|(?P<worded>{HOUR_WORDS}) (?P<worded_minute>fifteen|thirty|forty-five)(?P<worded_half> ?{MERIDIEM})?(?!\w)"
    rf"|(?P<full>\d{{1,2}}|{HOUR_WORDS})(?P<full_half> ?{MERIDIEM}| ?o'clock(?: {MERIDIEM})?)(?!\w)"
    rf"|(?P<naked>\d{{1,2}}|{HOUR_WORDS})(?![\w:%/-]|\.\d| (?:{MINUTES}|{HOURS}|{OTHER_UNITS})(?!\w))"
    r")(?: sharp(?!\w))?"
)
FOUR_DIGITS: Final = r"(?P<hour>[012]\d)(?P<minute>[0-5]\d)(?![\w:%/-]|\.\d)(?P<hours> ?(?:hours|hrs|h)(?!\w))?"
OFFSET: Final = (
    r"(?: ?(?=(?:utc|gmt)[+-]\d|[+-][01]\d:?[0-5]\d)(?:utc|gmt)?"
    r"(?P<sign>[+-])(?P<off_hour>[01]?\d)(?::?(?P<off_minute>[0-5]\d))?(?!\w))"
)


@dataclass(frozen=True, slots=True)
class Spoken:
    """One clock as said: the minute of the day, and what the words leave open."""

    minute: int
    end: int
    bare: bool
    """A number up to 12 without am or pm."""
    naked: bool
    """A number that only `at` makes a time."""
    half: str = ""
    military: bool = False
    """Four digits: 0900, 1830 hours."""


def clock_at(text: str, place: int, *, military: bool = False) -> Spoken | None:
    """The clock that stands at `place`; with `military`, any four digits are one."""
    found = compiled(CLOCK).match(text, place)
    if found is None:
        return _of_four_digits(text, place, certain=military)
    if found["named"]:
        return Spoken(0 if found["named"] == "midnight" else 720, found.end(), bare=False, naked=False)
    half = _half(found["spoken_half"] or found["half"] or found["full_half"] or found["worded_half"])
    hour = number_of(found["spoken_hour"] or found["hour"] or found["worded"] or found["full"] or found["naked"])
    minute = around(found["spoken"], found["side"]) if found["spoken"] else number_of(found["minute"] or "0")
    minute = number_of(found["worded_minute"]) if found["worded"] else minute
    if hour > LAST_HOUR or (half and not 1 <= hour <= 12):
        return None
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    bare = not half and 1 <= hour <= 12
    naked = bool(found["naked"] or (found["worded"] and not half)) or (
        found["dot"] == "." and not half
    )  # `version 3.11` is none
    return Spoken((hour * 60 + minute) % (30 * 60), found.end(), bare, naked, half)


def _of_four_digits(text: str, place: int, *, certain: bool) -> Spoken | None:
    """`0900`, `1830 hours`: other four digits could be a year or an amount."""
    found = compiled(FOUR_DIGITS).match(text, place)
    if found is None or int(found["hour"]) > LAST_HOUR:
        return None
    if not (certain or found["hours"] or found["hour"].startswith("0")):
        return None
    minute = int(found["hour"]) * 60 + int(found["minute"])
    return Spoken(minute, found.end(), bare=False, naked=not found["hours"], military=True)


def _half(words: str | None) -> str:
    marks = re.search(r"([ap])\.?m", words or "")
    return marks[1] if marks else ""


def around(spoken: str, side: str) -> int:
    """`half past`, `quarter to`, `ten minutes before`: the minutes to add to the hour."""
    minutes = 30 if spoken == "half" else 15 if spoken.endswith("quarter") else number_of(spoken.split(" ")[0])
    return minutes if side in ("past", "after") else -minutes


def offset_of(match: re.Match[str]) -> timedelta:
    """The UTC offset that `OFFSET` matched."""
    distance = timedelta(hours=int(match["off_hour"]), minutes=int(match["off_minute"] or 0))
    return distance if match["sign"] == "+" else -distance


def with_half(at: At, hours: tuple[int, ...]) -> At:
    """A bare hour as the one that its part of the day means; itself where none fits."""
    fits = [hour for hour in hours if hour % 12 == at.hour % 12]
    return At(fits[0], at.minute) if fits else at
