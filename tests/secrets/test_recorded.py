"""A whole day with secrets everywhere: what commands print, what services echo, what agents say. No table keeps one,
no notice tells one, no process is started with one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import psycopg
import pytest
from installations import CATALOG
from planted import ALL, Planted, found_in, found_in_values
from psycopg.rows import dict_row
from psycopg.sql import SQL, Identifier
from psycopg.types.string import TextLoader
from receivers import Receiver, receiving

from schedctl.cli.main import call
from tests.transport.http_service import serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from http.server import BaseHTTPRequestHandler

ROOT: Final = Path(__file__).parents[2]
LEAKS: Final = Path(__file__).with_name("leaks")
NODES: Final = '\n[nodes.api]\ntransport = "http"\nlabel = {{ ja = "API", en = "the API" }}\naddress = "{}"\n'
SENTENCES: Final = (
    *("毎日3時にmarsで秘密を言う", "毎日3時にvenusで秘密を言って失敗する"),
    *("毎日3時にapiでこだま", "毎日3時にapiで断る"),
)
COLUMNS: Final = """
    SELECT table_schema, table_name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')
"""


def echo(handler: BaseHTTPRequestHandler) -> None:
    """A service that says back all that it was sent, and in its status line too."""
    told = {"id": f"s-{handler.headers.get('authorization')}", **dict(handler.headers.items())}
    body = json.dumps(told).encode()
    refuses = handler.path.endswith("refuse")
    handler.send_response(403 if refuses else 200, f"no {handler.headers.get('x-key')}" if refuses else "OK")
    handler.send_header("content-length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


@dataclass
class Day:
    """An installation with secrets everywhere, and every byte that its commands print."""

    folder: Path
    dsn: str
    patch: pytest.MonkeyPatch
    captured: pytest.CaptureFixture[bytes]
    said: bytes = b""
    environment: dict[str, str] = field(default_factory=dict[str, str])

    def prepare(self, service: str, hook_url: str) -> None:
        """A catalog that gives everything away, and the environment."""
        folder = self.folder
        catalog = shutil.copytree(CATALOG, folder / "catalog")
        shutil.copy(LEAKS / "saying.py", folder)
        shutil.copy(LEAKS / "policy.toml", catalog)
        (folder / "secrets.json").write_text(json.dumps(ALL))
        actions = (LEAKS / "actions.toml").read_text().replace("@PYTHON@", sys.executable)
        (catalog / "actions" / "leak.toml").write_text(actions.replace("@FOLDER@", str(folder)))
        with (catalog / "nodes.toml").open("a") as nodes:
            nodes.write(NODES.format(service))
        self.environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "LANG": "C.UTF-8",
            "HOME": str(folder),
            "SCHEDCTL_CATALOG": str(catalog),
            "SCHEDCTL_STATE": str(folder / "state"),
            "SCHEDCTL_HOST": "testhost",
            "SCHEDCTL_DEBUG": "1",
            **Planted(folder).environment(self.dsn, hook_url),
        }

    def process(self, *words: str, now: str | None = None) -> int:
        """A command as a process of its own, which was given the secrets."""
        environment = {**self.environment, **({"SCHEDCTL_REHEARSAL_NOW": now} if now else {})}
        command = [sys.executable, "-P", "-m", "schedctl", *words]
        ran = subprocess.run(command, env=environment, capture_output=True, timeout=60, check=False)
        self.said += ran.stdout + ran.stderr
        return ran.returncode

    def run(self, *words: str, now: str) -> int:
        """A command line here: what it prints is what counts."""
        with self.patch.context() as patch:
            for name in [name for name in os.environ if name.startswith(("SCHEDCTL_", "PG"))]:
                patch.delenv(name)
            for name, value in {**self.environment, "SCHEDCTL_REHEARSAL_NOW": now}.items():
                patch.setenv(name, value)
            code = call(list(words))
        said = self.captured.readouterr()
        self.said += said.out + said.err
        return code

    def rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every row of every table of the database."""
        with psycopg.connect(self.dsn) as db, db.cursor(row_factory=dict_row) as cursor:
            cursor.adapters.register_loader("timestamptz", TextLoader)  # infinity is no datetime
            for schema, table in db.execute(COLUMNS).fetchall():
                cursor.execute(SQL("SELECT * FROM {}.{}").format(Identifier(schema), Identifier(table)))
                yield from ((f"{schema}.{table}", row) for row in cursor.fetchall())


