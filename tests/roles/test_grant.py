"""`schedctl grant`: logins get a role, workers their nodes; only the owner gives, and nothing is built out of words."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import psycopg
import pytest
from logins import SAY
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Command
    from logins import Logins


@pytest.fixture
def login(database: str) -> Iterator[str]:
    """The name of a login that does not exist yet, odd enough to break whatever does not quote."""
    name = f'o"dd; {uuid.uuid4().hex[:8]}'
    yield name
    with psycopg.connect(database, autocommit=True) as db:
        if db.execute("SELECT FROM pg_roles WHERE rolname = %s", (name,)).fetchone() is not None:
            db.execute(SQL("DROP OWNED BY {}").format(Identifier(name)))
            db.execute(SQL("DROP ROLE {}").format(Identifier(name)))


def test_a_role_is_given_listed_and_taken_away(schedctl: Command, login: str) -> None:
    ran = schedctl("grant", "operator", login)
    assert (ran.code, "[login_not_found]" in ran.err) == (3, True)
    assert "No login holds operator" in schedctl("grant", "operator", "--lang", "en").out
    taken = schedctl("grant", "operator", login, "--revoke", "--lang", "en")
    assert ("--create" in taken.err, "schedctl grant" in taken.err) == (False, True)
    given = schedctl("grant", "operator", login, "--create", "--json").json["grant"]
    assert schedctl("grant", "viewer", "--json").json["grants"] == []
    wanted = {
        "role": "operator",
        "user": login,
        "held": True,
        "changed": True,
        "created": True,
        "owner": False,
        "nodes": [],
    }
    assert given == wanted
    assert schedctl("grant", "operator", login, "--json").json["grant"]["changed"] is False
    assert {"role": "operator", "user": login, "nodes": []} in schedctl("grant", "--json").json["grants"]
    assert login not in schedctl("grant", "viewer").out
    assert schedctl("grant", "operator", login, "--revoke", "--json").json["grant"]["held"] is False
    assert schedctl("grant", "operator", login, "--revoke", "--json").json["grant"]["changed"] is False


def test_the_login_can_do_what_it_was_given_and_the_records_say_who_gave_it(
    schedctl: Command, database: str, login: str
) -> None:
    assert schedctl("grant", "viewer", login, "--create", env={"SCHEDCTL_ACTOR": "root"}).code == 0
    as_login = {"SCHEDCTL_DSN": make_conninfo(database, user=login)}
    assert schedctl("list", env=as_login).code == 0
    assert schedctl("register", SAY, env=as_login).code == 4
    assert schedctl("grant", "viewer", login, "--revoke").code == 0
    assert schedctl("list", env=as_login).code == 4
    with psycopg.connect(database) as db:
        events = db.execute("SELECT type, actor, detail FROM schedctl.event WHERE type LIKE 'role%' ORDER BY event_id")
        detail = {"role": "viewer", "user": login, "nodes": []}
        rows = events.fetchall()
    assert rows[0] == ("role_granted", "root", detail)
    assert (rows[1][0], rows[1][2]) == ("role_revoked", detail)


def test_a_worker_has_its_nodes(schedctl: Command, login: str) -> None:
    ran = schedctl("grant", "worker", login, "--create")
    assert (ran.code, "[no_node]" in ran.err) == (2, True)
    assert schedctl("grant", "worker", login).code == 3, "what was refused has created nothing"
    given = schedctl(
        "grant", "worker", login, "--create", "--node", "mars", "--node", "venus", "--host", "h1", "--json"
    )
    assert given.json["grant"]["nodes"] == [{"node": "mars", "host": "h1"}, {"node": "venus", "host": "h1"}]
    here = schedctl("grant", "worker", login, "--node", "mars", "--json").json["grant"]
    assert {"node": "mars", "host": "testhost"} in here["nodes"]
    left = schedctl("grant", "worker", login, "--revoke", "--node", "mars", "--json").json["grant"]
    assert (left["held"], left["nodes"]) == (True, [{"node": "venus", "host": "h1"}])
    gone = schedctl("grant", "worker", login, "--revoke", "--json").json["grant"]
    assert (gone["held"], gone["nodes"]) == (False, [])


def test_an_upgrade_gives_the_groups_their_new_rights(schedctl: Command, roles: Logins, login: str) -> None:
    roles.owner("REVOKE SELECT ON schedctl.schedule FROM schedctl_viewer")
    roles.owner("GRANT DELETE ON schedctl.event TO schedctl_viewer")
    assert roles.as_("viewer", "list").code == 4
    assert schedctl("grant", "viewer", login, "--create").code == 0
    assert roles.as_("viewer", "list").code == 0
    roles.refused("viewer", "DELETE FROM schedctl.event")


def test_only_the_owner_gives(roles: Logins, login: str) -> None:
    for group in ("operator", "approver"):
        ran = roles.as_(group, "grant", "approver", roles.names[group], "--lang", "en")
        assert (ran.code, "[owner_needed]" in ran.err, "Only the owner" in ran.err) == (4, True, True)
        assert roles.as_(group, "grant", "viewer", login, "--create").code == 4
    assert roles.as_("viewer", "grant").code == 0


def test_what_another_gave_is_taken_away_or_said_to_stay(roles: Logins) -> None:
    """From PostgreSQL 16 on a role that a superuser gave stays when another owner revokes it, with a mere warning."""
    owner, user = roles.names["gate"], roles.names["viewer"]
    with psycopg.connect(roles.dsn, autocommit=True) as db:
        db.execute(SQL("GRANT {} TO {}").format(Identifier(db.info.user), Identifier(owner)))
        db.execute(SQL("GRANT schedctl_viewer TO {} WITH ADMIN OPTION").format(Identifier(owner)))
    ran = roles.as_("gate", "grant", "viewer", user, "--revoke")
    left = {"role": "viewer", "user": user, "nodes": []} in roles.run("grant", "--json").json["grants"]
    assert (ran.code, "[given_by_another]" in ran.err) == ((4, True) if left else (0, False))
    assert roles.run("grant", "viewer", user, "--revoke", "--json").json["grant"]["held"] is False


def test_an_owner_without_createrole_is_told_what_a_superuser_runs(roles: Logins, login: str) -> None:
    """The schema's owner, by membership, but not a superuser and without CREATEROLE."""
    owner = roles.names["viewer"]
    with psycopg.connect(roles.dsn, autocommit=True) as db:
        db.execute(SQL("CREATE ROLE {} NOLOGIN").format(Identifier(owner + "_group")))
        db.execute(SQL("ALTER SCHEMA schedctl OWNER TO {}").format(Identifier(owner + "_group")))
        db.execute(SQL("GRANT {} TO {}").format(Identifier(owner + "_group"), Identifier(owner)))
    ran = roles.as_("viewer", "grant", "viewer", login, "--create", "--lang", "en")
    assert (ran.code, "[createrole_needed]" in ran.err, f"ALTER ROLE {owner} CREATEROLE" in ran.err) == (4, True, True)
    with psycopg.connect(roles.dsn, autocommit=True) as db:
        db.execute("ALTER SCHEMA schedctl OWNER TO CURRENT_USER")
        db.execute(SQL("DROP OWNED BY {}").format(Identifier(owner + "_group")))
        db.execute(SQL("DROP ROLE {}").format(Identifier(owner + "_group")))


@pytest.mark.parametrize(
    ("arguments", "code", "kind"),
    [
        (("grant", "viewer", "schedctl_operator"), 2, "not_a_login"),
        (("grant", "worker", "pg_monitor", "--node", "pluto"), 2, "not_a_login"),
        (("grant", "viewer", "nobody", "--node", "mars"), 2, "usage"),
        (("grant", "worker", "nobody", "--host", "h"), 2, "usage"),
        (("grant", "viewer", "nobody", "--create", "--revoke"), 2, "usage"),
        (("grant", "viewer", "--revoke"), 2, "usage"),
        (("grant", "owner", "nobody"), 2, "usage"),
        (("grant", "viewer", "nobody", "--revoke"), 3, "login_not_found"),
    ],
)
def test_what_cannot_be_given_is_refused(roles: Logins, arguments: tuple[str, ...], code: int, kind: str) -> None:
    ran = roles.run(*arguments)
    assert (ran.code, f"[{kind}]" in ran.err) == (code, True), ran
