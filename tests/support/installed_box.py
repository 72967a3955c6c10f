"""A machine (a box) on which schedctl is installed as an administrator would: its own PostgreSQL, its own units."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from installed_catalog import FOLDER
from systemd_box import Box, serve_box

from schedctl.store.embedded_programs import binaries

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parents[2]
PROGRAM: Final = "/opt/schedctl/bin/schedctl"
DSN: Final = "host=/run/postgresql dbname=schedctl"
PASSWORD: Final = "tr0ub4dor-&-3"
POSTGRESQL_UNIT: Final = r"""
[Unit]
Description=PostgreSQL of the box
[Service]
Type=forking
PIDFile=/var/lib/pg/data/postmaster.pid
User=postgres
RuntimeDirectory=postgresql
RuntimeDirectoryMode=0755
ExecStart=/opt/postgresql/bin/pg_ctl start -w -s -D /var/lib/pg/data -l /var/lib/pg/log \
    -o "-k /run/postgresql -c listen_addresses=127.0.0.1 -c fsync=off"
KillSignal=SIGINT
"""
ACCESS: Final = "local all all peer\nhost all all 127.0.0.1/32 scram-sha-256\n"
"""As Debian's: whoever is schedctl here is schedctl there; over the network with a password."""
NEEDED: Final = ("sudo", "pgrep", "runuser", "useradd", "ssh-keygen", "sshd", "systemd-run", "systemd-analyze")
PREPARE: Final = """
# What lies in somebody's home is hidden from hardened units: it gets a place that everybody can see.
mkdir -p /opt/python /opt/libraries
mount --bind {python} /opt/python
mount --bind {libraries} /opt/libraries
ln -s /opt/libraries/{postgresql} /opt/postgresql
# Where the interpreter has a library, it looks for it in the folder that is hidden now, and then here.
echo /opt/python/lib >/etc/ld.so.conf.d/00-python.conf
ldconfig
/opt/python/bin/python{version} -m venv --without-pip /opt/schedctl
site=$(echo /opt/schedctl/lib/python*/site-packages)
/opt/python/bin/python{version} -m zipfile -e {wheel} $site
echo /opt/libraries >$site/libraries.pth
/opt/schedctl/bin/python -c "
import pathlib
pathlib.Path('{program}').write_text('#!/opt/schedctl/bin/python\\nfrom schedctl.cli.start import run\\nrun()\\n')"
chmod 755 {program}
id postgres >/dev/null 2>&1 || useradd --system --home-dir /var/lib/pg --shell /bin/sh postgres
systemd-sysusers {root}/systemd/schedctl.sysusers.conf
install -d -o postgres -m 700 /var/lib/pg
runuser -u postgres -- /opt/postgresql/bin/initdb -D /var/lib/pg/data -E UTF8 --locale=C --no-sync >/dev/null
printf '{access}' >/var/lib/pg/data/pg_hba.conf
systemctl daemon-reload
systemctl start database.service
"""
MAKE_DATABASE: Final = """
CREATE ROLE schedctl LOGIN PASSWORD '{password}';
CREATE DATABASE schedctl OWNER schedctl ENCODING 'UTF8' TEMPLATE template0;
"""


@dataclass
class InstalledBox:
    """The box, and how one is schedctl, postgres or root in it."""

    box: Box

    def schedctl(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        """Run schedctl as the service's user, by peer authentication."""
        given = {"SCHEDCTL_DSN": DSN, "SCHEDCTL_LANG": "en", "SCHEDCTL_CATALOG": FOLDER, **settings}
        words = [f"{name}={value}" for name, value in given.items()]
        return self.box.run("runuser", "-u", "schedctl", "--", "env", *words, PROGRAM, *arguments)

    def as_root(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run schedctl as root, as for install-units."""
        return self.box.run(PROGRAM, *arguments)

    def sql(self, statement: str, database: str = "schedctl") -> str:
        """What a statement answers, said as the database's superuser."""
        psql = ["/opt/postgresql/bin/psql", "-h", "/run/postgresql", "-d", database, "-v", "ON_ERROR_STOP=1", "-qAt"]
        done = self.box.run("runuser", "-u", "postgres", "--", *psql, stdin=statement)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


def serve_installed_box(folder: Path) -> Iterator[InstalledBox]:
    """The machine, from boot to end: PostgreSQL runs, schedctl is in /opt, its units are not installed yet."""
    missing = [name for name in NEEDED if shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin") is None]
    if missing:
        pytest.skip(f"needs programs that this machine does not have: {' '.join(missing)}")
    wheel = folder / "wheel"
    libraries = Path(sysconfig.get_path("purelib"))
    for box in serve_box(folder / "box", folder, libraries, ROOT, Path(sys.base_prefix)):
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheel)],
            cwd=ROOT, capture_output=True, check=True,
        )  # fmt: skip
        (built,) = wheel.glob("*.whl")
        box.run("tee", "/etc/systemd/system/database.service", stdin=POSTGRESQL_UNIT)
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        box.do(
            PREPARE.format(
                python=sys.base_prefix, libraries=libraries, postgresql=binaries().parent.relative_to(libraries),
                version=version, wheel=built, program=PROGRAM, root=ROOT, access=ACCESS.replace("\n", "\\n"),
            )
        )  # fmt: skip
        machine = InstalledBox(box)
        for statement in MAKE_DATABASE.format(password=PASSWORD).strip().splitlines():
            machine.sql(statement, "postgres")
        yield machine
