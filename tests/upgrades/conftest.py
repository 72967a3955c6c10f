"""Databases as older versions of schedctl left them, and those versions' own code."""

from __future__ import annotations

import gzip
import io
import lzma
import shutil
import tarfile
import uuid
from contextlib import ExitStack
from typing import TYPE_CHECKING

import at_once
import psycopg
import pytest
from dump import CODE
from dumps import HERE, NEXT, Codes, Restore, Restored, psql
from installations import database_in
from psycopg.sql import SQL, Identifier
from story import PLACE, write_mark

from schedctl.cli.start import SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from at_once import AtOnce

ROOT = HERE.parents[1]


@pytest.fixture(scope="session")
def restored_templates(server: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], tuple[str, Path]]:
    """The database of a number, restored once; and the marks' folder that its commands name."""
    known: dict[int, tuple[str, Path]] = {}

    def template(number: int) -> tuple[str, Path]:
        if number not in known:
            name, folder = f"schedctl_dump_{number}", tmp_path_factory.mktemp(f"dump{number}")
            write_mark(folder)
            with psycopg.connect(server, autocommit=True) as db:
                db.execute(SQL("DROP DATABASE IF EXISTS {}").format(Identifier(name)))
                db.execute(SQL("CREATE DATABASE {} ENCODING 'UTF8' TEMPLATE template0").format(Identifier(name)))
            dump = gzip.decompress((HERE / f"{number:03}.sql.gz").read_bytes()).decode()
            psql(database_in(server, name), dump.replace(PLACE, str(folder)))
            known[number] = name, folder
        return known[number]

    return template


@pytest.fixture
def restore(server: str, restored_templates: Callable[[int], tuple[str, Path]]) -> Iterator[Restore]:
    """A fresh copy of the database of a number, as often as one asks."""
    made: list[str] = []

    def copy(number: int) -> Restored:
        template, folder = restored_templates(number)
        made.append(f"test_{uuid.uuid4().hex[:12]}")
        (folder / "marks").unlink(missing_ok=True)
        with psycopg.connect(server, autocommit=True) as db:
            db.execute(SQL("CREATE DATABASE {} TEMPLATE {}").format(Identifier(made[-1]), Identifier(template)))
        return Restored(database_in(server, made[-1]), folder)

    yield copy
    with psycopg.connect(server, autocommit=True) as db:
        for name in made:
            db.execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name)))


@pytest.fixture(scope="session")
def codes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Codes]:
    """Processes of kept code on the story's host; of this checkout's (None), and of the one that comes after it (0)."""
    with ExitStack() as serving:
        known: dict[int | None, AtOnce] = {}

        def serve(number: int | None) -> AtOnce:
            if number not in known:
                folder = ROOT if number is None else tmp_path_factory.mktemp(f"code{number}")
                if number == NEXT:
                    _write_next(folder)
                elif number is not None:
                    _unpack(number, folder)
                known[number] = serving.enter_context(at_once.serving(folder, {"SCHEDCTL_HOST": "story"}))
            return known[number]

        yield serve


def _unpack(number: int, folder: Path) -> None:
    packed = lzma.decompress((HERE / f"{number:03}.tar.xz").read_bytes())
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")


def _write_next(folder: Path) -> None:
    """A next version, whose schema has one column more and admits this one's code."""
    for part in CODE:
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "sql" / "999_next.sql").write_text(
        f"-- oldest code that goes on: {SCHEMA_VERSION}\n"
        "ALTER TABLE schedctl.schedule ADD COLUMN IF NOT EXISTS colour text;\n"
        "ALTER TABLE schedctl.run ADD COLUMN IF NOT EXISTS colour text NOT NULL DEFAULT 'grey';\n",
        encoding="utf-8",
    )
