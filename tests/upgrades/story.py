"""A life of an installation, told to one version of schedctl by its own commands: what a dump of its schema is made of.

It ends with schedules and runs in every state, a worker that was killed and one that still works, agents, notices sent
and unsent. Nothing but commands writes to the database; the clock is the rehearsal's, except for leases.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import psycopg
from at_once import AtOnce, serving

if TYPE_CHECKING:
    from collections.abc import Generator

HERE: Final = Path(__file__).parent
PLACE: Final = "@STORY@"
"""Stands in the catalog, and in a dump, for the folder in which the story's commands leave their marks."""

DAILY: Final = 24
"""So many schedules are due each day from 10:30 on, on three nodes: what a test lets old and new code fire at once."""

SILENCE_S: Final = 50
"""Longer than the lease of 45 s: a worker that was killed is lost then."""

THERE: Final = """
    SELECT 'schedule ' || state || coalesce(' ' || CASE WHEN state = 'paused' THEN reason END, '')
      FROM schedctl.schedule
    UNION SELECT 'run ' || state || coalesce(' ' || CASE WHEN state IN ('missed', 'skipped') THEN reason END, '')
      FROM schedctl.run
    UNION SELECT trigger FROM schedctl.run
    UNION SELECT 'leg ' || state || CASE WHEN holds_node THEN ' holds' ELSE '' END FROM schedctl.leg
    UNION SELECT 'step ' || state FROM schedctl.step
    UNION SELECT 'notice ' || state FROM schedctl.outbox
    UNION SELECT 'agent ' || state FROM schedctl.agent
    UNION SELECT 'hold' FROM schedctl.node_hold
"""
EVERYTHING: Final = frozenset({
    "schedule pending", "schedule active", "schedule finished", "schedule archived", "schedule paused auto_paused",
    "schedule paused catalog_changed", "schedule paused unknown_timezone",
    "run queued", "run running", "run succeeded", "run failed", "run timed_out", "run lost", "run cancelled",
    "run rehearsed", "run refused", "run missed late", "run missed not_claimed", "run missed not_approved",
    "run skipped overlap", "run skipped paused", "run skipped freeze", "timer", "manual", "restart",
    "leg queued", "leg running holds", "leg succeeded", "leg failed", "leg timed_out", "leg lost holds",
    "leg cancelled", "leg not_run", "step running", "step lost", "notice queued", "notice sent",
    "agent ok", "agent unhealthy", "agent escalated", "hold",
})  # fmt: skip
"""What a dump has to hold: every state, and every reason that schedctl itself gives."""

LEGS_RUNNING: Final = "SELECT count(*) FROM schedctl.leg WHERE state = 'running' AND node = %s"


@dataclass(frozen=True, slots=True)
class Installation:
    """A version of schedctl (the folder that has its package and `sql`), and the database that it works on."""

    code: Path
    dsn: str
    folder: Path
    commands: AtOnce

    def environment(self, day: str) -> dict[str, str]:
        """The environment of a process that believes it to be `day` (like `01T10:00:30`) of December 2026."""
        plain = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "PYTHONPATH": str(self.code), "SCHEDCTL_DSN": self.dsn}
        return {**plain, **self.commands.environment, "SCHEDCTL_REHEARSAL_NOW": f"2026-12-{day}+09:00"}

    def say(self, day: str, *arguments: str) -> dict[str, Any]:
        """The JSON answer of a command line, which must succeed."""
        (ended,) = self.commands.run(self.dsn, *arguments, "--json", now=f"2026-12-{day}+09:00")
        assert ended.code == 0, (day, arguments, ended.output)
        return ended.json

    def tick_without_new_york(self, day: str) -> None:
        """A tick of a host whose zone database is older."""
        environment = self.environment(day) | {"PYTHONPATH": f"{self._older_zones()}:{self.code}"}
        argv = [sys.executable, "-m", "schedctl", "tick"]
        subprocess.run(argv, env=environment, cwd=self.folder, capture_output=True, check=True)

    @contextmanager
    def worker(self, day: str, node: str) -> Generator[None]:
        """A worker in the middle of a long command on this node; killed at the end, as by a power cut."""
        argv = [sys.executable, "-m", "schedctl", "work", "--node", node]
        with subprocess.Popen(argv, env=self.environment(day), cwd=self.folder, stdout=subprocess.DEVNULL) as process:
            try:
                with psycopg.connect(self.dsn, autocommit=True) as db:
                    while db.execute(LEGS_RUNNING, (node,)).fetchone() != (1,):
                        assert process.poll() is None
                        time.sleep(0.1)
                yield
            finally:
                process.kill()

    def register(self, day: str, name: str, sentence: str, *options: str) -> None:
        """Register and approve a sentence."""
        self.say(day, "register", "--yes", "--name", name, *options, sentence)

    def tick_and_work(self, day: str) -> None:
        """What the timer does each minute."""
        self.say(day, "tick")
        self.say(day, "work", "--drain")

    def write_catalog(self, **changes: str) -> None:
        """The story's catalog, with the marks' folder in place and these words replaced."""
        shutil.copytree(HERE / "catalog", self.folder / "catalog", dirs_exist_ok=True)
        for path in (self.folder / "catalog").rglob("*.toml"):
            text = path.read_text(encoding="utf-8").replace(PLACE, str(self.folder))
            for word, other in changes.items():
                text = text.replace(word, other)
            path.write_text(text, encoding="utf-8")
        write_mark(self.folder)

    def _older_zones(self) -> Path:
        """A zone database that knows no New York yet, as an older host may have."""
        older = self.folder / "older"
        if not older.exists():
            whole = Path(sysconfig.get_path("purelib")) / "tzdata"
            shutil.copytree(whole, older / "tzdata", ignore=shutil.ignore_patterns("New_York", "__pycache__"))
        return older


