"""A step for root is shown as the command that runs: through sudo, and with the environment inside it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from installations import CATALOG

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Command

ACTION = """
["packages.clean"]
label = { ja = "掃除", en = "clean" }
risk = "reads"
as = "root"
argv = ["true", "--all of it"]
environment = { LC_ALL = "C.UTF-8", DEBIAN_FRONTEND = "noninteractive" }
timeout = "10s"
"""
SHOWN = "sudo -n -- /usr/bin/env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 true '--all of it'\n"


def test_show_and_logs_name_the_whole_command(schedctl: Command, tmp_path: Path) -> None:
    catalog = shutil.copytree(CATALOG, tmp_path / "catalog")
    with (catalog / "actions" / "probe.toml").open("a", encoding="utf-8") as file:
        file.write(ACTION)
    environ = {"SCHEDCTL_CATALOG": str(catalog)}
    assert schedctl("catalog", "adopt", env=environ).code == 0
    registered = schedctl("register", "--yes", "毎日3時にこのマシンのpackages.cleanを実行して", env=environ)
    assert (registered.err, SHOWN in registered.out) == ("", True)
    assert SHOWN in schedctl("show", "1", env=environ).out
    schedctl("test-run", "1", env=environ)
    assert SHOWN in schedctl("logs", "1", env=environ).out
