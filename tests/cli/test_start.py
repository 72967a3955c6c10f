"""The light way of the verbs of the timer: it says what the whole commands say, and imports nothing heavy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from schedctl.cli.start import SCHEMA_VERSION
from schedctl.settings import shipped
from schedctl.store.probe import glance, glance_work
from schedctl.store.schema import files

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Command

HOME = Path(__file__).parents[2]
HEAVY = ("click", "psycopg", "rich", "dateutil", "requests", "holidays", "dataclasses", "zoneinfo", "pathlib", "typing")


@pytest.fixture
def program(database: str) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run schedctl as a process on a prepared database."""

    def run(*arguments: str, python: tuple[str, ...] = (), **environment: str) -> subprocess.CompletedProcess[str]:
        env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(HOME), "SCHEDCTL_DSN": database, "SCHEDCTL_HOST": "h1"}
        command = [sys.executable, *python, "-m", "schedctl", *arguments]
        return subprocess.run(command, env=env | environment, capture_output=True, text=True, timeout=60, check=False)

    return run


@pytest.mark.parametrize("lang", ["ja", "en"])
@pytest.mark.parametrize("armed", [True, False])
@pytest.mark.parametrize(
    "arguments",
    [
        (*verb, *form)
        for verb in (("tick",), ("work", "--drain"), ("work", "--drain", "--node", "mars"), ("deliver",))
        for form in ((), ("--json",))
    ],
)
def test_it_says_what_the_whole_command_says(
    schedctl: Command,
    program: Callable[..., subprocess.CompletedProcess[str]],
    lang: str,
    armed: bool,
    arguments: tuple[str, ...],
) -> None:
    if armed:
        schedctl("arm")
    whole = schedctl(*arguments, env={"SCHEDCTL_LANG": lang})
    light = program(*arguments, SCHEDCTL_LANG=lang)
    assert (light.stdout, light.stderr, light.returncode) == (whole.out, whole.err, whole.code)


def test_an_idle_tick_imports_nothing_heavy(program: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    ended = program("tick", python=("-X", "importtime", "-S"))
    imported = {line.rsplit("|", 1)[-1].strip() for line in ended.stderr.splitlines()}
    assert ended.stdout == "nothing due (disarmed: records only → schedctl arm)\n"
    assert "schedctl.store.probe" in imported
    assert not imported & set(HEAVY)


@pytest.mark.parametrize(
    ("module", "unneeded"),
    [
        ("ticking", "schedctl.catalog.model schedctl.plan schedctl.store.outbox schedctl.store.schedules holidays"),
        ("working", "schedctl.catalog.model schedctl.catalog.requests schedctl.store.runs schedctl.when.rule"),
    ],
)
def test_what_has_something_to_do_imports_no_more_than_that(module: str, unneeded: str) -> None:
    """Between an instant and its first command lie the starts of two processes, and these are mostly imports."""
    program = f"import sys, schedctl.cli.{module}; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", program], cwd=HOME, capture_output=True, text=True, check=True)
    never = "rich requests dateutil tomllib schedctl.catalog.parse schedctl.usecases.notices schedctl.transport.ssh"
    assert not set(found.stdout.split()) & {*unneeded.split(), *never.split()}


@pytest.mark.parametrize("module", ["ticking", "working"])
def test_no_large_pattern_is_compiled_before_a_text_asks_for_it(module: str) -> None:
    program = (
        f"import re, sys, schedctl.cli.{module}; ours = [vars(m) for n, m in sys.modules.items() if 'schedctl' in n]; "
        "print(max(sys.getsizeof(v) for names in ours for v in names.values() if isinstance(v, re.Pattern)))"
    )
    found = subprocess.run([sys.executable, "-c", program], cwd=HOME, capture_output=True, text=True, check=True)
    assert int(found.stdout) < 2_000


@pytest.mark.parametrize(("verb", "searching"), [("tick", False), ("work", True)])
def test_what_was_imported_is_not_searched_for_waste_at_the_end(verb: str, searching: bool) -> None:
    """systemd starts the worker when the tick has ended. A worker may live for hours: it searches meanwhile."""
    told = "import atexit, gc; atexit.register(lambda: print(gc.get_freeze_count() > 10_000, gc.isenabled())); "
    program = (
        told + f"import sys; sys.argv = ['schedctl', '{verb}', '--help']; from schedctl.cli.start import run; run()"
    )
    ended = subprocess.run([sys.executable, "-c", program], cwd=HOME, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout.splitlines()[-1:]) == (0, [f"True {searching}"])


