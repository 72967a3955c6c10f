"""Nodes with a systemd of their own: each a network namespace with a box in it, whose sshd is a unit. Needs root."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from namespaces import NamespaceNode, Network, ip, serve_network
from sshd import SSHD
from systemd_box import Box, require_box

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass
class BoxNode(NamespaceNode):
    """A node whose root has a systemd to start units with."""

    box: Box = field(init=False)

    def prepare(self) -> None:
        super().prepare()
        self.box = Box(self.folder / "box", (self.folder,), self.namespace)

    def start(self) -> None:
        """Boot it if it is not up, and take connections."""
        if not self.box.is_up:
            self.box.start()
        sshd = f"{SSHD} -D -E {self.folder}/log -f {self.folder}/sshd_config"
        self.box.do(f"mkdir -p /run/sshd; systemd-run -q --collect --unit=sshd-test {sshd}")
        give_up = time.monotonic() + 60
        while not self.listens():
            assert time.monotonic() < give_up, self.log
            time.sleep(0.02)

    def stop_sshd(self) -> None:
        """End its sshd with all its sessions, as `systemctl stop ssh` does without logind."""
        self.box.do("systemctl stop sshd-test")

    def stop(self) -> None:
        """Switch it off."""
        self.box.stop()
        ip("netns", "del", self.namespace)


def serve_box_nodes(folder: Path, count: int) -> Iterator[Network]:
    """So many nodes, from start to stop; skips with the reason where they cannot be made."""
    require_box()
    yield from serve_network(folder, count, BoxNode)
