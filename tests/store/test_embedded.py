"""The embedded PostgreSQL as commands meet it: there when it is needed, gone with its last user."""

from __future__ import annotations

import signal
import stat
import time
from typing import TYPE_CHECKING

import psycopg
import pytest

from schedctl.store import embedded
from schedctl.store.embedded_cluster import stop_server
from tests.store.embedded_commands import command, dsn_of, end, is_running, postmaster, with_a_cluster

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Generator
    from pathlib import Path

    Start = Callable[[], subprocess.Popen[str]]


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return with_a_cluster(tmp_path / "state")


@pytest.fixture
def start(state: Path) -> Generator[Start]:
    """Start commands that use the server of `state`; those that a test leaves behind are killed."""
    started: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        started.append(command(state))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        if process.stdin is not None:
            process.communicate()
    assert stop_server(state / "postgresql" / "data", "immediate")


def test_the_first_command_gets_a_utf8_database_with_checksums_and_no_network(tmp_path: Path) -> None:
    with embedded.running(tmp_path / "new" / "state") as server, psycopg.connect(server.dsn) as conn:
        row = conn.execute(
            "SELECT current_database(), pg_encoding_to_char(encoding), datlocale, current_setting('data_checksums'),"
            " current_setting('listen_addresses'), current_setting('fsync'), current_setting('TimeZone')"
            " FROM pg_database WHERE datname = current_database()"
        ).fetchone()
    assert row == ("schedctl", "UTF8", "C.UTF-8", "on", "", "on", "UTC")


def test_what_was_written_is_there_for_the_next_command(state: Path) -> None:
    with embedded.running(state) as server, psycopg.connect(server.dsn) as conn:
        conn.execute("CREATE TABLE kept AS SELECT '日曜の午前3時' AS sentence")
    assert not is_running(state)
    with embedded.running(state) as server, psycopg.connect(server.dsn) as conn:
        assert conn.execute("SELECT sentence FROM kept").fetchone() == ("日曜の午前3時",)


def test_folders_that_were_there_keep_their_modes_and_ours_are_private(tmp_path: Path) -> None:
    parent = tmp_path / "parent"
    parent.mkdir()
    parent.chmod(0o755)
    with embedded.running(parent / "new" / "state"):
        pass
    ours = ("new", "new/state", "new/state/postgresql", "new/state/postgresql/data", "new/state/postgresql/run")
    assert {stat.S_IMODE((parent / name).stat().st_mode) for name in ours} == {0o700}
    assert stat.S_IMODE(parent.stat().st_mode) == 0o755


def test_the_last_of_several_commands_stops_the_server(state: Path, start: Start) -> None:
    first, second = start(), start()
    dsn_of(first)
    dsn = dsn_of(second)
    end(first)
    psycopg.connect(dsn).close()
    end(second)
    assert not is_running(state)


def test_a_pipe_behind_the_starting_command_ends_while_others_use_the_server(start: Start) -> None:
    starter = start()
    dsn_of(starter)
    other = start()
    dsn = dsn_of(other)
    end(starter)  # reads its stdout and stderr to their ends, which never come while the server holds them
    psycopg.connect(dsn).close()


def test_a_killed_command_is_no_user_any_more(state: Path, start: Start) -> None:
    killed, other = start(), start()
    dsn_of(killed)
    dsn_of(other)
    killed.kill()
    killed.wait()
    end(other)
    assert not is_running(state)


def test_a_server_that_a_killed_command_left_behind_is_used_and_stopped_by_the_next(state: Path, start: Start) -> None:
    killed = start()
    dsn_of(killed)
    before = postmaster(state)
    killed.kill()
    killed.wait()
    following = start()
    dsn_of(following)
    assert postmaster(state) == before
    end(following)
    assert not is_running(state)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_command_that_is_told_to_end_still_stops_the_server(
    state: Path, start: Start, number: signal.Signals
) -> None:
    process = start()
    dsn_of(process)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode in (128 + number, -number)
    assert not is_running(state)


def test_twenty_first_commands_at_once_all_get_the_same_server(tmp_path: Path) -> None:
    commands = [command(tmp_path / "empty") for _ in range(20)]
    assert len({dsn_of(process) for process in commands}) == 1
    end(*commands)
    assert not is_running(tmp_path / "empty")


def test_commands_that_come_and_go_at_once_never_find_the_server_gone(state: Path) -> None:
    for _ in range(5):
        end(*[command(state) for _ in range(4)])
    assert not is_running(state)


@pytest.mark.parametrize(
    "sight",
    [
        "creating-*",  # initdb is about to begin
        "creating-*/PG_VERSION",
        "creating-*/global/pg_control",
        "creating-*/base/4",  # template0
        "creating-*/base/1????",  # the database schedctl
        "data",  # renamed
        "data/postmaster.pid",  # the server is starting
        "run/.s.PGSQL.5432",
    ],
)
def test_a_command_killed_while_it_creates_the_cluster_leaves_nothing_half_made(tmp_path: Path, sight: str) -> None:
    process = command(tmp_path)
    while not list((tmp_path / "postgresql").glob(sight)):
        assert process.poll() is None
        time.sleep(0.001)
    process.kill()
    process.communicate()
    with embedded.running(tmp_path) as server:
        psycopg.connect(server.dsn).close()
    assert not is_running(tmp_path)
    assert not list((tmp_path / "postgresql").glob("creating-*"))
