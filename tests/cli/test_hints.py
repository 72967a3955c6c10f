"""A hint is a command that can be typed as it stands: with the number, name and instruction that it is about."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from installations import CATALOG

from schedctl.catalog.budget import Budget
from schedctl.usecases import failures

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Command

REFRESH = "毎日9時にmarsのpackages.refreshを実行して"
ANEW = f"schedctl register --replaces 1 '{REFRESH}'"


def test_a_schedule_that_the_catalog_stopped_names_the_way_on(schedctl: Command, tmp_path: Path) -> None:
    assert schedctl("register", "--yes", REFRESH).code == 0
    folder = shutil.copytree(CATALOG, tmp_path / "catalog")
    actions = folder / "actions" / "probe.toml"
    actions.write_text(actions.read_text("utf-8").replace('argv = ["true"]', 'argv = ["true", "-v"]'), "utf-8")
    assert schedctl("catalog", "adopt", env={"SCHEDCTL_CATALOG": str(folder)}).code == 0
    shown = schedctl("show", "1", "--lang", "en").out
    assert f"Register it anew, by the catalog as it is: {ANEW}\n" in shown
    assert "Once the catalog is as it was, and adopted: schedctl resume 1\n" in shown
    assert ANEW in schedctl("resume", "1").err
    assert schedctl("catalog", "adopt").code == 0
    assert schedctl("resume", "1", "--json").json["schedule"]["state"] == "active"


@pytest.mark.parametrize(("text", "shown"), [("daily-at-3", True), ("disk", False), ("check the disk", False)])
def test_a_name_is_no_sentence(schedctl: Command, text: str, shown: bool) -> None:
    refused = schedctl("explain", text, "--lang", "en")
    assert (refused.code, f"schedctl show {text}" in refused.err) == (2, shown)


def test_what_a_run_keeps_names_the_run_and_the_schedule() -> None:
    reached = failures.budget_reached("tokens", Budget(tokens=5), 12, 3).hint
    assert reached is not None
    for said in (reached.ja, reached.en):
        assert "schedctl logs 12" in said
        assert "schedctl register --replaces 3 --budget" in said
    unreadable = failures.plan_unreadable(3).hint
    assert unreadable is not None
    assert "--replaces 3" in unreadable.en


def test_where_there_is_no_systemd_there_is_nothing_to_take_away(
    schedctl: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    refused = schedctl("uninstall-units", "--system", "--lang", "en")
    assert (refused.code, "There are no units to take away" in refused.err) == (2, True)
    assert "each minute from cron" in schedctl("install-units", "--system", "--lang", "en").err
