"""Login roles on a test's own database, one in each group of sql/roles.sql, and what each is tried with."""

from __future__ import annotations

import uuid
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, LiteralString, cast

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

from schedctl.settings import shipped

if TYPE_CHECKING:
    from collections.abc import Generator

    from conftest import Command, Ran

GROUPS = ("viewer", "operator", "approver", "ticker", "worker", "beater", "gate")
BEFORE = "2026-12-01T10:00+09:00"
SAY = "毎日3時にmarsのディスク使用量を確認して"
CHANGE = "毎日3時にmarsのパッケージを更新して"


@dataclass(frozen=True, slots=True)
class Logins:
    """Login roles, each a member of one group, on one database."""

    dsn: str
    names: dict[str, str]
    run: Command

    def dsn_of(self, group: str) -> str:
        return make_conninfo(self.dsn, user=self.names[group])

    def as_(self, group: str, *arguments: str, now: str | None = None) -> Ran:
        """A command line with that role; its clock moves only by the tables, as for every role but the owner's."""
        return self.run(*arguments, env={"SCHEDCTL_DSN": self.dsn_of(group)}, now=now)

    def owner(self, statement: LiteralString, values: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
        with psycopg.connect(self.dsn, autocommit=True) as db:
            cursor = db.execute(statement, values or None)
            return cursor.fetchall() if cursor.description else []

    def may_work_on(self, node: str, host: str = "testhost") -> None:
        self.owner("INSERT INTO schedctl.worker_node VALUES (%s, %s, %s)", (self.names["worker"], node, host))

    def refused(self, group: str, statement: LiteralString) -> None:
        """The database itself refuses this statement to this role, for want of a right."""
        with (
            psycopg.connect(self.dsn_of(group), autocommit=True) as db,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            db.execute(statement)


@contextmanager
def logins_on(database: str, run: Command) -> Generator[Logins]:
    """roles.sql applied twice, as after an upgrade, and a login role for each group."""
    names = {group: f"test_{group}_{uuid.uuid4().hex[:8]}" for group in GROUPS}
    script = cast("LiteralString", (shipped("sql") / "roles.sql").read_text(encoding="utf-8"))
    with psycopg.connect(database, autocommit=True) as db:
        for _ in range(2):
            db.execute(script)
        for group, name in names.items():
            db.execute(SQL("CREATE ROLE {} LOGIN IN ROLE {}").format(Identifier(name), Identifier(f"schedctl_{group}")))
    yield Logins(database, names, run)
    with psycopg.connect(database, autocommit=True) as db:
        for name in names.values():
            db.execute(SQL("DROP OWNED BY {}").format(Identifier(name)))
            db.execute(SQL("DROP ROLE {}").format(Identifier(name)))


def make_due(roles: Logins) -> None:
    """Let every schedule be due this minute, by the real clock."""
    roles.owner(
        "UPDATE schedctl.schedule SET settled_through = now() - interval '1 day', "
        "next_fire_at = date_trunc('minute', now()), rule = 'daily at ' "
        "|| to_char(now() AT TIME ZONE 'Asia/Tokyo', 'HH24:MI') || ' in Asia/Tokyo'"
    )
    roles.owner("UPDATE schedctl.installation SET armed_since = now() - interval '1 day'")
