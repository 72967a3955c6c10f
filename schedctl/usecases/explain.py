"""Explain: what a sentence means, without a database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedctl.when.notes import notes
from schedctl.when.occurrences import upcoming
from schedctl.when.read import read

if TYPE_CHECKING:
    from datetime import datetime

    from schedctl.language import Text
    from schedctl.when.calendar import Calendars
    from schedctl.when.model import Timing


@dataclass(frozen=True, slots=True)
class Explained:
    """A sentence's timing, its next instants, what there is to know about them, and the task that is left."""

    text: str
    timing: Timing
    next: tuple[datetime, ...]
    notes: tuple[Text, ...]
    task: str


def explain(text: str, now: datetime, zone: str, calendars: Calendars, count: int) -> Explained:
    """Read `text` as said at `now` in `zone`; TimingError where it cannot be read in exactly one way."""
    reading = read(text, now, zone, calendars)
    return Explained(
        text,
        reading.timing,
        upcoming(reading.timing, now, count, calendars),
        notes(reading.timing, now, calendars),
        reading.task,
    )
