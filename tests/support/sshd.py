"""A real sshd (Debian's openssh-server) on a loopback port, run as this user, with keys and a home of its own."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from schedctl.plan.model import Target
from schedctl.transport.ssh_link import Client

if TYPE_CHECKING:
    from collections.abc import Iterator

SSHD: Final = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:/sbin") or ""
SSHD_CONFIG: Final = """
ListenAddress 127.0.0.1
Port {port}
HostKey {folder}/host
PidFile none
AuthorizedKeysFile {folder}/authorized_keys
AuthenticationMethods publickey
UsePAM no
StrictModes no
PermitRootLogin prohibit-password
AllowTcpForwarding no
SetEnv HOME={folder}/home
LogLevel VERBOSE
"""
SSH_CONFIG: Final = """
Host *
  HostKeyAlias node1
  IdentityFile {folder}/id
  IdentitiesOnly yes
  IdentityAgent none
  UserKnownHostsFile {folder}/known_hosts
  GlobalKnownHostsFile /dev/null
"""


@dataclass
class Sshd:
    """A node for tests. `home` is its user's home folder, where the envelope keeps its records."""

    folder: Path
    port: int = 0
    _server: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def runs(self) -> Path:
        return self.home / ".schedctl" / "runs"

    @property
    def target(self) -> Target:
        return Target("node1", "ssh", address="127.0.0.1", user=getpass.getuser(), port=self.port)

    @property
    def client(self) -> Client:
        return Client(str(self.folder / "ssh_config"), connect_timeout_s=3, alive_interval_s=1, alive_count=2)

    @property
    def log(self) -> str:
        """What sshd has said."""
        return (self.folder / "log").read_text(errors="replace")

    def prepare(self) -> None:
        """Keys, configuration and home."""
        self.home.mkdir(parents=True)
        for name in ("host", "id"):
            self.make_key(name)
        shutil.copy(self.folder / "id.pub", self.folder / "authorized_keys")
        self.trust((self.folder / "host.pub").read_text())
        self.port = self.port or _free_port()
        (self.folder / "sshd_config").write_text(SSHD_CONFIG.format(folder=self.folder, port=self.port))
        (self.folder / "ssh_config").write_text(SSH_CONFIG.format(folder=self.folder))

    def make_key(self, name: str) -> None:
        """A new key pair in the place of `name`."""
        (self.folder / name).unlink(missing_ok=True)
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", self.folder / name]
        subprocess.run(command, check=True)

    def trust(self, public_key: str) -> None:
        """Let known_hosts hold this host key and no other."""
        key = " ".join(public_key.split()[:2])
        (self.folder / "known_hosts").write_text(f"node1 {key}\n" if key else "")

    def server(self) -> list[str]:
        """The command that listens."""
        return [SSHD, "-D", "-e", "-f", str(self.folder / "sshd_config")]

    def start(self) -> None:
        """Start listening; returns when connections are taken."""
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        with (self.folder / "log").open("ab") as log:
            self._server = subprocess.Popen(
                self.server(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        give_up = time.monotonic() + 60
        while not self.listens():
            assert time.monotonic() < give_up, self.log
            time.sleep(0.02)

    def listens(self) -> bool:
        """Whether connections are taken."""
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self) -> None:
        """Take no more connections; those that stand go on, as when a real sshd is restarted."""
        if self._server is not None:
            self._server.kill()
            self._server.wait()
            self._server = None

    def sessions(self) -> list[int]:
        """The pids of the processes that serve a connection of this server."""
        found = subprocess.run(
            ["ps", "-eo", "pid=,args="], capture_output=True, text=True, check=True
        ).stdout.splitlines()
        mine = {int(line.split()[0]) for line in found if "sshd: " in line}
        return [pid for pid in mine if _came_from(pid, self.port)]

    def cut(self) -> None:
        """End every connection that stands, at the node's end."""
        for pid in self.sessions():
            subprocess.run(["kill", "-KILL", str(pid)], check=False)


def _came_from(pid: int, port: int) -> bool:
    """Whether a session process holds a connection to this port."""
    wanted = f":{port:04X}"
    try:
        inodes = {str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()}
        table = Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]
    except OSError:
        return False
    columns = [row.split() for row in table]
    return any(
        local.endswith(wanted) and state == ESTABLISHED and f"socket:[{inode}]" in inodes
        for _, local, _, state, _, _, _, _, _, inode, *_ in columns
    )


ESTABLISHED: Final = "01"


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def require_sshd() -> None:
    """Skip, with the reason, where this machine has no sshd or ssh."""
    if not SSHD or not shutil.which("ssh"):
        pytest.skip("needs OpenSSH's sshd and ssh (apt-get install openssh-server)")


def serve(folder: Path) -> Iterator[Sshd]:
    """An sshd in `folder`, from start to stop."""
    require_sshd()
    server = Sshd(folder)
    server.prepare()
    server.start()
    try:
        yield server
    finally:
        server.cut()
        server.stop()
