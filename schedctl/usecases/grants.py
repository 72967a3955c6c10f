"""Grant a role to a login of the database, and take it away again: what each may do stands in sql/roles.sql."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from schedctl.errors import NotAllowed, NotFound, Refused
from schedctl.language import Text
from schedctl.settings import shipped
from schedctl.store import grants
from schedctl.store.events import record
from schedctl.store.grants import Account, Held, NodeOfWorker, Role
from schedctl.usecases.nodes import require_known
from schedctl.usecases.site import Site, adopted_catalog

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

CHECK_OR_CREATE: Final = Text(
    "名前を確かめるか、--create を付けてください（パスワードなしで作ります）",
    "Check the name, or add --create to make it (without a password)",
)
SEE_WHO_HOLDS_WHAT: Final = Text(
    "だれが何を持つかは schedctl grant で確かめてください", "See who holds what with schedctl grant"
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be granted, or taken away. `create`: make the login where there is none."""

    role: Role
    user: str
    nodes: tuple[str, ...] = ()
    host: str | None = None
    create: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the login holds now (None: not this role), and whether that is new."""

    held: Held | None
    changed: bool
    account: Account
    created: bool = False


def listed(site: Site, roles: Sequence[Role]) -> tuple[Held, ...]:
    """Who holds which of these roles."""
    with site.transaction():
        return grants.held(site.db, roles)


def grant(site: Site, wanted: Wanted) -> Outcome:
    """Bring the groups up to date, and make the login a member; a worker's also gets its nodes.

    Only for the owner of the schema (`owner_needed`), who also needs the right to create roles (`createrole_needed`).
    """
    _require_owner(site)
    with _telling_of_createrole(site, f"GRANT schedctl_{wanted.role} TO …"):
        grants.apply_roles(site.db, shipped("sql") / "roles.sql")
        with site.transaction():
            account, created = _account(site, wanted)
            nodes = _nodes(site, wanted)
            before = _held(site, wanted)
            added = [node.node for node in nodes if grants.add_node(site.db, wanted.user, node)]
            if before is None:
                grants.grant(site.db, wanted.role, wanted.user)
            if before is None or added:
                _record(site, "role_granted", wanted, added)
            held = _held(site, wanted)
            _require_nodes(wanted, held)
            return Outcome(held, before is None or bool(added), account, created)


def revoke(site: Site, wanted: Wanted) -> Outcome:
    """Take the role away, with a worker's nodes; with nodes named, only those.

    From PostgreSQL 16 on only who gave it takes it away, or a superuser: `NotAllowed` (`given_by_another`).
    """
    _require_owner(site)
    with _telling_of_createrole(site, f"REVOKE schedctl_{wanted.role} FROM …"), site.transaction():
        account, _ = _account(site, wanted, SEE_WHO_HOLDS_WHAT)
        before = _held(site, wanted)
        gone = grants.remove_nodes(site.db, wanted.user, wanted.nodes or None) if wanted.role == "worker" else 0
        if before is not None and not wanted.nodes:
            grants.revoke(site.db, wanted.role, wanted.user)
        after = _held(site, wanted)
        if after is not None and not wanted.nodes:
            raise _given_by_another(wanted)
        changed = bool(gone) or (before is not None and after is None)
        if changed:
            _record(site, "role_revoked", wanted, list(wanted.nodes))
        return Outcome(after, changed, account)


@contextmanager
def _telling_of_createrole(site: Site, statement: str) -> Generator[None]:
    """An owner who may not create or give roles is told what a superuser has to run."""
    try:
        yield
    except NotAllowed as error:
        if error.type != "not_allowed":
            raise
        owner, file = site.db.info.user, shipped("sql") / "roles.sql"
        raise NotAllowed(
            "createrole_needed",
            Text(
                f"{owner} はスキーマの所有者ですが、役割を作ったり与えたりする権限がありません",
                f"{owner} owns the schema but may not create or give roles",
            ),
            Text(
                f"スーパーユーザーが ALTER ROLE {owner} CREATEROLE を実行するか、代わりに psql -f {file} と "
                f"{statement} を実行してください",
                f"A superuser runs ALTER ROLE {owner} CREATEROLE; or, instead of this command, "
                f"psql -f {file} and {statement}",
            ),
        ) from None


def _given_by_another(wanted: Wanted) -> NotAllowed:
    return NotAllowed(
        "given_by_another",
        Text(
            f"{wanted.user} の役割 {wanted.role} は、ほかの人が与えたものです。まだ持っています",
            f"The role {wanted.role} was given to {wanted.user} by somebody else; nothing was taken away",
        ),
        Text(
            "与えた人か、スーパーユーザーが --revoke を実行してください",
            "Whoever gave it, or a superuser, runs it with --revoke",
        ),
    )


def _require_owner(site: Site) -> None:
    with site.transaction():
        owner = grants.is_owner(site.db)
    if not owner:
        raise NotAllowed(
            "owner_needed",
            Text(
                f"役割を与えられるのは、スキーマの所有者だけです（いまは {site.db.info.user}）",
                f"Only the owner of the schema grants roles; this is {site.db.info.user}",
            ),
            Text(
                "最初に schedctl を使った DSN（またはスーパーユーザー）で実行してください",
                "Use the DSN with which schedctl was set up, or a superuser's",
            ),
        )


def _account(site: Site, wanted: Wanted, hint: Text = CHECK_OR_CREATE) -> tuple[Account, bool]:
    found = grants.account(site.db, wanted.user)
    created = found is None and wanted.create
    if created:
        grants.create_login(site.db, wanted.user)
        found = grants.account(site.db, wanted.user)
    if found is None:
        raise NotFound(
            "login_not_found",
            Text(f"データベースの利用者「{wanted.user}」はいません", f"The database has no login “{wanted.user}”"),
            hint,
        )
    if not found.can_login:
        raise Refused(
            "not_a_login",
            Text(
                f"「{wanted.user}」はログインできない役割（グループ）です",
                f"“{wanted.user}” is a group: it cannot log in",
            ),
            Text(
                "人やホストごとのログインを指定してください（記録に残るのはログインの名前です）",
                "Name the login of a person or a host: it is the login that the records hold",
            ),
        )
    return found, created


def _nodes(site: Site, wanted: Wanted) -> tuple[NodeOfWorker, ...]:
    local = {node.name for node in adopted_catalog(site).nodes if node.transport == "local"}
    for name in wanted.nodes:
        require_known(site, name)
    here = wanted.host or site.settings.host
    return tuple(NodeOfWorker(name, here if name in local else "") for name in wanted.nodes)


def _require_nodes(wanted: Wanted, held: Held | None) -> None:
    if wanted.role == "worker" and held is not None and not held.nodes:
        raise Refused(
            "no_node",
            Text(f"{wanted.user} が受け持つノードがありません", f"{wanted.user} would have no node to work on"),
            Text(
                "--node NAME でノードを指定してください（重ねて指定できます）",
                "Name its nodes with --node NAME, which may be repeated",
            ),
        )


def _held(site: Site, wanted: Wanted) -> Held | None:
    return next((one for one in grants.held(site.db, (wanted.role,)) if one.user == wanted.user), None)


def _record(site: Site, type: str, wanted: Wanted, nodes: list[str]) -> None:
    detail: dict[str, object] = {"role": wanted.role, "user": wanted.user, "nodes": nodes}
    record(site.db, type, site.actor, detail=detail)
