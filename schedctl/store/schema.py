"""The schema: applied by the first command that needs it, once, whoever comes first.

Numbers only grow. Code that meets a newer schema than its own goes on where that schema says so (an added column harms
nobody), and only where nobody watches it: see docs/decisions/numbered-history.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, LiteralString, cast

from psycopg import Error, InterfaceError, OperationalError, errors

from schedctl.errors import NotAllowed, OperationFailed, SchedctlError
from schedctl.language import Text
from schedctl.store.database import Database, require_utf8

if TYPE_CHECKING:
    from pathlib import Path

SERIALISE: Final = "SELECT pg_advisory_xact_lock(hashtext('schedctl.schema'))"

# DDL gives way: shorter than deadlock_timeout, no tick is ended for its sake. An index over years may take minutes.
GIVE_WAY: Final = "SELECT set_config('lock_timeout', '500', true), set_config('statement_timeout', '600000', true)"

EXISTS: Final = "SELECT to_regclass('schedctl.schema_version') IS NOT NULL"
VERSION: Final = "SELECT coalesce(max(version), 0) FROM schedctl.schema_version"

# As JSON, because a schema of which we know nothing may not even have the column.
OLDEST_CODE: Final = """
    SELECT max(coalesce((to_jsonb(schema_version) ->> 'oldest_code')::int, version))
      FROM schedctl.schema_version WHERE version > %s
"""

REMEMBER: Final = "INSERT INTO schedctl.schema_version (version) VALUES (%s) ON CONFLICT DO NOTHING"
ADMIT: Final = "UPDATE schedctl.schema_version SET oldest_code = %s WHERE version = %s"

ADMITTED: Final = re.compile(r"^-- oldest code that goes on: (\d+)$", re.MULTILINE)


class UpgradeInTheWay(OperationFailed):
    """Somebody worked on what the upgrade has to change; it gave way, and may be tried again at once."""


def files(folder: Path) -> tuple[tuple[int, Path], ...]:
    """The numbered DDL files with their versions, in order."""
    return tuple((int(path.name[:3]), path) for path in sorted(folder.glob("[0-9][0-9][0-9]_*.sql")))


def version(db: Database) -> int:
    """The schema version of this database; 0 when it has none."""
    exists = db.execute(EXISTS).fetchone()
    row = db.execute(VERSION).fetchone() if exists and exists[0] else None
    return row[0] if row else 0


@dataclass(frozen=True, slots=True)
class Standing:
    """How the schema stands to the files: older; or newer, with its version, where this code may go on with it."""

    older: bool
    newer: int | None


def look(db: Database, folder: Path, *, unattended: bool) -> Standing:
    """Compare versions, without a lock. A newer schema is refused (`schema_newer`) unless it admits the files' version.

    That holds for unattended commands only. Ask in a transaction of its own: whoever then waits for somebody else's
    upgrade must not hold what it has to change, and be it only by having read it.
    """
    newest = files(folder)[-1][0]
    present = version(db)
    if present <= newest:
        return Standing(present < newest, None)
    if not (unattended and _admits(db, newest)):
        raise _newer(present, newest)
    return Standing(older=False, newer=present)


def upgrade(db: Database, folder: Path) -> None:
    """Apply what is missing, all of it or nothing, as the first thing of the caller's transaction; one at a time."""
    db.execute(SERIALISE)
    present = version(db)
    wanted = files(folder)
    missing = [one for one in wanted if one[0] > present]
    if missing:
        require_utf8(db)
        db.execute(GIVE_WAY)
    for number, path in missing:
        _apply_one(db, number, path, present, wanted[-1][0])


def _admits(db: Database, code: int) -> bool:
    """Whether every schema after that of `code` lets it go on."""
    row = db.execute(OLDEST_CODE, (code,)).fetchone()
    return row is not None and row[0] <= code


def _apply_one(db: Database, number: int, path: Path, present: int, newest: int) -> None:
    text = path.read_text(encoding="utf-8")
    try:
        db.execute(cast("LiteralString", text), prepare=False)
        db.execute(REMEMBER, (number,))
        admitted = ADMITTED.search(text)
        if admitted:
            db.execute(ADMIT, (int(admitted[1]), number))
    except Error as error:
        told = _not_applied(error, path.name, present, newest)
        if told is None:
            raise
        raise told from error


def _not_applied(error: Error, name: str, present: int, newest: int) -> SchedctlError | None:
    """What stopped a file, for the operator; None for a connection that is gone or a server that took too long."""
    match error:
        case errors.LockNotAvailable() | errors.DeadlockDetected():
            return UpgradeInTheWay(
                "schema_upgrade_waits",
                Text(
                    f"スキーマの更新（{name}）は、使用中の表を待ちきれずに取りやめました。何も変わっていません",
                    f"The schema's upgrade ({name}) gave way to work in progress; nothing was changed",
                ),
                Text(
                    "もう一度実行してください。続くときは work と tick のユニットを止めてから実行してください",
                    "Run it again; if that goes on, stop the units of work and tick first",
                ),
                passing=True,
            )
        case errors.InsufficientPrivilege():
            return NotAllowed(
                "schema_older",
                Text(
                    f"データベースのスキーマ（{present}）はこの schedctl（{newest} が必要）より古く、"
                    "この役割には更新が許されていません",
                    f"The database's schema ({present}) is older than this schedctl (which needs {newest}), "
                    "and this role may not upgrade it",
                ),
                Text(
                    "スキーマの所有者の役割で schedctl list を一度実行し、sql/roles.sql を当て直してください",
                    "Run schedctl list once as the role that owns the schema, then run sql/roles.sql again",
                ),
            )
        case OperationalError() | InterfaceError():
            return None
        case _:
            return _failed(error, name, present)


def _failed(error: Error, name: str, present: int) -> OperationFailed:
    kept_ja = f"データベースはスキーマ {present} のままです" if present else "データベースは空のままです"
    kept_en = f"the database stays at schema {present}" if present else "the database stays empty"
    return OperationFailed(
        "schema_upgrade_failed",
        Text(
            f"スキーマの更新が {name} で失敗しました（SQLSTATE {error.sqlstate or '-'}）。{kept_ja}",
            f"The schema's upgrade failed in {name} (SQLSTATE {error.sqlstate or '-'}); {kept_en}",
        ),
        Text(
            "更新前の schedctl はそのまま動きます。原因は PostgreSQL のログにあります。"
            "手で変えた表があれば元に戻してください",
            "The schedctl from before goes on working. The cause is in PostgreSQL's log; undo what was changed by hand",
        ),
    )


def _newer(present: int, newest: int) -> OperationFailed:
    return OperationFailed(
        "schema_newer",
        Text(
            f"データベースのスキーマ（{present}）が、この schedctl（{newest}）より新しいです",
            f"The database's schema ({present}) is newer than this schedctl ({newest})",
        ),
        Text("このマシンの schedctl を更新してください", "Upgrade schedctl on this machine"),
    )
