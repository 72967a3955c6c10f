"""An answer that cannot be written: one typed sentence on stderr and exit 1, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

FULL: Final = Path("/dev/full")

pytestmark = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full on this system")


def into_a_full_disk(dsn: str, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "SCHEDCTL_DSN": dsn, "SCHEDCTL_LANG": "en"}
    program = [sys.executable, "-c", "from schedctl.cli.start import run; run()", *words]
    with FULL.open("wb") as full:
        return subprocess.run(
            program, stdout=full, stderr=subprocess.PIPE, text=True, env=environment, check=False, timeout=60
        )


@pytest.mark.parametrize("words", [("list", "--json"), ("list",), ("tick",)])
def test_an_answer_that_goes_nowhere_is_said_in_a_sentence(database: str, words: tuple[str, ...]) -> None:
    ended = into_a_full_disk(database, *words)
    assert ended.returncode == 1
    assert ended.stderr.splitlines() == [
        "schedctl: The answer could not be written (ENOSPC); what the command did before that stands "
        "[output_not_written]",
        "  → Check the free space where standard output goes",
    ]


def test_an_error_that_cannot_be_written_as_json_is_said_on_stderr(database: str) -> None:
    ended = into_a_full_disk(database, "show", "99", "--json")
    assert (ended.returncode, "Traceback" in ended.stderr) == (3, False)
    assert ended.stderr.startswith("schedctl: ")
