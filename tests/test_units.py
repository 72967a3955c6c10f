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
SERVICES: Final = [name for name in NAMES if name.endswith(".service")]
TIMERS: Final = [name for name in NAMES if name.endswith(".timer")]
WORKERS: Final = ["schedctl-work.service", "schedctl-work@.service"]
HARDENED: Final = [name for name in SERVICES if name not in WORKERS]
SETTING: Final = re.compile(r"^(\w+)=(.*)$", re.MULTILINE)
EXPOSURE_LIMITS: Final = dict.fromkeys(HARDENED, 20) | dict.fromkeys(WORKERS, 92)
"""What `systemd-analyze security` may say, in tenths (100 is worst). A worker's commands maintain the machine."""
SPECIFIERS: Final = {"%i": "mars", "%S": "/var/lib"}
IMPLY_NO_NEW_PRIVILEGES: Final = {
    "NoNewPrivileges", "SystemCallFilter", "SystemCallArchitectures", "RestrictAddressFamilies", "RestrictNamespaces",
    "PrivateDevices", "ProtectKernelTunables", "ProtectKernelModules", "ProtectKernelLogs", "ProtectClock",
    "ProtectHostname", "MemoryDenyWriteExecute", "RestrictRealtime", "RestrictSUIDSGID", "DynamicUser",
    "LockPersonality",
}  # fmt: skip
"""systemd.exec(5): each of these would forbid sudo where User= is set."""


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
    checked = analyze("verify", f"--root={machine}", "--man=no", unit.replace("@.", "@mars."))
    # An unknown key is only a warning, with the exit code 0.
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize(("unit", "command_line"), list(command_lines()))
def test_a_unit_starts_a_command_that_exists(unit: str, command_line: list[str]) -> None:
    """The program's own parser takes the line: names, options, and their values."""
    program, name, *arguments = command_line
    assert program == "/opt/schedctl/bin/schedctl"
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    for specifier, value in SPECIFIERS.items():
        arguments = [argument.replace(specifier, value) for argument in arguments]
    assert not [argument for argument in arguments if "%" in argument]
    command.make_context(name, arguments)


@pytest.mark.parametrize("unit", SERVICES)
def test_what_a_unit_sees_of_the_machine_has_a_limit(unit: str) -> None:
    checked = analyze("security", "--offline=true", f"--threshold={EXPOSURE_LIMITS[unit]}", unit)
    assert checked.returncode == 0, checked.stdout


def test_the_sandbox_is_the_same_everywhere() -> None:
    """One that lost a line would still be under its limit."""
    sandboxes: dict[str, dict[str, list[str]]] = {}
    for unit in HARDENED:
        _, _, sandbox = (UNITS / unit).read_text(encoding="utf-8").partition("NoNewPrivileges=yes\n")
        values: dict[str, list[str]] = {}
        for name, value in SETTING.findall(sandbox):
            values.setdefault(name, []).append(value)
        sandboxes[unit] = values
    assert sandboxes["schedctl-tick.service"]["SystemCallFilter"] == ["@system-service", "~@privileged @resources"]
    assert len(sandboxes["schedctl-tick.service"]) == 27
    assert [unit for unit, found in sandboxes.items() if found != sandboxes["schedctl-tick.service"]] == []


@pytest.mark.parametrize("unit", WORKERS)
def test_a_worker_may_use_sudo_and_keeps_the_mounts_of_the_machine(unit: str) -> None:
    settings = settings_of(unit)
    assert set(settings) & IMPLY_NO_NEW_PRIVILEGES == set()
    assert [name for name in settings if name.startswith(("Protect", "Private", "ReadOnly", "ReadWrite", "Bind"))] == []
    assert settings["Delegate"] == "yes"  # a control group for each command
    assert settings["KillMode"] == "process"  # stopping a worker ends no dpkg
    assert settings["TimeoutStartSec"] == "infinity"  # a command's own time limit stands in the catalog


