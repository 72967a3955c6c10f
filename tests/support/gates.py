"""A gate as sshd would start it: a process of its own, with the client's line and whatever else the client sent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from installations import CATALOG

ROOT: Final = Path(__file__).parents[2]
ENVIRONMENT: Final = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "SSH_CONNECTION": "192.0.2.7 50022 192.0.2.1 22"}


@dataclass(frozen=True, slots=True)
class Said:
    """What a gate answered."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON object on stdout."""
        return json.loads(self.out)


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate on one database, with its settings in a file as an administrator writes them."""

    folder: Path
    dsn: str
    sent: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def settings(self) -> Path:
        """Its settings file."""
        return self.folder / "gate"

    def prepare(self, *more: str) -> None:
        """Write the settings."""
        lines = (f'SCHEDCTL_DSN="{self.dsn}"', f"SCHEDCTL_CATALOG={CATALOG}", f"SCHEDCTL_STATE={self.folder}/state")
        self.settings.write_text("\n".join(("# the gate's", "", *lines, "SCHEDCTL_HOST=testhost", *more, "")))
        self.settings.chmod(0o640)

    def command(self, role: str, actor: str) -> list[str]:
        """What stands in command=."""
        options = ["--role", role, "--actor", actor, "--key", "SHA256:abc", "--settings", str(self.settings)]
        return [sys.executable, "-P", "-m", "schedctl", "gate", *options]

    def say(self, line: str | bytes, role: str = "operator", actor: str = "alice", **sent: str) -> Said:
        """The line, from a client that also sent these variables."""
        said = os.fsdecode(line) if isinstance(line, bytes) else line
        environment = {**ENVIRONMENT, **self.sent, **sent, "PYTHONPATH": str(ROOT), "SSH_ORIGINAL_COMMAND": said}
        ran = subprocess.run(
            self.command(role, actor), env=environment, input=b"1\n", capture_output=True, timeout=60, check=False
        )
        return Said(ran.returncode, ran.stdout.decode(), ran.stderr.decode())
