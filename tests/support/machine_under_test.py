"""What tests do on a machine with schedctl's units installed (see installed_box.py)."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TypeVar

from installed_box import DSN, InstalledBox
from installed_catalog import FOLDER, write

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

Seen = TypeVar("Seen")

WORK: Final = "schedctl-work.service"
QUEUE: Final = """
import os, sys
from schedctl.settings import from_environment
from schedctl.usecases import runs
from schedctl.usecases.site import open_site
with open_site(from_environment(os.environ)) as site:
    print(runs.start(site, sys.argv[1], None).run_id)
"""

EACH: Final = """
import shlex, sys
from schedctl.cli.main import call
for line in sys.argv[1:]:
    assert call(shlex.split(line)) == 0, line
"""

WITHOUT_LOGIND: Final = "[Service]\nExecStart=\nExecStart=/bin/true\nExecStop=\n"


class Machine(InstalledBox):
    """What the tests do on the machine."""

    def install(self, *options: str) -> dict[str, Any]:
        done = self.as_root("install-units", "--system", "--json", *options)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    def each(self, *lines: str) -> None:
        """Several command lines in one process, each of which must succeed."""
        done = self.python(EACH, *lines)
        assert done.returncode == 0, done.stdout + done.stderr

    def python(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a program text as the service's user."""
        given = [f"SCHEDCTL_DSN={DSN}", f"SCHEDCTL_CATALOG={FOLDER}", "SCHEDCTL_LANG=en"]
        words = ["runuser", "-u", "schedctl", "--", "env", *given, "/opt/schedctl/bin/python", "-c", program]
        return self.box.run(*words, *arguments)

    def queue(self, schedule: str) -> int:
        """A run by hand that a worker has yet to take."""
        return int(self.python(QUEUE, schedule).stdout)

    def run_of(self, number: int) -> dict[str, Any]:
        """A run with its steps and their output."""
        return json.loads(self.schedctl("logs", str(number), "--json").stdout)["run"]

    def rest(self) -> None:
        """Stop ticks, and then the worker: while the timer runs, the next minute may begin it again at any moment."""
        for unit in ("schedctl-tick.timer", "schedctl-tick.service", WORK):
            self.box.do(f"systemctl stop {unit}")

    def said_by(self, number: int) -> str:
        """What the first step of a run wrote, after a worker's unit has carried it out."""
        self.box.do(f"systemctl start {WORK}")
        run = self.wait_for(lambda: self.run_of(number), lambda run: run["state"] not in ("queued", "running"))
        assert run["state"] == "succeeded", run
        return run["steps"][0]["stdout"]

    def wait_for(self, look: Callable[[], Seen], found: Callable[[Seen], bool], seconds: float = 150) -> Seen:
        """What is seen once it is found; a worker that was about to end is started again by the next minute's tick."""
        give_up = time.monotonic() + seconds
        while not found(seen := look()):
            assert time.monotonic() < give_up, seen
            time.sleep(0.2)
        return seen

    def show(self, unit: str, *names: str) -> list[str]:
        said = self.box.do(f"systemctl show --timestamp=utc -p {','.join(names)} {unit}")
        values = dict(line.split("=", 1) for line in said.splitlines())
        return [values[name] for name in names]

    def last_tick(self) -> datetime:
        """When the timer elapsed last, to the second."""
        (said,) = self.show("schedctl-tick.timer", "LastTriggerUSec")
        if not said:
            return datetime.fromtimestamp(0, UTC)
        return datetime.strptime(said, "%a %Y-%m-%d %H:%M:%S UTC").replace(tzinfo=UTC)

    def next_tick(self) -> datetime:
        """Wait for the timer to elapse once more; when that was."""
        before = self.last_tick()
        return self.wait_for(self.last_tick, lambda at: at > before, 75)

    def journal(self, *words: str) -> list[dict[str, str]]:
        """Entries of the journal, oldest first."""
        return [json.loads(line) for line in self.box.do(f"journalctl -o json {' '.join(words)}").splitlines()]

    def person(self, name: str) -> list[str]:
        """A person with a running systemd of their own: the words that run a command as them."""
        write(self.box, "/run/systemd/system/user-runtime-dir@.service.d/test.conf", WITHOUT_LOGIND)
        self.box.do(f"useradd -m -s /bin/sh {name}; systemctl daemon-reload")
        uid = self.box.do(f"id -u {name}").strip()
        self.box.do(f"install -d -o {name} -m 700 /run/user/{uid}; systemctl start user@{uid}.service")
        return ["runuser", "-u", name, "--", "env", f"HOME=/home/{name}", f"XDG_RUNTIME_DIR=/run/user/{uid}"]

    def drop_in(self, unit: str, text: str) -> None:
        """An administrator's own addition to a unit; an empty one takes it away."""
        folder = f"/run/systemd/system/{unit}.d"
        if text:
            write(self.box, f"{folder}/test.conf", f"[Service]\n{text}\n")
        else:
            self.box.do(f"rm -rf '{folder}'")
        self.box.do("systemctl daemon-reload")
