"""The embedded server after crashes, under odd paths, and what it lets be seen."""

from __future__ import annotations

import os
import select
import shutil
import signal
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from schedctl.errors import OperationFailed
from schedctl.store import embedded
from schedctl.store.embedded_cluster import LOG_KEPT, LOG_LIMIT, create_cluster, start_server, stop_server
from tests.store.embedded_commands import is_running, postmaster, with_a_cluster

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return with_a_cluster(tmp_path / "state")


def answers(dsn: str) -> bool:
    with psycopg.connect(dsn) as conn:
        return conn.execute("SELECT 1").fetchone() == (1,)


def test_a_server_that_was_killed_is_started_again_with_what_was_committed(state: Path) -> None:
    with embedded.running(state) as server:
        with psycopg.connect(server.dsn) as conn:
            conn.execute("CREATE TABLE kept ()")
        pidfd = os.pidfd_open(postmaster(state))
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        select.select([pidfd], [], [])  # until it is really gone
        os.close(pidfd)
        with embedded.running(state) as again, psycopg.connect(again.dsn) as conn:
            assert conn.execute("SELECT to_regclass('kept') IS NOT NULL").fetchone() == (True,)
    assert not is_running(state)


def test_no_number_is_given_twice_after_a_crash(tmp_path: Path) -> None:
    """With wal_level=minimal PostgreSQL forgets what a sequence gave after the transaction that made it."""
    data, sockets = tmp_path / "data", tmp_path / "sockets"
    sockets.mkdir()
    create_cluster(data, durable=False)
    start_server(data, sockets)
    try:
        with psycopg.connect(embedded.dsn(sockets, "postgres")) as conn:
            conn.execute("CREATE TABLE numbered (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY)")
            conn.execute("INSERT INTO numbered DEFAULT VALUES")
        with psycopg.connect(embedded.dsn(sockets, "postgres")) as conn:
            conn.execute("INSERT INTO numbered DEFAULT VALUES")
        assert stop_server(data, "immediate")
        start_server(data, sockets)
        with psycopg.connect(embedded.dsn(sockets, "postgres")) as conn:
            conn.execute("INSERT INTO numbered DEFAULT VALUES")
    finally:
        stop_server(data, "immediate")


def test_a_pid_file_from_before_a_reboot_whose_pid_is_another_process_now(state: Path) -> None:
    data = state / "postgresql" / "data"
    stale = f"{os.getpid()}\n{data}\n1796032917\n5432\n../run\n\n  2148326         5\nready   \n"
    (data / "postmaster.pid").write_text(stale, encoding="utf-8")
    with embedded.running(state) as server:
        assert answers(server.dsn)
        assert postmaster(state) != os.getpid()
    assert not is_running(state)


def test_a_server_whose_socket_was_swept_away_is_replaced_by_one_that_can_be_reached(state: Path) -> None:
    with embedded.running(state):
        before = postmaster(state)
        for entry in (state / "postgresql" / "run").iterdir():
            entry.unlink()
        with embedded.running(state) as server:
            assert answers(server.dsn)
            assert postmaster(state) != before
    assert not is_running(state)


