"""What `doctor` says of units: of a systemd that is none, and of a real one in a box."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from installed_box import DSN, InstalledBox, serve_installed_box
from installed_catalog import FOLDER, furnish, write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.units.conftest import FakeSystemd

RUNNING = """LoadState=loaded
UnitFileState=enabled
ActiveState=active
Result=success
LastTriggerUSec=Mon 2026-11-30 01:00:00 UTC
DropInPaths=/etc/systemd/system/x.d/a.conf /etc/systemd/system/x.d/b.conf
User=
"""


def units_of(document: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Level and message of each unit."""
    return {
        one["check"].removeprefix("unit:"): (one["level"], one["message"])
        for one in document["findings"]
        if one["check"].startswith(("unit:", "units"))
    }


def test_units_of_a_person_are_asked_of_that_persons_systemd(systemd: FakeSystemd) -> None:
    (systemd.folder / "shown").write_text(RUNNING)
    found = units_of(systemd.run("doctor", "--json", "--quick").json)
    level, said = found["schedctl-tick.timer"]
    assert level == "ok"
    assert "last triggered Mon 2026-11-30 01:00:00 UTC, changed by /etc/systemd/system/x.d/a.conf" in said
    calls = (systemd.folder / "calls").read_text()
    assert "systemctl --user --no-ask-password show" in calls
    assert systemd.calls == [line for line in systemd.calls if " cat " in line]  # it asks, and does nothing else


def test_units_that_are_not_installed_are_not_missed(systemd: FakeSystemd) -> None:
    (systemd.folder / "shown").write_text("LoadState=not-found\nActiveState=inactive\n")
    assert units_of(systemd.run("doctor", "--json", "--quick").json)["units"][0] == "unused"


def test_a_timer_that_does_not_run_is_bad(systemd: FakeSystemd) -> None:
    (systemd.folder / "shown").write_text(RUNNING.replace("ActiveState=active", "ActiveState=inactive"))
    ran = systemd.run("doctor", "--json", "--quick")
    assert ran.code == 1
    (fix,) = [one["command"] for one in ran.json["findings"] if one["check"] == "unit:schedctl-tick.timer"]
    assert fix == "systemctl --user enable --now schedctl-tick.timer"


@pytest.fixture
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InstalledBox]:
    """A machine of its own with installed units, whose policy names a secret that they load."""
    for made in serve_installed_box(tmp_path_factory.mktemp("doctor")):
        furnish(made.box)
        write(made.box, "/etc/schedctl/dsn", DSN + "\n", "600")
        write(made.box, "/etc/schedctl/environment", f"SCHEDCTL_CATALOG={FOLDER}\n")
        for line in (["catalog", "adopt"], ["arm", "--reason", "test"]):
            assert made.schedctl(*line).returncode == 0
        made.box.do("/opt/schedctl/bin/schedctl install-units --system --dsn-credential /etc/schedctl/dsn")
        yield made


@pytest.mark.long
def test_a_real_machine(machine: InstalledBox) -> None:
    looked = json.loads(machine.schedctl("doctor", "--json", "--quick").stdout)
    found = units_of(looked)
    assert {name: level for name, (level, _) in found.items() if level != "ok"} == {"schedctl-page.timer": "unused"}
    assert {"schedctl-tick.timer", "schedctl-watch.timer", "schedctl-tick.service"} <= set(found)
    by_check = {one["check"]: one for one in looked["findings"]}
    assert (by_check["user"]["level"], by_check["ticks"]["level"]) == ("ok", "ok")
    machine.box.do("systemctl stop schedctl-tick.timer")
    stopped = machine.schedctl("doctor", "--json", "--quick")
    assert stopped.returncode == 1
    assert units_of(json.loads(stopped.stdout))["schedctl-tick.timer"][0] == "bad"
    root = machine.box.run("env", f"SCHEDCTL_DSN={DSN} user=schedctl", "/opt/schedctl/bin/schedctl", "doctor", "--json")
    by_check = {one["check"]: one for one in json.loads(root.stdout)["findings"]}
    assert by_check["user"]["level"] == "warning"  # the units run as somebody else
    assert by_check["user"]["command"] == "sudo -u schedctl schedctl doctor"
