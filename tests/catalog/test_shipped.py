"""The shipped catalog: without mistakes, safe by default, and its reading actions really run on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from folders import SHIPPED
from shipped import CATALOG, NEEDS_SYSTEMD, step_for

from schedctl.catalog.files import read_folder
from schedctl.catalog.parse import find_problems

if TYPE_CHECKING:
    from pathlib import Path

    from schedctl.catalog.model import Action
    from schedctl.plan.model import Step

READING = [action for action in CATALOG.actions if action.risk == "reads"]
HERE = [action for action in READING if action.name != "cert.expiry" and action.argv[0] not in NEEDS_SYSTEMD]
VALUES = {"disk": "sda"}


def run(step: Step, *more: str) -> subprocess.CompletedProcess[bytes]:
    """Run the step's argv as the local transport would; skips where this machine lacks what it needs."""
    if shutil.which(step.argv[0]) is None:
        pytest.skip(f"{step.argv[0]} is not installed")
    if step.as_root and os.geteuid() != 0:
        pytest.skip("it runs as root")
    done = subprocess.run(
        [*step.argv, *more],
        input=step.stdin.encode(),
        capture_output=True,
        timeout=step.timeout_s,
        env={**os.environ, **dict(step.environment)},
        check=False,
    )
    if step.argv[0] == "docker" and b"docker daemon" in done.stderr.lower():
        pytest.skip("the docker daemon does not answer")
    return done


def test_it_has_no_mistakes() -> None:
    assert find_problems(read_folder(SHIPPED)) == ()


def test_it_has_one_real_node() -> None:
    assert [(node.name, node.transport) for node in CATALOG.nodes] == [("local", "local")]


def test_it_has_about_thirty_actions_of_every_risk() -> None:
    assert 30 <= len(CATALOG.actions) <= 45
    assert {action.risk for action in CATALOG.actions} == {"reads", "changes", "disrupts"}


@pytest.mark.parametrize("action", CATALOG.actions, ids=lambda action: action.name)
def test_an_action_can_be_said_in_both_languages(action: Action) -> None:
    assert not action.label.ja.isascii()
    assert action.label.en.isascii()
    assert any(not word.isascii() for word in action.aliases)
    assert any(word.isascii() for word in action.aliases)


@pytest.mark.parametrize(
    "action", [a for a in CATALOG.actions if a.argv[0] in ("apt-get", "dpkg")], ids=lambda a: a.name
)
def test_nothing_about_packages_asks_a_question(action: Action) -> None:
    if action.risk == "reads" or action.name == "apt.clean":
        return
    assert ("DEBIAN_FRONTEND", "noninteractive") in action.environment
    if action.name == "apt.upgrade":
        assert "Dpkg::Options::=--force-confold" in action.argv
        assert "Dpkg::Options::=--force-confdef" in action.argv
        assert ("NEEDRESTART_MODE", "l") in action.environment
    if action.name == "apt.update":
        assert "--error-on=any" in action.argv  # without it, apt-get update exits 0 without a network
    if action.argv[0] == "apt-get":
        verb = action.name.removeprefix("apt.")
        assert action.argv[-1] == verb  # options stand before the verb


def test_what_disrupts_is_declared_so() -> None:
    disrupting = {action.name for action in CATALOG.actions if {"restart", "reboot", "shutdown"} & set(action.argv)}
    assert disrupting == {action.name for action in CATALOG.actions if action.risk == "disrupts"}
    assert all(action.final for action in CATALOG.actions if action.name in ("reboot.now", "reboot.if-required"))


@pytest.mark.parametrize("action", HERE, ids=lambda action: action.name)
def test_a_reading_action_really_runs(action: Action) -> None:
    step = step_for(action, VALUES)
    done = run(step)
    assert done.returncode in step.success_exit_codes, done.stderr.decode(errors="replace")


@pytest.mark.parametrize(("days", "code"), [(30, 0), (3, 1)])
def test_a_certificates_expiry_really_shows(tmp_path: Path, days: int, code: int) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    file = tmp_path / "site.pem"
    make = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    make += ["-subj", "/CN=mars.example", "-days", str(days), "-keyout", str(tmp_path / "key"), "-out", str(file)]
    subprocess.run(make, check=True, capture_output=True)
    action = next(one for one in READING if one.name == "cert.expiry")
    done = run(step_for(action, {"file": str(file)}))
    assert done.returncode == code
    assert b"mars.example" in done.stdout


@pytest.mark.parametrize("name", ["apt.upgrade", "apt.autoremove", "apt.clean"])
def test_apt_accepts_the_options_of_what_changes(name: str) -> None:
    action = next(one for one in CATALOG.actions if one.name == name)
    done = run(step_for(action, {}), "--simulate", "-o", "Debug::NoLocking=true")
    assert done.returncode == 0, done.stderr.decode(errors="replace")
