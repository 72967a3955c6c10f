"""The demo: the whole way through the real commands, on a state that is gone afterwards."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

import pytest

from schedctl.settings import shipped

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Command

ENVIRONMENT = {"SCHEDCTL_CATALOG": str(shipped("catalog"))}


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_it_ends_in_a_visible_result_and_shows_each_command(
    schedctl: Command, lang: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    shown = schedctl("demo", "--lang", lang, env=ENVIRONMENT)
    assert shown.code == 0, shown.err
    for line in (
        "$ schedctl register",
        "$ schedctl arm",
        "schedctl tick",
        "$ SCHEDCTL_REHEARSAL_NOW=",
        "schedctl logs 1",
    ):
        assert line in shown.out
    assert "succeeded" in shown.out
    assert "Mounted on" in shown.out  # the very output of the command
    assert "[no_time]" in shown.err
    assert list(tmp_path.glob("schedctl-demo-*")) == []


def test_it_touches_no_other_installation(schedctl: Command) -> None:
    """Neither the database of the environment nor its state: the acts answer for the scratch alone."""
    shown = schedctl("demo", "--json", env=ENVIRONMENT)
    steps = shown.json["steps"]
    assert [(step["exit_code"], next(iter(step["answer"]))) for step in steps] == [
        (2, "error"),
        (0, "schedule"),
        (0, "installation"),
        (0, "fired"),
        (0, "fired"),
        (0, "runs"),
        (0, "run"),
    ]
    assert steps[2]["command"] == "schedctl arm"
    assert [step["answer"]["fired"] for step in steps if "fired" in step["answer"]] == [1, 0]
    assert schedctl("list", "--json").json["schedules"] == []
