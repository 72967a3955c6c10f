"""Wall clocks and instants: the golden table, and every zone's own data as the oracle."""

from __future__ import annotations

import csv
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import _zoneinfo, available_timezones  # pyright: ignore[reportAttributeAccessIssue] - Python's own reader

import pytest
import tzdata
from hypothesis import given
from hypothesis import strategies as st

from schedctl.errors import Refused
from schedctl.when.zones import (
    first_instant_at,
    instants_at,
    offset_text,
    stretches,
    transitions,
    zone_named,
    zones_version,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

LINES = (Path(__file__).parent / "zones.tsv").read_text("utf-8").splitlines()[1:]
GOLDEN = [tuple(row[:4]) for row in csv.reader(LINES, delimiter="\t")]
ZONES = sorted(name for name in available_timezones() if (Path(tzdata.__file__).parent / "zoneinfo" / name).is_file())
RESTLESS = (
    "America/New_York",
    "Africa/Casablanca",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Asia/Gaza",
    "Europe/Lisbon",
)
SAMPLE = timedelta(days=3)


def changes(name: str) -> Iterator[tuple[datetime, timedelta, timedelta]]:
    """Instant, offset before and after, as the zone's file lists them."""
    with (Path(tzdata.__file__).parent / "zoneinfo" / name).open("rb") as data:
        zone = _zoneinfo.ZoneInfo.from_file(data)
    before = zone._tti_before.utcoff if zone._tti_before else timedelta(0)
    for seconds, kind in zip(zone._trans_utc, zone._ttinfos, strict=True):
        if kind.utcoff != before:
            yield datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds), before, kind.utcoff
        before = kind.utcoff


@pytest.mark.parametrize(("zone", "wall", "shown", "named"), GOLDEN)
def test_wall_clocks(zone: str, wall: str, shown: str, named: str) -> None:
    clock = datetime.fromisoformat(wall)
    assert [at.isoformat(timespec="minutes") for at in instants_at(clock, zone)] == shown.split()
    assert first_instant_at(clock, zone).isoformat(timespec="minutes") == named


def test_no_zone_changes_twice_within_a_sample() -> None:
    """`transitions` looks at each third day; a change that the next days undo would escape it."""
    for name in ZONES:
        instants = [instant for instant, _, _ in changes(name)]
        assert all(later - earlier > SAMPLE for earlier, later in pairwise(instants)), name


@pytest.mark.parametrize("name", RESTLESS)
def test_transitions_are_those_of_the_zones_file(name: str) -> None:
    """As far as it lists them: a rule for the years after stands at its end."""
    begin = datetime(1900, 1, 1, tzinfo=UTC)
    expected = [change for change in changes(name) if change[0] > begin]
    found = transitions(name, begin, expected[-1][0])
    assert [(change.instant, change.before, change.after) for change in found] == expected


def test_transitions_exclude_their_start_and_include_their_end() -> None:
    change = datetime(2026, 3, 29, 1, tzinfo=UTC)
    assert transitions("Europe/Berlin", change, change + timedelta(days=30)) == ()
    assert [found.instant for found in transitions("Europe/Berlin", change - timedelta(seconds=1), change)] == [change]


@given(st.sampled_from(ZONES), st.integers(1890, 2045))
def test_stretches_cover_a_year_and_show_each_wall_clock_first_once(zone: str, year: int) -> None:
    found = stretches(zone, year)
    assert found[0].opens_utc == datetime(year, 1, 1, tzinfo=UTC).replace(tzinfo=None)
    for stretch, after in pairwise(found):
        assert stretch.opens < stretch.closes
        assert stretch.closes_utc == after.opens_utc
        assert after.repeated == (after.opens < max(earlier.closes for earlier in found[: found.index(after)]))
    for stretch in found:
        instant = stretch.opens_utc.replace(tzinfo=UTC).astimezone(zone_named(zone))
        assert instant.replace(tzinfo=None, fold=0) == stretch.opens
        assert instant.utcoffset() == stretch.offset


@given(st.sampled_from(ZONES), st.datetimes(datetime(1890, 1, 1), datetime(2045, 1, 1)))  # noqa: DTZ001 - wall clocks
def test_a_named_time_is_shown_first_or_lies_in_a_gap(zone: str, wall: datetime) -> None:
    wall = wall.replace(microsecond=0)
    shown, named = instants_at(wall, zone), first_instant_at(wall, zone)
    before = (named - timedelta(0)).astimezone(UTC) - timedelta(seconds=1)
    if shown:
        assert named.isoformat() == min(shown, key=datetime.timestamp).isoformat()
        assert all(at.astimezone(UTC).astimezone(zone_named(zone)).replace(tzinfo=None, fold=0) == wall for at in shown)
    else:
        assert before.astimezone(zone_named(zone)).replace(tzinfo=None, fold=0) < wall
        assert wall < named.replace(tzinfo=None, fold=0)


def test_an_offset_is_written_with_its_sign() -> None:
    assert offset_text(datetime.fromisoformat("2026-11-30T10:00:00.5+09:00")) == "+09:00"
    assert offset_text(datetime.fromisoformat("2026-11-30T10:00:00-03:30")) == "-03:30"


@pytest.mark.parametrize("name", ["Mars/Base", "", "../../etc/passwd", "/etc/localtime", "Asia", "JST+9x"])
def test_a_zone_that_is_not_there_is_refused(name: str) -> None:
    with pytest.raises(Refused) as caught:
        zone_named(name)
    assert caught.value.type == "unknown_timezone"


def test_zones_come_from_the_package_whose_version_is_told() -> None:
    assert zones_version() == tzdata.IANA_VERSION
    assert zone_named("Asia/Tokyo").key == "Asia/Tokyo"


def test_without_any_zone_data_there_is_a_refusal_and_no_fixed_offset() -> None:
    """Trap phash/praxiszeit#239: a machine without a zone database."""
    program = (
        "import sys; sys.modules['tzdata'] = None\n"
        "from schedctl.errors import Refused\n"
        "from schedctl.when.zones import zone_named\n"
        "try: print(zone_named('Asia/Tokyo'))\n"
        "except Refused as refusal: print(refusal.type)\n"
    )
    where = str(Path(__file__).parents[2])
    answer = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONTZPATH": "/nonexistent", "PYTHONPATH": where},
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout == "unknown_timezone\n"
