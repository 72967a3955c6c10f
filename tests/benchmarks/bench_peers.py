"""The reader beside its peers, in one run: right, wrong, refused, and sentences per second.

    pip install ja-timex dateparser && python tests/benchmarks/bench_peers.py

Each peer gets what suits it. dateparser answers one instant: right where that is the sentence's first one. ja-timex
answers pieces of time and no rule: what it finds at all is counted, and nobody says whether it is right. A sentence
that has to be refused is right only where nothing is answered. Peers that are not installed are left out. Not a test.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

HOME = Path(__file__).parents[2]
sys.path.insert(0, str(HOME))

from schedctl.errors import TimingError  # noqa: E402 - after the path
from schedctl.when.calendar import JAPAN  # noqa: E402
from schedctl.when.occurrences import upcoming  # noqa: E402
from schedctl.when.read import read  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

CASES: list[dict[str, Any]] = [
    json.loads(line)
    for name in ("shared.jsonl", "examiner.jsonl")
    for line in (HOME / "tests" / "when" / "phrases" / name).read_text("utf-8").splitlines()
]


def ours(case: dict[str, Any]) -> datetime | None:
    """The first instant; None where the sentence is refused."""
    now = datetime.fromisoformat(case["now"])
    try:
        reading = read(case["text"], now, case["timezone"])
    except TimingError:
        return None
    return upcoming(reading.timing, now, 1, JAPAN)[0]


def dateparser_answer(peer: Any) -> Callable[[dict[str, Any]], datetime | None]:
    """dateparser with the sentence's own now and zone."""

    def answer(case: dict[str, Any]) -> datetime | None:
        base = datetime.fromisoformat(case["now"]).replace(tzinfo=None)
        settings = {"RELATIVE_BASE": base, "TIMEZONE": case["timezone"], "RETURN_AS_TIMEZONE_AWARE": True}
        return peer.parse(case["text"], languages=["ja", "en"], settings={**settings, "PREFER_DATES_FROM": "future"})

    return answer


def timex_answer(peer: Any) -> Callable[[dict[str, Any]], object]:
    """ja-timex: the pieces of time that it finds; None for none."""
    tagger = peer.TimexParser()
    return lambda case: tagger.parse(case["text"]) or None


def measure(name: str, answer: Callable[[dict[str, Any]], object]) -> None:
    """One line: how the answers compare, and how fast they came."""
    counts: Counter[str] = Counter()
    start = time.process_time()
    answers = [answer(case) for case in CASES]
    spent = time.process_time() - start
    for case, found in zip(CASES, answers, strict=True):
        counts[verdict(case, found)] += 1
    said = "  ".join(f"{kind} {counts[kind]:3}" for kind in ("right", "wrong", "refused", "pieces"))
    print(f"{name:12} {said}   {len(CASES) / spent:8,.0f} sentences/s")


def verdict(case: dict[str, Any], found: object) -> str:
    """What an answer is worth."""
    if "refuse" in case:
        return "right" if found is None else "wrong"
    if found is None:
        return "refused"
    if not isinstance(found, datetime):
        return "pieces"
    firsts = [datetime.fromisoformat(answer[0]).timestamp() for answer in case["next"]]
    return "right" if found.timestamp() in firsts else "wrong"


def main() -> None:
    """Ours twice, so that nothing is warm only for the peers; then each peer that is installed."""
    for case in CASES:
        ours(case)
    measure("schedctl", ours)
    for name, module, adapt in (
        ("dateparser", "dateparser", dateparser_answer),
        ("ja-timex", "ja_timex", timex_answer),
    ):
        try:
            peer = importlib.import_module(module)
        except ImportError:
            print(f"{name:12} is not installed")
            continue
        measure(name, adapt(peer))


main()
