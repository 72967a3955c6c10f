"""How long a day's and a week's report take at 1,000,000 runs over 90 days, and a glance with and without one to come.

    .venv/bin/python tests/benchmarks/bench_report.py [RUNS]

Prints the slowest of five and the database's share of it.
"""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1] / "support")]

import own_server  # noqa: E402 - found by the path above
import psycopg  # noqa: E402
from installations import settings_for  # noqa: E402 - found by the path above
from making import READS, add  # noqa: E402 - found by the path above
from psycopg.conninfo import make_conninfo  # noqa: E402

from schedctl.cli.start import SCHEMA_VERSION  # noqa: E402 - found by the path above
from schedctl.redact import Redactor  # noqa: E402 - found by the path above
from schedctl.usecases import installation  # noqa: E402 - found by the path above
from schedctl.usecases.report import Wanted, make  # noqa: E402 - found by the path above
from schedctl.usecases.site import Site, open_site  # noqa: E402 - found by the path above

if TYPE_CHECKING:
    from collections.abc import Generator

SCHEDULES = 2000
DAYS = 90
FILL_SCHEDULES = """
    INSERT INTO schedctl.schedule (state, instruction, task, rule, recurring, timezone, sameness, plan_id,
                                   settled_through, next_fire_at, computed_with, created_by, approved_at, approved_by)
    SELECT state, instruction || n, task, rule, recurring, timezone, sameness || n, plan_id, settled_through,
           next_fire_at, computed_with, created_by, approved_at, approved_by
      FROM schedctl.schedule, generate_series(2, %(schedules)s) AS n WHERE schedule_id = 1
"""
# Each schedule runs evenly through the days; one run in fifty fails.
FILL_RUNS = """
    INSERT INTO schedctl.run (schedule_id, plan_id, trigger, scheduled_for, state, started_at, finished_at, created_at)
    SELECT 1 + n %% %(schedules)s, 1, 'timer', due, CASE WHEN n %% 50 = 7 THEN 'failed' ELSE 'succeeded' END,
           due + interval '1 second', due + make_interval(secs => 3 + n %% 17), due
      FROM generate_series(0, %(runs)s - 1) AS n,
           LATERAL (SELECT date_trunc('day', now()) - interval '1 day' * %(days)s
                           + n * (interval '1 day' * %(days)s / %(runs)s) AS due) AS at
"""
FILL_EVENTS = """
    INSERT INTO schedctl.event (type, actor, at, schedule_id)
    SELECT 'succeeded', 'schedctl', scheduled_for, schedule_id FROM schedctl.run WHERE run_id %% 10 = 0 ORDER BY run_id
"""
FILL_SPENT = """
    INSERT INTO schedctl.spent (at, subject, cycles, tokens)
    SELECT quarter, 'agent a' || n, 15, 15000 FROM generate_series(1, 20) AS n,
           generate_series(date_trunc('day', now()) - interval '90 days', now(), interval '15 minutes') AS quarter
"""


def fill(site: Site, runs: int) -> None:
    """The installation after ninety days."""
    installation.arm(site, None)
    add(site, "daily at 03:00 in Asia/Tokyo", READS)
    values = {"schedules": SCHEDULES, "runs": runs, "days": DAYS}
    db = site.db
    db.execute("SET session_replication_role = replica")  # what triggers tell is no part of this
    for query in (FILL_SCHEDULES, FILL_RUNS, FILL_EVENTS, FILL_SPENT):
        db.execute(query, values)
    db.execute("SET session_replication_role = origin")
    db.execute("VACUUM ANALYZE")


class Timed(psycopg.Cursor[Any]):
    """Adds up how long the database takes."""

    seconds = 0.0

    def execute(self, *args: Any, **options: Any) -> Timed:
        begin = time.perf_counter()
        try:
            super().execute(*args, **options)
        finally:
            Timed.seconds += time.perf_counter() - begin
        return self


def measure(site: Site, wanted: Wanted) -> tuple[float, float]:
    """The whole report and the database's part of it, in seconds."""
    site.db.cursor_factory = Timed
    Timed.seconds = 0.0
    begin = time.perf_counter()
    make(site, wanted, Redactor())
    return time.perf_counter() - begin, Timed.seconds


@contextmanager
def installed() -> Generator[Site]:
    with own_server.running() as server:
        with psycopg.connect(server.dsn, autocommit=True) as db:
            db.execute("CREATE DATABASE bench ENCODING 'UTF8' TEMPLATE template0")
        with open_site(settings_for(make_conninfo(server.dsn, dbname="bench"))) as site:
            yield site


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with installed() as site:
        begin = time.perf_counter()
        fill(site, runs)
        print(
            f"{runs:,} runs of {SCHEDULES:,} schedules over {DAYS} days, filled in {time.perf_counter() - begin:.0f} s"
        )
        for wanted in (Wanted(), Wanted("week")):
            times = [measure(site, wanted) for _ in range(5)]
            whole, database = max(times)
            print(f"{wanted.kind}: {whole:.2f} s, of which the database {database:.2f} s (slowest of five)")
        glance = "SELECT schedctl.glance('tick', 'bench', %s)"
        site.db.execute("UPDATE schedctl.reporting SET hour = '08:00', due_at = now() + interval '1 hour'")
        site.db.execute("UPDATE schedctl.schedule SET next_fire_at = now() + interval '1 hour'")
        for hour in ("'08:00'", "NULL"):
            site.db.execute(f"UPDATE schedctl.reporting SET hour = {hour}")  # noqa: S608 - written here
            begin = time.perf_counter()
            for _ in range(1000):
                site.db.execute(glance, (SCHEMA_VERSION,))
            print(f"a glance, hour {hour}: {time.perf_counter() - begin:.3f} ms")


if __name__ == "__main__":
    main()
