"""Workers are killed and nodes fall silent: nothing begins twice, and no node is held longer than it must be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, LiteralString

import psycopg
import pytest
from installations import settings_for
from making import add
from sshd import Sshd, serve

from schedctl.plan.request import Request
from schedctl.usecases import installation
from schedctl.usecases.site import open_site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
BEFORE = "2026-12-01T10:00:00+09:00"
DUE = "2026-12-02T03:00:30+09:00"
NODES = """
[nodes.mars]
transport = "{transport}"
label = {{ ja = "マーズ", en = "mars" }}
{where}
"""
ACTIONS = """
["mark.slowly"]
label = { ja = "ゆっくり印を付ける", en = "mark slowly" }
risk = "changes"
timeout = "100s"
argv = ["%s"]
"""
SCRIPT = """#!/bin/sh
echo "$SCHEDCTL_LEG" >>{notes}
echo begun
turn=0
while [ ! -e {done} ] && [ $turn -lt 180 ]; do turn=$((turn + 1)); sleep 0.5; done
echo ended
exit 3
"""


class World:
    """Two runs of one changing action on one node, and real processes that work on them."""

    def __init__(self, dsn: str, folder: Path, node: Sshd | None) -> None:
        self.dsn = dsn
        self.notes, self.done = folder / "notes", folder / "done"
        self.notes.touch()
        (folder / "actions").mkdir()
        where = f'address = "127.0.0.1"\nuser = "{node.target.user}"\nport = {node.port}' if node else ""
        (folder / "nodes.toml").write_text(NODES.format(transport="ssh" if node else "local", where=where))
        (folder / "policy.toml").write_text("approval = []\n")
        (folder / "calendar.toml").write_text('country = "JP"\n')
        program = folder / "mark-slowly"
        program.write_text(SCRIPT.format(notes=self.notes, done=self.done))
        program.chmod(0o755)
        (folder / "actions" / "mark.toml").write_text(ACTIONS % program)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": os.environ.get("HOME", "/"),
            "LANG": "C.UTF-8",
            "SCHEDCTL_DSN": dsn,
            "SCHEDCTL_CATALOG": str(folder),
            "SCHEDCTL_HOST": "testhost",
            "SCHEDCTL_REHEARSAL_NOW": DUE,
            **({"SCHEDCTL_SSH_CONFIG": str(node.folder / "ssh_config")} if node else {}),
        }
        settings = settings_for(dsn, catalog=folder, rehearsal_now=datetime.fromisoformat(BEFORE))
        with open_site(settings) as site:
            installation.arm(site, None)
            for number in range(2):
                add(site, "daily at 03:00 in Asia/Tokyo", (Request("mars", "mark.slowly"),), say=f"plan {number}")

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-m", "schedctl", *words], cwd=ROOT, env=self.environment)

    def run(self, *words: str) -> None:
        assert self.start(*words).wait(60) in (0, 1)

    def ask(self, query: LiteralString) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.dsn, autocommit=True) as db:
            return db.execute(query).fetchall() if query.startswith("SELECT") else [(db.execute(query).rowcount,)]

    def begun(self) -> list[str]:
        return self.notes.read_text().splitlines()

    def kill_a_worker_in_the_middle(self) -> None:
        """One worker begins the first run and is killed; its lease ends, and a tick calls its leg lost."""
        self.run("tick")
        worker = self.start("work")
        wait_until(self.begun)
        time.sleep(0.3)
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        self.ask("UPDATE schedctl.leg SET lease_until = clock_timestamp() - interval '1 s' WHERE state = 'running'")
        self.run("tick")
        assert self.legs() == [("lost", True), ("queued", False)]

    def work_until_its_end_is_known(self) -> None:
        """The command needs a moment to see that it may end; until then its node stays held."""

        def known() -> bool:
            self.run("work", "--drain")
            return self.legs()[0] == ("lost", False)

        wait_until(known)

    def legs(self) -> list[tuple[Any, ...]]:
        return self.ask("SELECT state, holds_node FROM schedctl.leg ORDER BY leg_id")


def wait_until(holds: Callable[[], object], within_s: float = 60.0) -> None:
    give_up = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < give_up, "it did not come true"
        time.sleep(0.05)


@pytest.fixture(params=["ssh", "local"])
def world(
    request: pytest.FixtureRequest, empty_database: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    if request.param == "local":
        yield World(empty_database, tmp_path, None)
        return
    for node in serve(tmp_path_factory.mktemp("node")):
        yield World(empty_database, tmp_path, node)


def test_the_next_worker_asks_the_node_before_it_begins_anything_there(world: World) -> None:
    world.kill_a_worker_in_the_middle()
    world.run("work", "--drain")  # the command still runs: its node stays held
    assert world.legs() == [("lost", True), ("queued", False)]
    assert len(world.begun()) == 1
    world.done.touch()
    world.work_until_its_end_is_known()
    assert world.legs() == [("lost", False), ("failed", False)]
    assert world.begun() == ["run1-leg1-step0-attempt1", "run2-leg2-step0-attempt1"]
    events = world.ask("SELECT type FROM schedctl.event WHERE type LIKE 'lost%' ORDER BY event_id")
    assert events == [("lost",), ("lost_leg_ended",)]


@pytest.mark.parametrize("world", ["ssh"], indirect=True)
def test_what_the_node_kept_is_recorded_with_the_lost_step(world: World) -> None:
    world.kill_a_worker_in_the_middle()
    world.done.touch()
    world.work_until_its_end_is_known()
    steps = world.ask("SELECT state, exit_code, stdout_head FROM schedctl.step WHERE leg_id = 1")
    assert steps == [("lost", 3, b"begun\nended\n")]


@pytest.mark.parametrize("world", ["local"], indirect=True)
def test_a_leg_that_was_lost_before_it_began_anything_gives_its_node_free(world: World) -> None:
    world.run("tick")
    world.ask(
        "UPDATE schedctl.leg SET state = 'running', token = gen_random_uuid(), worker = 'w', holds_node = true, "
        "lease_until = clock_timestamp() - interval '1 s' WHERE leg_id = 1"
    )
    world.run("tick")
    assert world.legs() == [("lost", True), ("queued", False)]
    world.done.touch()
    world.run("work", "--drain")
    assert world.legs() == [("lost", False), ("failed", False)]
