"""`beat` and `watch` on the command line: the light way and the whole one, exit codes, both languages, JSON."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from installations import CATALOG

from schedctl.cli import beating

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Command, Ran

HOME = Path(__file__).parents[2]
HEAVY = (
    *("click", "psycopg", "rich", "dateutil", "requests", "holidays"),
    *("dataclasses", "zoneinfo", "pathlib", "typing", "re"),
)
NOW = "2026-12-01T10:00:00+09:00"
AGENTS = """
[agents.executor]
label = { ja = "実行役", en = "executor" }
restart = { action = "service.restart", node = "mars" }

[agents.writer]
"""
KEPT = "SELECT name, status, detail, tokens, state, stop_by - beat_at FROM schedctl.agent"

Beat = tuple[str, ...]


@pytest.fixture
def program(database: str) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run schedctl as a process on a prepared database."""

    def run(*arguments: str, python: tuple[str, ...] = (), **environment: str) -> subprocess.CompletedProcess[str]:
        env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(HOME), "SCHEDCTL_DSN": database, "SCHEDCTL_LANG": "en"}
        command = [sys.executable, *python, "-m", "schedctl", *arguments]
        return subprocess.run(command, env=env | environment, capture_output=True, text=True, timeout=60, check=False)

    return run


@pytest.fixture
def watching(schedctl: Command, tmp_path: Path) -> Callable[..., Ran]:
    """Command lines on an installation that watches two agents."""
    folder = shutil.copytree(CATALOG, tmp_path / "catalog")
    (folder / "agents.toml").write_text(AGENTS, encoding="utf-8")

    def run(*arguments: str, now: str = NOW) -> Ran:
        return schedctl(*arguments, now=now, env={"SCHEDCTL_CATALOG": str(folder)})

    assert run("catalog", "adopt").code == 0
    return run


def kept(database: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(database) as db:
        return db.execute(KEPT).fetchall()


@pytest.mark.parametrize(
    "arguments",
    [
        ("executor",),
        ("executor", "--status", "starting"),
        ("--tokens", "0", "executor", "--status", "error", "--detail", "接続できない 'x' {y} %s"),
        ("executor", "--tokens", "1234"),
        ("executor", "--status", "stopping"),
        ("executor", "--for", "15m", "--status", "stopping", "--tokens", "5"),
        ("エージェント 1", "--detail", "-x"),
    ],
)
def test_the_light_way_leaves_behind_what_the_whole_command_does(
    schedctl: Command, database: str, arguments: Beat
) -> None:
    schedctl("beat", *arguments)
    whole = kept(database)
    with psycopg.connect(database, autocommit=True) as db:
        db.execute("TRUNCATE schedctl.agent")
    assert beating.beat(list(arguments), database)
    assert kept(database) == whole


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        (" ",),
        ("a", "b"),
        ("a", "--status", "dead"),
        ("a", "--status"),
        ("a", "--detail"),
        ("a", "--tokens", "-1"),
        ("a", "--tokens", "1.5"),
        ("a", "--tokens", "9223372036854775808"),
        ("a", "--for", "15m"),
        ("a", "--status", "stopping", "--for", "25h"),
        ("a", "--status", "stopping", "--for", "soon"),
        ("a", "--beat", "x"),
        ("a\nb",),
        ("x" * 201,),
    ],
)
def test_what_is_no_beat_is_refused_by_both_and_leaves_nothing(
    schedctl: Command, database: str, arguments: Beat
) -> None:
    assert not beating.beat(list(arguments), database)
    ran = schedctl("beat", "--json", *arguments)
    assert (ran.code, ran.json["error"]["type"]) == (2, "usage")
    assert kept(database) == []


