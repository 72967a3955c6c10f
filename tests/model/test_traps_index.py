"""traps.tsv: which test covers which report of another scheduler's failure. Each test in it exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROWS = [line.split("\t") for line in (HERE / "traps.tsv").read_text(encoding="utf-8").splitlines()[1:]]
KINDS = {
    "double-fire", "missed", "lost-slot", "dst", "clock", "tz", "pause", "overlap", "db",
    "cron", "llm", "notify", "heartbeat", "doc", "systemd",
    "stuck", "kill", "output", "ssh", "apt", "shutdown", "budget", "secret",
}  # fmt: skip


def test_every_kind_is_there() -> None:
    assert {kind for kind, _, _ in ROWS} == KINDS


@pytest.mark.parametrize(("seen_in", "tests"), [(seen_in, tests) for _, seen_in, tests in ROWS])
def test_what_covers_a_trap_exists(seen_in: str, tests: str) -> None:
    for named in tests.split(" "):
        path, _, function = named.partition("::")
        text = (HERE.parents[1] / path).read_text(encoding="utf-8")
        assert re.search(rf"^def {function}\(", text, re.MULTILINE), named
