"""Runs schedctl's command lines in forked processes that begin at the same moment, and can stand still in the middle.

Reads one JSON request a line and answers with one line when every process has ended or stands still:
{"jobs": [{"argv", "env", "patches", "stop_at"}]} starts processes; {"go_on": true} wakes those that stand still.

`patches` replaces module constants (`schedctl.usecases.tick.BATCH`); a process with `stop_at` stops itself with SIGSTOP
right before its n-th exchange with the database (from 0, BEGIN and COMMIT included).
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

import psycopg

from schedctl.cli.main import call


def child(job: dict[str, Any], answer: Path, start: int) -> None:
    """The forked process: it waits for the others, then does its part."""
    os.read(start, 1)
    for name in [name for name in os.environ if name.startswith(("SCHEDCTL_", "PG"))]:
        del os.environ[name]
    os.environ.update(job["env"])
    for name, value in job["patches"].items():
        module, _, constant = name.rpartition(".")
        setattr(importlib.import_module(module), constant, value)
    count_exchanges(job)
    with answer.with_suffix(".out").open("wb") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    code = call(job["argv"])
    answer.write_text(json.dumps({"code": code, "exchanges": job["made"]}), encoding="utf-8")
    os._exit(0)


def count_exchanges(job: dict[str, Any]) -> None:
    """Count in `job["made"]`, and stand still at `stop_at`."""
    job["made"] = 0
    original = psycopg.Connection.wait

    def wait(self: Any, *args: Any, **options: Any) -> Any:
        if job["made"] == job["stop_at"]:
            os.kill(os.getpid(), signal.SIGSTOP)
        job["made"] += 1
        return original(self, *args, **options)

    psycopg.Connection.wait = wait


def start(jobs: list[dict[str, Any]], folder: Path) -> dict[int, Path]:
    """Fork a process for each job, and let all begin; where each writes its answer."""
    reading, writing = os.pipe()
    processes: dict[int, Path] = {}
    for number, job in enumerate(jobs):
        answer = folder / f"{number}.json"
        pid = os.fork()
        if pid == 0:
            os.close(writing)
            child(job, answer, reading)
        processes[pid] = answer
    os.close(reading)
    os.close(writing)
    return processes


def settle(processes: dict[int, Path], standing: dict[int, Path]) -> list[dict[str, Any]]:
    """Wait until each process has ended or stands still; what became of each. `standing` gets those that stand."""
    answers: list[dict[str, Any]] = []
    for pid, path in processes.items():
        _, status = os.waitpid(pid, os.WUNTRACED)
        stopped = os.WIFSTOPPED(status)
        answers.append({"stopped": True} if stopped else answer_of(path))
        if stopped:
            standing[pid] = path
    return answers


def answer_of(path: Path) -> dict[str, Any]:
    """Exit code, exchanges and output of a process that ended."""
    output = path.with_suffix(".out").read_text(encoding="utf-8", errors="replace")
    ended = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"code": None}
    return {"stopped": False, "output": output, **ended}


def main() -> None:
    """Serve until the input ends."""
    standing: dict[int, Path] = {}
    with tempfile.TemporaryDirectory() as home:
        for line in sys.stdin:
            request = json.loads(line)
            if "jobs" in request:
                processes = start(request["jobs"], Path(tempfile.mkdtemp(dir=home)))
            else:
                processes, standing = standing, {}
                for pid in processes:
                    os.kill(pid, signal.SIGCONT)
            sys.stdout.write(json.dumps(settle(processes, standing)) + "\n")
            sys.stdout.flush()
    for pid in standing:
        os.kill(pid, signal.SIGKILL)


main()
