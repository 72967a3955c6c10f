"""How long one `next_after` takes, by kind of rule: `python -m tests.benchmarks.bench_occurrences`.

`first` is the first call in a fresh process (imports of holidays included), `next` and `last` the mean of many with
another instant each time, as a tick asks them.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from schedctl.when.calendar import JAPAN
from schedctl.when.occurrences import count_between, last_until, next_after
from schedctl.when.rule import parse

if TYPE_CHECKING:
    from collections.abc import Callable

NOW: Final = datetime.fromisoformat("2026-11-30T10:00+09:00")
CALLS: Final = 5000
RULES: Final = (
    "daily at 03:00 in Asia/Tokyo",
    "daily at 03:00 in America/New_York",
    "weekly sun at 03:00 in Asia/Tokyo",
    "weekly fri every 2 from 2026-11-30 at 17:00 in Asia/Tokyo",
    "monthdays 1,15 at 04:00 in Asia/Tokyo",
    "nth 2 tue at 03:00 in Asia/Tokyo",
    "daily at 00:00-23:59/5m in Asia/Tokyo",
    'cron "*/5 9-17 * * MON-FRI" in Asia/Tokyo',
    'cron "0 3 1 * *" in Asia/Tokyo',
    "business at 09:00 in Asia/Tokyo",
    "businessdays -1 a month at 09:00 in Asia/Tokyo",
    "monthdays 25 shift previous if closed at 10:00 in Asia/Tokyo",
    "monthdays 15 shift previous if closed offset -2 business-days at 10:00 in Asia/Tokyo",
)
RARE: Final = (
    "monthdays 29 of months 2 within weekly mon at 03:00 in Asia/Tokyo",
    "monthdays 30 of months 2 at 03:00 in Asia/Tokyo",
    "business within closed at 03:00 in Asia/Tokyo",
)


def main() -> None:
    """Print one line a rule, in microseconds; then the bounds."""
    print(f"{'first':>9} {'next':>8} {'last':>8}  µs")
    for line in RULES:
        measure(line, CALLS)
    for line in RARE:
        measure(line, 5)
    every_minute = parse("daily at 00:00-23:59/1m in America/New_York")
    ten_years = NOW + timedelta(days=3652)
    print(
        f"{timed(lambda _: count_between(every_minute, NOW, ten_years, JAPAN), 5):27.0f}  count of ten years' minutes"
    )


def measure(line: str, calls: int) -> None:
    """Print one rule's line."""
    timing = parse(line)
    first = timed(lambda at: next_after(timing, at, JAPAN), 1)
    following = timed(lambda at: next_after(timing, at, JAPAN), calls)
    last = timed(lambda at: last_until(timing, at, JAPAN), calls)
    print(f"{first:9.0f} {following:8.1f} {last:8.1f}  {line}")


def timed(call: Callable[[datetime], object], calls: int) -> float:
    """Microseconds a call."""
    instants = [NOW + timedelta(minutes=397 * n) for n in range(calls)]
    began = time.perf_counter()
    for instant in instants:
        call(instant)
    return (time.perf_counter() - began) / calls * 1e6


if __name__ == "__main__":
    main()