def write_mark(folder: Path) -> None:
    """The program that leaves a mark: a line that names the step, for each time that it ran."""
    program = folder / "mark"
    program.write_text(f'#!/bin/sh\necho "$SCHEDCTL_LEG" >> {folder}/marks\n', encoding="utf-8")
    program.chmod(0o755)


@contextmanager
def installed(code: Path, dsn: str, folder: Path) -> Generator[Installation]:
    """An installation of the version in `code`, on an empty database."""
    environment = {
        "SCHEDCTL_CATALOG": str(folder / "catalog"), "SCHEDCTL_HOST": "story", "SCHEDCTL_ACTOR": "alice",
        "SCHEDCTL_STATE": str(folder / "state"), "HOME": str(folder),
    }  # fmt: skip
    with serving(code, environment) as commands:
        yield Installation(code, dsn, folder, commands)


@contextmanager
def told(installation: Installation) -> Generator[None]:
    """The installation at the end of its story; one worker is at work as long as the block lasts."""
    installation.write_catalog()
    _first_day(installation)
    _what_goes_wrong(installation)
    _what_people_do(installation)
    _agents(installation)
    _what_does_not_fire(installation)
    _a_worker_is_killed(installation)
    _what_goes_on(installation)
    with installation.worker("06T12:00:40", "jupiter"):
        _assert_all_happened(installation.dsn)
        yield


def _assert_all_happened(dsn: str) -> None:
    with psycopg.connect(dsn) as db:
        there = {row[0] for row in db.execute(THERE)}
    assert there >= EVERYTHING, EVERYTHING - there


