"""`schedctl doctor` on real databases and nodes: every line comes, whatever is away, and nothing is changed."""

from __future__ import annotations

import os
import re
import shutil
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

import psycopg
import pytest
from installations import CATALOG, settings_for
from psycopg.conninfo import make_conninfo
from sshd import serve

from schedctl.errors import OperationFailed
from schedctl.redact import Redactor
from schedctl.settings import shipped
from schedctl.store import diagnosis
from schedctl.store.database import connect
from schedctl.usecases import doctor, doctor_host
from schedctl.usecases.doctor import Patient, Wish, examine
from schedctl.usecases.doctor_finding import LEVELS
from schedctl.usecases.doctor_gathering import Gathering, attempted
from tests.transport.test_ssh_trouble import change_host, refuse_key, stop_sshd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from conftest import Command
    from sshd import Sshd

ALWAYS: Final = (
    "python", "packages", "database", "encoding", "clock", "schema", "place", "role", "pooler", "embedded", "rehearsal",
    "settings", "zone", "tzdata", "holidays", "catalog", "planner", "units", "ticks", "workers", "outbox", "retention",
    "disk:state", "disk:database",
)  # fmt: skip
"""What is looked at on every installation; nodes, secrets and units come as there are any."""
AWAY: Final = "host=127.0.0.1 port=9 user=u password=hunter2hunter2"
CHANGES: Final = """
    SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables WHERE schemaname = 'schedctl'
"""


def levels(document: dict[str, Any]) -> dict[str, str]:
    return {one["check"]: one["level"] for one in document["findings"]}


@pytest.fixture
def catalog(tmp_path: Path) -> Path:
    """A copy of the tests' catalog that a test may change."""
    return shutil.copytree(CATALOG, tmp_path / "catalog")


@pytest.fixture
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    yield from serve(tmp_path_factory.mktemp("doctor"))


def test_a_sound_installation(schedctl: Command) -> None:
    ran = schedctl("doctor", "--json")
    assert (ran.code, ran.err) == (0, "")
    found = levels(ran.json)
    assert set(ALWAYS) <= set(found)
    assert {name: found[name] for name in ("database", "encoding", "clock", "schema", "catalog", "node:mars")} == (
        dict.fromkeys(("database", "encoding", "clock", "schema", "catalog", "node:mars"), "ok")
    )
    assert ran.json["ok"] is True
    assert sum(ran.json["counts"].values()) == len(ran.json["findings"])
    assert tuple(ran.json["counts"]) == LEVELS


def test_a_database_that_is_gone_yields_all_other_lines(schedctl: Command) -> None:
    ran = schedctl("doctor", "--json", env={"SCHEDCTL_DSN": AWAY})
    assert ran.code == 1
    found = levels(ran.json)
    assert set(ALWAYS) <= set(found)
    assert found["database"] == "bad"
    assert {found[name] for name in ("schema", "ticks", "workers", "outbox", "retention")} == {"unknown"}
    assert {found[name] for name in ("python", "packages", "zone", "holidays", "disk:state", "node:mars")} == {"ok"}
    commands = [one["command"] for one in ran.json["findings"] if one["check"] == "database"]
    assert commands == ["pg_isready -h 127.0.0.1 -p 9"]
    assert "hunter2" not in ran.out + ran.err


def test_it_changes_nothing(schedctl: Command, database: str, empty_database: str) -> None:
    def changes() -> tuple[object, ...] | None:
        with psycopg.connect(database, autocommit=True) as db:
            db.execute("SELECT pg_stat_force_next_flush()")
            return db.execute(CHANGES).fetchone()

    before = changes()
    schedctl("doctor")
    assert changes() == before
    ran = schedctl("doctor", "--json", env={"SCHEDCTL_DSN": empty_database})
    assert levels(ran.json)["schema"] == "warning"
    with psycopg.connect(empty_database) as db:
        assert db.execute("SELECT to_regnamespace('schedctl')").fetchone() == (None,)


