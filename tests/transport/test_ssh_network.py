"""Links that are really cut: silence, no refusal; several nodes at once, and one that hangs delays no other."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from namespaces import Network, serve_network

from tests.transport.ssh_world import Later, Remote, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.long
TALKS = "for i in 1 2 3 4 5 6 7 8; do echo line $i; sleep 1; done; exit 3"
ALL_LINES = b"".join(b"line %d\n" % number for number in range(1, 9))


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    yield from serve_network(tmp_path_factory.mktemp("network"), 3)


def test_a_cut_link_is_healed_and_the_command_has_gone_on(network: Network) -> None:
    cut, *others = [Remote(node, reach_for_s=20.0) for node in network.nodes]
    node = network.nodes[0]
    running = Later(lambda: cut.shell(TALKS))
    beside = [Later(lambda remote=remote: remote.shell("sleep 2; echo done")) for remote in others]
    wait_until(cut.begun)
    time.sleep(1.5)
    node.cut_link()
    assert [later.outcome().stdout.head for later in beside] == [b"done\n", b"done\n"]
    wait_until(cut.ended)
    node.heal_link()
    outcome = running.outcome()
    assert (outcome.state, outcome.exit_code, outcome.stdout.head) == ("failed", 3, ALL_LINES)


def test_the_time_limit_holds_behind_a_cut_link(network: Network) -> None:
    node = network.nodes[0]
    remote = Remote(node, reach_for_s=20.0)
    running = Later(lambda: remote.shell("echo begun; sleep 60", timeout_s=3))
    wait_until(remote.begun)
    node.cut_link()
    wait_until(remote.ended)
    node.heal_link()
    outcome = running.outcome()
    assert (outcome.state, outcome.stdout.head) == ("timed_out", b"begun\n")


def test_a_link_that_stays_cut_is_lost_and_can_be_asked_about_later(network: Network) -> None:
    node = network.nodes[0]
    remote = Remote(node, reach_for_s=2.0)
    running = Later(lambda: remote.shell("echo begun; sleep 2; exit 5", timeout_s=4))
    wait_until(remote.begun)
    node.cut_link()
    outcome = running.outcome()
    assert (outcome.state, outcome.error_type) == ("lost", "remote_state_unknown")
    assert remote.look() == "unknown"
    node.heal_link()
    found = remote.look()
    assert not isinstance(found, str)
    assert (found.state, found.exit_code, found.stdout.head) == ("failed", 5, b"begun\n")


def test_a_node_that_cannot_be_reached_is_named_quickly(network: Network) -> None:
    node = network.nodes[0]
    node.cut_link()
    begun = time.monotonic()
    outcome = Remote(node).shell("echo never")
    node.heal_link()
    assert time.monotonic() - begun < 20
    assert (outcome.state, outcome.error_type) == ("failed", "host_unreachable")
