"""The adopted catalog: the one that counts, whatever the files of a host say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from schedctl.catalog.basics import Freeze

if TYPE_CHECKING:
    from datetime import datetime

    from schedctl.catalog.model import Catalog
    from schedctl.store.database import Database


@dataclass(frozen=True, slots=True)
class AdoptedCatalog:
    """The catalog's files as one document, with who adopted them and when."""

    catalog_id: int
    digest: str
    document: dict[str, Any]
    adopted_at: datetime
    adopted_by: str


IS_ADOPTED: Final = "SELECT catalog_id IS NOT NULL FROM schedctl.installation"
CURRENT: Final = """
    SELECT catalog_id, digest, document, adopted_at, adopted_by
      FROM schedctl.catalog JOIN schedctl.installation USING (catalog_id)
"""
KEEP: Final = "SELECT FROM schedctl.installation FOR UPDATE"
INSERT: Final = """
    INSERT INTO schedctl.catalog (digest, document, adopted_by) VALUES (%s, %s, %s) RETURNING catalog_id
"""
POINT: Final = """
    UPDATE schedctl.installation
       SET catalog_id = %s, auto_pause_after = %s, retention_days = %s, retention_runs = %s, output_limit_bytes = %s
"""
OUTPUT_LIMIT: Final = "SELECT output_limit_bytes FROM schedctl.installation"
CLEAR_FREEZES: Final = "DELETE FROM schedctl.freeze"
ADD_FREEZE: Final = "INSERT INTO schedctl.freeze (starts_at, ends_at, risks, reason) VALUES (%s, %s, %s, %s)"
FREEZES: Final = "SELECT starts_at, ends_at, risks, reason FROM schedctl.freeze ORDER BY starts_at"


def is_adopted(db: Database) -> bool:
    """Whether any catalog was adopted yet: cheaper than reading it."""
    row = db.execute(IS_ADOPTED).fetchone()
    return bool(row and row[0])


def current(db: Database) -> AdoptedCatalog | None:
    """The adopted catalog, or None before the first adoption."""
    with db.cursor(row_factory=class_row(AdoptedCatalog)) as cursor:
        return cursor.execute(CURRENT).fetchone()


def hold_for_adoption(db: Database) -> None:
    """Let nobody else adopt, arm or tick until the transaction ends."""
    db.execute(KEEP)


def adopt(db: Database, catalog: Catalog, by: str) -> int:
    """Make this catalog the one that counts, with what of its policy the database itself acts on; its id."""
    row = db.execute(INSERT, (catalog.digest, Jsonb(catalog.document), by)).fetchone()
    assert row is not None  # noqa: S101 - INSERT … RETURNING gives one row
    policy = catalog.policy
    kept = (policy.retention_days, policy.retention_runs, policy.output_limit_bytes)
    db.execute(POINT, (row[0], policy.auto_pause_after, *kept))
    db.execute(CLEAR_FREEZES)
    for freeze in policy.freezes:
        db.execute(ADD_FREEZE, (freeze.start, freeze.end, list(freeze.risks), freeze.reason))
    return row[0]


def output_limit_bytes(db: Database) -> int:
    """What is kept of each stream of each step, by the adopted policy; a worker's own role may read it."""
    row = db.execute(OUTPUT_LIMIT).fetchone()
    assert row is not None  # noqa: S101 - the row is inserted with the schema
    return row[0]


def freezes(db: Database) -> tuple[Freeze, ...]:
    """The adopted freezes, earliest first."""
    rows = db.execute(FREEZES).fetchall()
    return tuple(Freeze(start, end, tuple(risks), reason) for start, end, risks, reason in rows)
