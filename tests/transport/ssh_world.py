"""Real commands over a real sshd: how the tests of the ssh transport start them and look for what is left."""

from __future__ import annotations

import threading
import time
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from schedctl.redact import Redactor
from schedctl.transport import processes
from schedctl.transport.base import Command
from schedctl.transport.ssh import SshTransport

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sshd import Sshd

    from schedctl.transport.base import Found, Heartbeat, Outcome

LIMIT = 4096


@dataclass(frozen=True)
class Remote:
    """One start on a node, with a name of its own. Its limits are a tenth of the real ones."""

    node: Sshd
    redactor: Redactor = field(default_factory=Redactor)
    label: str = field(default_factory=lambda: f"test-{uuid.uuid4().hex}")
    reach_for_s: float = 6.0
    hold_bytes: int = 268_435_456

    @property
    def transport(self) -> SshTransport:
        return SshTransport(
            self.node.client,
            beat_every_s=0.1,
            grace_s=1,
            drain_s=1,
            silence_s=8.0,
            reach_for_s=self.reach_for_s,
            longest_pause_s=1.0,
            hold_bytes=self.hold_bytes,
        )

    @property
    def folder(self) -> Path:
        return self.node.runs / self.label

    def command(
        self,
        *argv: str,
        timeout_s: int = 20,
        stdin: str = "",
        environment: tuple[tuple[str, str], ...] = (),
        as_root: bool = False,
        success: tuple[int, ...] = (0,),
    ) -> Command:
        return Command(argv, timeout_s, "Asia/Tokyo", self.label, environment, stdin, as_root, success)

    def run(self, command: Command, heartbeat: Heartbeat = lambda: "go_on", limit: int = LIMIT) -> Outcome:
        return self.transport.run(self.node.target, command, heartbeat, self.redactor, limit)

    def shell(self, script: str, timeout_s: int = 20, heartbeat: Heartbeat = lambda: "go_on") -> Outcome:
        """What a script of the catalog would do."""
        return self.run(self.command("/bin/sh", "-c", script, timeout_s=timeout_s), heartbeat)

    def look(self, command: Command | None = None) -> Found:
        return self.transport.look(self.node.target, command or self.command("true"), self.redactor, LIMIT)

    def begun(self) -> bool:
        return (self.folder / "begun").is_symlink()

    def still_running(self) -> bool:
        """Whether anything of it lives: the node is this machine."""
        return processes.still_running(self.label)

    def ended(self) -> bool:
        return (self.folder / "status").is_symlink()

    def forgotten(self) -> bool:
        """Whether the node keeps nothing of it but that it was: so a moment after its output has arrived."""
        return {entry.name for entry in self.folder.iterdir()} == {"begun", "status"}


class Later:
    """An outcome that a thread of its own waits for."""

    def __init__(self, act: Callable[[], Outcome]) -> None:
        self._outcomes: list[Outcome] = []
        self._thread = threading.Thread(target=lambda: self._outcomes.append(act()), daemon=True)
        self._thread.start()

    def outcome(self, within_s: float = 60.0) -> Outcome:
        self._thread.join(within_s)
        assert self._outcomes, "no outcome in time"
        return self._outcomes[0]


def wait_until(holds: Callable[[], object], within_s: float = 60.0) -> None:
    """Look again and again, and fail when it does not come true."""
    give_up = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < give_up, "it did not come true"
        time.sleep(0.02)
