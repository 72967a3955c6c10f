"""A small world for crash tests: commands that note each start in a file, and what must hold whatever was killed."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, LiteralString

import psycopg

from schedctl.plan.request import Request

if TYPE_CHECKING:
    from pathlib import Path

    from processes import Processes

SCHEDULES = 2
PLAN = (Request("mars", "mark.first"), Request("mars", "mark.second"), Request("venus", "mark.first", stage=1))
DUE = "2026-12-02T03:00:30+09:00"
LATER = "2026-12-02T04:30:00+09:00"

ACTION = """
["mark.{name}"]
label = {{ ja = "{name}の印", en = "mark {name}" }}
risk = "changes"
timeout = "10s"
argv = ["{program}"]
"""
NODE = '[nodes.{name}]\ntransport = "local"\nlabel = {{ ja = "{name}の機械", en = "{name} machine" }}\n'
SSH_NODE = """
[nodes.{{name}}]
transport = "ssh"
label = {{{{ ja = "{{name}}の機械", en = "{{name}} machine" }}}}
address = "{target.address}"
user = "{target.user}"
port = {target.port}
"""

UNENDED: tuple[LiteralString, ...] = (
    "SELECT run_id FROM schedctl.run WHERE finished_at IS NULL",
    "SELECT leg_id FROM schedctl.leg WHERE state IN ('queued', 'running')",
    "SELECT step.leg_id FROM schedctl.step JOIN schedctl.leg USING (leg_id) "
    "WHERE step.state = 'running' AND leg.state <> 'running'",
)
RECORDED: LiteralString = "SELECT run_id, leg_id, step.position FROM schedctl.step JOIN schedctl.leg USING (leg_id)"


def write_catalog(folder: Path, starts: Path, node: str = NODE) -> Path:
    """The catalog folder: two marking actions, and two nodes that are both this machine."""
    (folder / "actions").mkdir(parents=True)
    (folder / "nodes.toml").write_text("".join(node.format(name=name) for name in ("mars", "venus")), encoding="utf-8")
    (folder / "calendar.toml").write_text('country = "JP"\n', encoding="utf-8")
    (folder / "policy.toml").write_text("approval = []\n", encoding="utf-8")
    program = folder / "note-start"
    program.write_text(f'#!/bin/sh\necho "$SCHEDCTL_LEG" >> {starts}\n', encoding="utf-8")
    program.chmod(0o755)
    actions = "".join(ACTION.format(name=name, program=program) for name in ("first", "second"))
    (folder / "actions" / "marks.toml").write_text(actions, encoding="utf-8")
    return folder


@dataclass(frozen=True, slots=True)
class World:
    """The installation and the processes that work on it."""

    dsn: str
    starts: Path
    processes: Processes

    def query(self, statement: LiteralString) -> list[tuple[Any, ...]]:
        """The rows of a statement."""
        with psycopg.connect(self.dsn, autocommit=True) as db:
            return db.execute(statement).fetchall()

    def execute(self, statement: LiteralString) -> None:
        """Change something."""
        with psycopg.connect(self.dsn, autocommit=True) as db:
            db.execute(statement)

    def begun(self) -> Counter[str]:
        """How often each step of each run began, by what the commands themselves noted; every attempt counts."""
        return Counter(re.sub(r"-attempt\d+$", "", line) for line in self.starts.read_text().splitlines())

    def give_up_on_silent_workers(self) -> None:
        """Let every lease end now, and have a tick an hour later end all that nobody will carry out any more."""
        self.execute("UPDATE schedctl.leg SET lease_until = clock_timestamp() - interval '1 s' WHERE state = 'running'")
        ended = self.processes.run("tick", now=DUE)
        assert ended["code"] == 0, ended["output"]
        # What is still queued behind a node that a lost leg holds is never run: its hour passes.
        ended = self.processes.run("tick", now=LATER)
        assert ended["code"] == 0, ended["output"]

    def assert_settles_soundly(self) -> None:
        """When the dust has settled: one run an occurrence, nothing doubled, nothing without an end."""
        self.give_up_on_silent_workers()
        self.assert_one_run_an_occurrence()
        self.assert_nothing_began_twice()
        self.assert_all_ended()

    def assert_no_node_stays_held(self) -> None:
        """Workers ask what became of lost commands, and give their nodes free."""
        for _ in range(5):
            ended = self.processes.run("work", "--drain", now=LATER)
            assert ended["code"] == 0, ended["output"]
            if not self.query("SELECT leg_id FROM schedctl.leg WHERE holds_node"):
                return
        raise AssertionError(self.query("SELECT leg_id, state, reason FROM schedctl.leg WHERE holds_node"))

    def assert_one_run_an_occurrence(self) -> None:
        """Every due occurrence has exactly one run."""
        rows = self.query("SELECT schedule_id, count(*) FROM schedctl.run GROUP BY schedule_id ORDER BY schedule_id")
        assert rows == [(number, 1) for number in range(1, SCHEDULES + 1)]
        assert self.query("SELECT run_id FROM schedctl.leg GROUP BY run_id HAVING count(*) <> 2") == []

    def assert_nothing_began_twice(self) -> None:
        """No step began twice, and what began is recorded."""
        assert {step: times for step, times in self.begun().items() if times > 1} == {}
        recorded = {f"run{run}-leg{leg}-step{step}" for run, leg, step in self.query(RECORDED)}
        assert set(self.begun()) <= recorded

    def assert_all_ended(self) -> None:
        """No run, leg or step is left without an end."""
        for statement in UNENDED:
            assert self.query(statement) == [], statement
