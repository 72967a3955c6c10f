"""Runs a command on this machine: no shell, nothing inherited, always an end.

What happens to the command when the worker is killed (-9, out of memory): it goes on to its end, or to its time limit.
Ending dpkg half-way is worse than an end that nobody saw, so nothing ties the command's life to the worker's, and the
guardian keeps its pipes open. The leg becomes lost; `look` tells whether it still works.
"""

from __future__ import annotations

import errno
import os
import pwd
import selectors
import shutil
import time
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from signal import SIGKILL, SIGTERM
from typing import TYPE_CHECKING, Final, Literal

from schedctl.plan.elevation import elevated
from schedctl.transport import enclosures, outcomes, processes
from schedctl.transport.capture import NOTHING, Capture
from schedctl.transport.guardian import Guardian

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from schedctl.plan.model import Target
    from schedctl.redact import Redactor
    from schedctl.transport.base import Command, Found, Heartbeat, Outcome, SoFar
    from schedctl.transport.enclosures import Enclosures
    from schedctl.transport.processes import Family

SYSTEM_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
CHUNK: Final = 65_536
LAST_WORDS_S: Final = 1.0
"""After KILL nobody writes any more; only a process that left the family can still hold the pipes."""
LOOK_EVERY_S: Final = 0.2
"""How often `/proc` is looked through while the command has its grace."""
Ending = Literal["ended", "timed_out", "cancelled"]


@dataclass(frozen=True, slots=True)
class LocalTransport:
    """Commands of this host, as this user; `as_root` goes through sudo unless this user is root already.

    A timeout or a `stop` sends TERM to all that descends from the command, and KILL after the grace. When the command
    has ended but something still holds its output, the output is read for `drain_s` more; then what stayed in the
    command's process group is killed. A daemon that left the group (setsid) is what the command wanted, and stays.
    """

    beat_every_s: float = 5.0
    grace_s: float = 10.0
    drain_s: float = 5.0
    guardian: Guardian = field(default_factory=Guardian, compare=False)
    is_root: bool = field(default_factory=lambda: os.geteuid() == 0)
    enclosures: Enclosures = field(default_factory=enclosures.of_this_process)

    def run(
        self,
        target: Target,
        command: Command,
        heartbeat: Heartbeat,
        redactor: Redactor,
        limit_bytes: int,
        look_at: Callable[[SoFar], None] | None = None,
    ) -> Outcome:
        """Run it to its end, its timeout, or the first `stop`; keep at most `limit_bytes` of each stream."""
        if target.transport != "local":
            raise ValueError(f"{target.node} is not a local node")
        through_sudo = command.as_root and not self.is_root
        environment = environment_of(command)
        argv = elevated(command.argv, command.environment) if through_sudo else command.argv
        try:
            family = self._start(argv, environment, command)
        except (OSError, ValueError) as error:
            return _not_started(redactor.text(argv[0]), error, environment)
        stdout, stderr = Capture(redactor, limit_bytes), Capture(redactor, limit_bytes)
        if look_at is not None:
            look_at(lambda limit: (stdout.so_far(limit), stderr.so_far(limit)))
        ending, left = self._watch(family, command, heartbeat, (stdout, stderr))
        exit_code = family.reap()
        output = stdout.finish(), stderr.finish()
        match ending:
            case "timed_out":
                return outcomes.timed_out(command, exit_code, left, *output)
            case "cancelled":
                return outcomes.cancelled(exit_code, left, *output)
            case "ended" if family.ending_signal:
                return outcomes.killed(family.ending_signal, *output)
            case "ended":
                return outcomes.ended(command, family.leader.wait(), *output, through_sudo=through_sudo)

    def _start(self, argv: tuple[str, ...], environment: Mapping[str, str], command: Command) -> Family:
        enclosure = self.enclosures.make(command.label)
        try:
            return processes.start(argv, environment, command.stdin, command.label, enclosure)
        except BaseException:
            if enclosure is not None:
                enclosure.remove()
            raise

    def look(self, _target: Target, command: Command, _redactor: Redactor, _limit_bytes: int, /) -> Found:
        """Whether it still runs here. Its exit code went with its worker, and root's commands only root can see.

        Unless they are enclosed: then their group tells.
        """
        if enclosed := self.enclosures.of(command.label):
            running = any(enclosure.members() for enclosure in enclosed)
            return "running" if running else outcomes.unseen(NOTHING)
        if command.as_root and not self.is_root:
            return "unknown"
        return "running" if processes.still_running(command.label) else outcomes.unseen(NOTHING)

    def _watch(
        self, family: Family, command: Command, heartbeat: Heartbeat, captures: tuple[Capture, Capture]
    ) -> tuple[Ending, int]:
        guarded = self.guardian.over(family, command.timeout_s)
        with guarded, closing(_Watch(self, family, heartbeat, captures)) as watch:
            try:
                return watch.to_the_end(command.timeout_s)
            except BaseException:  # Ctrl-C, or a defect: nothing may go on that nobody watches
                family.kill()
                family.reap()
                raise


