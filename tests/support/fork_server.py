"""Runs schedctl's command lines in forked processes that can be killed at any exchange with the database.

Reads one JSON job a line, answers one JSON line when its process ended. It is single-threaded and has everything
imported, so that a process costs milliseconds and still is a real one, ended by a real SIGKILL.

A job: {"argv", "env", "kill_at": n | null, "kill_after": seconds | null, "fail_at": n | null, "failure"}. With
`kill_at`, the process kills itself right before its n-th exchange with the database (from 0, BEGIN and COMMIT
included); with `fail_at`, that exchange fails (see failing_exchange). `exchanges` in the answer says how many it made
when it ended by itself.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import tempfile
from typing import Any

import psycopg
from failing_exchange import failing

from schedctl.cli.main import call


def child(job: dict[str, Any], report: int) -> None:
    """The forked process: schedctl, with every exchange with the database counted."""
    for name in [name for name in os.environ if name.startswith(("SCHEDCTL_", "PG"))]:
        del os.environ[name]
    os.environ.update(job["env"])
    out = os.open(job["output"], os.O_WRONLY | os.O_APPEND)
    os.dup2(out, 1)
    os.dup2(out, 2)
    made = 0
    original = psycopg.Connection.wait

    def wait(self: Any, *args: Any, **options: Any) -> Any:
        nonlocal made
        number, made = made, made + 1
        if number == job["kill_at"]:
            os.kill(os.getpid(), signal.SIGKILL)
        if number == job["fail_at"]:
            return failing(self, args[0], lambda: original(self, *args, **options), job["failure"])
        return original(self, *args, **options)

    psycopg.Connection.wait = wait
    code = call(job["argv"])
    os.write(report, json.dumps({"code": code, "exchanges": made}).encode())
    os._exit(0)


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Fork, wait (killing in time, where asked for), and say how it ended."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8", errors="replace") as output:
        job["output"] = output.name
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            child(job, writing)
        os.close(writing)
        kill_after = job.get("kill_after")
        ready, _, _ = select.select([reading], [], [], kill_after)
        if not ready:
            os.kill(pid, signal.SIGKILL)
        said = os.read(reading, 65536)
        os.close(reading)
        _, status = os.waitpid(pid, 0)
        ended = json.loads(said) if said else {}
        return {"killed": os.WIFSIGNALED(status), "output": output.read(), **ended}


def main() -> None:
    """Serve until the input ends."""
    for line in sys.stdin:
        sys.stdout.write(json.dumps(run(json.loads(line))) + "\n")
        sys.stdout.flush()


main()
