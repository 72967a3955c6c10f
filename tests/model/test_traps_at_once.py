"""Many processes at the same moment: each occurrence fires once, and each first command finds a whole installation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from installations import runs_of, settings_for
from making import CHANGES, READS, add

from schedctl.store import schema
from schedctl.usecases import installation
from schedctl.usecases.site import open_site

if TYPE_CHECKING:
    from collections.abc import Callable

    from at_once import AtOnce

    from schedctl.usecases.site import Site

BEFORE = "2026-12-01T10:00+09:00"
TICK = "schedctl.usecases.tick.BATCH"
DAILY = "daily at 03:00 in Asia/Tokyo"
MINUTELY = "daily at 00:00-23:59/1m in Asia/Tokyo"
ONCE = "once 2026-12-02T03:00:00+09:00 in Asia/Tokyo"
COPIES = """
    INSERT INTO schedctl.schedule (state, instruction, task, rule, recurring, timezone, sameness, plan_id, overlap,
                                   settled_through, next_fire_at, computed_with, created_by, approved_at, approved_by)
    SELECT state, instruction, task, rule, recurring, timezone, sameness || n, plan_id, overlap,
           settled_through, next_fire_at, computed_with, created_by, approved_at, approved_by
      FROM schedctl.schedule, generate_series(2, %s) AS n
"""
ROUNDS = [pytest.param(3, id="three"), pytest.param(20, id="twenty", marks=pytest.mark.long)]


@pytest.mark.parametrize("rounds", ROUNDS)
def test_ten_ticks_at_once_fire_a_thousand_schedules_once_each(
    site_at: Callable[[str], Site], database: str, at_once: AtOnce, rounds: int
) -> None:
    """Small batches, so that several ticks get rows in each round."""
    start = site_at(BEFORE)
    installation.arm(start, None)
    add(start, MINUTELY, overlap="allow")
    start.db.execute(COPIES, (1000,))
    shared = 0
    for minute in range(1, rounds + 1):
        now = f"2026-12-01T10:{minute:02}:05+09:00"
        ended = at_once.run(database, "tick", "--json", times=10, now=now, patches={TICK: 50})
        assert [one.code for one in ended] == [0] * 10, [one.output for one in ended]
        fired = [one.json["fired"] for one in ended]
        shared += sum(number > 0 for number in fired)
        assert sum(fired) == 1000
        found = start.db.execute("SELECT count(*), count(DISTINCT (schedule_id, scheduled_for)) FROM schedctl.run")
        assert found.fetchone() == (1000 * minute, 1000 * minute)
    assert shared >= 2 * rounds  # else they came one after the other, and nothing was tried


@pytest.mark.parametrize("rounds", [pytest.param(2, id="two"), pytest.param(50, id="fifty", marks=pytest.mark.long)])
def test_of_ten_ticks_one_fires_and_only_that_one_says_so(
    site_at: Callable[[str], Site], database: str, at_once: AtOnce, rounds: int
) -> None:
    """Traps kubernetes#62772, solid_queue#636, hermes-agent#59446: a one-shot like any other, and what is said too."""
    start = site_at(BEFORE)
    installation.arm(start, None)
    for number in range(1, rounds + 1):
        for line in (DAILY, ONCE):
            add(start, line, CHANGES, say=f"plan {number} {line}")
        ended = at_once.run(database, "tick", "--json", times=10, now="2026-12-02T03:00:01+09:00")
        assert [one.code for one in ended] == [0] * 10
        assert sum(one.json["fired"] for one in ended) == 2
        assert all(one.json["warnings"] == [] for one in ended)
        assert len(runs_of(start)) == 2 * number


def test_twenty_first_commands_at_once_all_succeed(empty_database: str, at_once: AtOnce) -> None:
    ended = at_once.run(empty_database, "tick", "--json", times=20)
    assert [one.code for one in ended] == [0] * 20, [one.output for one in ended if one.code]
    with open_site(settings_for(empty_database)) as site:
        assert site.db.execute("SELECT count(*) FROM schedctl.catalog").fetchone() == (1,)
        assert site.db.execute("SELECT count(*) FROM schedctl.installation").fetchone() == (1,)
        add(site, DAILY, READS)


def test_a_later_command_takes_no_lock_for_the_schema(database: str, at_once: AtOnce) -> None:
    with open_site(settings_for(database)) as site, site.transaction():
        site.db.execute(schema.SERIALISE)
        (ended,) = at_once.run(database, "tick", "--json")
    assert ended.code == 0, ended.output
