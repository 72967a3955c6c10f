"""What a node says of itself over a real sshd, and what keeps it from saying anything."""

from __future__ import annotations

import getpass
import os
import socket
import time
from typing import TYPE_CHECKING

import pytest
from doctor_cases import CATALOG
from private_node import USER

from schedctl.catalog.model import Node
from schedctl.language import Text
from schedctl.redact import Redactor
from schedctl.transport.probe import NodeFacts, ask_node, ask_this_host, read_answer
from schedctl.transport.ssh_errors import Trouble
from schedctl.usecases.doctor_nodes import Seen, check_node
from tests.transport.test_ssh_trouble import change_host, forget_host, misconfigure, refuse_key, stop_sshd

if TYPE_CHECKING:
    from collections.abc import Callable

    from private_node import PrivateNode
    from sshd import Sshd

NONCE = "f00"
WHOLE = f"{NONCE} clock 1700000000\n{NONCE} user 1000 schedctl\n{NONCE} end\n"


def ask(node: Sshd, patience_s: float = 20.0) -> NodeFacts | Trouble:
    return ask_node(node.client, node.target, Redactor(), patience_s)


def test_a_node_says_what_it_is(own_node: Sshd) -> None:
    before = time.time()
    found = ask(own_node)
    assert isinstance(found, NodeFacts)
    assert (found.uid, found.user) == (os.geteuid(), getpass.getuser())
    assert before - 1 <= found.clock_s <= time.time()
    assert "setsid" in found.programs
    assert found.home_is_writable
    assert not (own_node.home / ".schedctl").exists()  # asking leaves nothing behind


def test_this_host_says_the_same(shared_node: Sshd) -> None:
    here, there = ask_this_host(20), ask(shared_node)
    assert isinstance(here, NodeFacts)
    assert isinstance(there, NodeFacts)
    assert (here.uid, here.systemd, "sudo" in here.programs) == (there.uid, there.systemd, "sudo" in there.programs)


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
def test_what_keeps_it_from_answering_is_typed(own_node: Sshd, spoil: Callable[[Sshd], None], error: str) -> None:
    spoil(own_node)
    found = ask(own_node)
    assert isinstance(found, Trouble)
    assert found.type == error


def test_a_node_that_is_silent_is_given_up(own_node: Sshd) -> None:
    own_node.stop()
    with socket.create_server(("127.0.0.1", own_node.port)):
        found = ask(own_node, 1.0)
    assert isinstance(found, Trouble)
    assert found.type == "host_unreachable"


def test_the_rules_of_a_user_who_is_not_root_are_listed(private_node: PrivateNode) -> None:
    found = ask(private_node)
    assert isinstance(found, NodeFacts)
    assert found.user == USER
    assert "(root) NOPASSWD: /usr/bin/env id -u" in found.sudo


def test_a_sudo_that_would_ask_is_a_bad_line_with_the_lines_to_add(private_node: PrivateNode) -> None:
    found = ask(private_node)
    assert isinstance(found, NodeFacts)
    node = Node("mars", "ssh", Text("火星", "Mars"))
    (line,) = check_node(node, Seen(found, 0.0), CATALOG)
    assert line.level == "bad"
    assert line.fix is not None
    assert line.fix.command == f"schedctl catalog sudoers mars --user {USER}"


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (WHOLE, True),
        (f"Welcome to mars!\n{WHOLE}", True),  # a talkative login shell
        (WHOLE.replace(f"{NONCE} end\n", ""), False),  # cut
        (WHOLE.replace(NONCE, "bad"), False),  # somebody else's words
        (WHOLE.replace("1700000000", "now"), False),
        ("", False),
    ],
)
def test_only_a_whole_answer_counts(text: str, whole: bool) -> None:
    assert (read_answer(text, NONCE) is not None) is whole
