"""How many sentences a second the reader reads: `python tests/benchmarks/bench_read.py`.

The sentences are the golden ones, so ordinary and odd ones alike; refusals, whose hints are read before they are shown,
are timed apart. With `--profile` the slowest functions are listed.
"""

from __future__ import annotations

import cProfile
import pstats
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from schedctl.errors import TimingError
from schedctl.when.read import read
from tests.when.golden import Row, rows

ROUNDS = 5


def read_all(chosen: list[Row]) -> None:
    """Read every sentence once."""
    for row in chosen:
        try:
            read(row.text, row.now, row.zone)
        except TimingError:
            continue


def per_second(chosen: list[Row]) -> float:
    """Sentences a second, in the best of some rounds."""
    best = min(_seconds(chosen) for _ in range(ROUNDS))
    return len(chosen) / best


def _seconds(chosen: list[Row]) -> float:
    """Processor time: what others do on the machine at the same time does not count."""
    began = time.process_time()
    read_all(chosen)
    return time.process_time() - began


def main() -> None:
    """Print the numbers."""
    read_rows = [row for row in rows() if not row.refusals]
    ordinary = rows("weekly", "daily", "monthly")
    refused = [row for row in rows() if row.refusals]
    for name, chosen in (
        ("ordinary", [r for r in ordinary if not r.refusals]),
        ("all that is read", read_rows),
        ("refused", refused),
    ):
        print(f"{name}: {len(chosen)} sentences, {per_second(chosen):,.0f} a second")
    if "--profile" in sys.argv:
        with cProfile.Profile() as profile:
            read_all(read_rows)
        pstats.Stats(profile).sort_stats("tottime").print_stats(30)


if __name__ == "__main__":
    main()
