"""What a command prints arrives as it was, without its secrets, in bounded memory."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import pytest

from schedctl.redact import Redactor
from schedctl.transport.capture import display
from tests.transport.local_world import LIMIT, Start


def test_bytes_that_are_no_text_arrive_as_they_were() -> None:
    raw = b"\x00\xff\xfe" + "日本語".encode("cp932")
    outcome = Start().run("printf", r"\000\377\376\223\372\226\173\214\352")
    assert outcome.stdout.head == raw
    assert outcome.state == "succeeded"


def test_the_two_streams_are_kept_apart() -> None:
    outcome = Start().shell("echo out; echo err >&2; exit 1")
    assert (outcome.stdout.head, outcome.stderr.head) == (b"out\n", b"err\n")


def test_two_full_pipes_at_once_block_nobody() -> None:
    outcome = Start().shell("head -c 300000 /dev/zero & head -c 300000 /dev/zero >&2; wait")
    assert (outcome.stdout.length, outcome.stderr.length) == (300_000, 300_000)
    assert len(outcome.stdout.head + outcome.stdout.tail) == LIMIT


@pytest.mark.parametrize(
    "printed", ["p@ss/word", "p%40ss%2Fword", "cEBzcy93b3Jk", "postgres://u:p%40ss%2Fword@h/db", "PGPASSWORD=p@ss/word"]
)
def test_no_spelling_of_a_secret_is_kept(printed: str) -> None:
    secretive = Start(redactor=Redactor.of(["p@ss/word"]))
    half = len(printed) // 2
    outcome = secretive.shell(
        f"printf %s '{printed[:half]}'; sleep 0.05; printf %s '{printed[half:]}' | tee /dev/stderr"
    )
    assert b"[redacted]" in outcome.stdout.head
    assert printed.encode() not in outcome.stdout.head
    assert outcome.stdout.length == len(printed)


def test_a_program_that_cannot_start_does_not_tell_a_secret() -> None:
    outcome = Start(redactor=Redactor.of(["hunter22"])).run("/opt/hunter22/bin")
    assert outcome.error_message
    assert "hunter22" not in outcome.error_message.en + outcome.error_message.ja


def test_a_progress_line_is_shown_in_its_last_state() -> None:
    outcome = Start().run("printf", r"10%%\r50%%\r100%%\n\033[32mok\033[0m\n")
    assert display(outcome.stdout) == "100%\nok\n"


BIG = """
import re, sys
from pathlib import Path
from schedctl.redact import Redactor
from tests.transport.local_world import Start
peak = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
before = peak()
outcome = Start(redactor=Redactor.of(["p@ss/word"])).run("head", "-c", sys.argv[1], "/dev/zero", timeout_s=300)
print(outcome.state, outcome.stdout.length, outcome.stdout.sha256, peak(), peak() - before)
"""


@pytest.mark.parametrize("length", [200_000_000, pytest.param(5_000_000_000, marks=pytest.mark.long)])
def test_a_huge_output_costs_little_memory(length: int) -> None:
    done = subprocess.run([sys.executable, "-c", BIG, str(length)], capture_output=True, text=True, check=True)
    state, seen, digest, peak_kib, grown_kib = done.stdout.split()
    assert (state, int(seen)) == ("succeeded", length)
    if length == 200_000_000:
        assert digest == hashlib.sha256(bytes(length)).hexdigest()
    assert int(peak_kib) < 64 * 1024
    assert int(grown_kib) < 8 * 1024
