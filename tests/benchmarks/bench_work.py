"""What carrying out costs: legs a second with everything stored, claims alone, and the time to the first command.

    python tests/benchmarks/bench_work.py [--legs 10000] [--slots 16] [--workers 8] [--rounds 5]

Not a test: prints rates, and beside them what starting /bin/true alone costs this machine at this moment.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

HOME = Path(__file__).parents[2]
sys.path[:0] = [str(HOME), str(HOME / "tests" / "support")]

from installations import settings_for  # noqa: E402 - after the path
from making import add  # noqa: E402

from schedctl.plan.request import Request  # noqa: E402
from schedctl.store import claims, database  # noqa: E402
from schedctl.store.embedded import drop_links, dsn  # noqa: E402
from schedctl.store.embedded_cluster import create_cluster, start_server, stop_server  # noqa: E402
from schedctl.usecases import installation  # noqa: E402
from schedctl.usecases.site import open_site  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

CATALOG = {
    "nodes.toml": '[nodes.here]\ntransport = "local"\nlabel = { ja = "ここ", en = "here" }\n',
    "calendar.toml": 'country = "JP"\n',
    "policy.toml": "approval = []\n",
    "actions/bench.toml": """
["bench.true"]
label = { ja = "何もしない", en = "do nothing" }
risk = "reads"
timeout = "30s"
argv = ["/bin/true"]

["bench.clock"]
label = { ja = "時刻を言う", en = "tell the time" }
risk = "reads"
timeout = "30s"
argv = ["/bin/date", "+%s.%N"]
""",
}
QUEUE = """
    WITH made AS (
        INSERT INTO schedctl.run (schedule_id, plan_id, trigger, state)
        SELECT schedule_id, plan_id, 'manual', 'queued' FROM schedctl.schedule, generate_series(1, %s)
         WHERE schedule_id = 1
        RETURNING run_id, plan_id, created_at)
    INSERT INTO schedctl.leg (run_id, position, stage, node, host, changes, due_at)
    SELECT run_id, position, stage, node, host, changes, created_at FROM made JOIN schedctl.plan_leg USING (plan_id)
"""
MAKE_DUE = """
    UPDATE schedctl.schedule
       SET settled_through = now() - interval '1 day', next_fire_at = date_trunc('minute', now()),
           rule = 'daily at ' || to_char(now() AT TIME ZONE 'Asia/Tokyo', 'HH24:MI') || ' in Asia/Tokyo'
     WHERE schedule_id = 2
"""
SAID = """
    SELECT convert_from(stdout_head, 'UTF8')::float FROM schedctl.step JOIN schedctl.leg USING (leg_id)
      JOIN schedctl.run USING (run_id) WHERE run.schedule_id = 2 ORDER BY leg_id DESC LIMIT 1
"""


def main() -> None:
    """Measure on a server of its own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--legs", type=int, default=10_000)
    parser.add_argument("--slots", type=int, default=16)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="schedctl-bench-") as folder:
        data, sockets, catalog = (Path(folder) / name for name in ("data", "run", "catalog"))
        sockets.mkdir(mode=0o700)
        for name, text in CATALOG.items():
            (catalog / name).parent.mkdir(parents=True, exist_ok=True)
            (catalog / name).write_text(text, encoding="utf-8")
        create_cluster(data, durable=False)
        start_server(data, sockets, {"fsync": "off"})
        try:
            prepare(dsn(sockets), catalog)
            environment = {**os.environ, "SCHEDCTL_DSN": dsn(sockets), "SCHEDCTL_CATALOG": str(catalog)}
            environment |= {"PYTHONPATH": str(HOME), "SCHEDCTL_HOST": "bench"}
            measure(dsn(sockets), environment, wanted)
        finally:
            stop_server(data, "immediate")
            drop_links(sockets)


