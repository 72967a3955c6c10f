"""The sudoers lines allow what the catalog runs as root, word for word, and nothing beside it: asked of sudo itself."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from schedctl.catalog.files import read_folder
from schedctl.catalog.parse import parse
from schedctl.plan.build import build
from schedctl.plan.elevation import inside_sudo
from schedctl.plan.model import Origin
from schedctl.plan.request import Request
from schedctl.plan.sudoers import lines
from schedctl.settings import shipped

if TYPE_CHECKING:
    from pathlib import Path

if TYPE_CHECKING:
    from conftest import Command

USER = "nobody"
CATALOG = parse(read_folder(shipped("catalog")))
LOCAL = CATALOG.nodes[0]
VALUES = {"unit": "nginx.service", "disk": "sda", "file": "/etc/ssl/site.pem"}
needs_sudo = pytest.mark.skipif(
    shutil.which("sudo") is None or shutil.which("unshare") is None or os.geteuid() != 0,
    reason="asking sudo about another user needs root, sudo and unshare",
)


def commands() -> list[tuple[str, ...]]:
    """What each shipped root action asks sudo to run."""
    found: list[tuple[str, ...]] = []
    for action in CATALOG.actions:
        if action.as_root:
            given = tuple((one.name, VALUES[one.name]) for one in action.parameters if one.name in VALUES)
            plan = build((Request(LOCAL.name, action.name, given),), CATALOG, "here", Origin("literal"))
            found += [inside_sudo(step.argv, step.environment) for step in plan.steps if step.as_root]
    return found


def allowed(folder: Path, command: tuple[str, ...]) -> bool:
    """Whether sudo would let the user run it, with this folder as /etc/sudoers.d in a mount namespace of its own."""
    asked = f"mount --bind {shlex.quote(str(folder))} /etc/sudoers.d && exec sudo -l -U {USER} -- {shlex.join(command)}"
    return subprocess.run(["unshare", "-m", "sh", "-c", asked], capture_output=True, check=False).returncode == 0


@pytest.fixture
def sudoers(tmp_path: Path) -> Path:
    folder = tmp_path / "sudoers.d"
    folder.mkdir(mode=0o755)
    file = folder / "schedctl"
    file.write_text("\n".join(lines(CATALOG, LOCAL, USER)) + "\n")
    file.chmod(0o440)
    return folder


@needs_sudo
def test_sudo_understands_every_line(sudoers: Path) -> None:
    checked = subprocess.run(
        ["visudo", "-c", "-f", str(sudoers / "schedctl")], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


@needs_sudo
@pytest.mark.parametrize("command", commands(), ids=lambda command: " ".join(command)[-60:])
def test_what_the_catalog_runs_is_allowed_and_one_word_more_is_not(sudoers: Path, command: tuple[str, ...]) -> None:
    assert allowed(sudoers, command)
    assert not allowed(sudoers, (*command, "--allow-downgrades"))
    assert not allowed(sudoers, command[:-1])


@needs_sudo
@pytest.mark.parametrize(
    "argv",
    [
        ("sh",),
        ("systemctl", "restart", "--", "-H evil"),
        ("systemctl", "restart", "--", "nginx", "sshd"),
        ("systemctl", "restart", "--", "nginx;reboot"),
        ("systemctl", "poweroff"),
        ("apt-get", "-q", "install", "x"),
    ],
)
def test_nothing_else_is_allowed(sudoers: Path, argv: tuple[str, ...]) -> None:
    assert not allowed(sudoers, inside_sudo(argv, ()))


def test_a_pattern_becomes_an_expression_and_a_closed_list_its_values() -> None:
    (restart,) = [line for line in lines(CATALOG, LOCAL, "deploy") if "systemctl restart" in line and "^" in line]
    assert restart.startswith("deploy ALL=(root) NOPASSWD: /usr/bin/env ^")
    assert restart.endswith("$")
    assert r"[A-Za-z0-9\:_.@-]*" in restart


def test_the_command_prints_them_unmasked(schedctl: Command) -> None:
    printed = schedctl(
        "catalog", "sudoers", "local", "--user", "deploy", env={"SCHEDCTL_CATALOG": str(shipped("catalog"))}
    )
    assert tuple(printed.out.splitlines()) == lines(CATALOG, LOCAL, "deploy")
    assert schedctl("catalog", "sudoers", "pluto").code == 3
