"""A database that was restored from a backup, or copied, is disarmed, so that nothing runs again that ran since."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psycopg
import pytest
from installations import database_in
from psycopg.sql import SQL, Identifier

from schedctl.cli.start import SCHEMA_VERSION
from schedctl.store.embedded_programs import binaries, environment
from schedctl.store.probe import glance

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import Command, Ran

BEFORE = "2026-12-02T02:50+09:00"
DUE = "2026-12-02T03:00:10+09:00"
AFTER = "2026-12-02T03:20+09:00"
NEXT_DAY = "2026-12-03T03:00:10+09:00"


@dataclass(frozen=True, slots=True)
class Backup:
    """The database of a test, a dump of it, and another database into which the dump is restored."""

    dump: Path
    source: str
    target: str

    def make(self) -> None:
        _run("pg_dump", "--format=custom", f"--file={self.dump}", f"--dbname={self.source}")

    def restore_in_place(self) -> None:
        """Into the very database that it was made of."""
        _run("pg_restore", "--no-owner", "--clean", "--if-exists", f"--dbname={self.source}", str(self.dump))

    def restore(self) -> dict[str, str]:
        """The environment of commands on what was restored."""
        _run("pg_restore", "--no-owner", f"--dbname={self.target}", str(self.dump))
        return {"SCHEDCTL_DSN": self.target}


@pytest.fixture
def backup(server: str, database: str, tmp_path: Path) -> Iterator[Backup]:
    name = f"restored_{tmp_path.name}"[:60]
    with psycopg.connect(server, autocommit=True) as db:
        db.execute(SQL("CREATE DATABASE {} ENCODING 'UTF8' TEMPLATE template0").format(Identifier(name)))
        try:
            yield Backup(tmp_path / "schedctl.dump", database, database_in(server, name))
        finally:
            db.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


def _run(program: str, *arguments: str) -> None:
    argv = [str(binaries() / program), *arguments]
    subprocess.run(argv, env=environment(), capture_output=True, text=True, check=True)


def _register(schedctl: Command) -> None:
    schedctl("arm", now=BEFORE)
    done = schedctl("register", "--yes", "毎日3時にmarsでprobe.okを実行して", now=BEFORE)
    assert done.code == 0, done.err


def _states(ran: Ran) -> list[str]:
    return [run["state"] for run in ran.json["runs"]]


def test_what_ran_since_the_backup_does_not_run_again(schedctl: Command, backup: Backup) -> None:
    """Within the catch-up limit the restored schedule would be due, as it was when the backup was made."""
    _register(schedctl)
    backup.make()
    assert schedctl("tick", "--json", now=DUE).json["fired"] == 1
    schedctl("work", "--drain", now=DUE)
    there = backup.restore()
    ticked = schedctl("tick", now=AFTER, env=there)
    assert "restored from a backup" in ticked.err
    assert schedctl("work", "--drain", "--json", now=AFTER, env=there).json == {"runs": []}
    assert _states(schedctl("runs", "--json", env=there)) == ["rehearsed"]
    seen = schedctl("status", "--json", now=AFTER, env=there)
    assert (seen.code, [need["type"] for need in seen.json["needs"]]) == (1, ["restored"])


def test_nor_where_the_backup_takes_the_place_of_its_source(schedctl: Command, backup: Backup) -> None:
    _register(schedctl)
    backup.make()
    assert schedctl("tick", "--json", now=DUE).json["fired"] == 1
    schedctl("work", "--drain", now=DUE)
    backup.restore_in_place()
    ticked = schedctl("tick", "--json", now=AFTER).json
    assert (ticked["fired"], ticked["rehearsed"], ticked["armed"]) == (0, 1, False)


def test_what_the_backup_holds_as_queued_does_not_begin(schedctl: Command, backup: Backup) -> None:
    """A run of the timer and one by hand, both carried out after the backup; the worker comes before any tick."""
    _register(schedctl)
    schedctl("tick", now=DUE)
    backup.make()
    there = backup.restore()
    assert schedctl("work", "--drain", "--json", now=AFTER, env=there).json == {"runs": []}
    (run,) = schedctl("runs", "--json", env=there).json["runs"]
    assert (run["state"], run["reason"]) == ("cancelled", "restored")


def test_a_tick_looks_properly_there_although_nothing_is_due(schedctl: Command, backup: Backup) -> None:
    schedctl("arm")
    schedctl("tick")
    backup.make()
    assert glance(backup.source, "tick", "testhost", SCHEMA_VERSION) == "idle"
    there = backup.restore()
    assert glance(backup.target, "tick", "testhost", SCHEMA_VERSION) == "busy"
    schedctl("tick", env=there)
    assert glance(backup.target, "tick", "testhost", SCHEMA_VERSION) == "idle disarmed"


def test_what_is_started_by_hand_there_is_carried_out(schedctl: Command, backup: Backup) -> None:
    _register(schedctl)
    backup.make()
    there = backup.restore()
    assert schedctl("test-run", "1", "--json", now=AFTER, env=there).json["run"]["state"] == "succeeded"


def test_arming_it_again_goes_on_from_then(schedctl: Command, backup: Backup) -> None:
    _register(schedctl)
    backup.make()
    there = backup.restore()
    assert schedctl("disarm", now=AFTER, env=there).code == 0
    assert schedctl("arm", now=AFTER, env=there).code == 0
    assert schedctl("tick", "--json", now=AFTER, env=there).json["fired"] == 0
    ticked = schedctl("tick", "--json", now=NEXT_DAY, env=there).json
    assert (ticked["fired"], ticked["armed"]) == (1, True)


def test_arming_is_enough_although_the_backup_was_armed(schedctl: Command, backup: Backup) -> None:
    _register(schedctl)
    backup.make()
    there = backup.restore()
    schedctl("arm", now=AFTER, env=there)
    ticked = schedctl("tick", "--json", now=AFTER, env=there).json
    assert (ticked["fired"], ticked["armed"]) == (0, True)


def test_where_it_was_made_the_installation_goes_on(schedctl: Command, backup: Backup) -> None:
    _register(schedctl)
    backup.make()
    assert schedctl("tick", "--json", now=DUE).json["fired"] == 1


def test_status_and_doctor_say_so_before_the_first_tick_there(schedctl: Command, backup: Backup) -> None:
    _register(schedctl)
    schedctl("tick", now=DUE)
    backup.make()
    there = backup.restore()
    seen = schedctl("status", "--json", now=AFTER, env=there)
    assert (seen.code, [need["type"] for need in seen.json["needs"]]) == (1, ["restored"])
    assert "the next tick or worker disarms it" in seen.json["needs"][0]["message"]
    looked = schedctl("doctor", "--quick", "--json", env=there)
    assert looked.code == 1
    assert {one["check"]: one["level"] for one in looked.json["findings"]}["place"] == "bad"
    assert schedctl("status", "--json", now=AFTER, env=there).json["armed"] is True  # nobody has touched it
    here = schedctl("doctor", "--quick", "--json")
    assert {one["check"]: one["level"] for one in here.json["findings"]}["place"] == "ok"
