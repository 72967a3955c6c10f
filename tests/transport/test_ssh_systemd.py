"""Nodes with systemd: root's commands run in a unit of their own, which holds all that they start."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest
from box_nodes import BoxNode, serve_box_nodes

from schedctl.redact import Redactor
from schedctl.transport import processes
from tests.transport.ssh_world import LIMIT, Later, Remote, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.transport.base import SoFar

TALKS = "for i in 1 2 3 4 5 6; do echo line $i; sleep 0.5; done; exit 3"
ALL_LINES = b"".join(b"line %d\n" % number for number in range(1, 7))
SHEDS_ALL = "env -i setsid sh -c 'sleep 7063 >/dev/null 2>&1 & echo $!'; "


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[BoxNode]]:
    for network in serve_box_nodes(tmp_path_factory.mktemp("boxes"), 2):
        yield [node for node in network.nodes if isinstance(node, BoxNode)]


@pytest.fixture
def node(nodes: list[BoxNode]) -> BoxNode:
    return nodes[0]


@pytest.fixture
def remote(node: BoxNode) -> Remote:
    return Remote(node)


def unit(remote: Remote) -> str:
    return f"schedctl-{remote.label}.service"


def sleepers() -> list[int]:
    """The orphans of commands that shed all; the nodes' processes are this machine's too."""
    return [pid for pid, _ in processes._living() if command_line(pid) == b"sleep\x007063\x00"]


def command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # it is gone
        return b""


def test_the_command_has_a_unit_of_its_own_that_goes_with_it(remote: Remote, node: BoxNode) -> None:
    outcome = remote.shell("cat /proc/self/cgroup; exit 3")
    assert (outcome.state, outcome.exit_code) == ("failed", 3)
    assert f"0::/system.slice/{unit(remote)}" in outcome.stdout.head.decode()
    wait_until(
        lambda: node.box.run("systemctl", "show", "-p", "LoadState", unit(remote)).stdout == "LoadState=not-found\n"
    )


@pytest.mark.parametrize("how", ["timeout", "stop"])
def test_what_sheds_every_mark_ends_with_the_command(remote: Remote, how: str) -> None:
    def heartbeat() -> Literal["go_on", "stop"]:
        return "stop" if how == "stop" and sleepers() else "go_on"

    outcome = remote.shell(f"{SHEDS_ALL} sleep 100", 1 if how == "timeout" else 20, heartbeat)
    assert outcome.state == ("timed_out" if how == "timeout" else "cancelled")
    assert int(outcome.stdout.head)
    assert sleepers() == []


def test_stopping_the_unit_on_the_node_cancels_the_run(remote: Remote, node: BoxNode) -> None:
    later = Later(lambda: remote.shell("echo begun; sleep 100"))
    wait_until(lambda: remote.begun() and (remote.folder / "stdout").exists())
    node.box.do(f"systemctl stop {unit(remote)}")
    outcome = later.outcome()
    assert (outcome.state, outcome.stdout.head) == ("cancelled", b"begun\n")


def test_the_end_of_sshd_and_its_sessions_is_not_the_commands(remote: Remote, node: BoxNode) -> None:
    later = Later(lambda: remote.shell(TALKS))
    wait_until(lambda: remote.begun() and (remote.folder / "stdout").exists())
    node.stop_sshd()
    time.sleep(0.5)
    node.start()
    outcome = later.outcome()
    assert (outcome.state, outcome.exit_code, outcome.stdout.head) == ("failed", 3, ALL_LINES)


def test_the_time_limit_holds_while_nobody_is_connected(remote: Remote, node: BoxNode) -> None:
    later = Later(lambda: remote.shell(f"echo begun; {SHEDS_ALL} sleep 100", timeout_s=2))
    wait_until(sleepers)
    node.stop_sshd()
    wait_until(remote.ended)
    assert sleepers() == []
    node.start()
    assert later.outcome().state == "timed_out"


def test_a_name_is_never_used_twice(remote: Remote) -> None:
    assert remote.shell("exit 0").state == "succeeded"
    assert remote.shell("exit 0").error_type == "already_begun"


def test_what_a_cut_command_prints_does_not_fill_the_disk(node: BoxNode) -> None:
    remote = Remote(node, hold_bytes=1_000_000)
    go = node.folder / "go"
    later = Later(lambda: remote.shell(f"echo begun; while ! test -e {go}; do sleep 0.05; done; seq 1000000; sleep 2"))
    wait_until(lambda: remote.begun() and (remote.folder / "stdout").exists())
    node.stop_sshd()
    go.touch()
    wait_until(lambda: (remote.folder / "stdout").stat().st_size > 6_000_000)
    wait_until(lambda: (remote.folder / "stdout").stat().st_blocks * 512 < 1_100_000)
    node.start()
    kept = later.outcome().stdout
    assert (kept.length, kept.head[:8], kept.tail[-8:]) == (6_888_902, b"begun\n1\n", b"1000000\n")


def test_what_it_prints_can_be_read_while_it_runs(remote: Remote) -> None:
    seen: list[bytes] = []
    readers: list[SoFar] = []

    def beat() -> Literal["go_on", "stop"]:
        seen.append(readers[0](1000)[0].head)
        return "stop" if b"two" in seen[-1] else "go_on"

    script = remote.command("/bin/sh", "-c", "echo one; sleep 0.5; echo two; sleep 100")
    outcome = remote.transport.run(remote.node.target, script, beat, Redactor(), LIMIT, readers.append)
    assert outcome.state == "cancelled"
    assert b"one\n" in seen
    assert seen[-1] == b"one\ntwo\n"


@pytest.mark.long
def test_a_cut_link_is_healed_and_the_other_node_hears_nothing_of_it(nodes: list[BoxNode]) -> None:
    cut, beside = (Remote(node, reach_for_s=20.0) for node in nodes)
    running = Later(lambda: cut.shell("for i in 1 2 3 4 5 6; do echo line $i; sleep 1.5; done; exit 3"))
    wait_until(cut.begun)
    nodes[0].cut_link()
    assert beside.shell("echo done").stdout.head == b"done\n"
    wait_until(cut.ended, 20)
    nodes[0].heal_link()
    outcome = running.outcome(30)
    assert (outcome.state, outcome.exit_code, outcome.stdout.head) == ("failed", 3, ALL_LINES)
