"""A control group for each command: nothing that it starts gets away, whoever it runs as and whatever it sheds."""

from __future__ import annotations

import os
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from systemd_box import unified_hierarchy

from schedctl.plan.model import Target
from schedctl.transport import enclosures, guardian, processes
from schedctl.transport.base import Command, Outcome
from schedctl.transport.enclosures import Enclosures
from schedctl.transport.guardian import Guardian
from schedctl.transport.ssh_link import Link
from tests.transport.local_world import QUICK, Start, eventually
from tests.transport.test_local_end import after

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from schedctl.transport.base import Heartbeat

SHEDS_ALL = "env -i setsid sh -c 'sleep 7061 >/dev/null 2>&1 & echo $!'; "
"""An orphan with a session of its own, without the marks, and the child of nobody of the command's."""


@pytest.fixture
def group() -> Iterator[Path]:
    """A group that this process is in for a test, as if systemd had handed it over."""
    top = unified_hierarchy()
    if os.geteuid() != 0 or not top.is_absolute() or not os.access(top, os.W_OK):
        pytest.skip("needs root and a cgroup2 hierarchy that can be written to")
    before = enclosures._own_group()
    assert before is not None
    home = top / f"schedctl-test-{uuid.uuid4().hex[:8]}"
    home.mkdir()
    os.setxattr(home, "user.delegate", b"1")
    (home / "cgroup.procs").write_text("0")
    try:
        yield home
    finally:
        (before / "cgroup.procs").write_text("0")
        (home / "cgroup.kill").write_text("1")
        assert eventually(lambda: "populated 0" in (home / "cgroup.events").read_text())
        for left in folders(home):
            left.rmdir()
        home.rmdir()


def folders(group: Path) -> list[Path]:
    return [entry for entry in group.iterdir() if entry.is_dir()]


@pytest.fixture
def start(group: Path) -> Start:
    return Start(replace(QUICK, guardian=Guardian(), enclosures=enclosures.of_this_process()))


def lives(pid: int) -> bool:
    return pid in dict(processes._living())


def began(outcome: Outcome) -> int:
    return int(outcome.stdout.head.split()[0])


@pytest.mark.parametrize("how", ["timeout", "stop"])
def test_what_sheds_every_mark_ends_with_the_command(start: Start, group: Path, how: str) -> None:
    timeout_s, heartbeat = (1, after(60)) if how == "timeout" else (20, after(0.3))
    outcome = start.shell(f"{SHEDS_ALL} sleep 100", timeout_s, heartbeat)
    assert outcome.state == ("timed_out" if how == "timeout" else "cancelled")
    assert not lives(began(outcome))
    assert folders(group) == [], "the group is removed"


def test_what_ignores_term_has_its_grace_and_is_killed(start: Start) -> None:
    stubborn = (
        """env -i setsid sh -c 'trap "" TERM; (while :; do sleep 0.1; done) >/dev/null 2>&1 & echo $!'; sleep 100"""
    )
    outcome = start.shell(stubborn, heartbeat=after(0.3))
    assert not lives(began(outcome))


def test_a_daemon_that_the_command_wanted_stays_and_keeps_its_group(start: Start, group: Path) -> None:
    outcome = start.shell(SHEDS_ALL)
    assert outcome.state == "succeeded"
    assert lives(began(outcome))
    [folder] = folders(group)
    assert (folder / "cgroup.procs").read_text() == f"{began(outcome)}\n"


def test_what_is_started_beside_a_command_is_not_in_its_group(start: Start, group: Path) -> None:
    """The worker moves into the group for a moment: what it starts just then for itself has to wait."""
    seen: list[str] = []

    def look() -> Heartbeat:
        def beat() -> str:
            [folder] = folders(group)
            seen.extend(
                Path(f"/proc/{pid}/cmdline").read_text() for pid in (folder / "cgroup.procs").read_text().split()
            )
            return "stop"

        return beat  # pyright: ignore[reportReturnType] - "stop" is one of its words

    start.run("sleep", "100", heartbeat=look())
    assert seen == ["sleep\x00100\x00"]
    assert str(os.getpid()) in (group / "cgroup.procs").read_text().split()


def test_a_group_is_enough_to_end_all_that_is_in_it(start: Start) -> None:
    enclosure = start.transport.enclosures.make("a")
    assert enclosure is not None
    family = processes.start(
        ("/bin/sh", "-c", f"{SHEDS_ALL} exec sleep 100"), {"PATH": "/usr/bin:/bin"}, "", "a", enclosure
    )
    pid = int(family.pipes[0].readline())
    processes.end("SCHEDCTL_START=another", 0.2, enclosure)
    assert not lives(pid)
    family.reap()
    for pipe in family.pipes:
        pipe.close()


def test_what_became_of_a_lost_command_is_known_by_its_group(start: Start, group: Path) -> None:
    as_user = replace(start.transport, is_root=False)
    command = Command(("sudo", "x"), 10, "UTC", start.label, as_root=True)

    def found() -> str:
        said = as_user.look(Target("mars", "local"), command, start.redactor, 100)
        return said.state if isinstance(said, Outcome) else said

    assert found() == "unknown"
    enclosure = as_user.enclosures.make(start.label)
    assert enclosure is not None
    family = processes.start(("sleep", "100"), {"PATH": "/usr/bin:/bin"}, "", "b", enclosure)
    assert found() == "running"
    enclosure.kill()
    family.leader.wait()
    assert found() == "lost"
    for pipe in family.pipes:
        pipe.close()


def test_a_group_that_nobody_gave_us_is_left_alone(group: Path) -> None:
    os.removexattr(group, "user.delegate")
    assert enclosures.of_this_process() == Enclosures(None)


def test_without_a_group_it_runs_all_the_same(group: Path) -> None:
    (group / "cgroup.max.descendants").write_text("0")
    start = Start(replace(QUICK, enclosures=enclosures.of_this_process()))
    assert start.shell("echo out").stdout.head == b"out\n"


def a_guardian() -> Callable[[], None]:
    return guardian._spawn().close


def an_ssh_client() -> Callable[[], None]:
    return Link(("sleep", "7064"), b"").__exit__


@pytest.mark.parametrize(("begin", "name"), [(a_guardian, b"guardian"), (an_ssh_client, b"sleep\x007064")])
def test_what_the_worker_starts_for_itself_waits_until_it_is_home(
    start: Start, group: Path, begin: Callable[[], Callable[[], None]], name: bytes
) -> None:
    def at_home() -> list[bytes]:
        pids = (group / "cgroup.procs").read_text().split()
        return [line for pid in pids if name in (line := Path(f"/proc/{pid}/cmdline").read_bytes())]

    enclosure = start.transport.enclosures.make("a")
    assert enclosure is not None
    with ThreadPoolExecutor(1) as pool:  # an ssh client dies with the thread that started it
        with enclosure.entered():
            begun = pool.submit(begin)
            time.sleep(0.3)
        end = begun.result()
        assert eventually(lambda: at_home() != []), "a child just started has no command line yet"
        assert enclosure.members() == frozenset()
        end()


def test_this_process_does_not_end_itself_with_a_command(start: Start) -> None:
    enclosure = start.transport.enclosures.make("a")
    assert enclosure is not None
    with enclosure.entered():
        enclosure.kill()
    assert enclosure.members() == frozenset()
