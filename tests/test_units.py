"""The systemd units: systemd accepts them without a word, and each starts a command that schedctl has."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
import pytest

from schedctl.cli.main import cli
from schedctl.settings import shipped

if TYPE_CHECKING:
    from collections.abc import Iterator

UNITS: Final = shipped("systemd")
OF_SYSTEMD: Final = Path("/usr/lib/systemd/system")
NAMES: Final = sorted(path.name for path in UNITS.iterdir() if path.suffix in (".service", ".timer"))
SETTING: Final = re.compile(r"^(\w+)=(.*)$", re.MULTILINE)
EXPOSURE_LIMIT: Final = 20
"""What `systemd-analyze security` may say of a unit that needs no more than its database, in tenths (10.0 is worst)."""


def settings_of(unit: str) -> dict[str, str]:
    """A unit's settings; of one that is given several times, the last."""
    return dict(SETTING.findall((UNITS / unit).read_text(encoding="utf-8")))


def command_lines() -> Iterator[tuple[str, list[str]]]:
    for unit in NAMES:
        if "ExecStart" in (settings := settings_of(unit)):
            yield unit, shlex.split(settings["ExecStart"])


def analyze(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed (Debian: the package systemd)")
    environment = os.environ | {"TZ": "America/New_York", "LC_ALL": "C.UTF-8"}
    return subprocess.run(
        [program, *arguments], cwd=UNITS, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root of a machine on which schedctl is installed as the README says, as far as systemd looks at it."""
    root = tmp_path_factory.mktemp("machine")
    units = root / "etc/systemd/system"
    units.mkdir(parents=True)
    for path in [*OF_SYSTEMD.glob("*.target"), *OF_SYSTEMD.glob("*.slice"), *(UNITS / name for name in NAMES)]:
        shutil.copy(path, units)
    for unit, (program, *_) in command_lines():
        installed = root / program.lstrip("/")
        assert installed.is_relative_to(root), unit
        installed.parent.mkdir(parents=True, exist_ok=True)
        installed.write_text("#!/bin/sh\n", encoding="utf-8")
        installed.chmod(0o755)
    return root


@pytest.mark.parametrize("unit", NAMES)
def test_systemd_has_nothing_to_say(unit: str, machine: Path) -> None:
    checked = analyze("verify", f"--root={machine}", "--man=no", unit)
    # An unknown key is only a warning, with the exit code 0.
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize(("unit", "command_line"), list(command_lines()))
def test_a_unit_starts_a_command_that_exists(unit: str, command_line: list[str]) -> None:
    program, name, *options = command_line
    assert program == "/opt/schedctl/bin/schedctl"
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert set(options) <= {option for parameter in command.params for option in parameter.opts}


def test_a_tick_a_watch_and_a_delivery_see_little_of_the_machine() -> None:
    for unit in ("schedctl-tick.service", "schedctl-watch.service", "schedctl-deliver.service"):
        checked = analyze("security", "--offline=true", f"--threshold={EXPOSURE_LIMIT}", unit)
        assert checked.returncode == 0, checked.stdout


def test_every_minute_has_its_tick_whatever_the_zone_of_the_host() -> None:
    calendar = settings_of("schedctl-tick.timer")["OnCalendar"]
    elapsed = analyze("calendar", "--base-time=2026-11-01 05:58:30 UTC", "--iterations=3", calendar)
    minutes = re.findall(r"2026-11-01 (\d\d:\d\d:\d\d) UTC$", elapsed.stdout, re.MULTILINE)
    # This host, in New York, is about to repeat an hour.
    assert minutes == ["05:59:00", "06:00:00", "06:01:00"], elapsed.stdout


def test_a_tick_that_hangs_is_over_before_the_next_one() -> None:
    tick = settings_of("schedctl-tick.service")
    assert int(tick["TimeoutStartSec"].removesuffix("s")) + int(tick["TimeoutStopSec"].removesuffix("s")) < 60


def test_the_timer_the_tick_and_the_worker_are_a_chain() -> None:
    assert "schedctl-tick.service" in NAMES  # the timer of the same name starts it
    started = settings_of("schedctl-tick.service")["OnSuccess"].split()
    assert started == ["schedctl-work.service", "schedctl-deliver.service"]
    assert settings_of("schedctl-work.service")["OnSuccess"] == "schedctl-deliver.service"
    assert set(started) <= set(NAMES)
    assert settings_of("schedctl-work.service")["KillMode"] == "process"  # stopping a worker ends no dpkg


def test_watch_has_a_timer_of_its_own_and_sends_what_it_tells() -> None:
    assert "schedctl-watch.service" in NAMES
    assert "schedctl-watch.timer" in NAMES
    watch = settings_of("schedctl-watch.service")
    # The chain from tick to deliver is what may have broken.
    assert watch["OnSuccess"] == watch["OnFailure"] == "schedctl-deliver.service"


def test_the_user_of_the_units_is_the_one_that_sysusers_makes() -> None:
    made = (UNITS / "schedctl.sysusers.conf").read_text(encoding="utf-8")
    users = re.findall(r"^u (\S+)", made, re.MULTILINE)
    assert {settings_of(unit)["User"] for unit, _ in command_lines()} == set(users)
