"""A worker that is killed does not take its command with it, nor leave it without an end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import uuid
from pathlib import Path

from schedctl.transport import processes
from schedctl.transport.guardian import Guardian
from schedctl.transport.local import LocalTransport
from tests.transport.local_world import Start, eventually

WORKER = """
import sys
from schedctl.plan.model import Target
from schedctl.redact import Redactor
from schedctl.transport.base import Command
from schedctl.transport.local import LocalTransport
label, timeout_s, script = sys.argv[1:]
command = Command(("sh", "-c", script), int(timeout_s), "UTC", label)
LocalTransport().run(Target("mars", "local"), command, lambda: "go_on", Redactor(), 4096)
"""


def killed_worker(script: str, begun: Path, timeout_s: int = 30) -> str:
    """Start a worker on a script, kill it once the script has begun, and return the name of the start."""
    label = f"test-{uuid.uuid4()}"
    worker = subprocess.Popen([sys.executable, "-c", WORKER, label, str(timeout_s), script])
    assert eventually(begun.exists)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    return label


def test_the_command_of_a_killed_worker_goes_on_and_may_print(tmp_path: Path) -> None:
    begun, done = tmp_path / "begun", tmp_path / "done"
    script = f"sleep 0.3; touch {begun}; sleep 0.3; head -c 2000000 /dev/zero && echo more && touch {done}"
    label = killed_worker(script, begun)
    assert processes.still_running(label)
    assert eventually(done.exists), "printing more than a pipe holds neither ended nor blocked it"
    assert eventually(lambda: not processes.still_running(label))


def test_the_time_limit_holds_without_the_worker(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    label = killed_worker(f"sleep 0.3; touch {begun}; exec >&- 2>&-; sleep 100", begun, timeout_s=2)
    assert processes.still_running(label)
    assert eventually(lambda: not processes.still_running(label))


def test_a_guardian_that_was_killed_is_replaced() -> None:
    before = guardians()
    start = Start(LocalTransport(guardian=Guardian()))
    assert start.run("true").state == "succeeded"
    first = the_guardian_beside(before)
    os.kill(first, signal.SIGKILL)
    os.waitpid(first, 0)
    assert start.run("true").state == "succeeded"
    second = the_guardian_beside(before)
    assert start.run("true").state == "succeeded"
    assert the_guardian_beside(before) == second
    del start
    assert eventually(lambda: os.waitpid(second, os.WNOHANG) == (second, 0)), "it ends when nothing needs it"


def the_guardian_beside(others: set[int]) -> int:
    """The guardian that was not there before; a child just started has no command line yet."""
    assert eventually(lambda: bool(guardians() - others))
    [guardian] = guardians() - others
    return guardian


def guardians() -> set[int]:
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return {int(pid) for pid in children if b"guardian" in Path(f"/proc/{pid}/cmdline").read_bytes()}