@pytest.mark.parametrize(
    ("arguments", "tokens"),
    [(("a", "--tokens", "1", "--tokens", "2"), [2]), (("a", "--tokens=3"), [3]), (("--", "a"), [])],
)
def test_what_is_written_in_another_way_is_left_to_the_whole_command(
    schedctl: Command, database: str, arguments: Beat, tokens: list[int]
) -> None:
    assert not beating.beat(list(arguments), database)
    assert schedctl("beat", *arguments).code == 0
    assert kept(database)[0][3] == tokens


def test_a_beat_imports_nothing_heavy_and_says_nothing(
    program: Callable[..., subprocess.CompletedProcess[str]], database: str
) -> None:
    ended = program("beat", "executor", "--tokens", "7", python=("-X", "importtime", "-S"))
    imported = {line.rsplit("|", 1)[-1].strip() for line in ended.stderr.splitlines()}
    assert (ended.returncode, ended.stdout) == (0, "")
    assert {"schedctl.cli.beating", "schedctl.store.probe"} <= imported
    assert not imported & set(HEAVY)
    assert kept(database)[0][:4] == ("executor", "ok", None, [7])


def test_a_wrong_status_is_refused_in_words(program: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    ended = program("beat", "executor", "--status", "dead")
    assert ended.returncode == 2
    assert "'dead' is not one of 'ok', 'starting', 'stopping', 'error'" in ended.stderr


def test_a_database_that_is_gone_is_said_at_once(program: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    ended = program("beat", "executor", SCHEDCTL_DSN="host=127.0.0.1 port=1 password=hunter22secret")
    assert ended.returncode == 1
    assert ended.stderr.startswith(
        "schedctl: The database cannot be reached: nothing listens at that host and port [database_unavailable]\n"
    )
    assert "hunter22secret" not in ended.stderr


def test_a_database_that_does_not_answer_holds_an_agent_up_for_ten_seconds_at_most(
    program: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        start = time.monotonic()
        ended = program("beat", "executor", "--json", SCHEDCTL_DSN=f"host=127.0.0.1 port={silent.getsockname()[1]}")
        took = time.monotonic() - start
    assert (ended.returncode, json.loads(ended.stdout)["error"]["type"]) == (1, "database_unavailable")
    assert took < 45  # a busy machine may be late


def test_a_row_that_somebody_holds_holds_an_agent_up_for_ten_seconds_at_most(
    program: Callable[..., subprocess.CompletedProcess[str]], database: str
) -> None:
    program("beat", "executor")
    with psycopg.connect(database) as other:
        other.execute("SELECT FROM schedctl.agent FOR UPDATE")
        start = time.monotonic()
        ended = program("beat", "executor")
        took = time.monotonic() - start
    assert (ended.returncode, "[database_busy]" in ended.stderr) == (1, True)
    assert took < 45  # a busy machine may be late


def test_a_beat_answers_in_json_where_that_is_asked(schedctl: Command) -> None:
    assert schedctl("beat", "executor", "--json").json == {"agent": {"name": "executor", "status": "ok"}}


def test_watch_names_every_agent_and_exits_0_when_all_is_well(watching: Callable[..., Ran]) -> None:
    watching("beat", "executor")
    watching("beat", "stranger", "--status", "starting", "--detail", "上")
    watching("arm")
    watching("tick")
    seen = watching("watch", "--json")
    assert seen.code == 0
    assert seen.json["troubles"] == []
    assert seen.json["armed"] is True
    assert seen.json["agents"][0] == {
        "name": "executor",
        "watched": True,
        "state": "ok",
        "since": NOW,
        "status": "ok",
        "detail": None,
        "last_beat": NOW,
        "restarts": 0,
        "cost_alarm": False,
    }
    assert [(one["name"], one["watched"], one["state"]) for one in seen.json["agents"]] == [
        ("executor", True, "ok"),
        ("writer", True, "starting"),
        ("stranger", False, "starting"),
    ]


@pytest.mark.parametrize(
    ("lang", "lines"),
    [
        (
            "ja",
            [
                "! エージェント writer から応答がありません",
                "  executor  restarting 再起動中  再起動 1/3  最後の応答 2026-12-01（火）10:00 +09:00",
                "  writer  unhealthy 不調",
                "  stranger  ok 正常  （agents.toml にない）  最後の応答 2026-12-01（火）10:00 +09:00",
            ],
        ),
        (
            "en",
            [
                "! Agent writer is silent",
                "  executor  restarting  restart 1/3  last beat Tue 2026-12-01 10:00 +09:00",
                "  writer  unhealthy",
                "  stranger  ok  (not in agents.toml)  last beat Tue 2026-12-01 10:00 +09:00",
            ],
        ),
    ],
)
def test_watch_speaks_up_in_both_languages(watching: Callable[..., Ran], lang: str, lines: list[str]) -> None:
    watching("arm")
    watching("beat", "executor")
    watching("beat", "stranger")
    watching("tick", now="2026-12-01T10:03:00+09:00")
    seen = watching("watch", "--lang", lang, now="2026-12-01T10:03:00+09:00")
    assert (seen.code, seen.err) == (1, "")
    assert seen.out.splitlines() == lines


def test_for_a_timer_watch_says_only_what_is_wrong(watching: Callable[..., Ran]) -> None:
    quiet = watching("watch", "--quiet", "--lang", "en")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")
    watching("beat", "writer", "--status", "error", "--detail", "disk full")
    watching("tick")
    loud = watching("watch", "--quiet", "--lang", "en")
    assert (loud.code, loud.out, loud.err) == (1, "", "Agent writer says that it is unwell: disk full\n")


def test_what_a_stranger_calls_itself_moves_no_cursor(watching: Callable[..., Ran], database: str) -> None:
    with psycopg.connect(database, autocommit=True) as db:
        db.execute("SELECT schedctl.beat(E'\\x1b[2Jx')")
    assert "\x1b" not in watching("watch").out


def test_watch_without_a_database_exits_1(schedctl: Command) -> None:
    ran = schedctl("watch", "--json", env={"SCHEDCTL_DSN": "host=127.0.0.1 port=1"})
    assert (ran.code, ran.json["error"]["type"]) == (1, "database_unavailable")


def test_status_needs_a_person_where_an_agent_does(watching: Callable[..., Ran]) -> None:
    watching("beat", "executor")
    watching("beat", "writer")
    well = watching("status", "--lang", "ja")
    assert (well.code, "  見張り    ok 正常 2" in well.out.splitlines()) == (0, True)
    later = "2026-12-01T10:03:00+09:00"
    watching("tick", now=later)
    seen = watching("status", "--json", "--lang", "en", now=later)
    assert (seen.code, seen.json["ok"]) == (1, False)
    assert [(need["type"], need["message"]) for need in seen.json["needs"]] == [
        ("agent_unhealthy", "Agent executor is silent"),
        ("agent_unhealthy", "Agent writer is silent"),
    ]
    assert [(one["name"], one["state"]) for one in seen.json["agents"]] == [
        ("executor", "unhealthy"),
        ("writer", "unhealthy"),
    ]
    assert "  Agents    executor  unhealthy  last beat Tue 2026-12-01 10:00 +09:00" in (
        watching("status", "--lang", "en", now=later).out.splitlines()
    )


def test_a_restart_that_nobody_carried_out_is_called_one(watching: Callable[..., Ran]) -> None:
    watching("arm")
    watching("beat", "executor")
    watching("tick", now="2026-12-01T10:03:00+09:00")
    ticked, seen = (watching(name, "--lang", "ja", now="2026-12-01T10:09:00+09:00") for name in ("tick", "status"))
    assert "エージェントの再起動（実行 1）が実行漏れになりました（not_claimed）" in ticked.out + ticked.err
    assert "12/01（火）10:09  missed 実行漏れ  実行 1  エージェントの再起動\n" in seen.out
