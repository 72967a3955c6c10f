"""Traps of kind output: bytes that are no text, and surroundings that know no UTF-8, lose no record."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from installations import database_in
from psycopg.sql import SQL, Identifier

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
RAW = b"\x00\xff\xfe" + "更新しました".encode("cp932") + "日本語".encode()
ACTION = """
["say.bytes"]
label = {{ ja = "バイト列", en = "say bytes" }}
risk = "reads"
timeout = "20s"
argv = ["{program}"]
"""
NODES = '[nodes.mars]\ntransport = "local"\nlabel = { ja = "マーズ", en = "mars" }\n'
POOR = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PGCLIENTENCODING": "SQL_ASCII"}


@pytest.fixture
def catalog(tmp_path: Path) -> Path:
    """One action, which prints what is no text in any encoding and then fails."""
    program = tmp_path / "say"
    octal = "".join(f"\\{byte:03o}" for byte in RAW)
    program.write_text(f"#!/bin/sh\nprintf '{octal}'\nprintf '{octal}' >&2\nexit 7\n")
    program.chmod(0o755)
    folder = tmp_path / "catalog"
    (folder / "actions").mkdir(parents=True)
    (folder / "actions" / "say.toml").write_text(ACTION.format(program=program), encoding="utf-8")
    (folder / "nodes.toml").write_text(NODES, encoding="utf-8")
    (folder / "policy.toml").write_text("approval = []\n", encoding="utf-8")
    (folder / "calendar.toml").write_text('country = "JP"\n', encoding="utf-8")
    return folder


def schedctl(dsn: str, catalog: Path, *argv: str) -> subprocess.CompletedProcess[bytes]:
    """A real process in surroundings that know nothing but ASCII, as under a unit without LANG."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SCHEDCTL_", "PG", "LC_"))}
    ours = {"SCHEDCTL_DSN": dsn, "SCHEDCTL_CATALOG": str(catalog), "SCHEDCTL_HOST": "testhost", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "schedctl", *argv]
    return subprocess.run(command, env={**kept, **POOR, **ours}, capture_output=True, check=False, timeout=60)


def test_bytes_that_are_no_text_are_recorded_and_shown_in_poor_surroundings(empty_database: str, catalog: Path) -> None:
    registered = schedctl(empty_database, catalog, "register", "毎日3時にmarsのsay.bytesを実行して")
    assert registered.returncode == 0, registered
    ran = schedctl(empty_database, catalog, "test-run", "1")
    assert ran.returncode == 1, ran
    assert b"Traceback" not in ran.stderr
    with psycopg.connect(empty_database) as db:
        query = "SELECT stdout_head, stdout_length, stderr_head, exit_code, state FROM schedctl.step"
        assert db.execute(query).fetchall() == [(RAW, len(RAW), RAW, 7, "failed")]
    for options in ((), ("--json",), ("--lang", "ja")):
        shown = schedctl(empty_database, catalog, "logs", "1", *options)
        assert (shown.returncode, b"Traceback" in shown.stderr) == (0, False), shown
        assert not set(shown.stdout) & {0x00, 0x1B}


@pytest.fixture
def ascii_database(server: str) -> Iterator[str]:
    """A database that stores bytes and calls them text."""
    name = Identifier(f"test_ascii_{uuid.uuid4().hex[:8]}")
    with psycopg.connect(server, autocommit=True) as db:
        db.execute(SQL("CREATE DATABASE {} ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0").format(name))
        yield database_in(server, name.as_string().strip('"'))
        db.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(name))


def test_a_database_that_is_not_utf8_is_refused_with_what_to_do(ascii_database: str, catalog: Path) -> None:
    for command in ("register", "tick", "work"):
        words = ("毎日3時にmarsのsay.bytesを実行して",) if command == "register" else ()
        refused = schedctl(ascii_database, catalog, command, *words)
        assert (refused.returncode, b"Traceback" in refused.stderr) == (1, False), refused
        assert b"database_not_utf8" in refused.stderr
        assert b"createdb --encoding=UTF8" in refused.stderr
    with psycopg.connect(ascii_database) as db:
        assert db.execute("SELECT to_regclass('schedctl.run')").fetchone() == (None,)
