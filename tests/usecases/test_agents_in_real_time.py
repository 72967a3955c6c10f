"""Real agents, real ticks, a real worker, the real clock: five lives side by side, each to its end."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import psycopg
import pytest
import scripted_agent
from installations import CATALOG

if TYPE_CHECKING:
    from collections.abc import Iterator

HOME: Final = Path(__file__).parents[2]
LIVES: Final = {
    "breaks": "crashes works",
    "sticks": "hangs works",
    "spends": "burns",
    "leaves": "works",
    "flaps": "flaps",
}
ENDS: Final = {
    "breaks": ("ok", ["agent_unhealthy", "agent_restarted", "agent_recovered"], 2),
    "sticks": ("ok", ["agent_unhealthy", "agent_restarted", "agent_recovered"], 2),
    "spends": ("ok", ["cost_alarm"], 1),
    "leaves": ("stopped", [], 1),
    "flaps": (
        "escalated",
        ["agent_unhealthy", "agent_restarted", "agent_recovered", "agent_unhealthy", "agent_escalated"],
        2,
    ),
}
"""The state in which each story ends, what was told of it, and how many lives it took."""
TIME_LIMIT_S: Final = 180.0
"""It takes 15 s on a machine that has nothing else to do."""
PATHS: Final = {"PATH": os.environ["PATH"], "PYTHONPATH": ":".join(path for path in sys.path if path)}

ACTION: Final = """
["agent.restart"]
label = {{ ja = "エージェントの再起動", en = "restart an agent" }}
risk = "disrupts"
timeout = "10s"
argv = ["{python}", "{program}", "restart", "{folder}/{{agent}}"]
environment = {{ PYTHONPATH = "{path}" }}
parameters.agent = {{ label = {{ ja = "誰を", en = "whom" }}, pattern = "^[a-z]+$" }}
"""
AGENT: Final = """
[agents.{name}]
every = "1s"
missed_beats = 1
cooldown = "5s"
attempts = 1
restart = {{ action = "agent.restart", node = "local", parameters = {{ agent = "{name}" }} }}
"""


@pytest.fixture
def agents(tmp_path: Path, database: str) -> Iterator[dict[str, Path]]:
    """The agents' folders; whatever still lives there is ended afterwards."""
    folders = {name: tmp_path / name for name in LIVES}
    for name, folder in folders.items():
        folder.mkdir()
        (folder / "lives").write_text(LIVES[name], encoding="utf-8")
        (folder / "dsn").write_text(database, encoding="utf-8")
    try:
        yield folders
    finally:
        for folder in folders.values():
            if (pid := scripted_agent.pid_of(folder)) is not None:
                os.kill(pid, signal.SIGKILL)


def catalog(tmp_path: Path) -> Path:
    folder = Path(shutil.copytree(CATALOG, tmp_path / "catalog"))
    action = ACTION.format(
        python=sys.executable, program=scripted_agent.__file__, folder=tmp_path, path=PATHS["PYTHONPATH"]
    )
    (folder / "actions" / "agent.toml").write_text(action, encoding="utf-8")
    (folder / "agents.toml").write_text("".join(AGENT.format(name=name) for name in LIVES), encoding="utf-8")
    return folder


def test_five_agents_live_to_their_ends(agents: dict[str, Path], database: str, tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(HOME), "SCHEDCTL_LANG": "en"}
    environment |= {"SCHEDCTL_DSN": database, "SCHEDCTL_HOST": "here", "SCHEDCTL_CATALOG": str(catalog(tmp_path))}

    def schedctl(*arguments: str) -> None:
        command = [sys.executable, "-m", "schedctl", *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr

    schedctl("catalog", "adopt")
    schedctl("arm")
    start = time.monotonic()
    for folder in agents.values():
        subprocess.run([sys.executable, scripted_agent.__file__, "restart", folder], env=PATHS, check=True)
    with psycopg.connect(database, autocommit=True) as db:
        while (seen := stories(db, agents)) != ENDS:
            assert time.monotonic() < start + TIME_LIMIT_S, seen
            schedctl("tick")
            schedctl("work", "--drain")
            if seen["leaves"][0] == "ok" and (pid := scripted_agent.pid_of(agents["leaves"])) is not None:
                os.kill(pid, signal.SIGTERM)
        by = db.execute("SELECT DISTINCT detail ->> 'by' FROM schedctl.event WHERE type = 'agent_recovered'").fetchall()
        runs = db.execute("SELECT trigger, state, count(*) FROM schedctl.run GROUP BY 1, 2").fetchall()
    assert by == [("restart",)]
    assert runs == [("restart", "succeeded", 3)]


def stories(db: psycopg.Connection, agents: dict[str, Path]) -> dict[str, tuple[str, list[str], int]]:
    """What has become of each: its state, what was told of it, how many lives it began."""
    states = dict(db.execute("SELECT name, state FROM schedctl.agent").fetchall())
    told: dict[str, list[str]] = {name: [] for name in agents}
    for name, kind in db.execute("SELECT detail ->> 'agent', type FROM schedctl.event ORDER BY event_id").fetchall():
        if name is not None:
            told[name].append(kind)
    begun = {name: folder / "begun" for name, folder in agents.items()}
    return {
        name: (states[name], told[name], int(begun[name].read_text() or 0) if begun[name].exists() else 0)
        for name in agents
    }
