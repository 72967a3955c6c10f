"""What years of history cost a tick and a worker: the same questions over few runs and over many, in one run.

    python tests/benchmarks/bench_history.py [--few 50000] [--many 5000000] [--rounds 200]

Not a test: prints what the database's answers take in milliseconds (medians) and how many pages they look at, which no
load of the machine changes; and the CPU of a whole idle tick.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import LiteralString

import psycopg

HOME = Path(__file__).parents[2]
sys.path[:0] = [str(HOME), str(HOME / "tests" / "support")]

from installations import settings_for  # noqa: E402 - after the path
from making import READS, add  # noqa: E402

from schedctl.cli.start import SCHEMA_VERSION  # noqa: E402
from schedctl.store.embedded import drop_links, dsn  # noqa: E402
from schedctl.store.embedded_cluster import create_cluster, start_server, stop_server  # noqa: E402
from schedctl.usecases import installation  # noqa: E402
from schedctl.usecases.site import open_site  # noqa: E402

# Without the triggers that would look at each row: what a finished run is, the statement says.
MANY_RUNS: LiteralString = """
    INSERT INTO schedctl.run (schedule_id, plan_id, trigger, scheduled_for, state, started_at, finished_at)
    SELECT 1 + n %% 1000, 1, 'timer', at, CASE n %% 50 WHEN 0 THEN 'failed' ELSE 'succeeded' END, at, at
      FROM generate_series(%s::bigint, %s::bigint) AS n, LATERAL (SELECT now() - n * interval '15 s') AS run (at)
"""
MANY_LEGS: LiteralString = """
    INSERT INTO schedctl.leg (run_id, position, stage, node, changes, state, due_at, claimed_at, finished_at)
    SELECT run_id, 0, 0, 'mars', false, state, scheduled_for, scheduled_for, finished_at
      FROM schedctl.run WHERE NOT EXISTS (SELECT FROM schedctl.leg WHERE leg.run_id = run.run_id)
"""
SCHEDULES: LiteralString = """
    INSERT INTO schedctl.schedule (state, instruction, task, rule, recurring, timezone, sameness, plan_id,
                                   settled_through, next_fire_at, computed_with, created_by, approved_at, approved_by)
    SELECT state, instruction, task, rule, recurring, timezone, sameness || n, plan_id, settled_through,
           now() + interval '1 day', computed_with, created_by, approved_at, approved_by
      FROM schedctl.schedule, generate_series(2, 1000) AS n
"""
QUEUE: LiteralString = """
    WITH made AS (
        INSERT INTO schedctl.run (schedule_id, plan_id, trigger, state) VALUES (1, 1, 'manual', 'queued')
        RETURNING run_id)
    INSERT INTO schedctl.leg (run_id, position, stage, node, changes, due_at)
    SELECT run_id, 0, 0, 'mars', false, now() FROM made
"""
END: tuple[LiteralString, ...] = (
    "UPDATE schedctl.leg SET state = 'succeeded', holds_node = false, finished_at = now() WHERE state = 'running'",
    "UPDATE schedctl.run SET state = 'succeeded', finished_at = now() WHERE state = 'running'",
)
ASKED: dict[str, tuple[LiteralString, tuple[int, ...]]] = {
    "an idle tick's question": ("SELECT schedctl.glance('tick', 'bench', %s)", (SCHEMA_VERSION,)),
    "an idle worker's question": ("SELECT schedctl.glance_work('bench', NULL, %s)", (SCHEMA_VERSION,)),
    "a claim with its first step": ("SELECT * FROM schedctl.claim_several('w', 'bench', 16)", ()),
}


def main() -> None:
    """Measure on a server of its own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--few", type=int, default=50_000)
    parser.add_argument("--many", type=int, default=5_000_000)
    parser.add_argument("--rounds", type=int, default=200)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="schedctl-bench-") as folder:
        data, sockets = Path(folder) / "data", Path(folder) / "run"
        sockets.mkdir(mode=0o700)
        create_cluster(data, durable=False)
        start_server(data, sockets, {"fsync": "off", "max_wal_size": "4GB", "maintenance_work_mem": "256MB"})
        try:
            measure(dsn(sockets), wanted)
        finally:
            stop_server(data, "immediate")
            drop_links(sockets)


def measure(server: str, wanted: argparse.Namespace) -> None:
    """Both sizes, one after the other."""
    with open_site(settings_for(server, host="bench")) as site:
        installation.arm(site, None)
        add(site, "daily at 03:00 in Asia/Tokyo", READS)
        site.db.execute(SCHEDULES)
    with psycopg.connect(server, autocommit=True) as db:
        few = at_size(db, server, 1, wanted.few, wanted.rounds)
        many = at_size(db, server, wanted.few + 1, wanted.many, wanted.rounds)
    for name, before in few.items():
        ratio = many[name] / before
        print(f"{name:38} {before:8.3f} at {wanted.few:,}   {many[name]:8.3f} at {wanted.many:,}   {ratio:5.2f}x")


def at_size(db: psycopg.Connection, server: str, first: int, last: int, rounds: int) -> dict[str, float]:
    """The medians with so many runs stored."""
    db.execute("SET session_replication_role = replica")
    db.execute(MANY_RUNS, (first, last))
    db.execute(MANY_LEGS)
    db.execute("SET session_replication_role = origin")
    db.execute("VACUUM ANALYZE")
    found: dict[str, float] = {}
    for name, (query, values) in ASKED.items():
        found[f"{name}, ms"] = median_ms(db, query, values, rounds)
        found[f"{name}, pages"] = pages(db, query, values)
        for statement in END:
            db.execute(statement)
    return found | {"an idle tick, ms of CPU": tick_ms(server)}


def pages(db: psycopg.Connection, query: LiteralString, values: tuple[int, ...]) -> float:
    """How many pages of tables and indexes the answer looks at, each as often as it is looked at."""
    if "claim" in query:
        db.execute(QUEUE)
    row = db.execute("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + query, values).fetchone()
    plan = row[0][0]["Plan"] if row else {}
    return float(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])


def median_ms(db: psycopg.Connection, query: LiteralString, values: tuple[int, ...], rounds: int) -> float:
    """How long the database takes to answer; what a claim takes is queued before."""
    taken: list[float] = []
    for _ in range(rounds):
        if "claim" in query:
            db.execute(QUEUE)
        start = time.perf_counter()
        rows = db.execute(query, values).fetchall()
        taken.append((time.perf_counter() - start) * 1000)
        if len(rows) != 1 or rows[0][0] == "busy":
            raise SystemExit(f"{rows} from {query}")
    return statistics.median(taken)


def tick_ms(server: str) -> float:
    """The CPU of a whole tick that finds nothing due; the median of twenty."""
    environment = {**os.environ, "SCHEDCTL_DSN": server, "PYTHONPATH": str(HOME), "SCHEDCTL_HOST": "bench"}
    spent: list[float] = []
    for _ in range(20):
        process = subprocess.Popen(
            [sys.executable, "-m", "schedctl", "tick"], env=environment, stdout=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit("a tick failed")
        spent.append((usage.ru_utime + usage.ru_stime) * 1000)
    return statistics.median(spent)


if __name__ == "__main__":
    main()
