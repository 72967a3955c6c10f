"""A control group of its own for each command, where the unit that we run in delegates its group to us.

Nothing leaves one by forking, by a session of its own or by shedding its environment, and `cgroup.kill` ends all that
is in it, also root's, by a right of the folder and not of the processes (cgroups(7), version 2; `Delegate=` in
systemd.resource-control(5)). Without a delegation there is none, and the ties of `processes` have to do.
"""

from __future__ import annotations

import os
import threading
import time
import uuid
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Generator

MEMBERS: Final = "cgroup.procs"
MARKS: Final = ("user.delegate", "trusted.delegate")
"""systemd's own marks on a group that it has handed over; the second can only be read by root, and is the older one."""
REMOVE_PATIENCE_S: Final = 0.5
"""A killed process is out of its group a moment after it was told to be."""

_moving: Final = threading.Lock()


@contextmanager
def staying_home() -> Generator[None]:
    """While this lasts this process stays in its own group: for starting what belongs to no command."""
    with _moving:
        yield


@dataclass(frozen=True, slots=True)
class Enclosure:
    """The group of one command."""

    folder: Path

    @contextmanager
    def entered(self) -> Generator[None]:
        """While this lasts this process is in the group, and what it starts stays there.

        Where it cannot be moved, what it starts is found by its other ties: without a group, rather than not at all.
        """
        with _moving:
            _move_to(self.folder)
            try:
                yield
            finally:
                _move_to(self.folder.parent)

    def members(self) -> frozenset[int]:
        """The pids of all that lives in it, and in groups that it has made below; this process never counts."""
        return frozenset(self._pids() - {os.getpid()})

    def kill(self) -> None:
        """KILL for all of them at once, whoever they belong to; nothing on a kernel before 5.14."""
        if os.getpid() not in self._pids():
            with suppress(OSError):
                (self.folder / "cgroup.kill").write_text("1")

    def remove(self) -> None:
        """Remove it, unless something goes on in it."""
        with suppress(OSError):  # mostly all that was in it has ended, and the kernel knows without a search
            self.folder.rmdir()
            return
        give_up = time.monotonic() + REMOVE_PATIENCE_S
        while not self.members() and not self._removed() and time.monotonic() < give_up:
            time.sleep(0.005)

    def _removed(self) -> bool:
        for folder, _, _ in os.walk(self.folder, topdown=False):
            with suppress(OSError):
                Path(folder).rmdir()
        return not self.folder.exists()

    def _pids(self) -> set[int]:
        found: set[int] = set()
        for folder, _, _ in os.walk(self.folder):
            with suppress(OSError):
                found.update(map(int, Path(folder, MEMBERS).read_text(encoding="ascii").split()))
        return found


@dataclass(frozen=True, slots=True)
class Enclosures:
    """Where groups can be made: below the group that this process is in, when that was delegated."""

    home: Path | None

    def make(self, label: str) -> Enclosure | None:
        """A new group for the start named `label`; None where none can be had."""
        if self.home is None:
            return None
        folder = self.home / f"{label}.{uuid.uuid4()}"
        try:
            folder.mkdir()
        except OSError:
            return None
        return Enclosure(folder)

    def of(self, label: str) -> list[Enclosure]:
        """The groups of starts named `label` that are still there."""
        if self.home is None:
            return []
        return [Enclosure(entry) for entry in self.home.iterdir() if entry.name.rpartition(".")[0] == label]


def of_this_process() -> Enclosures:
    """Where this process may make groups."""
    home = _own_group()
    return Enclosures(home if home is not None and _is_delegated(home) else None)


def _own_group() -> Path | None:
    """The folder of the group that this process is in (cgroups(7), proc(5)); None without version 2."""
    try:
        own = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    within = next((line.removeprefix("0::") for line in own if line.startswith("0::")), None)
    for mount in mounts:
        fields, _, source = mount.partition(" - ")
        root, point = fields.split()[3:5]
        if source.startswith("cgroup2 ") and within is not None and f"{within}/".startswith(f"{root.rstrip('/')}/"):
            return Path(point, within.removeprefix(root.rstrip("/")).lstrip("/"))
    return None


def _is_delegated(folder: Path) -> bool:
    """Whether systemd has handed the group over: what is not ours we leave alone, also where root could change it."""
    for mark in MARKS:
        with suppress(OSError):
            if os.getxattr(folder, mark) == b"1":
                return os.access(folder / MEMBERS, os.W_OK)
    return os.geteuid() != 0 and folder.stat().st_uid == os.geteuid() and os.access(folder / MEMBERS, os.W_OK)


def _move_to(folder: Path) -> None:
    with suppress(OSError):
        (folder / MEMBERS).write_text("0", encoding="ascii")