def _first_day(here: Installation) -> None:
    """Disarmed at first; then armed, and what is due each day succeeds."""
    here.register("01T10:00:00", "rehearsed", "12月1日10時10分にmarsでnote.readsを実行して")
    here.say("01T10:10:30", "tick")
    here.say("01T10:20:00", "arm", "--reason", "the story begins")
    for number in range(DAILY):
        node = ("mars", "venus", "pluto")[number % 3]
        action = ("note.reads", "note.changes")[number // 3 % 2]
        here.register("01T10:25:00", f"daily-{number}", f"毎日10時{30 + number}分に{node}で{action}を実行して")
    here.register("01T10:30:00", "ordered", "毎日11時にまずmarsでnote.changesを実行してからvenusでnote.readsを実行して")
    here.tick_and_work("01T11:00:30")


def _what_goes_wrong(here: Installation) -> None:
    """Failures, a timeout, a pause that follows three failures, a stage that is never reached, an unreadable zone."""
    here.register("01T12:00:00", "failing", "毎日12時10分にmarsでnote.failsを実行して")
    here.register("01T12:00:00", "slow", "毎日12時10分にmarsでnote.slowを実行して")
    here.register("01T12:00:00", "breaking", "12時から13時まで10分おきにvenusでnote.breaksを実行して")
    here.register("01T12:00:00", "half", "毎日12時10分にまずmarsでnote.failsを実行してからvenusでnote.readsを実行して")
    for minute in (10, 20, 30):
        here.tick_and_work(f"01T12:{minute}:30")
    here.register(
        "01T13:00:00", "far-away", "毎日23時15分にmarsでnote.readsを実行して", "--timezone", "America/New_York"
    )
    here.tick_without_new_york("01T13:15:30")


def _what_people_do(here: Installation) -> None:
    """Pending, paused and resumed, replaced, archived, changed by the catalog; manual runs; holds; cancelled."""
    here.say("01T14:00:00", "register", "--name", "pending", "毎日15時にmarsでnote.changesを実行して")
    here.say("01T14:00:00", "register", "--name", "never-approved", "12月1日14時10分にmarsでnote.changesを実行して")
    here.register("01T14:00:00", "changed", "毎日16時にmarsでnote.oldを実行して")
    here.register("01T14:00:00", "archived", "毎日17時にmarsでnote.readsを実行して")
    here.say("01T14:01:00", "archive", "archived")
    here.register("01T14:00:00", "replaced", "毎日18時にmarsでnote.readsを実行して")
    here.register("01T14:01:00", "replaced", "毎日19時にmarsでnote.readsを実行して", "--replaces", "replaced")
    here.register("01T14:00:00", "resumed", "15分おきにplutoでnote.readsを実行して")
    here.say("01T14:02:00", "pause", "resumed", "--reason", "a quiet hour")
    here.register("01T14:00:00", "paused", "毎日20時にmarsでnote.readsを実行して")
    here.say("01T14:02:00", "pause", "paused", "--reason", "until the disk is there")
    here.say("01T14:30:00", "tick")
    here.say("01T14:50:00", "resume", "resumed")
    here.say("01T14:51:00", "archive", "resumed")
    manual = here.say("01T14:55:00", "test-run", "daily-0")
    here.say("01T14:56:00", "rerun", str(manual["run"]["id"]))
    here.say("01T14:57:00", "node", "hold", "neptune", "--reason", "its fans are being changed")
    here.write_catalog(**{"an old word": "a new word"})
    here.say("01T14:58:00", "catalog", "adopt")


def _agents(here: Installation) -> None:
    """One that is well, one that was restarted, one that was never heard, one that nothing restarts."""
    for minute in range(5):
        here.say(f"01T15:0{minute}:00", "beat", "well", "--tokens", "120")
    here.say("01T15:00:00", "beat", "restarted")
    here.say("01T15:00:00", "beat", "alone", "--status", "starting", "--detail", "reading its mail")
    for minute in (1, 3, 5):
        here.tick_and_work(f"01T15:0{minute}:10")
    for name in ("well", "alone"):
        here.say("01T15:06:00", "beat", name)


def _a_worker_is_killed(here: Installation) -> None:
    """In the middle of a changing command: lost, and its node stays held."""
    here.register("06T11:30:00", "killed", "12月6日11時40分にsaturnでnote.longを実行して")
    here.say("06T11:40:10", "tick")
    with here.worker("06T11:40:15", "saturn"):
        pass
    time.sleep(SILENCE_S)
    here.say("06T11:41:30", "tick")


def _what_does_not_fire(here: Installation) -> None:
    """Overlap, nobody who works, a long gap, a freeze."""
    here.register("01T15:50:00", "overlapping", "5分おきにplutoでnote.readsを実行して", "--count", "5")
    for day in ("01T15:55:10", "01T16:00:10", "01T17:30:10"):
        here.say(day, "tick")
    here.say("05T11:00:30", "tick")
    here.say("05T11:01:00", "cancel", _queued_run(here))
    here.tick_and_work("05T11:02:00")


def _what_goes_on(here: Installation) -> None:
    """At the end something waits, something is under way, and an agent is well."""
    here.register("06T11:50:00", "under-way", "12月6日12時にjupiterでnote.longを実行して")
    here.register("06T11:50:00", "waiting", "12月6日12時にneptuneでnote.changesを実行して")
    here.say("06T12:00:05", "beat", "well")
    here.say("06T12:00:10", "tick")
    here.say("06T12:00:30", "deliver")


def _queued_run(here: Installation) -> str:
    return str(here.say("05T11:00:50", "runs", "--state", "queued", "--limit", "1")["runs"][0]["id"])
