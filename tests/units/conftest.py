"""A person's systemd that is none: programs of its names that write down how they were called."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Command, Ran

FAKE = """#!/bin/sh
echo "{name} $*" >>{folder}/calls
case "$*" in
*--version*) cat {folder}/version ;;
*list-unit-files*|*list-units*) cat {folder}/units 2>/dev/null ;;
*show*) cat {folder}/shown ;;
esac
if [ -e {folder}/fails ] && echo "{name} $*" | grep -q -- "$(cat {folder}/fails)"; then
    cat {folder}/complaint >&2
    exit 1
fi
exit 0
"""


@dataclass(frozen=True, slots=True)
class FakeSystemd:
    """The fake, and `schedctl` called by a person whose systemd it is."""

    folder: Path
    schedctl: Command

    @property
    def units(self) -> Path:
        return self.folder / "config/systemd/user"

    @property
    def dsn(self) -> Path:
        return self.folder / "config/schedctl/dsn"

    @property
    def calls(self) -> list[str]:
        """Every call since the last `forget`, without the mere questions."""
        said = (self.folder / "calls").read_text().splitlines() if (self.folder / "calls").exists() else []
        questions = ("--version", " show ", "list-unit", "verify", "journalctl")
        return [line for line in said if not any(question in line for question in questions)]

    def forget(self) -> None:
        (self.folder / "calls").unlink(missing_ok=True)

    def fail_at(self, call: str, complaint: str = "") -> None:
        """Let calls that contain these words fail."""
        (self.folder / "fails").write_text(call)
        (self.folder / "complaint").write_text(complaint)

    def run(self, *arguments: str) -> Ran:
        environment = {
            "PATH": f"{self.folder}/bin:/usr/bin:/bin",
            "HOME": str(self.folder),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "XDG_RUNTIME_DIR": str(self.folder / "runtime"),
        }
        return self.schedctl(*arguments, env=environment)

    def install(self, *options: str) -> Ran:
        return self.run("install-units", "--user", "--lang", "en", *options)

    def done(self, *options: str) -> dict[str, list[str]]:
        """Install, and what was done by kind."""
        return by_kind(self.install("--json", *options).json)


def by_kind(document: dict[str, Any]) -> dict[str, list[str]]:
    """The deeds of an answer: kind -> file names and units."""
    found: dict[str, list[str]] = {}
    for deed in document["done"]:
        found.setdefault(deed["kind"], []).append(Path(deed["what"]).name)
    return found


@pytest.fixture
def systemd(tmp_path: Path, schedctl: Command) -> FakeSystemd:
    """A running systemd of one's own, and a file with a DSN."""
    (tmp_path / "bin").mkdir()
    for name in ("systemctl", "systemd-analyze", "journalctl"):
        program = tmp_path / "bin" / name
        program.write_text(FAKE.format(name=name, folder=tmp_path))
        program.chmod(0o755)
    (tmp_path / "version").write_text("systemd 252 (252.39-1~deb12u2)\n")
    (tmp_path / "shown").write_text("UnitFileState=disabled\nActiveState=inactive\nResult=exit-code\n")
    fake = FakeSystemd(tmp_path, schedctl)
    (tmp_path / "runtime/systemd").mkdir(parents=True)
    (tmp_path / "runtime/systemd/private").touch()
    fake.dsn.parent.mkdir(parents=True)
    fake.dsn.touch(mode=0o600)
    fake.dsn.write_text("host=/run/postgresql dbname=schedctl\n")
    return fake