def test_its_transactions_could_not_write(database: str) -> None:
    with closing(connect(database)) as db:
        with pytest.raises(OperationFailed) as caught, diagnosis.reading(db):
            db.execute("INSERT INTO schedctl.tick_beat (host, at, beat_at) VALUES ('x', now(), now())")
        assert caught.value.type == "database_read_only"


def test_it_makes_no_embedded_server(schedctl: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SCHEDCTL_DSN")
    ran = schedctl("doctor", "--json")
    assert ran.code == 0
    assert levels(ran.json)["embedded"] == "unused"
    assert levels(ran.json)["database"] == "unknown"
    assert not (tmp_path / "state").exists()


def test_an_embedded_folder_that_others_may_enter_is_not_closed_in_passing(
    schedctl: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SCHEDCTL_DSN")
    home = tmp_path / "state" / "postgresql"
    (home / "data").mkdir(parents=True)
    (home / "data" / "PG_VERSION").write_text("18\n")
    home.chmod(0o755)
    ran = schedctl("doctor", "--json")
    assert levels(ran.json)["embedded"] == "bad"
    assert home.stat().st_mode & 0o777 == 0o755


def test_an_embedded_server_that_does_not_start_names_its_own_log(
    schedctl: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SCHEDCTL_DSN")
    home = tmp_path / "state" / "postgresql"
    (home / "data").mkdir(parents=True, mode=0o700)
    (home / "data" / "PG_VERSION").write_text("18\n")
    home.chmod(0o700)
    (found,) = (one for one in schedctl("doctor", "--json").json["findings"] if one["check"] == "database")
    assert (found["level"], found["command"]) == ("bad", f"tail -n 20 {home / 'server.log'}")


def test_the_rehearsal_clock_is_said_loudly(schedctl: Command) -> None:
    ran = schedctl("doctor", "--lang", "ja", now="2026-12-06T03:00:30+09:00")
    assert "リハーサル中です！ いまを 2026-12-06T03:00:30+09:00 として扱います" in ran.out
    assert ran.code == 0


def test_mistakes_in_the_catalog_are_named_by_file_and_key(schedctl: Command, catalog: Path) -> None:
    (catalog / "nodes.toml").write_text('[nodes.mars]\ntransport = "ssh"\nport = "many"\n', encoding="utf-8")
    ran = schedctl("doctor", "--lang", "en", env={"SCHEDCTL_CATALOG": str(catalog)})
    assert ran.code == 1
    assert "nodes.toml [nodes.mars.port]" in ran.out


@pytest.mark.parametrize(
    ("spoil", "command"),
    [
        (refuse_key, r"ssh-copy-id -p \d+ \S+@127\.0\.0\.1"),
        (change_host, r"ssh-keygen -R \[127\.0\.0\.1\]:\d+"),
        (stop_sshd, r"ssh -v -o BatchMode=yes -p \d+ \S+@127\.0\.0\.1 true"),
    ],
)
def test_a_node_that_cannot_be_reached(
    schedctl: Command, catalog: Path, node: Sshd, spoil: Callable[[Sshd], None], command: str
) -> None:
    environ = with_node(catalog, node)  # not adopted yet: a node is looked at before that
    good = schedctl("doctor", "--json", "--node", "far", env=environ)
    assert levels(good.json)["node:far"] == "ok"
    assert levels(good.json)["node:mars"] == "unused"  # not asked
    assert levels(good.json)["catalog"] == "warning"
    spoil(node)
    ran = schedctl("doctor", "--json", "--node", "far", env=environ)
    (found,) = [one for one in ran.json["findings"] if one["check"] == "node:far"]
    assert (ran.code, found["level"]) == (1, "bad")
    assert re.fullmatch(command, found["command"])
    assert levels(schedctl("doctor", "--json", "--quick", env=environ).json)["node:far"] == "unused"


def with_node(catalog: Path, node: Sshd) -> dict[str, str]:
    """The environment of an installation whose catalog has this node."""
    target = node.target
    text = f'\n[nodes.far]\ntransport = "ssh"\naddress = "127.0.0.1"\nuser = "{target.user}"\nport = {target.port}\n'
    with (catalog / "nodes.toml").open("a", encoding="utf-8") as file:
        file.write(text)
    return {"SCHEDCTL_CATALOG": str(catalog), "SCHEDCTL_SSH_CONFIG": str(node.folder / "ssh_config")}


def test_a_node_that_nobody_knows(schedctl: Command) -> None:
    assert schedctl("doctor", "--node", "pluto").code == 3


def test_a_variable_that_cannot_be_used_is_a_line_of_its_own(schedctl: Command) -> None:
    bad = {"SCHEDCTL_TIMEZONE": "Asia/Tokio", "SCHEDCTL_LANG": "jp", "SCHEDCTL_REHEARSAL_NOW": "noon"}
    ran = schedctl("doctor", "--json", "--quick", env=bad)
    assert (ran.code, ran.err) == (1, "")
    found = levels(ran.json)
    assert {name: found[f"settings:{name}"] for name in bad} == dict.fromkeys(bad, "bad")
    assert (found["database"], found["catalog"]) == ("ok", "ok")
    assert schedctl("list", env=bad).code == 2


@pytest.mark.parametrize("there", [True, False])
def test_of_a_secret_only_whether_it_is_there(schedctl: Command, catalog: Path, there: bool) -> None:
    (catalog / "policy.toml").write_text('[channels.ops]\ntype = "slack"\nurl = "${secret:ops_url}"\n')
    environ = {"SCHEDCTL_CATALOG": str(catalog)} | (
        {"SCHEDCTL_SECRET_OPS_URL": "https://x/s3cr3t-s3cr3t"} if there else {}
    )
    assert schedctl("catalog", "adopt", env=environ).err == ""
    ran = schedctl("doctor", "--json", env=environ)
    assert levels(ran.json)["secret/ops_url"] == ("ok" if there else "bad")
    assert "s3cr3t" not in ran.out + ran.err


def test_a_worker_sees_what_its_role_may_see(schedctl: Command, database: str, server: str) -> None:
    role = f"doctor_{os.getpid()}"
    with psycopg.connect(database, autocommit=True) as db:
        db.execute((shipped("sql") / "roles.sql").read_bytes())
        db.execute(f"CREATE ROLE {role} LOGIN IN ROLE schedctl_worker".encode())
    try:
        ran = schedctl("doctor", "--json", env={"SCHEDCTL_DSN": make_conninfo(database, user=role)})
        found = levels(ran.json)
        assert (found["database"], found["role"], found["schema"]) == ("ok", "ok", "ok")
        assert {found[name] for name in ("ticks", "outbox", "retention")} == {"unknown"}
    finally:
        with psycopg.connect(database, autocommit=True) as db:
            db.execute(f"DROP ROLE {role}".encode())


def test_what_hangs_or_breaks_harms_no_other_line(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(*_: object) -> object:
        time.sleep(30)
        return None

    def break_down(*_: object, **__: object) -> object:
        raise RuntimeError("secret words")

    monkeypatch.setattr(doctor, "THE_REST_S", 3.0)
    monkeypatch.setattr(doctor, "gather_units", hang)
    monkeypatch.setattr(doctor_host, "gather_disk", break_down)
    patient = Patient(settings_for(database), {}, Redactor(), time.time)
    found = {one.check: one for one in examine(patient, Wish(), lambda _: None)}
    assert found["units"].level == found["disk:state"].level == "unknown"
    assert found["disk:state"].says.en == "Could not be looked at (RuntimeError)"
    assert found["database"].level == found["node:mars"].level == "ok"


def test_a_gatherer_answers_once() -> None:
    answers = iter([1, 2])
    gathering = Gathering("x", lambda: next(answers))
    assert gathering.result(time.monotonic() + 5) == gathering.result(time.monotonic()) == 1
    assert attempted(lambda: 7) == 7
