"""A node whose user is not root: what sudo allows, what it does not, and a home without space."""

from __future__ import annotations

import shutil
import subprocess
import time
from typing import TYPE_CHECKING

import pytest
from private_node import HOME, USER

from schedctl.transport.outcomes import LOOK
from schedctl.transport.ssh_errors import DISK_FULL
from tests.transport.ssh_world import Remote

if TYPE_CHECKING:
    from private_node import PrivateNode

    from schedctl.transport.base import Outcome

sudo_is_here = pytest.mark.skipif(shutil.which("sudo") is None, reason="needs sudo")


@pytest.fixture
def remote(private_node: PrivateNode) -> Remote:
    return Remote(private_node)


def as_root(remote: Remote, *argv: str, timeout_s: int = 10, environment: tuple[tuple[str, str], ...] = ()) -> Outcome:
    return remote.run(remote.command(*argv, timeout_s=timeout_s, environment=environment, as_root=True))


def test_a_command_runs_as_the_user(remote: Remote) -> None:
    outcome = remote.shell('id -un; echo "$HOME"; ls -ld ~/.schedctl/runs | cut -c1-10')
    assert outcome.stdout.head == f"{USER}\n{HOME}\ndrwx------\n".encode()


@sudo_is_here
def test_what_sudoers_names_runs_as_root(remote: Remote) -> None:
    outcome = as_root(remote, "id", "-u")
    assert (outcome.state, outcome.stdout.head) == ("succeeded", b"0\n")


@sudo_is_here
def test_a_sudo_that_asks_is_named_and_does_not_hang(remote: Remote) -> None:
    begun = time.monotonic()
    outcome = as_root(remote, "id", "-g")
    assert time.monotonic() - begun < 15
    assert (outcome.state, outcome.error_type) == ("failed", "sudo_password_needed")


@sudo_is_here
def test_declared_variables_reach_a_root_command(remote: Remote) -> None:
    outcome = as_root(remote, "env", environment=(("DECLARED", "a b;c"),))
    seen = set(outcome.stdout.head.decode().splitlines())
    assert {"DECLARED=a b;c", "TZ=Asia/Tokyo", "DEBIAN_FRONTEND=noninteractive"} <= seen


@sudo_is_here
def test_the_time_limit_reaches_a_root_command(remote: Remote) -> None:
    assert as_root(remote, "sleep", "7781", timeout_s=1).state == "timed_out"
    assert subprocess.run(["pgrep", "-f", "^sleep 7781"], check=False, capture_output=True).stdout == b""


def test_on_a_full_disk_nothing_begins(private_node: PrivateNode) -> None:
    private_node.fill()
    outcome = Remote(private_node).shell("echo never")
    assert (outcome.state, outcome.error_type, outcome.stdout.length) == ("failed", "node_storage", 0)
    assert outcome.error_message is not None
    assert "100%" in outcome.error_message.en


def test_a_disk_that_fills_up_under_a_command_hides_no_end_and_is_named(remote: Remote) -> None:
    outcome = remote.shell("echo begun; cat /dev/zero >~/fill; echo more; exit 4")
    assert (outcome.state, outcome.exit_code, outcome.hint) == ("failed", 4, DISK_FULL)
    assert outcome.stdout.head.startswith(b"begun\n")


def test_a_failure_beside_a_disk_with_space_is_only_that(remote: Remote) -> None:
    assert remote.shell("exit 4").hint == LOOK
