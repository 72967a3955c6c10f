"""Settings for tests, and what an installation's tables hold in the words that tests compare."""

from __future__ import annotations

import uuid
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.rows import dict_row
from psycopg.sql import SQL, Identifier

from schedctl.settings import Settings, from_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.usecases.site import Site

CATALOG = Path(__file__).parents[1] / "catalog_folder"
"""A catalog for tests: the node `local`, beside `mars`, `venus` and `jupiter`, which are this machine too."""


def settings_for(dsn: str, **changes: object) -> Settings:
    """Settings as from an empty environment, with the tests' catalog."""
    plain = from_environment({"SCHEDCTL_DSN": dsn, "SCHEDCTL_CATALOG": str(CATALOG), "SCHEDCTL_HOST": "testhost"})
    return replace(plain, **changes)


def database_in(server: str, name: str) -> str:
    """The DSN of another database on the same server."""
    return make_conninfo(server, dbname=name)


def runs_of(site: Site) -> list[dict[str, Any]]:
    """Every run, oldest first."""
    with site.db.cursor(row_factory=dict_row) as cursor:
        return cursor.execute("SELECT * FROM schedctl.run ORDER BY run_id").fetchall()


def told(site: Site) -> list[tuple[str, str | None, int]]:
    """State, reason and count of every run."""
    return [(run["state"], run["reason"], run["count"]) for run in runs_of(site)]


def state_of(site: Site, schedule_id: int) -> str:
    """The state of a schedule."""
    row = site.db.execute("SELECT state FROM schedctl.schedule WHERE schedule_id = %s", (schedule_id,)).fetchone()
    assert row is not None
    return row[0]


def a_database(server: str, template: str) -> Iterator[str]:
    """The DSN of a new copy of a template, which is gone when the fixture that asked for it ends."""
    name = f"test_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server, autocommit=True) as db:
        # A copy of the files brings the caches of the template's catalog along: half the time to the first answer.
        copy = SQL("STRATEGY FILE_COPY" if db.info.server_version >= 150000 else "")
        create = SQL("CREATE DATABASE {} ENCODING 'UTF8' TEMPLATE {} {}")
        db.execute(create.format(Identifier(name), Identifier(template), copy))
    try:
        yield database_in(server, name)
    finally:
        with psycopg.connect(server, autocommit=True) as db:
            db.execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name)))
