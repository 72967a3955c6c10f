"""`disk.readonly` decides by itself: it fails where the kernel stopped writing to a file system, and nowhere else."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from folders import SHIPPED

from schedctl.catalog.files import read_folder
from schedctl.catalog.parse import parse

ACTION = next(action for action in parse(read_folder(SHIPPED)).actions if action.name == "disk.readonly")

FLIPPED = [
    "65 44 7:0 / /data rw,relatime - ext4 /dev/loop0 rw,errors=remount-ro,emergency_ro",
    "65 44 7:0 / /data rw,relatime shared:1 - ext4 /dev/loop0 ro,errors=remount-ro",
    "30 1 8:2 / / rw shared:1 master:2 - xfs /dev/sda2 ro",
    "30 1 0:20 /@ / rw,noatime - btrfs /dev/sda2 ro,space_cache=v2,subvolid=256",
    "30 1 8:1 / /boot/efi rw,relatime - vfat /dev/sda1 ro,fmask=0077,errors=remount-ro",
    "65 44 7:0 / /with\\040space rw,relatime - ext4 /dev/loop0 rw,shutdown",
]
WELL = [
    "65 44 7:0 / /data rw,relatime shared:1 - ext4 /dev/loop0 rw,errors=remount-ro",
    "65 44 7:0 / /data ro,relatime - ext4 /dev/loop0 ro",  # mounted so
    "65 44 7:0 /a /data ro,relatime - ext4 /dev/loop0 rw",  # bound so
    "40 30 7:1 / /snap/core rw,nodev shared:1 - squashfs /dev/loop1 ro,errors=continue",  # never anything else
    "41 30 11:0 / /media/cd rw - iso9660 /dev/sr0 ro",
    "22 27 0:21 / /proc rw,relatime - proc proc rw",
    "65 44 7:0 / /ro rw,relatime - ext4 /dev/ro rw,usrjquota=emergency_ro.user",
]
FLIP = """
set -e
truncate -s 16M image && mkfs.ext4 -q -F image && mkdir data
mount -o loop,errors=remount-ro image data
trap 'umount data' EXIT
device=$(findmnt -n -o SOURCE data)
"$@" && exit 3
echo 1 > "/sys/fs/ext4/${device#/dev/}/trigger_fs_error"
"$@"
"""


def exit_code(mountinfo: str) -> int:
    """How the command ends where this is the table of mounts."""
    argv = [mountinfo if word == "/proc/self/mountinfo" else word for word in ACTION.argv]
    return subprocess.run(argv, capture_output=True, timeout=10, check=False).returncode


@pytest.mark.parametrize(("lines", "good"), [*((line, False) for line in FLIPPED), *((line, True) for line in WELL)])
def test_a_mount_is_told_from_its_line(tmp_path: Path, lines: str, good: bool) -> None:
    table = tmp_path / "mountinfo"
    table.write_text("\n".join([WELL[0], lines, WELL[-2]]) + "\n", encoding="utf-8")
    assert (exit_code(str(table)) in ACTION.success_exit_codes) is good


def test_not_to_be_able_to_look_is_no_success(tmp_path: Path) -> None:
    assert exit_code(str(tmp_path / "nothing")) not in ACTION.success_exit_codes


def test_a_real_file_system_that_the_kernel_stops_writing_to(tmp_path: Path) -> None:
    if os.geteuid() != 0 or shutil.which("mkfs.ext4") is None or not Path("/dev/loop-control").exists():
        pytest.skip("making a file system fail needs root, mkfs.ext4 and loop devices")
    done = subprocess.run(
        ["unshare", "--mount", "bash", "-c", FLIP, "flip", *ACTION.argv],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if "mount" in done.stderr:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")
    assert (done.returncode, str(tmp_path / "data") in done.stdout) == (0, True), done.stderr
