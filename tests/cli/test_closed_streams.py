"""A program that is started without a standard stream, as cron and services may do, answers as ever; into nothing."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


def answered(line: str) -> tuple[int, str]:
    ran = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m schedctl {line}"],
        env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return ran.returncode, ran.stdout + ran.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(("words", "code"), [("completion bash", 0), ("completion bash --json", 0), ("nothing", 2)])
def test_a_closed_stream_is_an_empty_one(words: str, code: int, closed: str) -> None:
    got, said = answered(f"{words} {closed}")
    assert got == code
    assert "internal_error" not in said
    assert "Traceback" not in said


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110 - a device
@pytest.mark.parametrize("words", ["--help", "--version", "list --help", "completion bash"])
def test_help_that_cannot_be_written_is_a_typed_error(words: str) -> None:
    got, said = answered(f"{words} >/dev/full")
    assert (got, "[output_not_written]" in said) == (1, True), said
