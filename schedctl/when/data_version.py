"""Which edition of the zone rules and of the public holidays an instant was computed with.

Hosts of different age share one database: what a newer host computed, an older one must not move back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from schedctl.when.calendar import holidays_version
from schedctl.when.zones import zones_version


@dataclass(frozen=True, slots=True)
class DataVersion:
    """The edition of tzdata (`2026f`) and of the holidays package (`0.109`)."""

    zones: str
    holidays: str

    def newer_than(self, other: DataVersion) -> bool:
        """Whether neither edition is older, and one is newer."""
        mine, theirs = _numbers(self.holidays), _numbers(other.holidays)
        return self.zones >= other.zones and mine >= theirs and (self.zones, mine) != (other.zones, theirs)

    def __str__(self) -> str:
        return f"{self.zones} {self.holidays}"


def _numbers(version: str) -> tuple[int, ...]:
    """`0.109` is later than `0.99`."""
    return tuple(int(number) for number in re.findall(r"\d+", version))


def at_hand() -> DataVersion:
    """The editions that this host has."""
    return DataVersion(zones_version(), holidays_version())


def parse(text: str) -> DataVersion:
    """What `str` wrote; anything else counts as older than everything."""
    zones, _, holidays = text.partition(" ")
    return DataVersion(zones, holidays)
