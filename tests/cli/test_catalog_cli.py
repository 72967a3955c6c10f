"""`schedctl catalog`: every file that cannot be read is told at once; sudoers lines are for a user and nothing else."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from installations import CATALOG

from schedctl.settings import shipped

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Command


def test_check_tells_one_mistake_a_file_that_is_no_toml(schedctl: Command, tmp_path: Path) -> None:
    folder = shutil.copytree(CATALOG, tmp_path / "catalog")
    broken = ["actions/probe.toml", "nodes.toml"]
    for name in broken:
        (folder / name).write_text('x = "\n', encoding="utf-8")
    environ = {"SCHEDCTL_CATALOG": str(folder)}
    checked = schedctl("catalog", "check", "--json", env=environ)
    assert (checked.code, [one["file"] for one in checked.json["problems"]]) == (2, broken)
    told = schedctl("catalog", "check", "--lang", "en", env=environ)
    assert (told.code, told.out.count("is not TOML"), told.err) == (2, 2, "")
    refused = schedctl("catalog", "adopt", "--lang", "en", env=environ)
    assert (refused.code, "all of them: schedctl catalog check" in refused.err) == (2, True)


@pytest.mark.parametrize("user", ["bad user", "", "ALL", "root ALL=(ALL) ALL #", "a,b", "利用者", "-x", "a\nb"])
def test_what_is_no_user_gets_no_sudoers_lines(schedctl: Command, user: str) -> None:
    refused = schedctl("catalog", "sudoers", "local", "--user", user, env={"SCHEDCTL_CATALOG": str(shipped("catalog"))})
    assert (refused.code, refused.out) == (2, "")
    assert "[usage]" in refused.err


@pytest.mark.parametrize("user", ["alice", "svc-maint.eu", "Administrator", "%wheel"])
def test_a_user_or_a_group_gets_them(schedctl: Command, user: str) -> None:
    lines = schedctl("catalog", "sudoers", "local", "--user", user, env={"SCHEDCTL_CATALOG": str(shipped("catalog"))})
    assert lines.code == 0
    assert all(line.startswith(f"{user} ALL=(root) NOPASSWD: ") for line in lines.out.splitlines())
