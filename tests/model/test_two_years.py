"""Two years at one tick a minute, compressed: only the minutes around something interesting are ticked.

Each occurrence fires in the tick of its own minute and is what the oracle found on the wall clock, minute by minute.
By default only the hours around each clock change are gone through.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from installations import runs_of
from making import add
from oracle import DAY, MINUTE, Rule

from schedctl.usecases import installation
from schedctl.usecases.tick import tick

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedctl.usecases.site import Site

START = datetime(2026, 1, 1, tzinfo=UTC)
END = START + 730 * DAY
HOUR = timedelta(hours=1)
ZONES = ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Tokyo"]


def named_times(zone: str) -> list[Rule]:
    return [
        Rule(zone, minutes=(2 * 60 + 30,)),  # in New York's and Berlin's gaps, at the end of Lord Howe's
        Rule(zone, minutes=(1 * 60 + 45,)),  # twice on the clocks of New York and Lord Howe
        Rule(zone, minutes=(0, 2 * 60 + 15, 23 * 60 + 59)),
        Rule(zone, weekdays=(6,), minutes=(12 * 60,)),
        Rule(zone, weekdays=(0, 5), minutes=(2 * 60, 3 * 60)),
    ]


def steps(zone: str) -> list[Rule]:
    return [Rule(zone, step=60), Rule(zone, step=30), Rule(zone, step=120)]


def clock_changes(zone: str) -> list[datetime]:
    """The hours in which the zone's offset changes."""
    local = ZoneInfo(zone)
    hours = [(START + n * HOUR).astimezone(local) for n in range(730 * 24)]
    return [after.astimezone(UTC) for before, after in pairwise(hours) if before.utcoffset() != after.utcoffset()]


def go_through(site_at: Callable[[str], Site], rules: list[Rule], start: datetime, end: datetime) -> None:
    """Tick at each minute around an occurrence: what fires is what the oracle says, when it says so."""
    first = site_at(start.isoformat())
    installation.arm(first, None)
    expected = {add(first, rule.line, overlap="allow"): rule.between(start, end) for rule in rules}
    occurrences = [instant for found in expected.values() for instant in found]
    minutes = sorted({instant + n * MINUTE for instant in occurrences for n in (-1, 0, 1)})
    for minute in minutes:
        at = (minute + timedelta(milliseconds=200)).isoformat()
        assert tick(site_at(at)).fired == occurrences.count(minute), minute
    found = [(run["schedule_id"], run["scheduled_for"], run["count"]) for run in runs_of(first)]
    assert sorted(found) == sorted((number, at, 1) for number, found in expected.items() for at in found)


@pytest.mark.parametrize("zone", ZONES)
def test_around_the_clock_changes(site_at: Callable[[str], Site], zone: str) -> None:
    changes = clock_changes(zone) or [START + 90 * DAY]
    assert len(changes) == (1 if zone == "Asia/Tokyo" else 4)
    for change in changes[:2]:
        site = site_at(change.isoformat())
        site.db.execute("TRUNCATE schedctl.run, schedctl.schedule, schedctl.tick_beat RESTART IDENTITY CASCADE")
        site.db.execute("UPDATE schedctl.installation SET armed = false, armed_since = NULL")
        go_through(site_at, named_times(zone) + steps(zone), change - 5 * HOUR, change + 5 * HOUR)


@pytest.mark.long
@pytest.mark.parametrize("zone", ZONES)
def test_two_years(site_at: Callable[[str], Site], zone: str) -> None:
    go_through(site_at, named_times(zone), START, END)