def prepare(server: str, catalog: Path) -> None:
    """Two schedules: one whose runs are queued by hand, one that is made due."""
    with open_site(settings_for(server, host="bench", catalog=catalog)) as site:
        installation.arm(site, None)
        add(site, "daily at 03:00 in Asia/Tokyo", (Request("here", "bench.true"),), say="true")
        add(site, "daily at 03:00 in Asia/Tokyo", (Request("here", "bench.clock"),), say="clock")
        site.db.execute("UPDATE schedctl.installation SET armed_since = now() - interval '1 day'")


def measure(server: str, environment: dict[str, str], wanted: argparse.Namespace) -> None:
    """All three, and the machine beside them."""
    with psycopg.connect(server, autocommit=True) as db:
        bare = wanted.legs / took(lambda: start_bare(wanted.legs, wanted.slots))
        print(f"/bin/true alone, {wanted.slots} at a time      {bare:8.0f} /s")
        db.execute(QUEUE, (wanted.legs,))
        db.execute("VACUUM ANALYZE")
        command = [sys.executable, "-m", "schedctl", "work", "--drain", "--slots", str(wanted.slots), "--json"]
        drained = wanted.legs / took(lambda: run(command, environment))
        whole = db.execute("SELECT count(*) FROM schedctl.step WHERE state = 'succeeded'").fetchone()
        if whole != (wanted.legs,):
            raise SystemExit(f"{whole} steps stored")
        print(f"work --drain --slots {wanted.slots}            {drained:8.0f} legs/s   {drained / bare:5.2f}x")
        for most in (1, wanted.slots):
            db.execute("TRUNCATE schedctl.run, schedctl.leg, schedctl.step CASCADE")
            db.execute(QUEUE, (wanted.legs,))
            db.execute("VACUUM ANALYZE")
            seconds = took(lambda most=most: claim_all(server, wanted.workers, most))
            print(f"claims alone, {wanted.workers} workers, {most:2} at a time {wanted.legs / seconds:8.0f} /s")
        first, tick = (seconds * 1000 for seconds in first_command(db, environment, wanted.rounds))
        print(f"tick and work, first command after {first:8.0f} ms (median); the tick ended after {tick:.0f} ms")
        imports = [sys.executable, "-c", "import psycopg"]
        alone = statistics.median(took(lambda: run(imports, environment)) for _ in range(wanted.rounds)) * 1000
        print(f"python that only imports psycopg   {alone:8.0f} ms (median)     {first / alone:5.2f}x")


def took(act: Callable[[], None]) -> float:
    """Wall seconds."""
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def run(command: list[str], environment: dict[str, str]) -> None:
    """One process, to its end."""
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)


def start_bare(times: int, slots: int) -> None:
    """What Python alone costs to start a command and wait for it."""
    with ThreadPoolExecutor(slots) as pool:
        for _ in pool.map(lambda _: subprocess.run(["/bin/true"], capture_output=True, check=True), range(times)):
            pass


def claim_all(server: str, workers: int, most: int) -> None:
    """Processes that claim until nothing is left."""
    processes = [multiprocessing.Process(target=claim_until_none, args=(server, str(n), most)) for n in range(workers)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()


def claim_until_none(server: str, name: str, most: int) -> None:
    """One worker that only claims."""
    with database.connect(server) as db:
        while claims.claim(db, None, name, "bench", most, None, None):
            pass


def first_command(db: psycopg.Connection, environment: dict[str, str], rounds: int) -> tuple[float, float]:
    """Seconds from the start of a tick's process to the start of the command, and to the tick's end; the medians."""
    first: list[float] = []
    tick: list[float] = []
    for _ in range(rounds):
        db.execute("TRUNCATE schedctl.run, schedctl.leg, schedctl.step CASCADE")
        db.execute(MAKE_DUE)
        begun = time.time()  # of the same clock as date(1)
        run([sys.executable, "-m", "schedctl", "tick"], environment)
        tick.append(time.time() - begun)
        run([sys.executable, "-m", "schedctl", "work", "--drain"], environment)
        row = db.execute(SAID).fetchone()
        if row is None:
            raise SystemExit("nothing was carried out")
        first.append(row[0] - begun)
    return statistics.median(first), statistics.median(tick)


if __name__ == "__main__":
    main()
