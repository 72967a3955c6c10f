"""The link is cut, the client or the worker killed: the command goes on, begins once, and its end is found."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from schedctl.transport.base import Outcome
from schedctl.transport.ssh_envelope import Limits, run_text, start_script
from schedctl.transport.ssh_link import Link
from tests.transport.ssh_world import Later, Remote, wait_until

if TYPE_CHECKING:
    from sshd import Sshd

TALKS = "for i in 1 2 3 4 5 6; do echo line $i; sleep 0.5; done; exit 3"
ALL_LINES = b"".join(b"line %d\n" % number for number in range(1, 7))
ROOT = Path(__file__).parents[2]


@pytest.fixture
def remote(own_node: Sshd) -> Remote:
    return Remote(own_node)


def running(remote: Remote, script: str, timeout_s: int = 20) -> Later:
    """The script, begun and in the middle of it."""
    later = Later(lambda: remote.shell(script, timeout_s))
    wait_until(remote.begun)
    wait_until(lambda: (remote.folder / "stdout").exists() and (remote.folder / "stdout").stat().st_size > 0)
    return later


@pytest.mark.parametrize("times", [1, 3])
def test_a_cut_link_loses_nothing_and_doubles_nothing(remote: Remote, times: int) -> None:
    later = running(remote, TALKS)
    for _ in range(times):
        time.sleep(0.3)
        remote.node.cut()
    outcome = later.outcome()
    assert (outcome.state, outcome.exit_code, outcome.stdout.head) == ("failed", 3, ALL_LINES)


def test_a_link_that_falls_silent_is_noticed(remote: Remote) -> None:
    later = running(remote, TALKS)
    frozen = remote.node.sessions()
    for pid in frozen:
        os.kill(pid, signal.SIGSTOP)
    outcome = later.outcome()
    for pid in frozen:
        os.kill(pid, signal.SIGKILL)
    assert (outcome.exit_code, outcome.stdout.head) == (3, ALL_LINES)


def test_sshd_may_be_restarted_while_a_command_runs(remote: Remote) -> None:
    later = running(remote, TALKS)
    remote.node.stop()
    remote.node.cut()
    time.sleep(1)
    remote.node.start()
    assert later.outcome().stdout.head == ALL_LINES


def test_a_killed_client_is_a_cut(remote: Remote) -> None:
    later = running(remote, TALKS)
    clients = subprocess.run(
        ["pgrep", "-x", "ssh", "-P", str(os.getpid())], capture_output=True, text=True, check=True
    ).stdout.split()
    for pid in clients:
        os.kill(int(pid), signal.SIGKILL)
    assert clients
    assert later.outcome().stdout.head == ALL_LINES


def test_an_error_of_this_system_is_a_cut_and_not_a_command_that_never_began(remote: Remote) -> None:
    errors = [OSError(24, "Too many open files")]

    def beat() -> Literal["go_on"]:
        if errors and remote.begun():
            raise errors.pop()
        return "go_on"

    outcome = remote.shell(TALKS, heartbeat=beat)
    assert (errors, outcome.exit_code, outcome.stdout.head) == ([], 3, ALL_LINES)


def test_the_time_limit_holds_while_nobody_is_connected(remote: Remote) -> None:
    later = running(remote, "echo begun; sleep 60", timeout_s=2)
    remote.node.stop()
    remote.node.cut()
    wait_until(remote.ended)
    assert not remote.still_running()
    remote.node.start()
    assert later.outcome().state == "timed_out"


def test_a_node_that_does_not_come_back_is_lost_and_not_failed(own_node: Sshd) -> None:
    remote = Remote(own_node, reach_for_s=1.0)
    stop: list[int] = []
    later = Later(lambda: remote.shell("echo begun; sleep 61.7", heartbeat=lambda: "stop" if stop else "go_on"))
    wait_until(lambda: pids("sleep 61.7"))
    own_node.stop()
    own_node.cut()
    stop.append(1)
    outcome = later.outcome()
    os.kill(pids("sleep 61.7")[0], signal.SIGKILL)
    assert (outcome.state, outcome.exit_code, outcome.error_type) == ("lost", None, "remote_state_unknown")


def test_text_that_was_on_its_way_begins_nothing_after_somebody_looked(remote: Remote) -> None:
    command = remote.command("touch", str(remote.node.folder / "begun-late"))
    found = remote.look(command)
    assert isinstance(found, Outcome)
    assert (found.state, found.error_type) == ("failed", "host_unreachable")
    script = start_script(command, "nonce", Limits(1, 1))
    with Link(remote.node.client.argv(remote.node.target, "exec /bin/sh -s"), script) as link:
        said = bytearray()
        while b"taken" not in said:
            heard = link.hear(5.0)
            assert heard is not None, said
            said += heard
    time.sleep(0.3)
    assert not (remote.node.folder / "begun-late").exists()


@pytest.mark.parametrize(
    "missing", ["}\n", " 'the input'\nexit\n}\n", "put'\nexit\n}\n", "main\n' 'the input'\nexit\n}\n"]
)
def test_a_text_that_arrived_in_part_does_nothing(remote: Remote, missing: str) -> None:
    command = remote.command("touch", str(remote.node.folder / "begun"), stdin="the input")
    script = start_script(command, "nonce", Limits(1, 1)).decode()
    assert script.endswith(missing)
    subprocess.run(
        ["/bin/sh", "-s"],
        input=script.removesuffix(missing).encode(),
        env={"HOME": str(remote.node.home)},
        capture_output=True,
        check=False,
    )
    assert not remote.node.runs.exists()
    assert not (remote.node.folder / "begun").exists()


@pytest.mark.parametrize("sealed", [True, False])
def test_of_many_runners_of_one_start_one_begins_and_none_when_somebody_looked(remote: Remote, sealed: bool) -> None:
    notes = remote.node.folder / "notes"
    notes.touch()
    remote.folder.mkdir(parents=True)
    (remote.folder / "run").write_text(run_text(remote.command("sh", "-c", f"echo begun >>{notes}"), Limits(1, 1)))
    if sealed:
        (remote.folder / "begun").symlink_to("never")
    environment = {"HOME": str(remote.node.home), "PATH": "/usr/bin:/bin"}
    runners = [subprocess.Popen(["/bin/sh", remote.folder / "run"], env=environment) for _ in range(8)]
    assert [runner.wait(20) for runner in runners] == [0] * 8
    assert notes.read_text() == ("" if sealed else "begun\n")


WORKER = """
import sys
sys.path[:0] = {paths!r}
from pathlib import Path
from sshd import Sshd
from tests.transport.ssh_world import Remote
remote = Remote(Sshd(Path({folder!r}), {port}), label={label!r})
remote.shell({script!r})
"""


def worker_on(remote: Remote, script: str) -> subprocess.Popen[bytes]:
    """Another process that carries the script out."""
    here = [str(ROOT), str(ROOT / "tests" / "support"), str(Path(__file__).parent)]
    text = WORKER.format(
        paths=here, folder=str(remote.node.folder), port=remote.node.port, label=remote.label, script=script
    )
    worker = subprocess.Popen([sys.executable, "-c", text])
    wait_until(lambda: (remote.folder / "stdout").exists() and (remote.folder / "stdout").stat().st_size > 0)
    return worker


def test_a_killed_worker_leaves_no_client_and_the_command_goes_on(remote: Remote) -> None:
    worker = worker_on(remote, "echo begun; sleep 4; echo ended; exit 3")
    (client,) = subprocess.run(
        ["pgrep", "-x", "ssh", "-P", str(worker.pid)], capture_output=True, text=True, check=True
    ).stdout.split()
    worker.kill()
    worker.wait()
    wait_until(lambda: not Path(f"/proc/{client}").exists(), 3)
    assert remote.look() == "running"
    wait_until(remote.ended)
    found = remote.look()
    assert isinstance(found, Outcome)
    assert (found.state, found.exit_code, found.stdout.head) == ("failed", 3, b"begun\nended\n")


def test_a_runner_that_was_killed_leaves_a_command_that_is_still_ended(remote: Remote) -> None:
    later = running(remote, "echo begun; sleep 61.5")
    os.kill(runner_of(remote), signal.SIGKILL)
    assert remote.look() == "running"
    os.kill(pids("sleep 61.5")[0], signal.SIGKILL)
    outcome = later.outcome()
    assert (outcome.state, outcome.error_type) == ("lost", "remote_state_unknown")


def test_a_stop_also_reaches_a_command_without_its_runner(remote: Remote) -> None:
    stop: list[int] = []
    later = Later(lambda: remote.shell("echo begun; sleep 61.6", heartbeat=lambda: "stop" if stop else "go_on"))
    wait_until(lambda: pids("sleep 61.6"))
    os.kill(runner_of(remote), signal.SIGKILL)
    stop.append(1)
    assert later.outcome().state == "cancelled"
    assert pids("sleep 61.6") == []


def runner_of(remote: Remote) -> int:
    return int(str((remote.folder / "begun").readlink()).split()[0])


def pids(args: str) -> list[int]:
    found = subprocess.run(["pgrep", "-f", f"^{args}"], check=False, capture_output=True, text=True).stdout
    return [int(pid) for pid in found.split()]