def test_a_glance_is_a_tick_like_any_other(schedctl: Command, database: str) -> None:
    schedctl("list")
    assert glance(database, "tick", "h1", SCHEMA_VERSION) == "idle disarmed"
    with psycopg.connect(database) as db:
        assert db.execute("SELECT host FROM schedctl.tick_beat").fetchall() == [("h1",)]


def test_what_is_due_is_left_to_the_whole_command(
    schedctl: Command, program: Callable[..., subprocess.CompletedProcess[str]], database: str
) -> None:
    schedctl("arm")
    schedctl("register", "毎日9時にmarsのディスク使用量を確認して")
    with psycopg.connect(database) as db:
        db.execute("UPDATE schedctl.schedule SET next_fire_at = now() - interval '1 minute'")
    assert glance(database, "tick", "h1", SCHEMA_VERSION) == "busy"
    assert program("tick").returncode == 0
    assert glance(database, "tick", "h1", SCHEMA_VERSION) == "idle"


def test_what_is_unusual_is_left_to_the_whole_command(
    database: str, empty_database: str, program: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    assert glance(database, "tick", "h1", SCHEMA_VERSION + 1) == "busy"
    assert glance(empty_database, "tick", "h1", SCHEMA_VERSION) is None
    assert glance("host=127.0.0.1 port=1", "tick", "h1", SCHEMA_VERSION) is None
    assert glance(database, "tick", "h'1\\", SCHEMA_VERSION) == "idle disarmed"
    gone = program("tick", SCHEDCTL_DSN="host=127.0.0.1 port=1 password=hunter22secret", SCHEDCTL_LANG="en")
    assert gone.returncode == 1
    assert gone.stderr.startswith(
        "schedctl: The database cannot be reached: nothing listens at that host and port [database_unavailable]\n"
    )
    assert "hunter22secret" not in gone.stderr


@pytest.mark.parametrize("verb", ["tick", "status", "beat x"])
def test_a_credential_that_is_no_text_is_a_typed_refusal(
    program: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path, verb: str
) -> None:
    (tmp_path / "dsn").write_bytes(b"host=/nowhere password=hunter22\x83")
    ran = program(*verb.split(), SCHEDCTL_DSN="", CREDENTIALS_DIRECTORY=str(tmp_path), SCHEDCTL_LANG="en")
    assert ran.returncode == 2
    assert ran.stderr.startswith(f"schedctl: The credential {tmp_path}/dsn cannot be read as UTF-8 text [bad_setting]")
    assert "hunter22" not in ran.stdout + ran.stderr


def test_the_version_is_that_of_the_files() -> None:
    assert files(shipped("sql"))[-1][0] == SCHEMA_VERSION


@pytest.mark.parametrize(
    ("nodes", "told"),
    [([], "busy"), (["mars"], "busy"), (["venus", "mars"], "busy"), (["venus"], "idle"), (['a"\\{},b'], None)],
)
def test_a_worker_of_some_nodes_looks_at_theirs(
    schedctl: Command, database: str, nodes: list[str], told: str | None
) -> None:
    schedctl("list")
    with psycopg.connect(database) as db:
        db.execute("INSERT INTO schedctl.run (trigger, state) VALUES ('manual', 'queued')")
        db.execute("ALTER TABLE schedctl.leg DISABLE TRIGGER USER")
        db.execute(
            "INSERT INTO schedctl.leg (run_id, position, stage, node, changes, due_at) "
            "VALUES (1, 0, 0, 'mars', false, now())"
        )
    assert glance_work(database, "h1", nodes, SCHEMA_VERSION) == told
    assert glance_work(database, "h1", nodes, SCHEMA_VERSION - 1) == "busy"


def test_a_node_that_is_none_is_told_also_where_nothing_waits(
    schedctl: Command, program: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    schedctl("list")
    assert program("work", "--drain", "--node", "venus").returncode == 0
    unknown = program("work", "--drain", "--node", "venus", "--node", "nope", "--json")
    assert (unknown.returncode, json.loads(unknown.stdout)["error"]["type"]) == (3, "node_not_found")
