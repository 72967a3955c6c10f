"""An sshd in a mount namespace: with a user, sudoers and a small disk that this machine does not have. Needs root."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import pytest
from sshd import SSHD, Sshd, require_sshd

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from schedctl.plan.model import Target

USER: Final = "schedctltest"
UID: Final = 54321
HOME: Final = f"/home/{USER}"
SUDOERS: Final = f"""
Defaults:{USER} env_keep += "SCHEDCTL_LEG SCHEDCTL_START TZ DEBIAN_FRONTEND"
{USER} ALL=(root) NOPASSWD: /usr/bin/env id -u, /usr/bin/env DECLARED\\=a\\ b;c env, /usr/bin/env sleep 7781
"""
PREPARE: Final = """
set -e
mount -t tmpfs -o mode=755 tmpfs /home
mkdir {home}
mount -t tmpfs -o size=512k,mode=700 tmpfs {home}
mkdir {home}/.ssh
cp {folder}/id.pub {home}/.ssh/authorized_keys
chown -R {uid}:{uid} {home}
cp /etc/passwd {folder}/passwd
echo '{user}:*:{uid}:{uid}::{home}:/bin/sh' >>{folder}/passwd
mount --bind {folder}/passwd /etc/passwd
if [ -d /etc/sudoers.d ]; then
    mount -t tmpfs -o mode=755 tmpfs /etc/sudoers.d
    install -m 440 {folder}/sudoers /etc/sudoers.d/test
fi
exec {sshd} -D -e -f {folder}/sshd_config
"""


@dataclass
class PrivateNode(Sshd):
    """A node whose user is not root, with half a megabyte of home."""

    @property
    def target(self) -> Target:
        return replace(super().target, user=USER)

    def fill(self) -> None:
        """Leave not one free block in the home folder."""
        assert self._server is not None
        inside = f"/proc/{self._server.pid}/root{HOME}/fill"
        subprocess.run(["dd", "if=/dev/zero", f"of={inside}", "bs=4k"], check=False, capture_output=True)

    def prepare(self) -> None:
        super().prepare()
        config = self.folder / "sshd_config"
        lines = [line for line in config.read_text().splitlines() if not line.startswith(("SetEnv", "AuthorizedKeys"))]
        config.write_text("\n".join([*lines, "AuthorizedKeysFile .ssh/authorized_keys", ""]))
        (self.folder / "sudoers").write_text(SUDOERS)
        script = PREPARE.format(folder=self.folder, home=HOME, user=USER, uid=UID, sshd=SSHD)
        (self.folder / "prepare").write_text(script)

    def server(self) -> list[str]:
        return ["unshare", "--mount", "--propagation", "private", "/bin/sh", str(self.folder / "prepare")]


def serve_private(folder: Path) -> Iterator[PrivateNode]:
    """The node, from start to stop; skips with the reason where it cannot be made."""
    require_sshd()
    if os.geteuid() != 0 or not shutil.which("unshare"):
        pytest.skip("needs root and unshare: a mount namespace with a user and sudoers of its own")
    if subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True).returncode:
        pytest.skip("needs mount namespaces, which this machine refuses")
    node = PrivateNode(folder)
    node.prepare()
    node.start()
    try:
        yield node
    finally:
        node.cut()
        node.stop()