def environment_of(command: Command) -> dict[str, str]:
    """All that the command sees of an environment: ours, then what its action declares."""
    user, home = _user(os.geteuid())
    ours = {
        "PATH": SYSTEM_PATH,
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": command.timezone,
        "DEBIAN_FRONTEND": "noninteractive",
        "HOME": home,
        "USER": user,
        "LOGNAME": user,
    }
    return {**ours, **dict(command.environment)}


@cache
def _user(uid: int) -> tuple[str, str]:
    """Name and home of a user, asked once: a worker starts hundreds of commands a second."""
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:  # a container's or DynamicUser's number without a name
        return str(uid), "/"
    return entry.pw_name, entry.pw_dir


def _not_started(program: str, error: OSError | ValueError, environment: Mapping[str, str]) -> Outcome:
    exists = shutil.which(program, os.F_OK, environment["PATH"]) is not None
    reason = error.errno if isinstance(error, OSError) else None
    if reason in (errno.ENOENT, errno.ENOTDIR) and not exists:
        return outcomes.not_started("command_not_found", *outcomes.command_not_found(program), NOTHING)
    if reason in (errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.EISDIR):
        return outcomes.not_started("not_executable", *outcomes.not_executable(program), NOTHING)
    said = os.strerror(reason) if reason else str(error)
    return outcomes.not_started("could_not_start", *outcomes.could_not_start(said), NOTHING)


class _Watch:
    """Reads a running command, beats, and ends it when its time is over."""

    def __init__(
        self, limits: LocalTransport, family: Family, heartbeat: Heartbeat, captures: tuple[Capture, Capture]
    ) -> None:
        self._limits = limits
        self._family = family
        self._heartbeat = heartbeat
        self._beat_at = time.monotonic() + limits.beat_every_s
        self._stop = False
        self._running = True
        self._pidfd = os.pidfd_open(family.leader.pid)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._pidfd, selectors.EVENT_READ)
        for pipe, capture in zip(family.pipes, captures, strict=True):
            self._selector.register(pipe, selectors.EVENT_READ, capture)

    def close(self) -> None:
        """Give back every descriptor; what still writes gets a broken pipe."""
        self._selector.close()
        os.close(self._pidfd)
        for pipe in self._family.pipes:
            pipe.close()

    def to_the_end(self, timeout_s: float) -> tuple[Ending, int]:
        """How it ended, and how many of its processes could not be ended."""
        ending = self._while_running(time.monotonic() + timeout_s)
        if ending == "ended":
            self._drain(self._limits.drain_s)
            if self._selector.get_map():
                self._family.signal_group(SIGKILL)
            return ending, 0
        self._family.signal(SIGTERM)
        self._while_members(time.monotonic() + self._limits.grace_s)
        left = self._family.kill()
        self._drain(LAST_WORDS_S)
        return ending, left

    def _while_running(self, deadline: float) -> Ending:
        while self._running:
            if self._stop:
                return "cancelled"
            if time.monotonic() >= deadline:
                return "timed_out"
            self._turn(deadline)
        return "ended"

    def _while_members(self, deadline: float) -> None:
        while self._family.members() and (now := time.monotonic()) < deadline:
            self._turn(min(deadline, now + LOOK_EVERY_S))

    def _drain(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while self._selector.get_map() and time.monotonic() < deadline:
            self._turn(deadline)

    def _turn(self, until: float) -> None:
        """Wait for output, the command's end, the next beat or `until`, and deal with what came."""
        now = time.monotonic()
        if now >= self._beat_at:
            self._stop = self._heartbeat() == "stop" or self._stop
            now = time.monotonic()
            self._beat_at = now + self._limits.beat_every_s
        for key, _ in self._selector.select(max(0.0, min(until, self._beat_at) - now)):
            chunk = os.read(key.fd, CHUNK) if isinstance(key.data, Capture) else b""
            if chunk:
                key.data.feed(chunk)
                continue
            self._selector.unregister(key.fileobj)
            self._running = self._running and key.fd != self._pidfd
