"""Cron expressions at the start of a sentence: five fields, or a nickname such as `@daily`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from schedctl.when import cron
from schedctl.when.model import Cron, Reading, Recurring

if TYPE_CHECKING:
    from schedctl.when.draft import Moment
    from schedctl.when.normalize import Sentence

NICKNAME: Final = re.compile(r"\s*(@[a-z]+)(?=$|[^a-z0-9_.@-])")
FIELD: Final = r"(?:\*|\?|l|[0-9a-z]+(?:[#,/\-*?0-9a-z])*|\*/[0-9a-z]+(?:[,/\-*0-9a-z])*)"
FIELDS: Final = re.compile(rf"\s*(?:cron[:\s]\s*)?((?:{FIELD}\s+){{4}}{FIELD})(?=$|[\s、。,:に：]|[^\x00-\x7f])")
CRON_LIKE: Final = re.compile(r"[\d*]")
GLUE: Final = " 　、。，,:：に"


def read(sentence: Sentence, at: Moment) -> Reading | None:
    """The reading of a sentence that starts with a cron expression; None where it starts with anything else."""
    first = sentence.text.lstrip(" ")[:1]
    if first not in "@*c0123456789" or not first:
        return None
    match = NICKNAME.match(sentence.text) or _five_fields(sentence.text)
    if match is None:
        return None
    expression = cron.normalize(match.group(1))
    cron.parse(expression)
    timing = Recurring(days=(Cron(expression),), times=(), zone=at.zone)
    task = sentence.written(match.end(), len(sentence.text)).lstrip(GLUE)
    return Reading(timing, task.rstrip(" 　。、，．"))


def _five_fields(text: str) -> re.Match[str] | None:
    """Five fields, of which at least the first two look like cron's (so that `10 10 marts` is none)."""
    match = FIELDS.match(text)
    if match is None:
        return None
    fields = match.group(1).split()
    return match if all(CRON_LIKE.search(field) for field in fields[:3]) else None