@pytest.fixture
def hook() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def day(
    empty_database: str,
    tmp_path: Path,
    hook: Receiver,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> Iterator[Day]:
    """The day, lived: registered, fired, carried out, told; an agent beat; looked at."""
    with serving(echo) as service:
        lived = Day(tmp_path, empty_database, monkeypatch, capsysbinary)
        lived.prepare(service.address, hook.url)
        for words in (*(("register", sentence) for sentence in SENTENCES), ("arm",)):
            assert lived.run(*words, now="2026-12-01T10:00+09:00") == 0, lived.said.decode()
        assert lived.run("tick", "--json", now="2026-12-02T03:00:30+09:00") == 0
        lived.process("work", "--drain", "--json", now="2026-12-02T03:00:31+09:00")
        lived.process("beat", "light", "--status", "error", "--detail", " ".join(ALL).replace("\t", " "))
        lived.run("beat", "whole", "--status", "error", "--detail", " ".join(ALL), now="2026-12-02T03:00:32+09:00")
        hook.script.extend((403, "close", "redirect", 500))
        lived.process("deliver", now="2026-12-02T03:00:33+09:00")
        lived.run("deliver", "--again", now="2026-12-02T04:00+09:00")
        for words in (("logs", "1"), ("logs", "3", "--json"), ("runs",), ("status", "--json"), ("report",)):
            lived.run(*words, now="2026-12-02T03:01+09:00")
        yield lived


def test_nothing_keeps_tells_or_shows_a_secret(day: Day, hook: Receiver) -> None:
    with psycopg.connect(day.dsn) as db:
        ends = db.execute("SELECT state, count(*) FROM schedctl.step GROUP BY 1 ORDER BY 1").fetchall()
        kept = db.execute("SELECT sum(stdout_length) FROM schedctl.step").fetchone()
    agents = {row["name"]: row["detail"] for table, row in day.rows() if table == "schedctl.agent"}
    assert agents["light"].count("[redacted]") == len(ALL) - 1, "the credential of systemd had its tab taken away"
    assert agents["whole"].count("[redacted]") == len(ALL)
    assert ends == [("failed", 2), ("succeeded", 2)], day.said.decode()
    assert kept is not None
    assert kept[0] > 1000
    assert found_in(day.said) == set()
    assert {(table, name) for table, row in day.rows() for name in row if found_in_values({name: row[name]})} == set()
    assert len(hook.got) > 2
    for request in hook.got:
        assert found_in(request.body) == set()
        assert found_in(json.dumps(request.headers).encode()) == set()
    for name in ("seen.json", "seen-failing.json", "seen-told.json"):
        looked_at_processes(day.folder / name)


def looked_at_processes(file: Path) -> None:
    """No command line has a secret in it, and no environment but those of the commands that were given it."""
    seen: dict[str, list[str]] = json.loads(file.read_text())
    assert len(seen) > 3
    assert {words for words, _ in seen.values() if found_in(words.encode("latin-1"))} == set()
    holders = {tuple(words.split("\0")[2:5]) for words, held in seen.values() if found_in(held.encode("latin-1"))}
    assert holders <= {("-m", "schedctl", "work"), ("-m", "schedctl", "deliver")}


def test_what_a_channel_answered_is_kept_without_its_address(day: Day, hook: Receiver) -> None:
    """Refused, cut off, sent elsewhere, broken: of the URL, which is a secret, the host is all that is kept."""
    errors = [row["error"] for table, row in day.rows() if table == "schedctl.outbox" and row["error"] is not None]
    assert len(errors) >= 2
    said = json.dumps(errors)
    assert (hook.url in said, "/services" in said) == (True, False)
