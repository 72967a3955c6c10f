"""A copy of the embedded database's folder is not the folder: what is due in it may have run where it was copied from.

The database cannot see that (sql/013_place_and_views.sql): a copy has the same identity and the same numbers. So
the folder remembers which inode it is. A rename keeps that; a copy and a restored backup have another. The device is
left out: its number may be another after each boot.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path
    from typing import LiteralString

MARK: Final = "schedctl.inode"
ELSEWHERE: Final[LiteralString] = "UPDATE schedctl.installation SET place = 'copied' WHERE place IS NOT NULL"
"""What the next tick or worker finds, and disarms (`settle_place`)."""


def settle(data: Path, dsn: str) -> None:
    """Tell the running database when its folder `data` is a copy; one without a mark is taken at its word, once."""
    here = str(data.stat().st_ino)
    mark = data / MARK
    before = mark.read_text(encoding="ascii", errors="replace") if mark.exists() else None
    if before == here:
        return
    if before is not None:
        import psycopg  # not needed to serve a database: only in a copy
        from psycopg import errors

        with psycopg.connect(dsn, autocommit=True) as db, suppress(errors.UndefinedTable, errors.UndefinedColumn):
            db.execute(ELSEWHERE)
    unfinished = mark.with_suffix(".new")
    unfinished.write_text(here, encoding="ascii")
    unfinished.rename(mark)
