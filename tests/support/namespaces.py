"""Several nodes, each a network namespace with a real sshd in it, and one link to each that can be cut. Needs root."""

from __future__ import annotations

import os
import shutil
import subprocess
import uuid
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import pytest
from sshd import Sshd, require_sshd

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from schedctl.plan.model import Target
    from schedctl.transport.ssh_link import Client

SUBNET: Final = "10.219"
"""Inside namespaces of ours alone; this machine's own network never sees it."""


def ip(*words: str) -> None:
    """Run ip(8)."""
    subprocess.run(["ip", *words], check=True, capture_output=True)


@dataclass
class NamespaceNode(Sshd):
    """A node behind a link. `near` is the namespace of the worker, where the ssh client runs."""

    near: str = ""
    namespace: str = ""
    number: int = 0

    @property
    def address(self) -> str:
        return f"{SUBNET}.{self.number}.2"

    @property
    def target(self) -> Target:
        return replace(super().target, address=self.address)

    @property
    def client(self) -> Client:
        return replace(super().client, program=str(self.folder / "ssh"))

    def prepare(self) -> None:
        self.port = 22
        super().prepare()
        config = self.folder / "sshd_config"
        config.write_text(config.read_text().replace("127.0.0.1", self.address))
        client = self.folder / "ssh"
        client.write_text(f'#!/bin/sh\nexec ip netns exec {self.near} ssh "$@"\n')
        client.chmod(0o755)
        ip("netns", "add", self.namespace)
        far, near = ("-n", self.namespace), ("-n", self.near)
        ip("link", "add", "v0", "netns", self.namespace, "type", "veth", "peer", f"v{self.number}", "netns", self.near)
        ip(*near, "addr", "add", f"{SUBNET}.{self.number}.1/30", "dev", f"v{self.number}")
        ip(*near, "link", "set", f"v{self.number}", "up")
        ip(*far, "addr", "add", f"{self.address}/30", "dev", "v0")
        ip(*far, "link", "set", "v0", "up")
        ip(*far, "link", "set", "lo", "up")

    def server(self) -> list[str]:
        return ["ip", "netns", "exec", self.namespace, *super().server()]

    def listens(self) -> bool:
        """Whether connections are taken, asked from the worker's namespace."""
        return (
            subprocess.run(
                ["ip", "netns", "exec", self.near, "bash", "-c", f"exec 3<>/dev/tcp/{self.address}/22"],
                check=False,
                capture_output=True,
            ).returncode
            == 0
        )

    def cut_link(self) -> None:
        """The node's end goes down: the worker hears nothing more, not even a refusal."""
        ip("-n", self.namespace, "link", "set", "v0", "down")

    def heal_link(self) -> None:
        """The link is there again."""
        ip("-n", self.namespace, "link", "set", "v0", "up")

    def stop(self) -> None:
        super().stop()
        left = subprocess.run(["ip", "netns", "pids", self.namespace], check=False, capture_output=True, text=True)
        subprocess.run(["kill", "-KILL", *left.stdout.split()], check=False, capture_output=True)
        subprocess.run(["ip", "netns", "del", self.namespace], check=False)


@dataclass
class Network:
    """The worker's namespace and the nodes around it."""

    near: str
    nodes: list[NamespaceNode] = field(default_factory=list)


def serve_network(folder: Path, count: int, kind: type[NamespaceNode] = NamespaceNode) -> Iterator[Network]:
    """So many nodes, from start to stop; skips with the reason where they cannot be made."""
    require_sshd()
    if os.geteuid() != 0 or not shutil.which("ip"):
        pytest.skip("needs root and ip(8): nodes as network namespaces")
    prefix = f"sc{uuid.uuid4().hex[:6]}"
    network = Network(f"{prefix}-ctl")
    if subprocess.run(["ip", "netns", "add", network.near], check=False, capture_output=True).returncode:
        pytest.skip("needs network namespaces, which this machine refuses")
    try:
        for number in range(1, count + 1):
            node = kind(folder / f"n{number}", near=network.near, namespace=f"{prefix}-{number}", number=number)
            network.nodes.append(node)
            node.prepare()
            node.start()
        yield network
    finally:
        for node in network.nodes:
            node.stop()
        ip("netns", "del", network.near)
