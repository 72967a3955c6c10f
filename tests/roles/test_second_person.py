"""`second_person`: the database itself wants another person to approve, and nothing unapproved is queued."""

from __future__ import annotations

import shutil
from contextlib import closing, nullcontext
from typing import TYPE_CHECKING, Final, LiteralString

import psycopg
import pytest
from installations import CATALOG, settings_for
from logins import CHANGE, SAY

from schedctl.catalog.basics import RISKS
from schedctl.catalog.model import Policy
from schedctl.errors import NotAllowed
from schedctl.settings import Admitted
from schedctl.store import database

if TYPE_CHECKING:
    from pathlib import Path

    from logins import Logins

OWN_APPROVAL: tuple[LiteralString, ...] = (
    "UPDATE schedctl.schedule SET approved_at = now(), approved_by = 'somebody else'",
    "UPDATE schedctl.schedule SET state = 'active', approved_at = now(), next_fire_at = now() + interval '1 day'",
    """INSERT INTO schedctl.schedule (state, instruction, task, rule, recurring, timezone, sameness, plan_id,
                                      settled_through, computed_with, created_by, approved_at, next_fire_at)
       SELECT 'active', instruction, task, rule, recurring, timezone, 'other', plan_id, settled_through, computed_with,
              'somebody else', now(), now() + interval '1 day' FROM schedctl.schedule""",
)
UNAPPROVED: tuple[LiteralString, ...] = (
    "INSERT INTO schedctl.run (schedule_id, plan_id, trigger, state) "
    "SELECT 1, plan_id, 'manual', 'queued' FROM pending",
    "INSERT INTO schedctl.run (schedule_id, plan_id, trigger, scheduled_for, state) "
    "SELECT 1, plan_id, 'timer', now(), 'queued' FROM pending",
    # without a schedule, or under the name of one that is approved
    "INSERT INTO schedctl.run (plan_id, trigger, state) SELECT plan_id, 'manual', 'queued' FROM pending",
    "INSERT INTO schedctl.run (plan_id, trigger, state) SELECT plan_id, 'restart', 'queued' FROM pending",
    "INSERT INTO schedctl.run (schedule_id, plan_id, trigger, state) "
    "SELECT 2, plan_id, 'manual', 'queued' FROM pending",
    # a run that says it has ended: legs are what a worker claims
    "INSERT INTO schedctl.run (schedule_id, plan_id, trigger, state, finished_at) "
    "SELECT 1, plan_id, 'manual', 'succeeded', now() FROM pending",
)
PENDING: Final = "WITH pending AS (SELECT plan_id FROM schedctl.schedule WHERE schedule_id = 1) "
LEG: Final = (
    "INSERT INTO schedctl.leg (run_id, position, stage, node, changes, due_at) "
    "SELECT max(run_id), 0, 0, 'mars', false, now() FROM schedctl.run"
)
FORGED: tuple[LiteralString, ...] = (
    "UPDATE schedctl.schedule SET created_identity = 'bob'",
    "UPDATE schedctl.schedule SET created_role = 'bob'",
    "UPDATE schedctl.schedule SET approved_identity = 'bob'",
    "INSERT INTO schedctl.schedule (created_identity) VALUES ('bob')",
    "INSERT INTO schedctl.schedule (created_role) VALUES ('bob')",
    "INSERT INTO schedctl.schedule (approved_identity) VALUES ('bob')",
    "INSERT INTO schedctl.event (type, actor, role) VALUES ('approved', 'bob', 'bob')",
    "INSERT INTO schedctl.event (type, actor, gate) VALUES ('approved', 'bob', '{}')",
    "INSERT INTO schedctl.event (type, actor, at) VALUES ('approved', 'bob', '2020-01-01')",
)


