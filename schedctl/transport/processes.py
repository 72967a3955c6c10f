"""A started command and everything that descends from it, found and ended by the kernel's own records.

Where our unit delegates its control group, the command gets one of its own, and nothing leaves that. Else three ties
find a member: the process group and session that the command leads, a mark in its environment (which a child that says
setsid or forks twice keeps), and being the child of a member. What sheds all three has left: an orphan of
`env -i setsid`; and what sudo started can be seen by a worker that is not root, but not killed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
import uuid
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

    from schedctl.transport.enclosures import Enclosure

LEG: Final = "SCHEDCTL_LEG="
"""Before the label of a start, in the environment of its command: by this another worker finds it."""
START: Final = "SCHEDCTL_START="
"""Before a word that no other start has, in any installation on this machine: by this a command is ended."""
KILL_PATIENCE_S: Final = 3.0
"""A killed process is gone at once, unless the kernel itself waits (a dead disk) or it is another user's."""
PROC: Final = Path("/proc")


@dataclass(frozen=True, slots=True)
class Family:
    """A started command. It stays a zombie until `reap`, so that its pid cannot come to mean another process."""

    leader: subprocess.Popen[bytes]
    mark: str
    enclosure: Enclosure | None = None
    _met: dict[int, int] = field(default_factory=dict[int, int], repr=False)
    """Every member that was seen, with its start: when its parent is gone, so is that tie."""

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the group at once, and to every member that has left the group."""
        members = self.members()  # before any of them is gone: then a child's tie to its parent is gone too
        self.signal_group(number)
        for pid in members:
            _signal_one(pid, number, self._left_the_group)

    def signal_group(self, number: signal.Signals) -> None:
        """Send a signal to those that stayed in the command's process group."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.leader.pid, number)

    def kill(self) -> int:
        """KILL until nobody is left; the number of those that cannot be killed by us."""
        give_up = time.monotonic() + KILL_PATIENCE_S
        self._kill_once()
        while left := self.members():
            if time.monotonic() > give_up:
                return len(left)
            time.sleep(0.01)
            self._kill_once()
        return 0

    def _kill_once(self) -> None:
        if self.enclosure is not None:
            self.enclosure.kill()
        self.signal(signal.SIGKILL)

    def members(self) -> frozenset[int]:
        """The pids of the living members."""
        table = dict(_living())
        found = {pid for pid, entry in table.items() if self.leader.pid in (entry.group, entry.session)}
        found |= {pid for pid in table.keys() - found if bears(pid, self.mark)}
        found |= _enclosed_in(self.enclosure) & table.keys()
        found |= {pid for pid, since in self._met.items() if pid in table and table[pid].since == since}
        while children := {pid for pid, entry in table.items() if entry.parent in found} - found:
            found |= children
        self._met.update((pid, table[pid].since) for pid in found)
        return frozenset(found - {os.getpid()})

    def _left_the_group(self, pid: int) -> bool:
        entry = _entry(pid)
        return entry is not None and entry.group != self.leader.pid

    def reap(self) -> int | None:
        """The leader's exit code, 128 + n when signal n ended it; None when it cannot be ended."""
        try:
            code = self.leader.wait(timeout=KILL_PATIENCE_S)
        except subprocess.TimeoutExpired:
            return None
        if self.enclosure is not None:
            self.enclosure.remove()
        return 128 - code if code < 0 else code

    @property
    def ending_signal(self) -> int | None:
        """The number of the signal that ended the leader, once reaped."""
        code = self.leader.returncode
        return -code if code and code < 0 else None

    @property
    def pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        """Where its standard output and standard error are read."""
        return cast("IO[bytes]", self.leader.stdout), cast("IO[bytes]", self.leader.stderr)


def start(
    argv: Sequence[str], environment: Mapping[str, str], stdin: str, label: str, enclosure: Enclosure | None = None
) -> Family:
    """Start `argv` as the leader of its own session, with no shell; OSError or ValueError when it cannot be."""
    mark = f"{START}{uuid.uuid4()}"
    inside = nullcontext() if enclosure is None else enclosure.entered()
    with _file_of(stdin) if stdin else nullcontext(subprocess.DEVNULL) as given, inside:
        leader = subprocess.Popen(
            argv,
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd="/",
            env={**environment, **dict(word.split("=", 1) for word in (f"{LEG}{label}", mark))},
            umask=0o022,
            start_new_session=True,
        )
    return Family(leader, mark, enclosure)


@contextmanager
def _file_of(text: str) -> Generator[IO[bytes]]:
    """A file without a name that holds `text`: a reader meets its end, and no writer has to wait for a reader."""
    with tempfile.TemporaryFile() as file:
        file.write(text.encode("utf-8", "surrogateescape"))
        file.seek(0)
        yield file


def still_running(label: str) -> bool:
    """Whether anything of the start named `label` lives on this machine: asked about a leg whose worker was lost."""
    return any_bears(f"{LEG}{label}")


def any_bears(mark: str) -> bool:
    """Whether any living process was started with `mark` in its environment."""
    return any(bears(pid, mark) for pid, _ in _living())


def end(mark: str, grace_s: float, enclosure: Enclosure | None = None) -> None:
    """TERM, and after the grace KILL, for all that bears `mark` or is enclosed; for what another process started."""

    def is_meant(pid: int) -> bool:
        return bears(pid, mark) or pid in _enclosed_in(enclosure)

    for number, patience_s in ((signal.SIGTERM, grace_s), (signal.SIGKILL, KILL_PATIENCE_S)):
        give_up = time.monotonic() + patience_s
        if enclosure is not None and number == signal.SIGKILL:
            enclosure.kill()
        for pid, _ in _living():
            _signal_one(pid, number, is_meant)
        while lives(mark, enclosure) and time.monotonic() < give_up:
            time.sleep(0.05)


def lives(mark: str, enclosure: Enclosure | None) -> bool:
    """Whether anything that bears `mark` or is enclosed is alive."""
    return bool(_enclosed_in(enclosure)) or any_bears(mark)


def _enclosed_in(enclosure: Enclosure | None) -> frozenset[int]:
    return frozenset() if enclosure is None else enclosure.members()


def bears(pid: int, mark: str) -> bool:
    """Whether a process was started with `mark` in its environment; no when it is gone or not ours to see."""
    try:
        environment = (PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False
    return mark.encode() in environment.split(b"\0")


@dataclass(frozen=True, slots=True)
class _Entry:
    parent: int
    group: int
    session: int
    since: int


def _living() -> Iterator[tuple[int, _Entry]]:
    """Every process that is not a zombie."""
    for folder in PROC.iterdir():
        if folder.name.isdigit() and (entry := _entry(int(folder.name))):
            yield int(folder.name), entry


def _entry(pid: int) -> _Entry | None:
    """What `/proc/PID/stat` says (proc(5): the name in it may hold anything, and the last `)` ends it)."""
    try:
        fields = (PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    state, parent, group, session = fields[:4]
    return None if state in (b"Z", b"X") else _Entry(int(parent), int(group), int(session), int(fields[19]))


def _signal_one(pid: int, number: signal.Signals, is_meant: Callable[[int], bool]) -> None:
    """Signal a process through a descriptor that is taken before it is looked at: pids are used again."""
    with suppress(ProcessLookupError, PermissionError):
        descriptor = os.pidfd_open(pid)
        try:
            if is_meant(pid):
                signal.pidfd_send_signal(descriptor, number)
        finally:
            os.close(descriptor)
