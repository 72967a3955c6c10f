"""A drain beside its peers, on one server and in one run: how many a second each takes, carries out and records.

    python tests/benchmarks/bench_drain_peers.py [--jobs 10000] [--at-a-time 16]
                                                 [--procrastinate PYTHON] [--graphile DIR]

`--procrastinate` is an interpreter that can import it (default: this one), `--graphile` a folder where
`npm install graphile-worker` was run; whichever is missing is skipped. Not a test, and not the same work: a job of
theirs calls a function that does nothing, a leg of ours starts `/bin/true` and keeps its output.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

HOME = Path(__file__).parents[2]
sys.path[:0] = [str(HOME), str(HOME / "tests" / "support"), str(HOME / "tests" / "benchmarks")]

from bench_work import CATALOG, QUEUE, prepare  # noqa: E402 - after the path

from schedctl.store.embedded import drop_links, dsn  # noqa: E402
from schedctl.store.embedded_cluster import create_cluster, start_server, stop_server  # noqa: E402

PROCRASTINATE = """
import sys, time, procrastinate
server, jobs, at_a_time = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
sync = procrastinate.App(connector=procrastinate.SyncPsycopgConnector(conninfo=server))
with sync.open():
    sync.schema_manager.apply_schema()
app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=server))
@app.task(name="noop")
def noop():
    pass
async def main():
    async with app.open_async():
        for _ in range(0, jobs, 1000):
            await noop.batch_defer_async(*[{} for _ in range(1000)])
        start = time.perf_counter()
        await app.run_worker_async(wait=False, concurrency=at_a_time, listen_notify=False)
        print(time.perf_counter() - start)
import asyncio
asyncio.run(main())
"""


def main() -> None:
    """Measure on a server of its own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--at-a-time", type=int, default=16)
    parser.add_argument("--procrastinate", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--graphile", type=Path, metavar="DIR")
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
            line("schedctl, /bin/true", wanted.jobs, ours(dsn(sockets), catalog, wanted))
            line(
                "procrastinate, a function", wanted.jobs, procrastinate(database(dsn(sockets), "procrastinate"), wanted)
            )
            line(
                "graphile-worker, a function", wanted.jobs, graphile(database(dsn(sockets), "graphile"), wanted, folder)
            )
        finally:
            stop_server(data, "immediate")
            drop_links(sockets)


def line(name: str, jobs: int, seconds: float | None) -> None:
    """Print one rate, with the load of the machine beside it."""
    rate = f"{jobs / seconds:8.0f} /s" if seconds else "  skipped"
    print(f"{name:30} {rate}   load {os.getloadavg()[0]:.1f}")


def database(server: str, name: str) -> str:
    """A fresh database on the server."""
    with psycopg.connect(server, autocommit=True) as db:
        db.execute(f"CREATE DATABASE {name}".encode())
    return make_conninfo(server, dbname=name)


def ours(server: str, catalog: Path, wanted: argparse.Namespace) -> float:
    """Seconds of a whole `work --drain`, its start and its answer included."""
    prepare(server, catalog)
    with psycopg.connect(server, autocommit=True) as db:
        db.execute(QUEUE, (wanted.jobs,))
        db.execute("VACUUM ANALYZE")
    environment = {**os.environ, "SCHEDCTL_DSN": server, "SCHEDCTL_CATALOG": str(catalog), "SCHEDCTL_HOST": "bench"}
    command = [sys.executable, "-m", "schedctl", "work", "--drain", "--slots", str(wanted.at_a_time), "--json"]
    start = time.perf_counter()
    subprocess.run(command, env=environment | {"PYTHONPATH": str(HOME)}, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def procrastinate(server: str, wanted: argparse.Namespace) -> float | None:
    """Seconds that its worker takes, without its start."""
    command = [wanted.procrastinate, "-c", PROCRASTINATE, server, str(wanted.jobs), str(wanted.at_a_time)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if "No module named 'procrastinate'" in ended.stderr:
        return None
    if ended.returncode:
        raise SystemExit(ended.stderr)
    return float(ended.stdout.split()[-1])


def graphile(server: str, wanted: argparse.Namespace, folder: str) -> float | None:
    """Seconds of a whole run of its command."""
    program = wanted.graphile / "node_modules" / ".bin" / "graphile-worker" if wanted.graphile else None
    if program is None or not program.exists():
        return None
    tasks = Path(folder) / "tasks"
    tasks.mkdir()
    (tasks / "noop.js").write_text("module.exports = async () => {};\n", encoding="utf-8")
    known = conninfo_to_dict(server)
    names = {"host": "PGHOST", "user": "PGUSER", "dbname": "PGDATABASE", "port": "PGPORT"}
    environment = {**os.environ, **{variable: str(known[name]) for name, variable in names.items() if name in known}}
    command = [str(program), "-j", str(wanted.at_a_time), "-m", str(wanted.at_a_time + 1)]
    subprocess.run([*command, "--schema-only"], cwd=folder, env=environment, capture_output=True, check=True)
    with psycopg.connect(server, autocommit=True) as db:
        db.execute("SELECT count(graphile_worker.add_job('noop')) FROM generate_series(1, %s)", (wanted.jobs,))
    start = time.perf_counter()
    subprocess.run([*command, "--once"], cwd=folder, env=environment, capture_output=True, check=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
