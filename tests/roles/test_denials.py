"""Who may what, as one table: a statement or a command, and the roles that may. Every other role is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, LiteralString

import psycopg
import pytest
from logins import CHANGE, GROUPS, SAY

if TYPE_CHECKING:
    from logins import Logins

VI, OP, AP, TI, WO, BE = "viewer", "operator", "approver", "ticker", "worker", "beater"
LOOKS: Final = (VI, OP, AP, TI)
STATEMENTS: Final[tuple[tuple[LiteralString, tuple[str, ...]], ...]] = (
    # read
    ("SELECT instruction FROM schedctl.schedule", LOOKS),
    ("SELECT steps FROM schedctl.plan_leg", LOOKS),
    ("SELECT stdout_head FROM schedctl.step", LOOKS),
    ("SELECT token FROM schedctl.leg", LOOKS),
    ("SELECT document FROM schedctl.catalog", LOOKS),
    ("SELECT * FROM schedctl.event", LOOKS),
    ("SELECT * FROM schedctl.worker_node", LOOKS),
    ("SELECT * FROM schedctl.outbox", LOOKS),
    ("SELECT armed FROM schedctl.installation", LOOKS),
    ("SELECT version FROM schedctl.schema_version", (*LOOKS, WO, BE)),
    ("SELECT * FROM schedctl.schedules", LOOKS),
    ("SELECT * FROM schedctl.runs", LOOKS),
    ("SELECT * FROM schedctl.health", LOOKS),
    # register and change schedules
    ("INSERT INTO schedctl.schedule (state) VALUES ('active')", (OP, AP)),
    ("INSERT INTO schedctl.plan (digest, risk, document) VALUES ('', 'reads', '{}')", (OP, AP)),
    ("INSERT INTO schedctl.plan_leg (plan_id) VALUES (1)", (OP, AP)),
    ("UPDATE schedctl.schedule SET state = 'archived'", (OP, AP, TI)),
    ("UPDATE schedctl.schedule SET approved_at = now()", (AP,)),
    ("UPDATE schedctl.schedule SET plan_id = 2", ()),
    ("UPDATE schedctl.schedule SET rule = 'x'", ()),
    ("UPDATE schedctl.schedule SET created_by = 'x'", ()),
    ("UPDATE schedctl.schedule SET created_role = 'x'", ()),
    ("DELETE FROM schedctl.schedule", ()),
    ("UPDATE schedctl.plan SET document = '{}'", ()),
    ("DELETE FROM schedctl.plan", ()),
    ("UPDATE schedctl.plan_leg SET steps = '[]'", ()),
    ("DELETE FROM schedctl.plan_leg", ()),
    # runs, legs, results
    ("INSERT INTO schedctl.run (trigger, state) VALUES ('manual', 'queued')", (OP, AP, TI)),
    ("INSERT INTO schedctl.leg (run_id) VALUES (1)", (OP, AP, TI)),
    ("UPDATE schedctl.run SET state = 'cancelled'", (OP, AP, TI)),
    ("UPDATE schedctl.run SET plan_id = 1", ()),
    ("UPDATE schedctl.run SET created_by = 'x'", ()),
    ("DELETE FROM schedctl.run", (TI,)),
    ("UPDATE schedctl.leg SET state = 'cancelled'", (OP, AP, TI)),
    ("UPDATE schedctl.leg SET node = 'mars'", ()),
    ("UPDATE schedctl.leg SET token = gen_random_uuid()", ()),
    ("UPDATE schedctl.leg SET worker = 'x'", ()),
    ("DELETE FROM schedctl.leg", ()),
    ("INSERT INTO schedctl.step (leg_id, position) VALUES (1, 0)", ()),
    ("UPDATE schedctl.step SET exit_code = 0", ()),
    ("UPDATE schedctl.step SET stdout_head = ''", ()),
    ("DELETE FROM schedctl.step", ()),
    # nodes and the installation
    ("INSERT INTO schedctl.node_hold (node, held_by, reason) VALUES ('x', 'x', 'x')", (OP, AP)),
    ("DELETE FROM schedctl.node_hold", (OP, AP)),
    ("UPDATE schedctl.installation SET armed = true", (OP, AP)),
    ("UPDATE schedctl.installation SET catalog_id = 1", (AP,)),
    ("UPDATE schedctl.installation SET catch_up = '1 day'", ()),
    ("UPDATE schedctl.installation SET lease = '1 day'", ()),
    ("INSERT INTO schedctl.catalog (digest, document, adopted_by) VALUES ('', '{}', '')", (AP,)),
    ("UPDATE schedctl.catalog SET document = '{}'", ()),
    ("DELETE FROM schedctl.catalog", ()),
    ("INSERT INTO schedctl.freeze VALUES (now(), now() + interval '1 day', '{}', 'x')", (AP,)),
    ("DELETE FROM schedctl.freeze", (AP,)),
    ("INSERT INTO schedctl.worker_node VALUES (session_user, 'mars', '')", ()),
    ("DELETE FROM schedctl.worker_node", ()),
    ("INSERT INTO schedctl.schema_version (version) VALUES (999)", ()),
    # events: written by whoever acts, changed by nobody
    ("INSERT INTO schedctl.event (type, actor) VALUES ('x', 'x')", (OP, AP, TI)),
    ("INSERT INTO schedctl.event (type, actor, role) VALUES ('x', 'x', 'x')", ()),
    ("UPDATE schedctl.event SET actor = 'x'", ()),
    ("DELETE FROM schedctl.event", ()),
    ("TRUNCATE schedctl.event", ()),
    ("ALTER TABLE schedctl.event DISABLE TRIGGER ALL", ()),
    ("DROP TRIGGER events_are_append_only ON schedctl.event", ()),
    # notices
    ("INSERT INTO schedctl.outbox DEFAULT VALUES", ()),
    ("UPDATE schedctl.outbox SET state = 'dead'", (TI,)),
    ("DELETE FROM schedctl.outbox", (TI,)),
    # functions that run with the owner's rights
    ("SELECT schedctl.beat('agent', 'ok')", (BE,)),
    ("SELECT schedctl.claim('w', 'testhost')", (WO,)),
    ("SELECT schedctl.renew(1, gen_random_uuid(), 0, 1, '', '', 0, '', '', 0)", (WO,)),
    ("SELECT schedctl.finish_leg(1, gen_random_uuid(), 'succeeded', NULL, NULL)", (WO,)),
    ("SELECT count(*) FROM schedctl.lost_holds('testhost')", (WO,)),
    ("SELECT schedctl.settle_place()", (OP, AP, TI)),
    # the schema, and other roles
    ("CREATE TABLE schedctl.mine (a int)", ()),
    ("CREATE FUNCTION schedctl.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'", ()),
    ("DROP TABLE schedctl.event", ()),
    ("DROP SCHEMA schedctl CASCADE", ()),
    ("SET ROLE schedctl_approver", (AP, "gate")),
    ("GRANT schedctl_approver TO CURRENT_USER", ()),
    ("CREATE ROLE mine SUPERUSER", ()),
    ("SELECT pg_read_file('/etc/passwd')", ()),
    ("COPY (SELECT 1) TO PROGRAM 'id'", ()),
)
COMMANDS: Final[tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]] = (
    (("list",), LOOKS),
    (("runs",), LOOKS),
    (("status",), LOOKS),
    (("register", SAY.replace("3時", "4時")), (OP, AP)),
    (("pause", "1", "--reason", "x"), (OP, AP, TI)),  # a tick pauses what it cannot read
    (("approve", "2"), (AP,)),
    (("archive", "1"), (OP, AP, TI)),
    (("arm",), (OP, AP)),
    (("node", "hold", "mars", "--reason", "x"), (OP, AP)),
    (("tick",), (TI,)),
    (("work",), (WO,)),
    (("beat", "agent"), (BE,)),
    (("grant", "viewer", "somebody", "--create"), ()),
)


@pytest.mark.parametrize("group", GROUPS)
def test_each_statement_is_allowed_to_its_roles_and_to_no_other(roles: Logins, group: str) -> None:
    assert roles.run("register", SAY).code == 0
    allowed: list[str] = []
    with psycopg.connect(roles.dsn_of(group)) as db:
        for statement, _ in STATEMENTS:
            try:
                db.execute(statement)
            except psycopg.errors.InsufficientPrivilege:
                continue
            except psycopg.Error:
                pass  # the right was there, and a rule of the tables spoke
            finally:
                db.rollback()
            allowed.append(statement)
    assert allowed == [statement for statement, groups in STATEMENTS if group in groups]


@pytest.mark.parametrize("group", [group for group in GROUPS if group != "gate"])
def test_each_command_is_refused_to_the_roles_that_may_not(roles: Logins, group: str) -> None:
    assert roles.run("register", SAY).code == 0
    assert roles.run("register", CHANGE).code == 0
    for arguments, groups in COMMANDS:
        if group not in groups:
            ran = roles.as_(group, *arguments)
            assert (ran.code, ran.out) == (4, ""), (arguments, ran)
            assert "[not_allowed]" in ran.err or "[owner_needed]" in ran.err


def test_not_even_the_owner_changes_an_event(roles: Logins) -> None:
    with psycopg.connect(roles.dsn) as db:
        for statement in (
            "UPDATE schedctl.event SET actor = 'x'",
            "DELETE FROM schedctl.event",
            "TRUNCATE schedctl.event",
        ):
            with pytest.raises(psycopg.errors.RestrictViolation, match="append-only"):
                db.execute(statement)
            db.rollback()
