"""The golden sentences: one row a fact, in `phrases/*.tsv`, so that someone who does not program can add one.

Columns: text, now and zone (empty: `NOW` in Asia/Tokyo), expected, task, reason. `expected` holds the next instants, on
the wall clock of the zone where no offset is written: at most four, and all of them where there are fewer (` ...` at
the end: more follow); or the refusal types that are right, as `!no_time`, separated by `|`.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from schedctl.errors import TimingError
from schedctl.when.calendar import JAPAN
from schedctl.when.occurrences import upcoming
from schedctl.when.read import read

NOW: Final = "2026-11-30T10:00:00+09:00"
ZONE: Final = "Asia/Tokyo"
PHRASES: Final = Path(__file__).parent / "phrases"
AT_MOST: Final = 4


@dataclass(frozen=True, slots=True)
class Row:
    """One sentence and what is right."""

    text: str
    now: datetime
    zone: str
    expected: str
    task: str
    reason: str

    @property
    def refusals(self) -> list[str]:
        """The refusal types that are right; empty where the sentence is to be read."""
        return self.expected[1:].split("|") if self.expected.startswith("!") else []

    @property
    def is_excerpt(self) -> bool:
        """Whether more instants follow than are written (they end with `...`)."""
        return self.expected.endswith(" ...")

    @property
    def instants(self) -> list[datetime]:
        """The next instants."""
        found = [datetime.fromisoformat(each) for each in self.expected.removesuffix(" ...").split()]
        return [(each if each.tzinfo else each.replace(tzinfo=ZoneInfo(self.zone))).astimezone(UTC) for each in found]


def rows(*names: str) -> list[Row]:
    """All rows of the named files (`weekly`), or of every file."""
    paths = [PHRASES / f"{name}.tsv" for name in names] if names else sorted(PHRASES.glob("*.tsv"))
    return [_row(cells) for path in paths for cells in _cells(path)]


def _cells(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def _row(cells: dict[str, str]) -> Row:
    now = datetime.fromisoformat(cells["now"] or NOW)
    text = cells["text"].replace("\\n", "\n")
    return Row(text, now, cells["zone"] or ZONE, cells["expected"], cells["task"], cells["reason"])


def outcome(row: Row) -> str:
    """What the reader makes of a row, in the words of its columns; `right` where it is right."""
    try:
        reading = read(row.text, row.now, row.zone)
    except TimingError as error:
        return "right" if error.type in row.refusals else f"refused: {error.type} ({error.message.en})"
    found = [each.astimezone(UTC) for each in upcoming(reading.timing, row.now, AT_MOST, JAPAN)]
    wanted = row.instants
    shown = found[: len(wanted)] if row.is_excerpt else found
    if not row.refusals and shown == wanted and reading.task == row.task:
        return "right"
    return f"read: {' '.join(each.isoformat(timespec='minutes') for each in found)} | {reading.task}"
