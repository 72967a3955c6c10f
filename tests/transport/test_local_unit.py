"""Local commands of a worker that a real systemd runs as an ordinary user, by the unit as shipped."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from systemd_box import Box, serve_box

from tests.transport.local_world import eventually

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
UNIT = ROOT / "systemd" / "schedctl-work.service"
PREPARE = """
useradd --system --create-home --home-dir /var/lib/schedctl schedctl
echo 'schedctl ALL=(root) NOPASSWD: ALL' >/etc/sudoers.d/schedctl
chmod 440 /etc/sudoers.d/schedctl
cp {unit} /etc/systemd/system/schedctl-work.service
mkdir /etc/systemd/system/schedctl-work.service.d
cat >/etc/systemd/system/schedctl-work.service.d/test.conf <<'EOF'
[Unit]
OnSuccess=
[Service]
LoadCredential=
ExecStart=
ExecStart={python} {folder}/worker.py
EOF
systemctl daemon-reload
"""
WORKER = """
import sys
sys.path.insert(0, {root!r})
from pathlib import Path
from schedctl.plan.model import Target
from schedctl.redact import Redactor
from schedctl.transport.base import Command
from schedctl.transport.local import LocalTransport
folder = Path({folder!r})
argv = tuple(folder.joinpath("argv").read_text().splitlines())
command = Command(argv, int(folder.joinpath("timeout").read_text()), "UTC", "label", as_root="as_root" in sys.argv)
outcome = LocalTransport(grace_s=1).run(Target("mars", "local"), command, lambda: "go_on", Redactor(), 4096)
Path("/var/lib/schedctl/outcome").write_text(outcome.state)
"""
SHEDS_ALL = "id -un; env -i setsid sh -c 'sleep 7062 >/dev/null 2>&1 &'; sudo -n env -i setsid sleep 7062"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seen inside under the same name, and to be read by anybody there."""
    folder = tmp_path_factory.mktemp("unit")
    folder.chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def box(folder: Path) -> Iterator[Box]:
    if shutil.which("sudo") is None:
        pytest.skip("needs sudo")
    python = Path(sys.executable)
    shared = {folder, ROOT, Path(sys.prefix), Path(sys.base_prefix)} - {Path("/usr")}
    (folder / "worker.py").write_text(WORKER.format(root=str(ROOT), folder=str(folder)))
    for box in serve_box(folder / "box", *sorted(shared)):
        box.do(PREPARE.format(unit=UNIT, python=python, folder=folder))
        open_the_way(box, *shared)
        if box.run("runuser", "-u", "schedctl", "--", str(python), "-c", "").returncode:
            pytest.skip(f"needs a Python that other users can run: {python}")
        yield box


def open_the_way(box: Box, *shared: Path) -> None:
    """Inside, and inside alone, let other users pass to what is shared."""
    for parent in {parent for path in shared for parent in path.parents if not parent.is_relative_to(ROOT)}:
        box.run("chmod", "a+x", str(parent))


def write(folder: Path, script: str, timeout_s: int) -> None:
    (folder / "argv").write_text(f"/bin/sh\n-c\n{script}\n")
    (folder / "timeout").write_text(str(timeout_s))


def journal(box: Box) -> str:
    return box.do("journalctl -u schedctl-work -o cat --no-pager")


def sleepers() -> list[str]:
    found = subprocess.run(["pgrep", "-f", "^sleep 7062"], check=False, capture_output=True, text=True)
    return found.stdout.split()


def test_at_the_time_limit_nothing_is_left_not_even_roots(box: Box, folder: Path) -> None:
    write(folder, SHEDS_ALL, 2)
    box.do("systemctl start --no-block schedctl-work")
    assert eventually(lambda: len(sleepers()) == 2), journal(box)
    assert eventually(lambda: sleepers() == []), journal(box)
    assert eventually(lambda: box.run("cat", "/var/lib/schedctl/outcome").stdout == "timed_out")
    assert list((box.cgroup / "system.slice" / "schedctl-work.service").glob("label*")) == []


@pytest.mark.long
def test_the_guardian_of_a_killed_worker_ends_all_that_as_well(box: Box, folder: Path) -> None:
    write(folder, SHEDS_ALL, 3)
    box.do("systemctl start --no-block schedctl-work")
    assert eventually(lambda: len(sleepers()) == 2)
    box.do("systemctl kill --kill-whom=main --signal=KILL schedctl-work")
    time.sleep(1)
    assert len(sleepers()) == 2, "the unit's end is not the command's"
    assert eventually(lambda: sleepers() == [])
