"""What older versions of schedctl left: their databases, restored, and their code."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, LiteralString

import psycopg
from at_once import AtOnce

from schedctl.store.embedded_programs import binaries, environment

HERE = Path(__file__).parent
DUMPS = sorted(int(path.name[:3]) for path in HERE.glob("*.sql.gz"))
CODES = sorted(int(path.name[:3]) for path in HERE.glob("*.tar.xz"))


@dataclass(frozen=True, slots=True)
class Restored:
    """A database that an older version left, and the folder in which its commands leave their marks."""

    dsn: str
    folder: Path

    def query(self, statement: LiteralString) -> list[Any]:
        """The rows of a statement."""
        with psycopg.connect(self.dsn, autocommit=True) as db:
            return db.execute(statement).fetchall()

    def execute(self, statement: LiteralString) -> None:
        """Change something."""
        with psycopg.connect(self.dsn, autocommit=True) as db:
            db.execute(statement)

    def marks(self) -> list[str]:
        """A line for each time that a command ran, which names its step."""
        file = self.folder / "marks"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []

    def schema(self) -> str:
        """Every definition in the database, as pg_dump writes it."""
        argv = [str(binaries() / "pg_dump"), "--schema-only", "--no-owner", "--dbname", self.dsn]
        text = subprocess.run(argv, env=environment(), capture_output=True, text=True, check=True).stdout
        return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("\\"))


Restore = Callable[[int], Restored]
Codes = Callable[[int | None], AtOnce]
NEXT = 0
"""The version after this checkout's, as the tests make it up."""


def psql(dsn: str, text: str) -> None:
    """Run a script, which must succeed."""
    argv = [str(binaries() / "psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", dsn]
    ended = subprocess.run(argv, input=text, env=environment(), capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
