"""The embedded database is backed up and restored by the very lines that docs/operations.md shows."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
BACK_UP, RESTORE = (body for body in re.findall(r"^```sh\n(.*?)^```$", PAGE, re.M | re.S) if "users.lock" in body)
SAID: Final = "every day at 3am check the disk usage on this machine"


@pytest.fixture
def home() -> Generator[Path]:
    """Somebody's home folder, at a path that a socket's name has room for, wherever pytest keeps its own folders."""
    with tempfile.TemporaryDirectory(prefix="schedctl-home-", dir="/tmp") as folder:
        yield Path(folder)


@pytest.fixture
def typed(home: Path) -> Callable[[str], str]:
    """What somebody sees who types these lines, with schedctl and its python3 by name and no DSN."""
    for name, module in (("schedctl", "-m schedctl"), ("python3", "")):
        program = home / name
        program.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -P {module} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
    state = home / ".local" / "state" / "schedctl"
    env = {"PATH": f"{home}:/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8", "SCHEDCTL_STATE": str(state)}

    def run(script: str) -> str:
        ran = subprocess.run(["bash", "-eufc", script], cwd=home, env=env, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout + ran.stderr

    return run


def test_what_is_restored_has_the_schedules_and_disarms_itself(typed: Callable[[str], str], home: Path) -> None:
    typed(f"schedctl arm; schedctl register '{SAID}'; schedctl tick")
    typed(BACK_UP)
    assert not list((home / ".local" / "state" / "schedctl" / "postgresql" / "run").glob(".s.*"))
    (programs,) = (line for line in BACK_UP.splitlines() if line.startswith("export programs="))
    said = typed(f"{programs}\n{RESTORE}\nschedctl tick")
    assert "so that nothing runs twice it was disarmed" in said.lower()
    assert "disk.usage" in typed("export SCHEDCTL_STATE=~/schedctl-restored; schedctl list")
    assert "Armed     armed" in typed("schedctl status")


def test_a_copied_folder_disarms_itself_and_a_renamed_one_goes_on(typed: Callable[[str], str]) -> None:
    typed(f"schedctl arm; schedctl register '{SAID}'; schedctl tick")
    typed("cp -a ~/.local/state/schedctl ~/copied; mv ~/.local/state/schedctl ~/renamed")
    typed("export SCHEDCTL_STATE=~/renamed; schedctl tick")
    assert "Armed     armed" in typed("export SCHEDCTL_STATE=~/renamed; schedctl status")
    copied = "export SCHEDCTL_STATE=~/copied; schedctl"
    assert "the next tick or worker disarms it" in typed(f"{copied} status || :")
    assert "so that nothing runs twice it was disarmed" in typed(f"{copied} tick").lower()
    typed(f"{copied} arm; schedctl tick")
    assert "Armed     armed" in typed(f"{copied} status")


def test_a_folder_of_an_earlier_version_is_taken_at_its_word(typed: Callable[[str], str], home: Path) -> None:
    typed("schedctl arm; schedctl tick")
    mark = home / ".local" / "state" / "schedctl" / "postgresql" / "data" / "schedctl.inode"
    mark.unlink()
    typed("schedctl tick")
    assert "Armed     armed" in typed("schedctl status")
    assert mark.exists()
