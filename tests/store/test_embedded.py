"""The embedded PostgreSQL as a command meets it: there when it is needed, gone with its last user."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg

from schedctl.store import embedded

if TYPE_CHECKING:
    from pathlib import Path


def test_the_first_command_gets_a_utf8_database_with_checksums_and_no_network(tmp_path: Path) -> None:
    with embedded.running(tmp_path / "state") as server, psycopg.connect(server.dsn) as conn:
        row = conn.execute(
            "SELECT current_database(), pg_encoding_to_char(encoding), datlocale, current_setting('data_checksums'),"
            " current_setting('listen_addresses'), current_setting('fsync')"
            " FROM pg_database WHERE datname = current_database()"
        ).fetchone()
    assert row == ("schedctl", "UTF8", "C.UTF-8", "on", "", "on")


def test_what_was_written_is_there_for_the_next_command(tmp_path: Path) -> None:
    with embedded.running(tmp_path) as server, psycopg.connect(server.dsn) as conn:
        conn.execute("CREATE TABLE kept AS SELECT '日曜の午前3時' AS sentence")
    with embedded.running(tmp_path) as server, psycopg.connect(server.dsn) as conn:
        assert conn.execute("SELECT sentence FROM kept").fetchone() == ("日曜の午前3時",)