@pytest.fixture
def two_people(roles: Logins, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Logins:
    """Role logins on an installation whose policy wants two people."""
    folder = shutil.copytree(CATALOG, tmp_path / "catalog")
    (folder / "policy.toml").write_text("second_person = true\n")
    monkeypatch.setenv("SCHEDCTL_CATALOG", str(folder))
    assert roles.run("catalog", "adopt").code == 0
    return roles


def test_yes_is_not_enough_and_nobody_approves_their_own(two_people: Logins) -> None:
    assert two_people.as_("approver", "register", CHANGE, "--yes", "--json").json["schedule"]["state"] == "pending"
    ran = two_people.as_("approver", "approve", "1")
    assert (ran.code, "[second_person_needed]" in ran.err) == (4, True)
    assert two_people.run("approve", "1", "--json").json["schedule"]["state"] == "active"


def test_it_is_said_that_yes_did_not_count(two_people: Logins) -> None:
    assert "--yes did not count" in two_people.as_("operator", "register", CHANGE, "--yes", "--lang", "en").out
    other = CHANGE.replace("3", "4")
    assert other != CHANGE
    assert "--yes" not in two_people.as_("operator", "register", other, "--lang", "en").out


def test_the_label_of_an_actor_is_no_identity(two_people: Logins) -> None:
    assert two_people.run("register", CHANGE, env={"SCHEDCTL_ACTOR": "alice"}).code == 0
    ran = two_people.run("approve", "1", env={"SCHEDCTL_ACTOR": "bob"})
    assert (ran.code, "[second_person_needed]" in ran.err) == (4, True)


def test_what_only_reads_needs_nobody_else(two_people: Logins) -> None:
    assert two_people.as_("operator", "register", SAY, "--json").json["schedule"]["state"] == "active"


def test_the_database_refuses_an_approval_of_ones_own(two_people: Logins) -> None:
    assert two_people.as_("approver", "register", CHANGE).code == 0
    with psycopg.connect(two_people.dsn_of("approver"), autocommit=True) as db:
        for statement in OWN_APPROVAL:
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="another person"):
                db.execute(statement)


def test_who_it_was_and_when_says_the_database(roles: Logins) -> None:
    for group in ("operator", "approver", "ticker"):
        for statement in FORGED:
            roles.refused(group, statement)


def test_nothing_unapproved_is_queued(roles: Logins) -> None:
    """Whatever the policy and whatever the run says of itself."""
    assert roles.as_("operator", "register", CHANGE).code == 0
    assert roles.as_("operator", "register", SAY).code == 0
    with psycopg.connect(roles.dsn_of("operator")) as db:
        for run in UNAPPROVED:
            db.execute(PENDING + run)
            with pytest.raises(psycopg.errors.CheckViolation, match="approved schedule"):
                db.execute(LEG)
            db.rollback()


def test_what_agents_toml_restarts_is_approved_by_it(roles: Logins) -> None:
    assert roles.run("register", CHANGE).code == 0
    roles.owner("INSERT INTO schedctl.agent (name, restart_plan) SELECT 'reviewer', plan_id FROM schedctl.schedule")
    with psycopg.connect(roles.dsn_of("ticker")) as db:
        db.execute(PENDING + UNAPPROVED[3])
        db.execute(LEG)


@pytest.mark.parametrize(("actor", "approves"), [("alice", False), ("bob", True)])
def test_two_people_through_one_login_are_two(two_people: Logins, actor: str, approves: bool) -> None:
    """The same one twice, in whatever spelling, is one."""
    assert two_people.run("register", CHANGE).code == 0
    two_people.owner("UPDATE schedctl.schedule SET created_identity = 'Alice'")
    with closing(database.connect(two_people.dsn_of("gate"), Admitted("approver", actor, None, "192.0.2.7"))) as db:
        refusal = nullcontext() if approves else pytest.raises(NotAllowed, match="Another person")
        with refusal, database.transaction(db, None):
            db.execute("UPDATE schedctl.schedule SET approved_at = now() WHERE schedule_id = 1")
    assert two_people.owner("SELECT approved_identity FROM schedctl.schedule") == [("bob" if approves else None,)]


def test_nobody_else_can_speak_for_people(roles: Logins) -> None:
    for group in ("operator", "approver", "ticker", "viewer"):
        with psycopg.connect(roles.dsn_of(group)) as db:
            db.execute("""SELECT set_config('schedctl.gate', '{"actor": "alice"}', false)""")
            assert db.execute("SELECT schedctl.gate(), schedctl.identity() = session_user").fetchone() == (None, True)


def test_the_gates_login_may_do_nothing_by_itself(roles: Logins) -> None:
    for statement in ("SELECT FROM schedctl.schedule", "SELECT FROM schedctl.event", "SELECT schedctl.beat('a', 'ok')"):
        roles.refused("gate", statement)
    for role in ("schedctl_ticker", "schedctl_worker"):
        roles.refused("gate", f"SET ROLE {role}")


def test_the_database_reads_the_policy_as_the_program_does(roles: Logins) -> None:
    """The defaults stand in both: the function has to know them where policy.toml says nothing."""
    roles.owner(
        "UPDATE schedctl.catalog SET document = jsonb_set(document, '{files,policy.toml}', '{\"second_person\": true}')"
    )
    needs = [risk for risk in RISKS if roles.owner("SELECT schedctl.needs_another_person(%s)", (risk,)) == [(True,)]]
    assert tuple(needs) == Policy().approval
    roles.owner("UPDATE schedctl.catalog SET document = document #- '{files,policy.toml}'")
    assert roles.owner("SELECT schedctl.needs_another_person('disrupts')") == [(False,)]
    assert settings_for("").admitted is None
