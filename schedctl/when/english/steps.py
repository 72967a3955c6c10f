"""English steps within a day (every 15 minutes, hourly) and distances from now (in 45 minutes)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.when.english.clocks import HOURS, MINUTES, around
from schedctl.when.english.scan import DIGIT, Hit, Rule, compiled, number_of, rule, whole
from schedctl.when.english.words import NUMBER, NUMBERS, one_of
from schedctl.when.reading.grammar import Found
from schedctl.when.reading.parts import Hourly, Later, Step, Unclear

if TYPE_CHECKING:
    import re

MORE_MINUTES: Final = r"(?:,? and |, ?)(?:at )?(?:the )?(?:minute |:)(?P<minute>[0-5]?\d)(?!\d)"
MORE_BARE: Final = r"(?:,? and |, ?)(?P<minute>[0-5]?\d)(?![\w:]| (?:times?|minutes?|hours?|days?)(?!\w))"
"""Further minutes of each hour: `at :00 and :30`, `at minutes 0, 20 and 40`."""
PAST: Final = rf"(?P<past>half|(?:a )?quarter|{NUMBER})(?: minutes?)? past"
ON_THE_MINUTE: Final = (
    r" (?:(?P<sharp>on the hour)|on the half[- ]hour|(?:at |on )?(?:the )?"
    r"(?:(?P<several>minutes) |minute |:)(?P<minute>[0-5]?\d)(?!\d)"
    rf"|(?:at )?{PAST}(?: the hour)?)(?!\w)"
)
HALF_HOUR: Final = r"(?P<half_hour>half(?: an)?[- ]hour)|(?P<quarter_hour>(?:a )?quarter(?: of an)?[- ]hour)"
AMOUNT: Final = rf"(?:\d{{1,4}}\.\d{{1,2}}|\d{{1,5}}|{one_of(NUMBERS)}|an?)"
LENGTH: Final = (
    rf"(?:{HALF_HOUR}"
    rf"|(?P<hours>{AMOUNT})(?P<and_half_before> and a half)? ?{HOURS}(?P<and_half> and a half)?"
    rf"(?:,? ?(?:and )?(?P<minutes>{AMOUNT}) ?{MINUTES})?"
    rf"|(?P<only_minutes>{AMOUNT}) ?{MINUTES})"
)
EVERY: Final = (
    rf"(?:every|each) (?:{HALF_HOUR}"
    rf"|(?:(?P<hours>{AMOUNT}|other|second) ?{HOURS}|(?P<every_hour>hour))(?!\w)(?P<and_half> and a half)?"
    rf"|(?P<minutes>{AMOUNT}|other) ?{MINUTES}|(?P<every_minute>minute))(?!\w)"
)


def _step(match: re.Match[str]) -> Hit | None:
    """`every 15 minutes`, `every other hour`, `every 1.5 hours`, `every half hour`."""
    minutes = _length(match)
    if minutes is None:
        return None
    past = compiled(r" (?:past|after) (?:the|each|every) hour(?!\w)").match(match.string, match.end())
    if minutes < 60 and past is not None:
        return _past_or_apart(match, minutes, past.end())
    if minutes == 60 and (hourly := compiled(ON_THE_MINUTE).match(match.string, match.end())):
        return _of_each_hour(match, hourly)
    return whole(match, Step(minutes))


def _past_or_apart(match: re.Match[str], minutes: int, end: int) -> Hit:
    """`every 15 minutes past the hour`: at quarter past, or four times an hour?"""
    doubt = Unclear(
        "ambiguous_time",
        Text(
            "毎時の何分なのか、何分おきなのか決められません",
            "It is not certain whether that is one minute of each hour or a step",
        ),
        (f"every hour at :{minutes:02d}", f"every {minutes} minutes"),
    )
    return Hit((Found(doubt, match.start(), end),), match.start(), end)


def _of_each_hour(match: re.Match[str], hourly: re.Match[str]) -> Hit:
    minute = 0 if hourly["sharp"] else 30
    if hourly["minute"]:
        minute = int(hourly["minute"])
    elif hourly["past"]:
        minute = around(hourly["past"], "past")
    minutes, end = {minute}, hourly.end()
    while more := compiled(MORE_BARE if hourly["several"] else MORE_MINUTES).match(match.string, end):
        minutes.add(int(more["minute"]))
        end = more.end()
    return Hit((Found(Hourly(tuple(sorted(minutes))), match.start(), end),), match.start(), end)


def _past_each_hour(match: re.Match[str]) -> Hit | None:
    """`at 15 minutes past every hour`, `at minute 15 of every hour`."""
    minute = int(match["minute"]) if match["minute"] else around(match["past"], "past")
    return whole(match, Hourly((minute,))) if minute < 60 else None


def _past_every_few_hours(match: re.Match[str]) -> Hit | None:
    """`15 minutes past every second hour`."""
    minute, hours = around(match["past"], "past"), _amount(match["step"], "hour")
    if minute >= 60 or hours != int(hours):
        return None
    return whole(match, Hourly((minute,)), *((Step(int(hours) * 60),) if hours > 1 else ()))


def _length(match: re.Match[str]) -> int | None:
    """The minutes of a step or a distance: `an hour and a half`, `2.5 hours`, `1 hour 30 minutes`, `half an hour`."""
    groups = match.groupdict()
    if groups.get("half_hour"):
        return 30
    if groups.get("quarter_hour"):
        return 15
    minutes = _amount(groups.get("hours"), groups.get("every_hour")) * 60
    minutes += 30 if groups.get("and_half") else 0
    minutes += _amount(groups.get("minutes"), groups.get("every_minute"))
    return int(minutes) if minutes == int(minutes) else None


def _amount(number: str | None, bare_unit: str | None) -> float:
    if number is None:
        return 1 if bare_unit else 0
    if number in ("other", "second"):
        return 2
    return float(number) if "." in number else number_of(number)


def _later(match: re.Match[str]) -> Hit | None:
    """`in 45 minutes`, `in two hours and a half`, `30 minutes from now`."""
    groups = match.groupdict()
    if groups["only_minutes"]:
        minutes = _amount(groups["only_minutes"], None)
    else:
        extra = 30 if groups["and_half_before"] else 0
        minutes = (_length(match) or 0) + extra
    return whole(match, Later(int(minutes))) if minutes and minutes == int(minutes) else None


def _hourly(match: re.Match[str]) -> Hit:
    if match["half"]:
        return whole(match, Step(30))
    if hourly := compiled(ON_THE_MINUTE).match(match.string, match.end()):
        return _of_each_hour(match, hourly)
    return whole(match, Step(60), weak=True)


NUMBERS_FIRST: Final = (DIGIT, "half", "quarter", "a", "an", *NUMBERS)
RULES: Final[tuple[Rule, ...]] = (
    rule(("every", "each"), EVERY, _step),
    rule(
        ("at",),
        rf"at (?:(?:the )?minute (?P<minute>[0-5]?\d)|{PAST}) (?:of )?(?:every|each|the) hour(?!\w)",
        _past_each_hour,
    ),
    rule(
        ("at", *NUMBERS_FIRST),
        rf"(?:at )?{PAST} (?:every|each)(?: (?P<step>other|second|{AMOUNT}))? hours?(?!\w)",
        _past_every_few_hours,
    ),
    rule(("hourly", "half"), r"(?P<half>half[- ])?hourly(?!\w)", _hourly),
    rule(("in",), rf"in {LENGTH}(?: from now|'s? time)?(?!\w)", _later),
    rule(NUMBERS_FIRST, rf"{LENGTH} (?:from now|later)(?!\w)", _later),
)
