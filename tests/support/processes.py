"""schedctl's command lines as real processes that can be killed at any exchange with the database."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from failing_exchange import Failure

HERE = Path(__file__).parent


@dataclass(slots=True)
class Processes:
    """Has a server fork a process for each command line."""

    into: IO[str]
    back: IO[str]
    environment: Mapping[str, str] = field(default_factory=dict[str, str])

    def run(
        self,
        *argv: str,
        kill_at: int | None = None,
        kill_after: float | None = None,
        fail_at: tuple[int, Failure] | None = None,
        now: str | None = None,
    ) -> dict[str, Any]:
        """Run to the end or to the kill: {"killed", "output"}, and {"code", "exchanges"} where it ended by itself."""
        env = dict(self.environment)
        if now is not None:
            env["SCHEDCTL_REHEARSAL_NOW"] = now
        number, failure = fail_at or (None, None)
        job = {"argv": argv, "env": env, "kill_at": kill_at, "kill_after": kill_after}
        job |= {"fail_at": number, "failure": failure}
        self.into.write(json.dumps(job) + "\n")
        self.into.flush()
        return json.loads(self.back.readline())


@contextmanager
def serving() -> Generator[Processes]:
    """The server, for as long as the block lasts."""
    with subprocess.Popen(
        [sys.executable, str(HERE / "fork_server.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(HERE.parents[1]), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        yield Processes(server.stdin, server.stdout)
        server.stdin.close()
        server.wait(timeout=10)
