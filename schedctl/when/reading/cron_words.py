"""Cron expressions at the start of a sentence: five fields, or a nickname such as `@daily`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.when import cron
from schedctl.when.model import Cron, Reading, Recurring
from schedctl.when.reading.grammar import Refusal
from schedctl.when.reading.zones_said import zone_called

if TYPE_CHECKING:
    from schedctl.when.reading.draft import Moment
    from schedctl.when.reading.normalize import Sentence

NICKNAME: Final = re.compile(r"\s*(@[a-z]+)(?=$|[^a-z0-9_.@-])")
FIELD: Final = r"[-*?,/#0-9a-z]{0,59}[*?0-9a-z]"
FIELDS: Final = re.compile(
    rf" {{0,9}}(?:cron[: ] {{0,9}})?((?:{FIELD} {{1,9}}){{4}}{FIELD})(?=$|[ 、。,:に(]|[^\x00-\x7f])"
)
"""Every repetition has an end, so that a long heap of digits costs no more than a short one."""
CRON_LIKE: Final = re.compile(r"[\d*]")
SIXTH: Final = re.compile(r"\s+(?:\*|[0-9]+(?:[-,/][0-9]+)*)(?=\s|$)")
ZONE: Final = re.compile(r"\s*\(([a-z]+[a-z0-9_/+-]*)\)")
GLUE: Final = " 　、。，,:：に"


def read(sentence: Sentence, at: Moment) -> Reading | None:
    """The reading of a sentence that starts with a cron expression; None where it starts with anything else."""
    first = sentence.text.lstrip(" ")[:1]
    if first not in "@*c0123456789" or not first:
        return None
    match = NICKNAME.match(sentence.text) or _five_fields(sentence.text)
    if match is None or _is_a_mention(match[1]):
        return None
    if SIXTH.match(sentence.text, match.end()):
        raise six_fields()
    expression = cron.normalize(match.group(1))
    cron.parse(expression)
    zone, end = _zone(sentence.text, match.end())
    timing = Recurring(days=(Cron(expression),), times=(), zone=zone or at.zone)
    task = sentence.written(end, len(sentence.text)).lstrip(GLUE)
    return Reading(timing, task.rstrip(" 　。、，．"))


def _is_a_mention(expression: str) -> bool:
    """`@ops every day at 9 …`: somebody who is told of it in a chat."""
    return expression.startswith("@") and expression.upper() not in (*cron.NICKNAMES, "@REBOOT")


def _zone(text: str, place: int) -> tuple[str | None, int]:
    """The zone in brackets after an expression, as `describe` writes it, and where it ends."""
    match = ZONE.match(text, place)
    zone = zone_called(match.group(1)) if match else None
    return (zone, match.end()) if match and zone else (None, place)


def _five_fields(text: str) -> re.Match[str] | None:
    """Five fields, of which at least the first two look like cron's (so that `10 10 marts` is none)."""
    match = FIELDS.match(text)
    if match is None:
        return None
    fields = match.group(1).split()
    return match if all(field == "l" or CRON_LIKE.search(field) for field in fields[:3]) else None


def six_fields() -> Refusal:
    """`0 0 3 * * 1`: with seconds or with a year?"""
    return Refusal(
        "impossible_time",
        Text(
            "cron 式の欄は5つ（分 時 日 月 曜日）です",
            "A cron expression has five fields: minute hour day month weekday",
        ),
        (),
        Text("秒や年の欄を外してください", "Leave out the seconds or the year"),
    )
