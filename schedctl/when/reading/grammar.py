"""What a language brings to reading: a grammar that finds parts with their places. Here another language plugs in.

A grammar is an object with two methods (`Grammar`, below): `find` returns the parts of a sentence in their order,
`rest` returns the task that remains when the used ones are cut out. Everything else is done once for all languages:
which parts belong to the timing (`select.py`), how they combine (`draft.py`, `assemble.py`), what is refused and with
which suggestions (`refusals.py`, `hints.py`). So `every other Friday` and `隔週金曜` are both
`Repeat("week", 2), Weekdays((4,))`, and `15日(休日なら前営業日)の2営業日前` is
`DaysOfMonth((15,)), Shift("previous"), Offset(-2, business=True)`.
A new grammar gets its place in `read.grammar_of`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from schedctl.errors import TimingErrorType
    from schedctl.language import Lang, Text
    from schedctl.when.calendar import Calendars
    from schedctl.when.reading.normalize import Sentence
    from schedctl.when.reading.parts import Part


@dataclass(frozen=True, slots=True)
class Found:
    """A part and its place in the normalised text.

    `group` counts the runs of parts between which stands nothing but glue. `joined` says that a word like と or `and`
    binds it to the part before it. `of_work` marks a group that stands before a noun of the work
    (`昨日の|バックアップ`): it is left in the task where the rest of the sentence says when.
    """

    part: Part
    start: int
    end: int
    group: int = 0
    joined: bool = False
    of_work: bool = False


class Grammar(Protocol):
    """What a language brings: its parts, and the task that remains."""

    @property
    def lang(self) -> Lang:
        """The language in which this grammar's suggestions are written."""
        ...

    def find(self, sentence: Sentence, calendars: Calendars) -> tuple[Found, ...]:
        """All parts of the sentence, in their order; what belongs to the work for sure is left out."""
        ...

    def rest(self, sentence: Sentence, used: tuple[Found, ...]) -> str:
        """The task: the original characters without the used parts and the glue around them."""
        ...


@dataclass(frozen=True, slots=True)
class Edit:
    """Words that could stand in `text[start:end]` of the sentence, in each language.

    `takes_particle` says that a particle right after the place goes with it (`毎週月曜|に` + `の9時に`).
    """

    start: int
    end: int
    words: Text
    takes_particle: bool = False


class Refusal(Exception):
    """Why a sentence is refused, and edits that would make it readable; `hints.py` turns it into a TimingError."""

    def __init__(
        self, type: TimingErrorType, message: Text, edits: tuple[Edit, ...] = (), advice: Text | None = None
    ) -> None:
        super().__init__(message.en)
        self.type: TimingErrorType = type
        self.message = message
        self.edits = edits
        self.advice = advice
