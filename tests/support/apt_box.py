"""A Debian in a box, with packages of its own in a repository of files, for the catalog's package actions."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from psycopg.conninfo import conninfo_to_dict
from systemd_box import Box, serve_box

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = "schedctl-probe"
CONFFILE: Final = "/etc/schedctl-probe.conf"
NODES: Final = '[nodes.mars]\ntransport = "local"\nlabel = { ja = "マーズ", en = "mars" }\n'
CONTROL: Final = """Package: {package}
Version: {version}
Architecture: all
Maintainer: Nobody <nobody@example.org>
Description: a package for tests
"""
LISTS_LOCK: Final = "/var/lib/apt/lists/lock"
DPKG_LOCK: Final = "/var/lib/dpkg/lock-frontend"
HOLD: Final = """
import fcntl, select, sys
file = open(sys.argv[1], "w")
fcntl.lockf(file, fcntl.LOCK_EX)
print("held", flush=True)
select.select([sys.stdin], [], [], float(sys.argv[2]))
"""


POSTINST: Final = """#!/bin/sh
set -e
[ "$DEBIAN_FRONTEND $NEEDRESTART_MODE" = "noninteractive l" ] || { echo "a dialog would open"; exit 1; }
! read -r answer || { echo "somebody answers: $answer"; exit 1; }
! ( : </dev/tty ) 2>/dev/null || { echo "there is a terminal"; exit 1; }
"""
"""What a maintainer's script needs, so as not to wait for an answer."""


@dataclass(frozen=True)
class AptBox:
    """The box, and the shipped actions with a catalog folder around them."""

    box: Box
    folder: Path
    dsn: str
    schedules: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])

    @property
    def repository(self) -> Path:
        return self.folder / "repository"

    def offer(self, *versions: str) -> None:
        """Let the repository hold these versions of the package, each with its own text in the conffile."""
        entries: list[str] = []
        for version in versions:
            deb = self._deb(version)
            data = deb.read_bytes()
            control = CONTROL.format(package=PACKAGE, version=version)
            entries.append(
                f"{control}Filename: ./{deb.name}\nSize: {len(data)}\nSHA256: {hashlib.sha256(data).hexdigest()}\n"
            )
        (self.repository / "Packages").write_text("\n".join(entries))

    def _deb(self, version: str) -> Path:
        tree = self.folder / f"tree-{version}"
        shutil.rmtree(tree, ignore_errors=True)
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "etc").mkdir()
        (tree / "DEBIAN" / "control").write_text(CONTROL.format(package=PACKAGE, version=version))
        (tree / "DEBIAN" / "conffiles").write_text(f"{CONFFILE}\n")
        (tree / CONFFILE.lstrip("/")).write_text(f"as in {version}\n")
        if version != "1":
            (tree / "DEBIAN" / "postinst").write_text(POSTINST)
            (tree / "DEBIAN" / "postinst").chmod(0o755)
        deb = self.repository / f"{PACKAGE}_{version}_all.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "-b", tree, deb], check=True, capture_output=True)
        return deb

    def start_anew(self) -> None:
        """Version 1 installed and known, its conffile edited."""
        self.offer("1")
        self.use(f"deb [trusted=yes] file:{self.repository} ./")
        self.box.do(f"dpkg --purge {PACKAGE}; rm -f {CONFFILE}*; apt-get -q update; apt-get -q -y install {PACKAGE}")
        self.box.do(f"echo edited here >{CONFFILE}")

    def use(self, source: str) -> None:
        """Let this be the only source."""
        self.box.do(f"rm -rf /etc/apt/sources.list.d/*; echo '{source}' >/etc/apt/sources.list")

    def installed(self) -> str:
        """The installed version."""
        return self.box.do(f"dpkg-query -W -f '${{Version}}' {PACKAGE}")

    def schedctl(self, *argv: str, expect: int = 0) -> dict[str, Any]:
        """What a command line says in there, as JSON."""
        catalog = self.folder / "catalog"
        variables = {"SCHEDCTL_DSN": self.dsn, "SCHEDCTL_CATALOG": str(catalog), "SCHEDCTL_HOST": "testhost"}
        words = [f"{name}={value}" for name, value in {**variables, "PYTHONPATH": str(ROOT)}.items()]
        done = self.box.run("env", *words, sys.executable, "-m", "schedctl", *argv, "--json", within_s=600)
        assert done.returncode == expect, f"{done.stdout}\n{done.stderr}"
        return json.loads(done.stdout)

    def perform(self, action: str, expect: int = 0) -> dict[str, Any]:
        """The run of a shipped action, as `test-run` tells it."""
        return self.schedctl("test-run", str(self.schedule(action)["id"]), expect=expect)["run"]

    def schedule(self, action: str) -> dict[str, Any]:
        """A schedule of the action, registered when it is asked for first."""
        if action not in self.schedules:
            said = self.schedctl("register", "--yes", f"毎日3時にmarsの{action}を実行して")
            self.schedules[action] = said["schedule"]
        return self.schedules[action]

    @contextmanager
    def locked(self, lock: str, seconds: float) -> Generator[None]:
        """Another process holds the lock, for so long or for the block."""
        argv = self.box.enter("/usr/bin/python3", "-c", HOLD, lock, str(seconds))
        with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
            assert holder.stdin is not None
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"held\n"
            yield
            holder.stdin.close()


def serve_apt_box(folder: Path, dsn: str) -> Iterator[AptBox]:
    """The box, from start to stop; skips with the reason where it cannot be made."""
    missing = [name for name in ("apt-get", "dpkg-deb", "dpkg-query") if shutil.which(name) is None]
    if missing:
        pytest.skip(f"needs Debian's {' '.join(missing)}")
    sockets = str(conninfo_to_dict(dsn).get("host", ""))
    if not sockets.startswith("/"):
        pytest.skip("needs a PostgreSQL on a socket: the box has no network")
    folder.chmod(0o755)
    (folder / "repository").mkdir()
    shutil.copytree(ROOT / "catalog", folder / "catalog")
    (folder / "catalog" / "nodes.toml").write_text(NODES)
    for name in ("agents.toml", "policy.toml"):
        (folder / "catalog" / name).unlink()
    for other in (folder / "catalog" / "actions").iterdir():
        if other.name != "apt.toml":
            other.unlink()
    shared = {folder, ROOT, Path(sys.prefix), Path(sys.base_prefix), Path(sockets)} - {Path("/usr")}
    for box in serve_box(folder / "box", *sorted(shared)):
        yield AptBox(box, folder, dsn)
