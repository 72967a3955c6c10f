"""docs/agents.md holds: every example beats on a real database, and breaks no agent when the database is gone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import psycopg
import pytest
from agent_stories import Story
from psycopg.conninfo import conninfo_to_dict

from schedctl.catalog.files import read_folder
from schedctl.catalog.model import Restart
from schedctl.catalog.parse import parse
from schedctl.settings import shipped

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Command

    from schedctl.usecases.site import Site

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
EXAMPLES: Final = dict(re.findall(r"```\w+\n(?:#|//) (\S+)\n(.*?)```", PAGE, re.DOTALL))
PROGRAMS: Final = {
    "agent.py": (sys.executable,),
    "agent.sh": ("sh", "-eu"),
    "agent-with-schedctl.sh": ("sh", "-eu"),
    "agent.js": ("node",),
}
STATES: Final = re.compile(r"agent_states_are_known CHECK \(state IN \(([^)]+)\)")
GONE: Final = "host=127.0.0.1 port=1 dbname=none user=nobody"


def program(name: str) -> tuple[str, ...]:
    """The command that runs an example; skips where the machine lacks it."""
    command = PROGRAMS[name]
    needed = "psql" if name == "agent.sh" else command[0]
    if shutil.which(needed) is None:
        pytest.skip(f"{needed} is not installed")
    if (
        command[0] == "node"
        and subprocess.run(["node", "-e", "require('pg')"], capture_output=True, check=False).returncode
    ):
        pytest.skip("the npm package pg cannot be found (NODE_PATH may name its folder)")
    return command


def run(name: str, dsn: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run an example as it stands in the page, against this database."""
    command = program(name)
    (folder / name).write_text(EXAMPLES[name], encoding="utf-8")
    (folder / "schedctl").write_text(f'#!/bin/sh\nexec {sys.executable} -m schedctl "$@"\n', encoding="utf-8")
    (folder / "schedctl").chmod(0o755)
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("SCHEDCTL_", "PG"))}
    of_libpq = {
        f"PG{'DATABASE' if key == 'dbname' else key.upper()}": str(value)
        for key, value in conninfo_to_dict(dsn).items()
    }
    environment |= of_libpq | {"SCHEDCTL_DSN": dsn, "PYTHONPATH": str(ROOT), "PATH": f"{folder}:{os.environ['PATH']}"}
    return subprocess.run(
        [*command, name], cwd=folder, env=environment, capture_output=True, text=True, timeout=180, check=False
    )


def test_every_program_is_an_example_and_every_example_is_run() -> None:
    assert set(EXAMPLES) == {*PROGRAMS, "agents.toml"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_example_beats(name: str, database: str, tmp_path: Path) -> None:
    ended = run(name, database, tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    with psycopg.connect(database) as db:
        found = db.execute(
            "SELECT name, state, status, tokens[array_length(tokens, 1) - 2:] FROM schedctl.agent"
        ).fetchall()
        says_how_long = "15" in EXAMPLES[name]
        minutes = db.execute("SELECT extract(epoch FROM stop_by - beat_at)::int / 60 FROM schedctl.agent").fetchone()
    assert found == [("executor", "stopping", "stopping", [1200, 1200, 1200])]
    assert minutes == (15 if says_how_long else 10,)


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_example_goes_on_without_its_database(name: str, tmp_path: Path) -> None:
    ended = run(name, GONE, tmp_path)
    assert ended.returncode == 0
    assert ended.stderr


def test_every_state_is_explained() -> None:
    sql = (shipped("sql") / "006_agents.sql").read_text(encoding="utf-8")
    (listed,) = STATES.findall(sql)
    told = re.findall(r"^\| `(\w+)` \|", PAGE.partition("\n## How it is judged\n")[2], re.MULTILINE)
    assert set(told) == set(re.findall(r"'(\w+)'", listed))


def test_the_guard_of_the_executor_calls_after_a_minute_of_silence(
    tmp_path: Path, site_at: Callable[[str], Site]
) -> None:
    folder = Path(shutil.copytree(shipped("catalog"), tmp_path / "catalog"))
    (folder / "agents.toml").write_text(EXAMPLES["agents.toml"], encoding="utf-8")
    (executor,) = parse(read_folder(folder)).agents
    assert executor.every_s * executor.missed_beats == 60
    assert executor.restart == Restart("unit.restart", "local", (("unit", "executor"),))
    story = Story(site_at, executor)
    story.beat()
    assert story.passes(1) == "late"
    assert story.passes(1) == "restarting"


def test_the_guard_of_the_disk_tells_changes_and_never_pauses(
    schedctl: Command, empty_database: str, tmp_path: Path
) -> None:
    """By the sentence of the page; what the action looks at is a table of mounts of our own."""
    folder = Path(shutil.copytree(shipped("catalog"), tmp_path / "catalog"))
    table = tmp_path / "mountinfo"
    disk = folder / "actions" / "disk.toml"
    disk.write_text(disk.read_text(encoding="utf-8").replace("/proc/self/mountinfo", str(table)), encoding="utf-8")
    env = {"SCHEDCTL_DSN": empty_database, "SCHEDCTL_CATALOG": str(folder)}
    (sentence,) = re.findall(r'^schedctl register "(.+)"$', PAGE, re.MULTILINE)

    def at(minute: int, *arguments: str) -> None:
        assert schedctl(*arguments, now=f"2026-12-01T10:{minute:02}:00+09:00", env=env).code == 0

    at(0, "arm")
    at(0, "register", sentence)
    for minute, option in enumerate(["rw", "rw", "ro", "ro", "ro", "ro", "ro", "rw", "rw"], start=1):
        table.write_text(f"65 44 7:0 / /data rw,relatime - ext4 /dev/sda1 {option}\n", encoding="utf-8")
        at(minute, "tick")
        at(minute, "work", "--drain")
    with psycopg.connect(empty_database) as db:
        states = [row[0] for row in db.execute("SELECT state FROM schedctl.run ORDER BY run_id").fetchall()]
        news = db.execute("SELECT type FROM schedctl.event WHERE run_id IS NOT NULL ORDER BY event_id").fetchall()
        (schedule,) = db.execute("SELECT state, approved_by IS NOT NULL FROM schedctl.schedule").fetchall()
    assert states == [*["succeeded"] * 2, *["failed"] * 5, *["succeeded"] * 2]
    assert [row[0] for row in news if row[0] in ("failed", "recovered")] == ["failed", "recovered"]
    assert schedule == ("active", True)
