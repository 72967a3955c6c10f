"""What the shipped catalog asks systemd for really runs: in a box that systemd has booted. Needs root."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest
from shipped import CATALOG, NEEDS_SYSTEMD, step_for
from systemd_box import Box, serve_box

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.catalog.model import Action

ASKING: Final = [action for action in CATALOG.actions if action.argv[0] in NEEDS_SYSTEMD and action.risk == "reads"]
RESTARTING: Final = [action for action in CATALOG.actions if action.argv[:2] == ("systemctl", "restart")]
UNIT: Final = "[Service]\nExecStart=/bin/sleep infinity\n"
BROKEN: Final = "[Service]\nType=oneshot\nExecStart=/bin/false\n"


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    yield from serve_box(tmp_path_factory.mktemp("shipped"))


def unit(box: Box, name: str, text: str) -> None:
    """Write a unit and start it; one that fails is left failed."""
    box.do(f"cat >/run/systemd/system/{name} <<'EOF'\n{text}EOF\nsystemctl daemon-reload; systemctl start {name} || :")


def asked(box: Box, action: Action, **values: str) -> tuple[int, str]:
    """How the action ended in the box, and what it said."""
    done = box.run(*step_for(action, values).argv)
    return done.returncode, done.stdout + done.stderr


def started(box: Box, name: str) -> str:
    return box.do(f"systemctl show -P MainPID {name}").strip()


def by_name(name: str) -> Action:
    return next(action for action in CATALOG.actions if action.name == name)


def test_these_are_all() -> None:
    assert {action.name for action in ASKING} == {"time.sync", "unit.failed", "unit.status"}
    assert {action.name for action in RESTARTING} == {"docker.restart", "ollama.restart", "unit.restart"}


def test_a_units_state_is_told(box: Box) -> None:
    unit(box, "web.service", UNIT)
    assert asked(box, by_name("unit.status"), unit="web") == (0, "active\n")
    box.do("systemctl stop web")
    code, said = asked(box, by_name("unit.status"), unit="web")
    assert (code in by_name("unit.status").success_exit_codes, said) == (False, "inactive\n")


def test_failed_units_are_listed(box: Box) -> None:
    unit(box, "broken.service", BROKEN)
    code, said = asked(box, by_name("unit.failed"))
    assert code == 0
    assert "broken.service" in {row["unit"] for row in json.loads(said)}


def test_the_clock_is_asked(box: Box) -> None:
    if box.run("systemctl", "is-active", "dbus.socket").returncode:
        pytest.skip("timedatectl needs the system's message bus (dbus)")
    code, said = asked(box, by_name("time.sync"))
    assert (code, {line.partition("=")[0] for line in said.splitlines()}) == (0, {"NTP", "NTPSynchronized"})


@pytest.mark.parametrize("action", RESTARTING, ids=lambda action: action.name)
def test_a_restart_begins_the_service_anew(box: Box, action: Action) -> None:
    values = {parameter.name: "web" for parameter in action.parameters}
    name = step_for(action, values).argv[-1].removesuffix(".service") + ".service"
    unit(box, name, UNIT)
    before = started(box, name)
    assert asked(box, action, **values) == (0, "")
    assert started(box, name) not in (before, "0")


def test_a_service_that_is_not_there_fails(box: Box) -> None:
    code, said = asked(box, by_name("unit.restart"), unit="nowhere")
    assert code != 0
    assert "nowhere.service not found" in said
