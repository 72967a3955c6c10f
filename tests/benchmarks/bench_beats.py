"""What beats cost: many agents beating every second, each beat one HOT update; and judging them all at once.

    python tests/benchmarks/bench_beats.py [--agents 1000] [--seconds 10] [--connections 4]

Not a test: prints the time of a beat in the database and over a connection, how many updates were HOT, how large the
table became, and what one judging of all agents costs.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import LiteralString

import psycopg
from psycopg.sql import SQL, Composed

HOME = Path(__file__).parents[2]
sys.path[:0] = [str(HOME), str(HOME / "tests" / "support")]

from installations import settings_for  # noqa: E402 - after the path

from schedctl.catalog.model import Agent  # noqa: E402
from schedctl.language import Text  # noqa: E402
from schedctl.store import agents  # noqa: E402
from schedctl.store.embedded import drop_links, dsn  # noqa: E402
from schedctl.store.embedded_cluster import create_cluster, start_server, stop_server  # noqa: E402
from schedctl.usecases.site import open_site  # noqa: E402

BEAT = "SELECT schedctl.beat(%s, 'ok', 1200, 'at work')"
IN_DATABASE = """
    DO $$ DECLARE n int; BEGIN
        FOR n IN 1..10000 LOOP PERFORM schedctl.beat('agent-' || n % {count}, 'ok', 1200, 'at work'); COMMIT; END LOOP;
    END $$
"""
UPDATES = """
    SELECT n_tup_upd, n_tup_hot_upd, pg_table_size(relid) FROM pg_stat_user_tables
     WHERE schemaname = 'schedctl' AND relname = 'agent'
"""


def beat_for(dsn: str, names: list[str], seconds: int, took: list[float]) -> None:
    """Let these agents beat once a second, over one connection."""
    with psycopg.connect(dsn, autocommit=True) as db:
        for second in range(seconds):
            starts_at = time.perf_counter()
            for name in names:
                before = time.perf_counter()
                db.execute(BEAT, (name,))
                took.append(time.perf_counter() - before)
            left = 1 - (time.perf_counter() - starts_at)
            if left < 0:
                print(f"  {len(names)} beats in second {second} took {1 - left:.2f} s")
            time.sleep(max(0.0, left))


def main() -> None:
    """Measure on a server of its own, with its default durability."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--agents", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--connections", type=int, default=4)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="schedctl-bench-") as folder:
        data, sockets = Path(folder) / "data", Path(folder) / "run"
        sockets.mkdir(mode=0o700)
        create_cluster(data, durable=True)
        start_server(data, sockets, {})
        try:
            measure(dsn(sockets), wanted)
        finally:
            stop_server(data, "immediate")
            drop_links(sockets)


def measure(server: str, wanted: argparse.Namespace) -> None:
    """Watch the agents, let them beat, judge them."""
    names = [f"agent-{number}" for number in range(wanted.agents)]
    with open_site(settings_for(server)) as site, site.transaction():
        agents.watch(site.db, tuple(Agent(name, Text(name, name)) for name in names), {})
    took: list[float] = []
    threads = [
        threading.Thread(target=beat_for, args=(server, names[one :: wanted.connections], wanted.seconds, took))
        for one in range(wanted.connections)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with psycopg.connect(server, autocommit=True) as db:
        time.sleep(1.5)  # the beating sessions' counts arrive with their end
        row = db.execute(UPDATES).fetchone()
        if row is None:
            raise SystemExit("the table has no statistics")
        updates, hot, size = row
        print(f"{len(took)} beats of {wanted.agents} agents in {wanted.seconds} s, {hot / updates:.2%} HOT")
        print(f"table: {size / 1024:.0f} kB, {size / wanted.agents:.0f} B an agent")
        cuts = statistics.quantiles(took, n=100)
        print(
            f"a beat over a connection, with its commit: median {cuts[49] * 1e3:.2f} ms, 99th {cuts[98] * 1e3:.2f} ms"
        )
        db.execute("SET synchronous_commit = off")
        alone = timed(db, SQL(IN_DATABASE).format(count=wanted.agents))
        print(f"a beat in the database, alone: {alone / 10_000 * 1e3:.3f} ms")
        judge = [timed(db, agents.JUDGE) for _ in range(20)]
        print(f"judging {wanted.agents} agents that are well: {statistics.median(judge) * 1e3:.2f} ms")
        db.execute("UPDATE schedctl.agent SET beat_at = now() - interval '1 hour', watched_since = '-infinity'")
        print(f"judging {wanted.agents} agents that fell silent at once: {timed(db, agents.JUDGE) * 1e3:.2f} ms")


def timed(db: psycopg.Connection, statement: LiteralString | Composed) -> float:
    """How long a statement takes, in seconds."""
    before = time.perf_counter()
    db.execute(statement)
    return time.perf_counter() - before


main()
