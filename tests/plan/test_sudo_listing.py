"""What sudo itself prints for `sudo -n -l`, held against what the shipped catalog does as root."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from schedctl.catalog.files import read_folder
from schedctl.catalog.parse import parse
from schedctl.plan.sudo_listing import as_root_actions, lacking
from schedctl.plan.sudoers import lines
from schedctl.settings import shipped

if TYPE_CHECKING:
    from pathlib import Path

USER = "nobody"
CATALOG = parse(read_folder(shipped("catalog")))
LOCAL = CATALOG.nodes[0]
ALL = tuple(action.name for action in as_root_actions(CATALOG, LOCAL))
SUDOERS = lines(CATALOG, LOCAL, USER)
HEAD = "User nobody may run the following commands on host:\n"


def listing(folder: Path, sudoers: list[str]) -> str:
    """What sudo prints for the user, with this file alone in /etc/sudoers.d of a mount namespace."""
    if shutil.which("sudo") is None or shutil.which("unshare") is None or os.geteuid() != 0:
        pytest.skip("asking sudo about another user needs root, sudo and unshare")
    (folder / "d").mkdir(mode=0o755)
    file = folder / "d" / "schedctl"
    file.write_text("\n".join(sudoers) + "\n")
    file.chmod(0o440)
    asked = f"mount --bind {shlex.quote(str(file.parent))} /etc/sudoers.d && exec sudo -n -l -U {USER}"
    ran = subprocess.run(["unshare", "-m", "sh", "-c", asked], capture_output=True, text=True, check=True)
    return ran.stdout


def names(printed: str) -> tuple[str, ...]:
    return tuple(action.name for action in lacking(CATALOG, LOCAL, printed))


def test_with_the_printed_lines_nothing_is_lacking(tmp_path: Path) -> None:
    assert len(ALL) > 5
    assert names(listing(tmp_path, list(SUDOERS))) == ()


def test_lines_that_ask_for_a_password_are_lacking(tmp_path: Path) -> None:
    asks = [line.replace("NOPASSWD: ", "") for line in SUDOERS[:2]]
    assert names(listing(tmp_path, [*asks, *SUDOERS[2:]])) == ALL[:2]


@pytest.mark.parametrize(
    ("printed", "free"),
    [
        ("    (root) NOPASSWD: ALL\n", True),
        ("    (ALL : ALL) NOPASSWD: ALL\n", True),
        ("    (ALL) NOPASSWD: /usr/bin/env *\n", True),
        ("    (root) NOPASSWD: /bin/x, /usr/bin/env *\n", True),  # a tag holds for what stands behind it
        ("    (root) NOPASSWD: /bin/x, PASSWD: /usr/bin/env *\n", False),
        ("    (root) NOPASSWD: SETENV: ALL\n", True),
        ("    (root) ALL\n", False),
        ("    (daemon) NOPASSWD: ALL\n", False),  # somebody, but not root
        ("", False),
    ],
)
def test_rules_of_other_forms(printed: str, free: bool) -> None:
    assert (names(HEAD + printed) == ()) is free


def test_a_rule_that_is_too_long_for_a_line_is_read_whole() -> None:
    commands = ", ".join(line.partition("NOPASSWD: ")[2] for line in SUDOERS).replace(
        "/usr/bin/env ", "/usr/bin/env\n        "
    )
    assert names(f"{HEAD}    (root) NOPASSWD: {commands}\n") == ()
