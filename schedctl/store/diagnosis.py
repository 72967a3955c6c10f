"""What `doctor` asks of the database: what it is, who we are to it, and what waits to be removed. Reads only."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from psycopg import ProgrammingError, conninfo
from psycopg.rows import class_row

from schedctl.store import database, schema

if TYPE_CHECKING:
    from collections.abc import Generator
    from datetime import datetime, timedelta

    from schedctl.store.database import Database

STATEMENT_TIMEOUT_MS: Final = 4_000


@dataclass(frozen=True, slots=True)
class Server:
    """The server and our place on it. `data_directory` is None where our role may not know it."""

    version_number: int
    version: str
    encoding: str
    clock: datetime
    role: str
    is_superuser: bool
    is_standby: bool
    may_use_schema: bool
    backend_pid: int
    data_directory: str | None
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Rights:
    """Whether we own the schema, and of which of its roles we are a member."""

    is_owner: bool
    roles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Backlog:
    """Runs that retention should have removed, counted among the oldest ones only, and when ticks last tidied."""

    retention_days: int
    oldest: datetime | None
    too_old: int
    since_tidied: timedelta


READ_ONLY: Final = "SELECT set_config('transaction_read_only', 'on', true)"

# Where there is no schema yet, has_schema_privilege would fail: hence the lookup by oid.
SERVER: Final = """
    SELECT current_setting('server_version_num')::int AS version_number,
           split_part(current_setting('server_version'), ' ', 1) AS version,
           pg_encoding_to_char(encoding) AS encoding, clock_timestamp() AS clock, current_user AS role,
           rolsuper AS is_superuser, pg_is_in_recovery() AS is_standby,
           coalesce((SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = 'schedctl'), true)
               AS may_use_schema,
           pg_backend_pid() AS backend_pid,
           CASE WHEN pg_has_role(current_user, 'pg_read_all_settings', 'USAGE')
                THEN current_setting('data_directory') END AS data_directory,
           pg_database_size(current_database()) AS size_bytes
      FROM pg_database JOIN pg_roles ON rolname = current_user WHERE datname = current_database()
"""
RIGHTS: Final = """
    SELECT schedctl.is_owner() AS is_owner,
           ARRAY (SELECT substr(rolname, 10) FROM pg_roles
                   WHERE rolname IN ('schedctl_viewer', 'schedctl_operator', 'schedctl_approver',
                                     'schedctl_ticker', 'schedctl_worker', 'schedctl_beater')
                     AND pg_has_role(current_user, oid, 'USAGE') ORDER BY 1) AS roles
"""
BACKLOG: Final = """
    WITH oldest AS (SELECT finished_at FROM schedctl.run ORDER BY run_id LIMIT 2000)
    SELECT retention_days, (SELECT min(finished_at) FROM oldest) AS oldest,
           (SELECT count(*) FROM oldest
             WHERE finished_at < clock_timestamp() - make_interval(days => retention_days)) AS too_old,
           clock_timestamp() - tidied_at AS since_tidied
      FROM schedctl.installation
"""


@contextmanager
def reading(db: Database) -> Generator[None]:
    """A transaction that could not change anything if it wanted to, by the real clock."""
    with database.transaction(db, None, STATEMENT_TIMEOUT_MS):
        db.execute(READ_ONLY)
        yield


def server(db: Database) -> Server:
    """The server, as far as any role may know it."""
    with db.cursor(row_factory=class_row(Server)) as cursor:
        row = cursor.execute(SERVER).fetchone()
    assert row is not None  # noqa: S101 - the database that we are in has a row
    return row


def rights(db: Database) -> Rights:
    """What we may do in the schema."""
    with db.cursor(row_factory=class_row(Rights)) as cursor:
        row = cursor.execute(RIGHTS).fetchone()
    assert row is not None  # noqa: S101 - a SELECT without FROM gives one row
    return Rights(row.is_owner, tuple(row.roles))


def backlog(db: Database) -> Backlog:
    """What retention has not removed yet."""
    with db.cursor(row_factory=class_row(Backlog)) as cursor:
        row = cursor.execute(BACKLOG).fetchone()
    assert row is not None  # noqa: S101 - the row is inserted with the schema
    return row


def schema_version(db: Database) -> int:
    """The schema's version, 0 where there is none."""
    return schema.version(db)


def is_pooled(db: Database, found: Server) -> bool:
    """Whether a pooler stands between: then the process that serves us is not the one that we were told of."""
    return db.info.backend_pid != found.backend_pid


def is_on_this_host(db: Database) -> bool:
    """Whether we are connected through a socket or the loopback."""
    host = db.info.host
    return host.startswith(("/", "127.")) or host in ("localhost", "::1")


def place(dsn: str) -> tuple[str, str] | None:
    """Host and port that a DSN names (the first of several); None where it names none, or cannot be read."""
    try:
        named = conninfo.conninfo_to_dict(dsn)
    except ProgrammingError:
        return None
    host = str(named.get("host") or "").split(",")[0]
    port = str(named.get("port") or "5432").split(",")[0]
    return (host, port) if host else None
