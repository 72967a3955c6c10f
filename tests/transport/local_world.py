"""Real commands on this machine: how the tests of the local transport start them and look for what is left."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from schedctl.plan.model import Target
from schedctl.redact import Redactor
from schedctl.transport import processes
from schedctl.transport.base import Command
from schedctl.transport.local import LocalTransport

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedctl.transport.base import Heartbeat, Outcome

HERE = Target("mars", "local")
QUICK = LocalTransport(beat_every_s=0.05, grace_s=0.6, drain_s=0.4)
"""Its limits are a tenth of the real ones; one guardian serves every test."""
LIMIT = 4096


@dataclass(frozen=True)
class Start:
    """One start of a command, with a name of its own by which its processes are found."""

    transport: LocalTransport = QUICK
    redactor: Redactor = field(default_factory=Redactor)
    label: str = field(default_factory=lambda: f"test-{uuid.uuid4()}")

    def run(
        self,
        *argv: str,
        timeout_s: int = 20,
        heartbeat: Heartbeat = lambda: "go_on",
        stdin: str = "",
        environment: tuple[tuple[str, str], ...] = (),
        as_root: bool = False,
        success: tuple[int, ...] = (0,),
    ) -> Outcome:
        command = Command(
            argv=argv,
            timeout_s=timeout_s,
            timezone="Asia/Tokyo",
            label=self.label,
            environment=environment,
            stdin=stdin,
            as_root=as_root,
            success_exit_codes=success,
        )
        return self.transport.run(HERE, command, heartbeat, self.redactor, LIMIT)

    def shell(self, script: str, timeout_s: int = 20, heartbeat: Heartbeat = lambda: "go_on") -> Outcome:
        """What a script of the catalog would do."""
        return self.run("/bin/sh", "-c", script, timeout_s=timeout_s, heartbeat=heartbeat)

    def still_running(self) -> bool:
        return processes.still_running(self.label)


def eventually(true: Callable[[], bool], within_s: float = 60.0) -> bool:
    """Whether it becomes true in time."""
    give_up = time.monotonic() + within_s
    while not true():
        if time.monotonic() > give_up:
            return False
        time.sleep(0.02)
    return True
