"""Which login roles hold which of schedctl's groups (sql/roles.sql), and on which nodes a worker's login may work."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, LiteralString, cast

from psycopg.rows import class_row
from psycopg.sql import SQL, Identifier

from schedctl.store.database import typed_errors

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from schedctl.store.database import Database

Role = Literal["viewer", "operator", "approver", "ticker", "worker", "beater", "gate"]
GROUP: Final = "schedctl_{}"


@dataclass(frozen=True, slots=True)
class Account:
    """A role of the server. `owner`: it may do everything here, as the schema's owner or as a superuser."""

    name: str
    can_login: bool
    owner: bool


@dataclass(frozen=True, slots=True)
class NodeOfWorker:
    """A node on which a worker's login may work; `host` is empty but for a local node."""

    node: str
    host: str


@dataclass(frozen=True, slots=True)
class Held:
    """A login that holds a role; of a worker also its nodes."""

    role: Role
    user: str
    nodes: tuple[NodeOfWorker, ...] = field(default=())


IS_OWNER: Final = "SELECT schedctl.is_owner()"
ACCOUNT: Final = """
    SELECT rolname AS name, rolcanlogin AS can_login,
           pg_has_role(oid, (SELECT nspowner FROM pg_namespace WHERE nspname = 'schedctl'), 'MEMBER') AS owner
      FROM pg_roles WHERE rolname = %s
"""
HELD: Final = """
    SELECT DISTINCT substr(held.rolname, length('schedctl_') + 1) AS role, login.rolname AS "user"
      FROM pg_auth_members JOIN pg_roles AS held ON held.oid = roleid JOIN pg_roles AS login ON login.oid = member
     WHERE held.rolname = ANY (%s) AND login.rolname <> ALL (%s)
     ORDER BY 1, 2
"""
NODES: Final = "SELECT role::text, node, host FROM schedctl.worker_node ORDER BY role, node, host"
ADD_NODE: Final = "INSERT INTO schedctl.worker_node (role, node, host) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
REMOVE_NODES: Final = "DELETE FROM schedctl.worker_node WHERE role = %s AND (%s::text[] IS NULL OR node = ANY (%s))"

GRANT: Final = SQL("GRANT {} TO {}")
REVOKE: Final = SQL("REVOKE {} FROM {}")
CREATE: Final = SQL("CREATE ROLE {} LOGIN")


def apply_roles(db: Database, file: Path) -> None:
    """Make the groups and grant them anew; the file is a transaction of its own."""
    with typed_errors():
        db.execute(cast("LiteralString", file.read_text(encoding="utf-8")), prepare=False)


def is_owner(db: Database) -> bool:
    """Whether this session may do everything here."""
    row = db.execute(IS_OWNER).fetchone()
    return bool(row and row[0])


def account(db: Database, name: str) -> Account | None:
    """The server's role of that name."""
    with db.cursor(row_factory=class_row(Account)) as cursor:
        return cursor.execute(ACCOUNT, (name,)).fetchone()


def create_login(db: Database, name: str) -> None:
    """A login without a password: what pg_hba.conf lets in by peer, certificate or the like gets in."""
    db.execute(CREATE.format(Identifier(name)))


def held(db: Database, groups: Sequence[Role]) -> tuple[Held, ...]:
    """Every login with every one of these roles that it holds."""
    names = [GROUP.format(group) for group in groups]
    nodes: dict[str, list[NodeOfWorker]] = {}
    for user, node, host in db.execute(NODES).fetchall():
        nodes.setdefault(user, []).append(NodeOfWorker(node, host))
    rows = db.execute(HELD, (names, [GROUP.format("gate")])).fetchall()
    return tuple(Held(role, user, tuple(nodes.get(user, ())) if role == "worker" else ()) for role, user in rows)


def grant(db: Database, role: Role, user: str) -> None:
    """Make the login a member of the group."""
    db.execute(GRANT.format(Identifier(GROUP.format(role)), Identifier(user)))


def revoke(db: Database, role: Role, user: str) -> None:
    """Take the membership away."""
    db.execute(REVOKE.format(Identifier(GROUP.format(role)), Identifier(user)))


def add_node(db: Database, user: str, node: NodeOfWorker) -> bool:
    """Let a worker's login work on a node; False when it could already."""
    return db.execute(ADD_NODE, (user, node.node, node.host)).rowcount == 1


def remove_nodes(db: Database, user: str, nodes: Sequence[str] | None) -> int:
    """Let it work on these nodes no more (None: on no node); how many rows that were."""
    wanted = list(nodes) if nodes is not None else None
    return db.execute(REMOVE_NODES, (user, wanted, wanted)).rowcount
