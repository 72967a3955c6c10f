"""Output on the node: it fills no disk while nobody fetches it, and goes when it was fetched or is old."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from schedctl.redact import Redactor
from schedctl.transport.base import Outcome
from schedctl.transport.capture import display
from schedctl.transport.ssh_envelope import REMOTE_COMMAND, look_script
from schedctl.transport.ssh_link import Link
from tests.transport.ssh_world import Later, Remote, wait_until

if TYPE_CHECKING:
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
    wait_until(remote.forgotten)


def test_what_it_prints_after_that_is_fetched_again(remote: Remote) -> None:
    outcome = cut_off(remote, more="echo last; ")
    remote.node.start()
    assert outcome.outcome().stdout.tail.endswith(b"0900000\nlast\n")


def test_a_secret_at_the_edge_of_what_was_given_up_is_not_shown(own_node: Sshd) -> None:
    """What is stored around a gap is more than what is kept here, so that an edge never is."""
    remote = Remote(own_node, Redactor.of(["a-secret-of-some-length"]), hold_bytes=1)
    outcome = cut_off(remote, more="yes a-secret-of-some-length | head -n 1000000; ")
    wait_until(lambda: on_disk(remote.folder / "stdout") < HOLD)
    own_node.start()
    kept = outcome.outcome().stdout
    assert kept.sha256 == ""
    assert b"secret" not in kept.head + kept.tail


def given_up(remote: Remote) -> None:
    """The command has ended, and its worker has stopped asking."""
    stop: list[int] = []
    later = cut_off(remote, heartbeat=lambda: "stop" if stop else "go_on")
    stop.append(1)
    assert later.outcome().state == "lost"
    remote.node.start()


def test_what_somebody_else_looked_up_is_removed_as_well(own_node: Sshd) -> None:
    remote = Remote(own_node, hold_bytes=HOLD, reach_for_s=0.1)
    given_up(remote)
    found = remote.look()
    assert isinstance(found, Outcome)
    assert found.stdout.head.startswith(b"begun\n0000001\n")
    assert found.stdout.tail.endswith(b"0900000\n")
    wait_until(remote.forgotten)


def test_who_fetches_slowly_gets_it_all_though_another_is_done(own_node: Sshd) -> None:
    """A worker that was overtaken reads on while the next one looks; who ends last removes the output."""
    remote = Remote(own_node, reach_for_s=0.1)
    given_up(remote)
    script = look_script(remote.label, "nonce")
    with Link(own_node.client.argv(own_node.target, REMOTE_COMMAND), script) as slow:
        heard = bytearray()
        while b"0000001" not in heard:
            heard += slow.hear(10) or b""
        found = remote.look()
        assert isinstance(found, Outcome)
        assert found.stdout.length == LINES * 8 + len("begun\n")
        while not heard.endswith(b"end exited 3 0\n"):
            heard += slow.hear(10) or b""
        assert heard.count(b"\n0899999\n0900000\n") == 1
        slow.acknowledge("nonce")
    wait_until(remote.forgotten)


def test_a_connection_that_was_cut_and_ends_after_the_other_removes_the_output(own_node: Sshd) -> None:
    remote = Remote(own_node, reach_for_s=0.1)
    stop: list[int] = []
    later = Later(lambda: remote.shell("echo begun; sleep 1; exit 3", heartbeat=lambda: "stop" if stop else "go_on"))
    wait_until(lambda: list(remote.folder.glob("reader.*")))
    (mark,) = remote.folder.glob("reader.*")
    slow = int(str(mark.readlink()))
    os.kill(slow, signal.SIGSTOP)
    try:
        own_node.stop()
        own_node.cut()
        wait_until(remote.ended)
        stop.append(1)
        assert later.outcome().state == "lost"
        own_node.start()
        assert isinstance(remote.look(), Outcome)
        wait_until((remote.folder / "done").is_symlink)
        assert (remote.folder / "stdout").exists()
    finally:
        os.kill(slow, signal.SIGCONT)
    wait_until(remote.forgotten)


def test_a_connection_that_hangs_keeps_nothing_from_its_own_worker(remote: Remote) -> None:
    later = Later(lambda: remote.shell("echo begun; sleep 5; exit 3"))
    wait_until(lambda: list(remote.folder.glob("reader.*")))
    hanging = remote.node.sessions()
    for pid in hanging:
        os.kill(pid, signal.SIGSTOP)
    try:
        assert later.outcome().exit_code == 3
        wait_until(remote.forgotten)
    finally:
        for pid in hanging:
            os.kill(pid, signal.SIGKILL)


def test_a_start_that_runs_is_not_forgotten_however_old(remote: Remote) -> None:
    go = remote.node.folder / "go"
    later = Later(lambda: remote.shell(f"echo begun; while ! test -e {go}; do sleep 0.05; done; exit 3"))
    wait_until(lambda: remote.begun() and (remote.folder / "fetched.stderr").is_symlink())
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


BIG = """
import re, sys
sys.path[:0] = {paths!r}
from pathlib import Path
from sshd import Sshd
from tests.transport.ssh_world import Remote
peak = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
before = peak()
remote = Remote(Sshd(Path({folder!r}), {port}), label={label!r})
outcome = remote.run(remote.command("head", "-c", "{length}", "/dev/zero", timeout_s=600), limit=262_144)
kept = outcome.stdout
print(outcome.state, kept.length, len(kept.head + kept.tail), kept.sha256 or "-", peak(), peak() - before)
"""


DIGESTS = {
    100_000_000: "a993f8c574e0fea8c1cdcbcd9408d9e2e107ee6e4d120edcfa11decd53fa0cae",
    5_000_000_000: "750f9080de24a9e562c6b1fecc288c732a758003ab16e5cad014eba45c17466b",
}
"""`head -c LENGTH /dev/zero | sha256sum`"""


@pytest.mark.parametrize("length", [100_000_000, pytest.param(5_000_000_000, marks=pytest.mark.long)])
def test_a_huge_output_costs_the_worker_little_memory(own_node: Sshd, length: int) -> None:
    root = Path(__file__).parents[2]
    paths = [str(root), str(root / "tests" / "support")]
    remote = Remote(own_node)
    text = BIG.format(paths=paths, folder=str(own_node.folder), port=own_node.port, label=remote.label, length=length)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    state, seen, kept, digest, peak_kib, grown_kib = done.stdout.split()
    assert (state, int(seen), int(kept)) == ("succeeded", length, 262_144)
    assert digest == DIGESTS[length]
    assert int(peak_kib) < 64 * 1024
    assert int(grown_kib) < 8 * 1024
