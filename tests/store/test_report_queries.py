"""The report's queries look at their day and no further: at 50,000 runs each finds it by an index range."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, LiteralString

import pytest
from installations import a_database, settings_for
from making import READS, add

from schedctl.store import page, report_agents, report_runs
from schedctl.usecases.site import Site, open_site

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MANY_SCHEDULES: Final = """
    INSERT INTO schedctl.schedule (state, instruction, task, rule, recurring, timezone, sameness, plan_id,
                                   settled_through, next_fire_at, computed_with, created_by, approved_at, approved_by)
    SELECT state, instruction, task, rule, recurring, timezone, sameness || n, plan_id, settled_through, next_fire_at,
           computed_with, created_by, approved_at, approved_by
      FROM schedctl.schedule, generate_series(2, 200) AS n
"""
MANY_RUNS: Final = """
    INSERT INTO schedctl.run (schedule_id, plan_id, trigger, scheduled_for, state, started_at, finished_at)
    SELECT 1 + n % 200, 1, 'timer', due, CASE WHEN n % 50 = 7 THEN 'failed' ELSE 'succeeded' END, due,
           due + interval '3 seconds'
      FROM generate_series(1, 50000) AS n,
           LATERAL (SELECT timestamptz '2026-09-01 00:00+09' + n * interval '155 seconds' AS due) AS at
"""
MANY_EVENTS: Final = """
    INSERT INTO schedctl.event (type, actor, at, detail)
    SELECT 'succeeded', 'schedctl', timestamptz '2026-09-01 00:00+09' + n * interval '155 seconds', '{"a": "a text"}'
      FROM generate_series(1, 50000) AS n
"""
MANY_SPENT: Final = """
    INSERT INTO schedctl.spent (at, subject, cycles, tokens)
    SELECT timestamptz '2026-09-01 00:00+09' + n * interval '15 minutes', 'agent ' || agent, 15, 15000
      FROM generate_series(1, 8640) AS n, generate_series(1, 6) AS agent
"""
START: Final = datetime.fromisoformat("2026-11-20T00:00+09:00")
END: Final = START + timedelta(days=1)
DAY: Final = {"start": START, "end": END, "ids": [1, 8, 15, 22], "cell_s": 900.0, "each": 5, "limit": 200}
WEEK: Final = {**DAY, "start": END - timedelta(days=7)}


@pytest.fixture(scope="module")
def filled(server: str, template: str) -> Iterator[Site]:
    """An installation of ninety days."""
    for dsn in a_database(server, template):
        with open_site(settings_for(dsn)) as site:
            add(site, "daily at 03:00 in Asia/Tokyo", READS)
            for query in (MANY_SCHEDULES, MANY_RUNS, MANY_EVENTS, MANY_SPENT):
                site.db.execute(query)
            site.db.execute("VACUUM ANALYZE schedctl.run, schedctl.event, schedctl.spent, schedctl.schedule")
            yield site


def plan_of(site: Site, query: LiteralString, values: Mapping[str, object]) -> str:
    """How the database would carry the query out."""
    return "\n".join(row[0] for row in site.db.execute("EXPLAIN " + query, values).fetchall())


@pytest.mark.parametrize("period", [DAY, WEEK], ids=["day", "week"])
@pytest.mark.parametrize("name", ["TOTALS", "FAILED_BY_HAND", "SCHEDULES", "CELLS", "TOOK", "FACTS", "NOT_RECOVERED"])
def test_the_runs_of_a_period_are_an_index_range(filled: Site, name: str, period: Mapping[str, object]) -> None:
    found = plan_of(filled, getattr(report_runs, name), period)
    assert "run_ended" in found
    assert "run_not_as_wished" not in found  # all that ever went wrong
    assert "Seq Scan on run" not in found


def test_what_is_usual_is_found_by_the_schedule(filled: Site) -> None:
    assert "run_by_schedule" in plan_of(filled, report_runs.TOOK, DAY)


def test_what_ran_beside_a_restart_is_an_index_range(filled: Site) -> None:
    found = plan_of(filled, report_agents.BESIDE, {"instants": [START + timedelta(hours=hour) for hour in range(20)]})
    assert "run_ended" in found
    assert "Seq Scan on run" not in found


def test_the_events_of_a_day_are_a_stretch_of_the_table(filled: Site) -> None:
    values = {"start": START, "end": END, "types": ["failed", "recovered"], "limit": 100}
    found = plan_of(filled, report_agents.EVENTS, values)
    assert "event_by_time" in found
    assert "Seq Scan on event" not in found.replace("Seq Scan on event_type", "")


def test_whether_a_page_is_still_right_is_asked_of_its_last_minutes(filled: Site) -> None:
    found = plan_of(filled, page.OTHERWISE_SINCE, {"since": END, "types": ["paused", "archived"]})
    assert "run_ended" in found
    assert "event_by_time" in found
    assert "Seq Scan" not in found


def test_what_was_spent_in_two_weeks_is_an_index_range(filled: Site) -> None:
    starts = [START - timedelta(days=back) for back in range(14)]
    values = {"starts": starts[::-1], "start": starts[-1], "end": END}
    found = plan_of(filled, report_agents.SPENT, values)
    assert "Seq Scan on spent" not in found
    assert "Join" not in found


def test_what_ends_finds_its_index_and_what_fires_pays_nothing(filled: Site) -> None:
    """The index on the end holds ended runs alone: a run that is enqueued adds nothing to it."""
    row = filled.db.execute("SELECT indexdef FROM pg_indexes WHERE indexname = 'run_ended'").fetchone()
    assert row is not None
    assert row[0].endswith("(finished_at) WHERE (finished_at IS NOT NULL)")
