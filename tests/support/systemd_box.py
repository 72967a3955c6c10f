"""A real systemd as PID 1 on a throw-away copy of this machine's files (an overlay): for tests of units. Needs root."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

MASKED: Final = (
    "ssh.service",
    "postgresql.service",
    "systemd-timesyncd.service",
    "systemd-logind.service",
    "getty.target",
    "systemd-udevd.service",
    "systemd-udev-trigger.service",
)
BOOT: Final = """
set -e
m={folder}/mnt
mount -t tmpfs -o mode=755 tmpfs $m
mkdir $m/upper $m/work $m/root
mount -t overlay -o lowerdir=/,upperdir=$m/upper,workdir=$m/work overlay $m/root
r=$m/root
mount -t proc proc $r/proc
# /proc/sys is the real kernel's: what the box's systemd writes to it would change this machine.
for f in sys sysrq-trigger irq bus; do
    [ ! -e $r/proc/$f ] || {{ mount --bind $r/proc/$f $r/proc/$f; mount -o remount,bind,ro $r/proc/$f; }}
done
mount -t sysfs -o ro sysfs $r/sys
mount -t cgroup2 cgroup2 $r/sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs $r/dev
mkdir $r/dev/pts $r/dev/shm $r/dev/mqueue
for n in null zero full random urandom tty; do touch $r/dev/$n; mount --bind /dev/$n $r/dev/$n; done
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts $r/dev/pts
ln -s pts/ptmx $r/dev/ptmx
ln -s /proc/self/fd $r/dev/fd
for i in 0:stdin 1:stdout 2:stderr; do ln -s /proc/self/fd/${{i%:*}} $r/dev/${{i#*:}}; done
mount -t tmpfs tmpfs $r/dev/shm
mount -t tmpfs -o mode=755 tmpfs $r/run
mount -t tmpfs -o mode=1777 tmpfs $r/tmp
for f in {shared}; do mkdir -p "$r$f"; mount --bind "$f" "$r$f"; done
cd $r
mkdir .outside
pivot_root . .outside
umount -l /.outside
mount --make-rshared /
hostname {name}
echo {name} >/etc/hostname
echo "127.0.0.1 localhost {name}" >/etc/hosts
exec env -i container=box PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    setpriv --bounding-set=-sys_time,-sys_module,-sys_rawio,-syslog --inh-caps=-all \
    /lib/systemd/systemd --system systemd.unit=multi-user.target {masks}
"""
PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass
class Box:
    """The machine inside. What is in `shared` is the same inside and outside, under the same name.

    `network`: the name of a network namespace that it lives in; else it has none but its loopback.
    """

    folder: Path
    shared: tuple[Path, ...] = ()
    network: str = ""
    name: str = field(default_factory=lambda: f"box{uuid.uuid4().hex[:8]}")
    _outer: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    _init: int = 0

    @property
    def cgroup(self) -> Path:
        """What its systemd sees as the root of all control groups, seen from outside."""
        return unified_hierarchy() / self.name / "payload"

    @property
    def is_up(self) -> bool:
        """Whether it was started and not stopped."""
        return self._outer is not None

    def start(self) -> None:
        """Boot it; returns when systemd has started all that it starts."""
        (self.folder / "mnt").mkdir(parents=True)
        self.cgroup.mkdir(parents=True)
        masks = " ".join(f"systemd.mask={unit}" for unit in MASKED)
        shared = " ".join(map(str, self.shared))
        text = BOOT.format(folder=self.folder, name=self.name, masks=masks, shared=shared)
        (self.folder / "boot").write_text(text)
        network = [f"--net=/run/netns/{self.network}"] if self.network else []
        own = [] if self.network else ["--net"]
        unshare = ["unshare", "--mount", "--uts", "--ipc", *own, "--cgroup", "--pid", "--fork", "--kill-child"]
        words = [*unshare, "--propagation", "private", "/bin/sh", str(self.folder / "boot")]
        join = f"echo 0 >{self.cgroup}/cgroup.procs; exec nsenter {' '.join(network)} -- {' '.join(words)}"
        with (self.folder / "log").open("wb") as log:
            self._outer = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "/bin/sh", "-c", join],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._wait_for_systemd()

    def _wait_for_systemd(self) -> None:
        give_up = time.monotonic() + 60
        while not self._has_booted():
            assert self._outer is not None
            said = (self.folder / "log").read_text(errors="replace")
            assert self._outer.poll() is None, said
            assert time.monotonic() < give_up, said
            time.sleep(0.05)

    def _has_booted(self) -> bool:
        assert self._outer is not None
        children = Path(f"/proc/{self._outer.pid}/task/{self._outer.pid}/children").read_text().split()
        if not children or Path(f"/proc/{children[0]}/comm").read_text() != "systemd\n":
            return False
        self._init = int(children[0])
        return self.run("systemctl", "is-system-running").stdout.strip() in ("running", "degraded")

    def enter(self, *argv: str) -> list[str]:
        """The words that run `argv` inside, as root."""
        inside = ["nsenter", "-t", str(self._init), "-m", "-u", "-i", "-n", "-p", "-C", "--"]
        return [*inside, "env", "-i", f"PATH={PATH}", "HOME=/root", "LANG=C.UTF-8", *argv]

    def run(self, *argv: str, stdin: str | None = None, within_s: float = 120) -> subprocess.CompletedProcess[str]:
        """Run a command inside, as root, to its end."""
        given = subprocess.DEVNULL if stdin is None else None
        return subprocess.run(
            self.enter(*argv), stdin=given, input=stdin, capture_output=True, text=True, check=False, timeout=within_s
        )

    def do(self, script: str) -> str:
        """What a shell script says that must succeed inside."""
        done = self.run("/bin/sh", "-ec", script)
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout

    def stop(self) -> None:
        """End all that is in it."""
        if self._outer is not None:
            if self._init:
                os.kill(self._init, signal.SIGKILL)
            self._outer.kill()
            self._outer.wait()
            self._outer = None
        top = self.cgroup.parent
        give_up = time.monotonic() + 5
        while top.exists() and time.monotonic() < give_up:
            folders = sorted((entry for entry in top.rglob("*") if entry.is_dir()), reverse=True)
            subprocess.run(["rmdir", *map(str, folders), str(top)], check=False, capture_output=True)
            time.sleep(0.05)


def unified_hierarchy() -> Path:
    """Where this machine mounts the second version of control groups."""
    found = subprocess.run(
        ["findmnt", "-n", "-t", "cgroup2", "-o", "TARGET"], check=False, capture_output=True, text=True
    )
    return Path((found.stdout.split() or [""])[0])


def require_box() -> None:
    """Skip, with the reason, where no box can be made."""
    if os.geteuid() != 0:
        pytest.skip("needs root: systemd in a box of its own")
    needed = ("unshare", "nsenter", "setpriv", "systemctl", "findmnt", "pivot_root")
    missing = [name for name in needed if shutil.which(name) is None]
    if missing or not Path("/lib/systemd/systemd").exists():
        pytest.skip(f"needs systemd and util-linux: {' '.join(missing) or '/lib/systemd/systemd'}")
    if not unified_hierarchy().is_absolute() or not os.access(unified_hierarchy(), os.W_OK):
        pytest.skip("needs a cgroup2 hierarchy that can be written to")
    tried = ["unshare", "--mount", "--pid", "--fork", "--cgroup", "--ipc", "--uts", "--net", "true"]
    if subprocess.run(tried, check=False, capture_output=True).returncode:
        pytest.skip("needs namespaces, which this machine refuses")


def serve_box(folder: Path, *shared: Path) -> Iterator[Box]:
    """A box, from start to stop; skips with the reason where it cannot be made."""
    require_box()
    box = Box(folder, shared)
    try:
        box.start()
        yield box
    finally:
        box.stop()
