"""What will fire: instants, freezes, shifted holidays, clock changes, collisions, and where an answer is cut."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from making import BREAKS, CHANGES, READS, add

from schedctl.errors import NotFound, Refused
from schedctl.plan.request import Request
from schedctl.usecases import schedules
from schedctl.usecases.expected import changed_places, longest, moved_from, with_collisions
from schedctl.usecases.upcoming import MOST, Ahead, notes_of, upcoming
from schedctl.when import rule
from schedctl.when.calendar import JAPAN

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedctl.usecases.site import Site
    from schedctl.usecases.upcoming import Forecast

NOW = "2026-12-01T10:00+09:00"
DAILY = "daily at 03:00 in Asia/Tokyo"
STAGED = (Request("mars", "packages.refresh"), Request("venus", "packages.upgrade", stage=1))


@pytest.fixture
def site(site_at: Callable[[str], Site]) -> Site:
    """An installation on the first of December, with a clock that stands still."""
    return site_at(NOW)


def instants(forecast: Forecast) -> list[str]:
    return [one.at.isoformat(timespec="minutes") for one in forecast.expected]


def freeze(site: Site, start: str, end: str, *risks: str) -> None:
    site.db.execute("INSERT INTO schedctl.freeze VALUES (%s, %s, %s, %s)", (start, end, list(risks), "年末"))


def test_occurrences_of_all_schedules_come_in_order(site: Site) -> None:
    add(site, DAILY)
    add(site, "weekly thu at 02:00 in Asia/Tokyo")
    add(site, "once 2026-12-03T02:30:00+09:00 in Asia/Tokyo")
    forecast = upcoming(site, Ahead(days=2))
    assert [(one.row.schedule_id, one.at.isoformat(timespec="minutes")) for one in forecast.expected] == [
        (1, "2026-12-02T03:00+09:00"),
        (2, "2026-12-03T02:00+09:00"),
        (3, "2026-12-03T02:30+09:00"),
        (1, "2026-12-03T03:00+09:00"),
    ]
    assert not forecast.more


def test_the_end_belongs_to_it_and_now_does_not(site_at: Callable[[str], Site]) -> None:
    site = site_at("2026-12-01T03:00+09:00")
    add(site, DAILY)
    until = datetime.fromisoformat("2026-12-02T03:00+09:00")
    assert instants(upcoming(site, Ahead(until))) == ["2026-12-02T03:00+09:00"]
    with pytest.raises(Refused):
        upcoming(site, Ahead(datetime.fromisoformat("2026-12-01T03:00+09:00")))


def test_what_does_not_fire_is_not_in_it(site: Site) -> None:
    add(site, DAILY, say="active")
    add(site, DAILY, CHANGES, state="pending", say="pending")
    add(site, DAILY, say="paused")
    schedules.pause(site, "3", "点検")
    add(site, DAILY, say="archived")
    schedules.archive(site, "4", None)
    add(site, "once 2026-12-02T03:00:00+09:00 in Asia/Tokyo", CHANGES, state="pending")
    forecast = upcoming(site, Ahead(days=1))
    assert [one.row.schedule_id for one in forecast.expected] == [1]
    assert (forecast.pending, forecast.armed) == (2, False)


def test_a_freeze_skips_the_risks_that_it_names(site: Site) -> None:
    add(site, DAILY, READS)
    add(site, DAILY, CHANGES)
    freeze(site, "2026-12-03T03:00+09:00", "2026-12-04T03:00+09:00", "changes", "disrupts")
    found = upcoming(site, Ahead(days=3)).expected
    assert [(one.at.day, one.row.risk, one.frozen) for one in found] == [
        (2, "reads", None),
        (2, "changes", None),
        (3, "reads", None),
        (3, "changes", "年末"),  # the start belongs to a freeze
        (4, "reads", None),
        (4, "changes", None),  # its end does not
    ]


@pytest.mark.parametrize(
    ("line", "due", "own"),
    [
        ("monthdays 6 shift previous if closed at 05:00 in Asia/Tokyo", "2026-12-04T05:00+09:00", "2026-12-06"),
        ("monthdays 6 shift next if closed at 05:00 in Asia/Tokyo", "2026-12-07T05:00+09:00", "2026-12-06"),
        ("monthdays 4 shift previous if closed at 05:00 in Asia/Tokyo", "2026-12-04T05:00+09:00", None),  # a Friday
        ("daily shift previous if closed at 05:00 in Asia/Tokyo", "2026-12-04T05:00+09:00", None),  # its own day too
        ("monthdays 4 shift skip if closed at 05:00 in Asia/Tokyo", "2026-12-04T05:00+09:00", None),  # nothing moves
        ("monthdays 15 offset -2 business-days at 05:00 in Asia/Tokyo", "2026-12-11T05:00+09:00", None),  # no holiday
        ("once 2026-12-04T05:00:00+09:00 in Asia/Tokyo", "2026-12-04T05:00+09:00", None),
    ],
)
def test_a_shift_for_a_holiday_is_told_with_its_own_day(line: str, due: str, own: str | None) -> None:
    found = moved_from(rule.parse(line), datetime.fromisoformat(due), JAPAN)
    assert found == (date.fromisoformat(own) if own else None)


@pytest.mark.parametrize(
    ("now", "line", "noted"),
    [
        # In the gap: the first instant after it, and the day says why.
        ("2026-03-06T00:00-05:00", "daily at 02:30 in America/New_York", ["2026-03-08T03:00-04:00"]),
        # Twice: the first time only.
        ("2026-10-30T00:00-04:00", "daily at 01:30 in America/New_York", ["2026-11-01T01:30-04:00"]),
        ("2026-10-30T00:00-04:00", "daily at 05:00 in America/New_York", []),
        ("2026-03-06T00:00+09:00", "daily at 02:30 in Asia/Tokyo", []),
    ],
)
def test_a_clock_change_is_told_at_the_occurrence_that_it_touches(
    site_at: Callable[[str], Site], now: str, line: str, noted: list[str]
) -> None:
    site = site_at(now)
    add(site, line)
    found = upcoming(site, Ahead(days=5)).expected
    assert [one.at.isoformat(timespec="minutes") for one in found if one.notes] == noted


@pytest.mark.parametrize(
    ("first", "second", "minutes_later", "collide"),
    [
        (CHANGES, CHANGES, 0, True),  # the same node at the same instant
        (CHANGES, READS, 0, False),  # reading waits for nobody
        (CHANGES, (Request("venus", "packages.refresh"),), 0, False),  # another node
        (STAGED, (Request("venus", "packages.refresh"),), 0, True),  # in its second stage
        (CHANGES, BREAKS, 1, False),  # ten seconds of timeout are over by then
    ],
)
def test_changes_of_one_node_collide_while_the_earlier_may_go_on(
    site: Site,
    first: tuple[Request, ...],
    second: tuple[Request, ...],
    minutes_later: int,
    collide: bool,
) -> None:
    add(site, DAILY, first, say="one")
    add(site, f"daily at 03:{minutes_later:02d} in Asia/Tokyo", second, say="other")
    found = upcoming(site, Ahead(days=1)).expected
    assert [one.collides_with for one in found] == ([(2,), (1,)] if collide else [(), ()])


def test_a_plan_that_has_run_out_of_time_is_over(site: Site) -> None:
    add(site, DAILY, CHANGES, say="one")
    add(site, DAILY, CHANGES, say="other")
    first, second = upcoming(site, Ahead(days=1)).expected
    for seconds, collides in ((9, (2,)), (10, ())):
        later = replace(second, at=second.at + timedelta(seconds=seconds))
        assert with_collisions((first, later))[0].collides_with == collides


def test_what_is_folded_goes_on_until_its_last(site: Site) -> None:
    add(site, "daily at 00:00-23:59/60m in Asia/Tokyo", CHANGES)
    add(site, "daily at 18:00 in Asia/Tokyo", CHANGES)
    folded = upcoming(site, Ahead(until=datetime.fromisoformat("2026-12-02T00:00+09:00"), folded_in="Asia/Tokyo"))
    assert [one.collides_with for one in folded.expected[:2]] == [(2,), (1,)]


@pytest.mark.parametrize(
    ("others", "said"),
    [
        (5, "collides with schedule 2, 3, 4, 5, 6 on a node: one of them waits"),
        (7, "collides with schedules 2, 3, 4, 5, 6 and 2 more on a node: they wait for each other"),
    ],
)
def test_of_a_crowd_the_first_few_are_named(site: Site, others: int, said: str) -> None:
    add(site, DAILY, CHANGES, say="one")
    for number in range(others):
        add(site, DAILY, CHANGES, say=f"other {number}")
    one = upcoming(site, Ahead(days=1)).expected[0]
    assert [note.en for note in notes_of(one)] == [said]
    assert len(one.collides_with) == others


def test_a_frozen_occurrence_collides_with_nothing(site: Site) -> None:
    add(site, DAILY, CHANGES, say="one")
    add(site, DAILY, CHANGES, say="other")
    freeze(site, "2026-12-02T00:00+09:00", "2026-12-03T00:00+09:00", "changes")
    assert [one.collides_with for one in upcoming(site, Ahead(days=1)).expected] == [(), ()]


def test_a_plan_is_as_long_as_its_stages_one_after_the_other(site: Site) -> None:
    add(site, DAILY, STAGED)
    (one,) = upcoming(site, Ahead(days=1)).expected
    assert longest(one.plan) == timedelta(seconds=10 + 20)  # mars, then refresh and upgrade on venus
    first = replace(one.plan.steps[0], retries=2)
    retried = replace(one.plan, steps=(first, *one.plan.steps[1:]))
    assert longest(retried) == timedelta(seconds=3 * 10 + 10 + 20 + 20)  # with a pause before each other attempt
    assert changed_places(one.plan) == (("mars", "testhost"), ("venus", "testhost"))
    assert (one.nodes, one.actions) == (("mars", "venus"), ("packages.refresh", "packages.upgrade"))


def test_many_of_one_day_are_one_for_a_person_and_each_for_a_program(site: Site) -> None:
    add(site, "daily at 00:00-23:59/5m in Asia/Tokyo")
    folded = upcoming(site, Ahead(days=1, folded_in="Asia/Tokyo")).expected
    assert [(one.at.isoformat(timespec="minutes"), f"{one.last:%H:%M}", one.count) for one in folded] == [
        ("2026-12-01T10:05+09:00", "23:55", 167),
        ("2026-12-02T00:00+09:00", "10:00", 121),
    ]
    each = upcoming(site, Ahead(days=1)).expected
    assert len(each) == 167 + 121
    assert {one.count for one in each} == {1}


def test_a_freeze_divides_what_is_folded(site: Site) -> None:
    add(site, "daily at 00:00-23:59/60m in Asia/Tokyo", CHANGES)
    freeze(site, "2026-12-01T18:00+09:00", "2026-12-02T00:00+09:00", "changes")
    folded = upcoming(site, Ahead(until=datetime.fromisoformat("2026-12-01T23:30+09:00"), folded_in="Asia/Tokyo"))
    assert [(one.count, one.frozen) for one in folded.expected] == [(7, None), (6, "年末")]


def test_an_answer_is_cut_and_says_so(site: Site) -> None:
    add(site, "daily at 00:00-23:59/1m in Asia/Tokyo")
    forecast = upcoming(site, Ahead(days=7))
    assert (len(forecast.expected), forecast.more) == (MOST, True)
    assert instants(forecast)[-1] == "2026-12-02T02:40+09:00"


def test_jitter_is_in_it(site_at: Callable[[str], Site]) -> None:
    number = add(site_at(NOW), DAILY, jitter=timedelta(minutes=10))
    for minute in range(10):
        site = site_at(f"2026-12-02T03:{minute:02d}+09:00")
        assert upcoming(site, Ahead(days=2)).expected[0].at == schedules.show(site, str(number))[0].next[0]


def test_one_node(site: Site) -> None:
    add(site, DAILY, READS)
    add(site, DAILY, (Request("venus", "probe.ok"),))
    add(site, DAILY, STAGED)
    assert [one.row.schedule_id for one in upcoming(site, Ahead(days=1, node="venus")).expected] == [2, 3]
    assert upcoming(site, Ahead(days=1, node="jupiter")).expected == ()
    with pytest.raises(NotFound):
        upcoming(site, Ahead(node="pluto"))
