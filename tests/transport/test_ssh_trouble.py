"""What keeps a command from a node: each reason has its type, comes quickly, and begins nothing."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sshd import Sshd

from schedctl.redact import Redactor
from schedctl.transport.ssh import SshTransport
from schedctl.transport.ssh_errors import SENTENCES, trouble
from schedctl.transport.ssh_link import OPTIONS, Client
from tests.transport.ssh_world import Remote

if TYPE_CHECKING:
    from collections.abc import Callable

    from sshd import Sshd

    from schedctl.transport.base import Outcome


def refuse_key(node: Sshd) -> None:
    node.make_key("id")


def forget_host(node: Sshd) -> None:
    node.trust("")


def change_host(node: Sshd) -> None:
    node.stop()
    node.make_key("host")
    node.start()


def stop_sshd(node: Sshd) -> None:
    node.stop()


def misconfigure(node: Sshd) -> None:
    (node.folder / "ssh_config").write_text("NoSuchOption yes\n")


@pytest.mark.parametrize(
    ("spoil", "error"),
    [
        (refuse_key, "auth_refused"),
        (forget_host, "host_key_unknown"),
        (change_host, "host_key_changed"),
        (stop_sshd, "host_unreachable"),
        (misconfigure, "could_not_start"),
    ],
)
def test_the_reason_is_named_and_nothing_begins(own_node: Sshd, spoil: Callable[[Sshd], None], error: str) -> None:
    spoil(own_node)
    remote = Remote(own_node)
    begun = time.monotonic()
    outcome = remote.shell("echo never")
    assert time.monotonic() - begun < 20
    assert (outcome.state, outcome.exit_code, outcome.error_type) == ("failed", None, error)
    assert outcome.error_message is not None
    assert "node1" in outcome.error_message.en
    assert outcome.hint == SENTENCES[error][1]  # pyright: ignore[reportArgumentType] - the parameter is one of its words
    assert not remote.folder.exists()


def silent_server(port: int) -> socket.socket:
    """Takes connections where sshd did; a session that it just forked may hold the port for a moment."""
    give_up = time.monotonic() + 60
    while True:
        try:
            return socket.create_server(("127.0.0.1", port))
        except OSError:
            assert time.monotonic() < give_up
            time.sleep(0.05)


def test_a_node_that_takes_the_connection_and_is_silent_is_given_up(own_node: Sshd) -> None:
    own_node.stop()
    with silent_server(own_node.port):
        assert ended(Remote(own_node).shell("echo never")) == ("failed", "host_unreachable")


def test_an_address_that_looks_like_an_option_is_none(shared_node: Sshd) -> None:
    remote = Remote(shared_node)
    target = replace(shared_node.target, address="-oProxyCommand=touch evil")
    outcome = remote.transport.run(target, remote.command("true"), lambda: "go_on", Redactor(), 100)
    assert ended(outcome) == ("failed", "could_not_start")


def test_no_client_is_no_traceback(shared_node: Sshd, monkeypatch: pytest.MonkeyPatch) -> None:
    remote = Remote(shared_node)
    monkeypatch.setattr("schedctl.transport.ssh_link.DIES_WITH_US", ("nonesuch",))
    transport = SshTransport(Client(program="/nonesuch/ssh"))
    outcome = transport.run(shared_node.target, remote.command("true"), lambda: "go_on", Redactor(), 100)
    assert ended(outcome) == ("failed", "could_not_start")


def test_a_home_that_cannot_be_written_to_begins_nothing(own_node: Sshd) -> None:
    (own_node.home / ".schedctl").write_text("in the way")
    assert ended(Remote(own_node).shell("echo never")) == ("failed", "node_storage")


def test_a_login_shell_that_refuses_commands_is_named(own_node: Sshd) -> None:
    config = own_node.folder / "sshd_config"
    config.write_text(f"{config.read_text()}ForceCommand echo 'This account is not available.'; exit 1\n")
    own_node.stop()
    own_node.start()
    outcome = Remote(own_node).shell("echo never")
    assert ended(outcome) == ("failed", "could_not_start")


@pytest.mark.parametrize(
    "option",
    [
        "BatchMode=yes",
        "StrictHostKeyChecking=yes",
        "ControlMaster=no",
        "ControlPath=none",
        "PasswordAuthentication=no",
        "RequestTTY=no",
        "ForwardAgent=no",
        "ClearAllForwardings=yes",
        "LogLevel=ERROR",
    ],
)
def test_an_operators_configuration_cannot_weaken_the_client(own_node: Sshd, option: str) -> None:
    name, _, value = option.partition("=")
    other = {"yes": "no", "no": "yes", "none": "/dev/null/x", "ERROR": "DEBUG3"}[value]
    config = own_node.folder / "ssh_config"
    config.write_text(f"Host *\n  {name} {other}\n")
    argv = own_node.client.argv(own_node.target, "true")
    shown = subprocess.run([argv[0], "-G", *argv[1:]], capture_output=True, text=True, check=True).stdout
    words = {"StrictHostKeyChecking": {"yes", "true"}, "BatchMode": {"yes"}}.get(name, {value, "false"})
    said = [line.split(" ", 1)[1] for line in shown.splitlines() if line.startswith(f"{name.lower()} ")]
    # `ssh -G` leaves out a path that is none, and says what a control master that is off is: false.
    assert (not said and value == "none") or {word.lower() for word in said} <= {word.lower() for word in words}
    assert OPTIONS[name] == value


@pytest.mark.parametrize(
    ("exit_code", "greeted", "diagnosis", "expected"),
    [
        (255, False, b"ssh: connect to host x port 22: No route to host", ("host_unreachable", True)),
        (255, False, b"ssh: Could not resolve hostname x: Name or service not known", ("host_unreachable", True)),
        (255, False, b"Connection closed by 10.0.0.1 port 22", ("host_unreachable", False)),  # before or after
        (255, True, b"Timeout, server x not responding.", ("host_unreachable", False)),
        (255, True, b"root@x: Permission denied (publickey).", ("host_unreachable", False)),  # a node's own words
        (255, False, b"x@y: Permission denied (publickey,password).", ("auth_refused", True)),
        (1, False, b"This account is currently not available.", ("could_not_start", True)),
        (-9, False, b"", ("host_unreachable", False)),  # the client was killed
        (None, False, b"", ("host_unreachable", False)),
    ],
)
def test_what_the_end_of_a_connection_means(
    exit_code: int | None, greeted: bool, diagnosis: bytes, expected: tuple[str, bool]
) -> None:
    found = trouble(diagnosis, exit_code, greeted=greeted)
    assert (found.type, found.before_anything) == expected


def ended(outcome: Outcome) -> tuple[str, str | None]:
    return outcome.state, outcome.error_type


def test_a_secret_in_what_ssh_says_is_masked(own_node: Sshd) -> None:
    own_node.stop()
    remote = Remote(own_node, Redactor.of([str(own_node.port)]))
    outcome = remote.shell("true")
    assert outcome.error_message is not None
    assert str(own_node.port) not in outcome.error_message.en
    assert os.strerror(111) in outcome.error_message.en
