"""schedctl's command lines as real processes that begin at the same moment, or stand still in the middle of it."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from installations import CATALOG

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended: its exit code, its exchanges with the database, and what it printed."""

    code: int
    exchanges: int
    output: str

    @property
    def json(self) -> dict[str, Any]:
        """The JSON object that it printed last."""
        return json.loads(self.output.splitlines()[-1])


@dataclass(frozen=True, slots=True)
class AtOnce:
    """Has a server fork processes for command lines."""

    into: IO[str]
    back: IO[str]

    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the processes find in their environment beside the tests' own."""

    def run(
        self, dsn: str, *argv: str, times: int = 1, now: str | None = None, patches: Mapping[str, int] | None = None
    ) -> list[Ended]:
        """Run the command line in so many processes at once, to their ends."""
        return [_ended(answer) for answer in self._ask({"jobs": [self._job(dsn, argv, now, patches, None)] * times})]

    def stand_still(
        self, dsn: str, *argv: str, at: int, now: str | None = None, patches: Mapping[str, int] | None = None
    ) -> None:
        """Start the command line; it stops itself (SIGSTOP) right before its `at`-th exchange with the database."""
        (answer,) = self._ask({"jobs": [self._job(dsn, argv, now, patches, at)]})
        assert answer["stopped"], answer

    def go_on(self) -> Ended:
        """Wake the process that stands still (SIGCONT), and wait for its end."""
        (answer,) = self._ask({"go_on": True})
        return _ended(answer)

    def _job(
        self,
        dsn: str,
        argv: tuple[str, ...],
        now: str | None,
        patches: Mapping[str, int] | None,
        stop_at: int | None,
    ) -> dict[str, object]:
        env = {"SCHEDCTL_DSN": dsn, "SCHEDCTL_CATALOG": str(CATALOG), "SCHEDCTL_HOST": "testhost", "LANG": "C.UTF-8"}
        env |= self.environment
        if now is not None:
            env["SCHEDCTL_REHEARSAL_NOW"] = now
        return {"argv": argv, "env": env, "patches": patches or {}, "stop_at": stop_at}

    def _ask(self, request: object) -> list[dict[str, Any]]:
        self.into.write(json.dumps(request) + "\n")
        self.into.flush()
        return json.loads(self.back.readline())


def _ended(answer: dict[str, Any]) -> Ended:
    assert not answer["stopped"]
    assert answer["code"] is not None, answer["output"]
    return Ended(answer["code"], answer["exchanges"], answer["output"])


@contextmanager
def serving(code: Path = HERE.parents[1], environment: Mapping[str, str] | None = None) -> Generator[AtOnce]:
    """The server, for as long as the block lasts. `code` is the folder of the schedctl whose commands it runs."""
    with subprocess.Popen(
        [sys.executable, str(HERE / "at_once_server.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(code), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        yield AtOnce(server.stdin, server.stdout, environment or {})
        server.stdin.close()
        server.wait(timeout=60)
