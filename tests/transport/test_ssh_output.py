"""Output on the node: it fills no disk while nobody fetches it, and goes when it was fetched or is old."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from schedctl.redact import Redactor
from schedctl.transport.base import Outcome
from schedctl.transport.capture import display
from tests.transport.ssh_world import Later, Remote, wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from sshd import Sshd

    from schedctl.transport.base import Heartbeat

HOLD = 1_000_000
LINES = 900_000
"""7 MB."""
COUNTS = f"""
wait_for() {{{{ while ! test -e {{folder}}/$1; do sleep 0.05; done; }}}}
echo begun; wait_for go; seq -f %07.0f {LINES} >&{{stream}}; touch {{folder}}/printed; wait_for go_on; {{more}}exit 3
"""


@pytest.fixture
def remote(own_node: Sshd) -> Remote:
    return Remote(own_node, hold_bytes=HOLD)


def on_disk(path: Path) -> int:
    return path.stat().st_blocks * 512


def cut_off(
    remote: Remote,
    stream: int = 1,
    more: str = "",
    heartbeat: Heartbeat = lambda: "go_on",
    *,
    to_the_end: bool = True,
) -> Later:
    """A command that has printed it all, and whose worker has seen nothing but the beginning."""
    folder = remote.node.folder
    later = Later(lambda: remote.shell(COUNTS.format(folder=folder, stream=stream, more=more), heartbeat=heartbeat))
    wait_until(remote.begun)
    wait_until(lambda: (remote.folder / "stdout").exists() and (remote.folder / "stdout").stat().st_size > 0)
    remote.node.stop()
    remote.node.cut()
    (folder / "go").touch()
    wait_until((folder / "printed").exists)
    if to_the_end:
        (folder / "go_on").touch()
        wait_until(remote.ended)
    return later


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_what_a_cut_command_prints_is_stored_as_its_beginning_and_its_end(remote: Remote, name: str) -> None:
    later = cut_off(remote, 1 if name == "stdout" else 2, to_the_end=False)
    file = remote.folder / name
    assert file.stat().st_size >= LINES * 8
    wait_until(lambda: on_disk(file) <= HOLD + 8192)
    (remote.node.folder / "go_on").touch()
    remote.node.start()
    outcome = later.outcome()
    kept = outcome.stdout if name == "stdout" else outcome.stderr
    said_before = len("begun\n") if name == "stdout" else 0
    assert (outcome.state, outcome.exit_code, kept.length) == ("failed", 3, LINES * 8 + said_before)
    assert b"0000001\n0000002\n" in kept.head
    assert kept.tail.endswith(b"0899999\n0900000\n")
    assert kept.sha256 == "", "nobody has seen it all"
    assert "bytes left out" in display(kept)
    assert sorted(entry.name for entry in remote.folder.iterdir()) == ["begun", "status"]


def test_what_it_prints_after_that_is_fetched_again(remote: Remote) -> None:
    outcome = cut_off(remote, more="echo last; ")
    remote.node.start()
    assert outcome.outcome().stdout.tail.endswith(b"0900000\nlast\n")


def test_a_secret_at_the_edge_of_what_was_given_up_is_not_shown(own_node: Sshd) -> None:
    """What is stored around a gap is more than what is kept here, so that an edge never is."""
    remote = Remote(own_node, Redactor.of(["a-secret-of-some-length"]), hold_bytes=1)
    outcome = cut_off(remote, more="yes a-secret-of-some-length | head -n 1000000; ")
    own_node.start()
    kept = outcome.outcome().stdout
    assert kept.sha256 == ""
    assert b"secret" not in kept.head + kept.tail


def test_what_somebody_else_looked_up_is_removed_as_well(own_node: Sshd) -> None:
    stop: list[int] = []
    remote = Remote(own_node, hold_bytes=HOLD, reach_for_s=0.1)
    later = cut_off(remote, heartbeat=lambda: "stop" if stop else "go_on")
    stop.append(1)
    assert later.outcome().state == "lost"
    own_node.start()
    found = remote.look()
    assert isinstance(found, Outcome)
    assert found.stdout.head.startswith(b"begun\n0000001\n")
    assert found.stdout.tail.endswith(b"0900000\n")
    assert sorted(entry.name for entry in remote.folder.iterdir()) == ["begun", "status"]


def test_a_start_that_runs_is_not_forgotten_however_old(remote: Remote) -> None:
    go = remote.node.folder / "go"
    later = Later(lambda: remote.shell(f"echo begun; while ! test -e {go}; do sleep 0.05; done; exit 3"))
    wait_until(remote.begun)
    ended = remote.node.runs / "ended"
    ended.mkdir()
    (ended / "begun").symlink_to("never")
    for folder in (remote.folder, ended):
        os.utime(folder, (1, 1))
    (remote.node.runs / ".cleaned").unlink()
    assert Remote(remote.node).shell("exit 0").state == "succeeded"
    wait_until(lambda: not ended.exists())
    go.touch()
    assert later.outcome().exit_code == 3
