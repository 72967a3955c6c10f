"""The schema: applied by the first command that needs it, once, whoever comes first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, LiteralString, cast

from schedctl.errors import OperationFailed
from schedctl.language import Text
from schedctl.store.database import Database, require_utf8

if TYPE_CHECKING:
    from pathlib import Path

SERIALISE: Final = "SELECT pg_advisory_xact_lock(hashtext('schedctl.schema'))"

EXISTS: Final = "SELECT to_regclass('schedctl.schema_version') IS NOT NULL"
VERSION: Final = "SELECT coalesce(max(version), 0) FROM schedctl.schema_version"

REMEMBER: Final = "INSERT INTO schedctl.schema_version (version) VALUES (%s) ON CONFLICT DO NOTHING"


def files(folder: Path) -> tuple[tuple[int, Path], ...]:
    """The numbered DDL files with their versions, in order."""
    return tuple((int(path.name[:3]), path) for path in sorted(folder.glob("[0-9][0-9][0-9]_*.sql")))


def version(db: Database) -> int:
    """The schema version of this database; 0 when it has none."""
    exists = db.execute(EXISTS).fetchone()
    row = db.execute(VERSION).fetchone() if exists and exists[0] else None
    return row[0] if row else 0


def apply(db: Database, folder: Path) -> bool:
    """Bring the schema up to the files' version, inside the caller's transaction; False when it is there already.

    The version is asked before any lock is taken, so a later command takes none. A schema newer than the files is
    refused (`schema_newer`).
    """
    wanted = files(folder)
    newest = wanted[-1][0]
    present = version(db)
    if present < newest:
        db.execute(SERIALISE)
        present = version(db)
    if present > newest:
        raise OperationFailed(
            "schema_newer",
            Text(
                f"データベースのスキーマ（{present}）が、この schedctl（{newest}）より新しいです",
                f"The database's schema ({present}) is newer than this schedctl ({newest})",
            ),
            Text("このマシンの schedctl を更新してください", "Upgrade schedctl on this machine"),
        )
    if present == newest:
        return False
    require_utf8(db)
    for number, path in wanted:
        if number > present:
            db.execute(cast("LiteralString", path.read_text(encoding="utf-8")), prepare=False)
            db.execute(REMEMBER, (number,))
    return True
