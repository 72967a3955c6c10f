"""What a tick costs: with nothing due and many schedules stored, and with many due at once. Ratios within one run.

    python tests/benchmarks/bench_tick.py [--stored 100000] [--due 10000] [--rounds 30]

Not a test: prints medians of CPU and wall time of whole processes, beside `python -c pass` of the same interpreter.
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

import psycopg

HOME = Path(__file__).parents[2]
sys.path[:0] = [str(HOME), str(HOME / "tests" / "support")]

from installations import settings_for  # noqa: E402 - after the path
from making import READS, add  # noqa: E402

from schedctl.store.embedded import drop_links, dsn  # noqa: E402
from schedctl.store.embedded_cluster import create_cluster, start_server, stop_server  # noqa: E402
from schedctl.usecases import installation  # noqa: E402
from schedctl.usecases.site import open_site  # noqa: E402

COPY = """
    INSERT INTO schedctl.schedule (state, instruction, task, rule, recurring, timezone, sameness, plan_id,
                                   settled_through, next_fire_at, computed_with, created_by, approved_at, approved_by)
    SELECT state, instruction, task, rule, recurring, timezone, sameness || ' ' || n, plan_id, settled_through,
           next_fire_at, computed_with, created_by, approved_at, approved_by
      FROM schedctl.schedule, generate_series(2, %s) AS n WHERE schedule_id = 1
"""
MAKE_DUE = """
    UPDATE schedctl.schedule
       SET settled_through = now() - interval '1 day',
           next_fire_at = CASE WHEN schedule_id <= %(due)s THEN date_trunc('minute', now()) - interval '1 minute'
                               ELSE now() + interval '1 day' END,
           rule = CASE WHEN %(a_rule_each)s
                       THEN 'daily every 3 from ' || tokyo::date - 3 * (schedule_id::int %% 40000)
                       ELSE 'daily' END || to_char(tokyo, '" at "HH24:MI" in Asia/Tokyo"')
      FROM (SELECT now() AT TIME ZONE 'Asia/Tokyo' - interval '1 minute') AS due (tokyo)
"""


def spent(command: list[str], environment: dict[str, str]) -> tuple[float, float, int]:
    """CPU seconds, wall seconds and peak memory (kB) of one process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    if status:
        raise SystemExit(f"{command} ended with {status}")
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss


def line(name: str, runs: list[tuple[float, float, int]], base: list[tuple[float, float, int]]) -> None:
    """Print the medians of one command, and their ratio to the base."""
    cpu, wall = (statistics.median(run[index] for run in runs) for index in (0, 1))
    base_cpu, base_wall = (statistics.median(run[index] for run in base) for index in (0, 1))
    memory = max(run[2] for run in runs) / 1024
    ratio = f"{cpu / base_cpu:5.2f}x CPU {wall / base_wall:5.2f}x wall"
    print(f"{name:38} {cpu * 1000:8.1f} ms CPU {wall * 1000:8.1f} ms wall {memory:6.1f} MB   {ratio}")


def main() -> None:
    """Measure on a server of its own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--stored", type=int, default=100_000)
    parser.add_argument("--due", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=30)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="schedctl-bench-") as folder:
        data, sockets = Path(folder) / "data", Path(folder) / "run"
        sockets.mkdir(mode=0o700)
        create_cluster(data, durable=False)
        start_server(data, sockets, {"fsync": "off"})
        try:
            measure(dsn(sockets), wanted)
        finally:
            stop_server(data, "immediate")
            drop_links(sockets)


def measure(server: str, wanted: argparse.Namespace) -> None:
    """Store, tick idle in turn with the base, then tick with many due."""
    environment = {**os.environ, "SCHEDCTL_DSN": server, "PYTHONPATH": str(HOME), "SCHEDCTL_HOST": "bench"}
    tick = [sys.executable, "-m", "schedctl", "tick"]
    with open_site(settings_for(server, host="bench")) as site:
        installation.arm(site, None)
        add(site, "daily at 03:00 in Asia/Tokyo", READS)
    with psycopg.connect(server, autocommit=True) as db:
        db.execute(COPY, (wanted.stored,))
        db.execute("UPDATE schedctl.installation SET armed_since = now() - interval '1 day'")
        db.execute("UPDATE schedctl.schedule SET next_fire_at = now() + interval '1 day'")
        db.execute("VACUUM ANALYZE schedctl.schedule")
        nothing, idle = [], []
        for _ in range(wanted.rounds):
            nothing.append(spent([sys.executable, "-c", "pass"], environment))
            idle.append(spent(tick, environment))
        line("python -c pass", nothing, nothing)
        line(f"tick, nothing due, {wanted.stored} stored", idle, nothing)
        for a_rule_each in (False, True):
            due = [fire(db, tick, environment, wanted.due, a_rule_each) for _ in range(3)]
            line(f"tick, {wanted.due} due, {'a rule each' if a_rule_each else 'one rule'}", due, nothing)


def fire(
    db: psycopg.Connection, tick: list[str], environment: dict[str, str], due: int, a_rule_each: bool
) -> tuple[float, float, int]:
    """What one tick spends that finds so many due."""
    db.execute("TRUNCATE schedctl.run, schedctl.leg, schedctl.step CASCADE")
    db.execute(MAKE_DUE, {"due": due, "a_rule_each": a_rule_each})
    db.execute("VACUUM ANALYZE schedctl.schedule")
    fired = spent(tick, environment)
    row = db.execute("SELECT count(*) FROM schedctl.leg").fetchone()
    if row != (due,):
        raise SystemExit(f"{row} fired")
    return fired


main()