@pytest.mark.parametrize("unit", TIMERS)
def test_every_timer_is_exact_in_utc_and_makes_up_for_nothing(unit: str) -> None:
    settings = settings_of(unit)
    assert settings["OnCalendar"].endswith(" UTC")
    assert (settings["AccuracySec"], settings["Persistent"]) == ("1s", "false")
    assert unit.replace(".timer", ".service") in NAMES


@pytest.mark.parametrize("unit", SERVICES)
def test_every_service_ends_in_time_is_quiet_and_gets_its_dsn_as_a_credential(unit: str) -> None:
    settings = settings_of(unit)
    assert "TimeoutStartSec" in settings
    assert settings["LoadCredential"] == "dsn:/etc/schedctl/dsn"
    assert settings["LogLevelMax"] == "notice"
    assert "SCHEDCTL_DSN" not in (UNITS / unit).read_text(encoding="utf-8")


def test_every_minute_has_its_tick_whatever_the_zone_of_the_host() -> None:
    calendar = settings_of("schedctl-tick.timer")["OnCalendar"]
    elapsed = analyze("calendar", "--base-time=2026-11-01 05:58:30 UTC", "--iterations=3", calendar)
    minutes = re.findall(r"2026-11-01 (\d\d:\d\d:\d\d) UTC$", elapsed.stdout, re.MULTILINE)
    # This host, in New York, is about to repeat an hour.
    assert minutes == ["05:59:00", "06:00:00", "06:01:00"], elapsed.stdout


@pytest.mark.parametrize("unit", ["schedctl-tick.service", "schedctl-watch.service", "schedctl-page.service"])
def test_what_hangs_is_over_before_the_next_minute(unit: str) -> None:
    settings = settings_of(unit)
    assert int(settings["TimeoutStartSec"].removesuffix("s")) + int(settings["TimeoutStopSec"].removesuffix("s")) < 60


def test_the_timer_the_tick_and_the_worker_are_a_chain() -> None:
    assert "schedctl-tick.service" in NAMES  # the timer of the same name starts it
    started = settings_of("schedctl-tick.service")["OnSuccess"].split()
    assert started == ["schedctl-work.service", "schedctl-deliver@tick.service"]
    assert settings_of("schedctl-work.service")["OnSuccess"] == "schedctl-deliver@work.service"
    assert {re.sub("@.*[.]", "@.", name) for name in started} <= set(NAMES)


def test_no_service_is_started_by_two_others() -> None:
    """Of such a one systemd warns in the journal at each start: it does not know whose result to hand on."""
    started = [
        name
        for unit in SERVICES
        for setting in ("OnSuccess", "OnFailure")
        for name in settings_of(unit).get(setting, "").split()
    ]
    assert len(started) == len(set(started))


def test_a_nodes_own_worker_starts_nothing_that_its_role_may_not() -> None:
    assert "OnSuccess" not in settings_of("schedctl-work@.service")


def test_watch_has_a_timer_of_its_own_and_sends_what_it_tells() -> None:
    assert "schedctl-watch.timer" in NAMES
    # The chain from tick to deliver is what may have broken.
    assert settings_of("schedctl-watch.service")["OnFailure"] == "schedctl-deliver@watch.service"


@pytest.mark.parametrize("unit", NAMES)
def test_every_unit_stands_in_the_page_about_units(unit: str) -> None:
    page = (UNITS.parent / "docs" / "units.md").read_text(encoding="utf-8")
    name = unit.rpartition(".")[0]
    assert f"`{name}.timer`" in page or f"`{name}.service`" in page or f"`{name}mars.timer`" in page


def test_the_user_of_the_units_is_the_one_that_sysusers_makes() -> None:
    made = (UNITS / "schedctl.sysusers.conf").read_text(encoding="utf-8")
    users = re.findall(r"^u (\S+)", made, re.MULTILINE)
    assert {settings_of(unit)["User"] for unit, _ in command_lines()} == set(users)