def test_the_server_sees_no_secret_and_holds_no_file_of_its_starter(
    state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHEDCTL_PLANNER_API_KEY", "not-for-the-server")
    with (tmp_path / "leaked").open("w") as leaked:
        os.set_inheritable(leaked.fileno(), True)
        with embedded.running(state):
            process = Path(f"/proc/{postmaster(state)}")
            names = {entry.readlink().name for entry in (process / "fd").iterdir()}
            environment = (process / "environ").read_bytes()
    assert b"not-for-the-server" not in environment
    assert names >= {"null", "server.log", "schedctl.lock"}
    assert names.isdisjoint({"leaked", "users.lock", "start.lock"})


def test_the_log_names_an_error_and_neither_its_statement_nor_its_values(state: Path) -> None:
    with embedded.running(state) as server, psycopg.connect(server.dsn, autocommit=True) as conn:
        conn.execute("CREATE TABLE once (word text UNIQUE)")
        conn.execute("INSERT INTO once VALUES ('hunter2')")
        with pytest.raises(psycopg.errors.UniqueViolation):
            conn.execute("INSERT INTO once VALUES ('hunter2')")
    log = (state / "postgresql" / "server.log").read_text("utf-8")
    assert "duplicate key value" in log
    assert "hunter2" not in log


def test_a_log_that_has_grown_keeps_its_last_lines_only(state: Path) -> None:
    log = state / "postgresql" / "server.log"
    log.write_text("an old line\n" * (LOG_LIMIT // 10), encoding="utf-8")
    with embedded.running(state):
        pass
    lines = log.read_text("utf-8").splitlines()
    assert log.stat().st_size < 2 * LOG_KEPT
    assert lines[0] == "an old line"
    assert "shut down" in lines[-1]


@pytest.mark.parametrize(
    "name",
    [
        "x" * 100,  # the socket's path would be longer than a socket's path may be
        "a,b",  # libpq reads a comma as a list of hosts
        "日曜 3時",
        """it's "$HOME" \\ `id` %p""",
    ],
)
def test_any_path_will_do(tmp_path: Path, name: str) -> None:
    with embedded.running(tmp_path / name) as server:
        assert answers(server.dsn)
    assert not is_running(tmp_path / name)


@pytest.fixture
def short_places() -> Iterator[Path]:
    """Two places that are short whoever runs this: pytest's own folders grow with the user's name."""
    home = Path(tempfile.mkdtemp(prefix="s", dir="/tmp"))
    for place in ("xdg", "temp"):
        (home / place).mkdir(mode=0o700)
    yield home
    shutil.rmtree(home)


@pytest.fixture
def long_folder(tmp_path: Path, short_places: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A socket folder whose path is too long, with two short places for a link to it."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(short_places / "xdg"))
    monkeypatch.setattr(tempfile, "tempdir", str(short_places / "temp"))
    folder = tmp_path / ("x" * 100) / "run"
    folder.mkdir(parents=True)
    return folder


def test_the_short_link_is_always_the_same_and_goes_with_the_server(long_folder: Path) -> None:
    link = embedded.client_folder(long_folder)
    assert link == embedded.client_folder(long_folder)
    assert (link.parent.name, link.readlink()) == ("xdg", long_folder)
    embedded.drop_links(long_folder)
    assert not link.is_symlink()


def test_a_link_that_leads_elsewhere_is_passed_over(long_folder: Path, tmp_path: Path) -> None:
    link = embedded.client_folder(long_folder)
    link.unlink()
    link.symlink_to(tmp_path)
    assert embedded.client_folder(long_folder).parent.name == "temp"
    embedded.drop_links(long_folder)
    assert link.readlink() == tmp_path


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a link that belongs to somebody else")
def test_a_link_of_another_user_is_passed_over_also_when_it_leads_to_the_right_place(long_folder: Path) -> None:
    link = embedded.client_folder(long_folder)
    os.chown(link, 65533, 65533, follow_symlinks=False)
    assert embedded.client_folder(long_folder).parent.name == "temp"


def test_no_link_is_put_where_another_user_could_swap_it(long_folder: Path, short_places: Path) -> None:
    (short_places / "xdg").chmod(0o777)
    assert embedded.client_folder(long_folder).parent.name == "temp"


def test_a_cluster_for_tests_is_created_started_and_stopped_by_hand(tmp_path: Path) -> None:
    data, sockets = tmp_path / "data", tmp_path / "sockets"
    sockets.mkdir()
    create_cluster(data, durable=False)
    start_server(data, sockets, {"fsync": "off"})
    try:
        start_server(data, sockets)  # runs already
        with psycopg.connect(embedded.dsn(sockets, "postgres")) as conn:
            assert conn.execute("SHOW fsync").fetchone() == ("off",)
    finally:
        assert stop_server(data, "immediate")
    assert stop_server(data)
    assert stat.S_IMODE(data.stat().st_mode) == 0o700


def test_a_folder_in_the_clusters_place_is_not_overwritten(tmp_path: Path) -> None:
    precious = tmp_path / "postgresql" / "data" / "precious"
    precious.parent.mkdir(parents=True)
    precious.touch()
    with pytest.raises(OperationFailed, match="cannot be used"), embedded.running(tmp_path):
        pass
    assert precious.exists()
