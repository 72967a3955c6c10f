"""Database roles: each command works with its own, and what a worker's or an agent's cannot do."""

from __future__ import annotations

from typing import TYPE_CHECKING, LiteralString

import psycopg
import pytest
from logins import CHANGE, GROUPS, SAY, make_due

from schedctl.cli.start import SCHEMA_VERSION
from schedctl.store.probe import glance_work

if TYPE_CHECKING:
    from pathlib import Path

    from logins import Logins

FORBIDDEN: tuple[LiteralString, ...] = (
    # register, approve, requeue, change what runs, read what others wrote
    "INSERT INTO schedctl.schedule (state) VALUES ('active')",
    "UPDATE schedctl.schedule SET approved_at = now()",
    "INSERT INTO schedctl.run (trigger, state) VALUES ('manual', 'queued')",
    "UPDATE schedctl.leg SET state = 'queued'",
    "UPDATE schedctl.leg SET node = 'mars'",
    "UPDATE schedctl.plan_leg SET steps = '[]'",
    "UPDATE schedctl.step SET exit_code = 0",
    "DELETE FROM schedctl.step",
    "SELECT stdout_head FROM schedctl.step",
    "SELECT steps FROM schedctl.plan_leg",
    "SELECT token FROM schedctl.leg",
    "SELECT document FROM schedctl.catalog",
    "SELECT armed FROM schedctl.installation",
    "UPDATE schedctl.installation SET armed = true",
    "INSERT INTO schedctl.worker_node VALUES (session_user, 'venus', 'testhost')",
    "SELECT * FROM schedctl.worker_node",
    "SELECT schedctl.beat('agent', 'ok')",
    "SELECT schedctl.glance('tick', 'testhost', 1)",
    "SELECT schedctl.note_tick('testhost')",
    "SELECT schedctl.mark_lost()",
    "SELECT schedctl.settle_run(1)",
    "SELECT schedctl.cancel_queued(NULL, 'x')",
    "CREATE TABLE schedctl.mine (a int)",
    "CREATE FUNCTION schedctl.now(int) RETURNS int LANGUAGE sql AS 'SELECT 1'",
)


def fired(roles: Logins, *sentences: str) -> None:
    """These sentences registered and due by the real clock, and fired."""
    assert roles.run("arm").code == 0
    for sentence in sentences:
        assert roles.run("register", sentence, "--yes").code == 0
    make_due(roles)
    assert roles.as_("ticker", "tick", "--json").json["fired"] == len(sentences)


# ---------------------------------------------------------------- what works


def test_a_viewer_looks_and_changes_nothing(roles: Logins) -> None:
    fired(roles, SAY)
    for arguments in (("list",), ("show", "1"), ("runs",), ("logs", "1"), ("upcoming",), ("status",)):
        ran = roles.as_("viewer", *arguments)
        assert (ran.code in (0, 1), "not_allowed" in ran.err) == (True, False), (arguments, ran)
    for arguments in (("register", CHANGE), ("archive", "1"), ("disarm",), ("tick",), ("cancel", "1")):
        ran = roles.as_("viewer", *arguments)
        assert (ran.code, "[not_allowed]" in ran.err) == (4, True), (arguments, ran)


def test_a_viewer_writes_the_page(roles: Logins, tmp_path: Path) -> None:
    fired(roles, SAY)
    assert roles.as_("viewer", "page", "--out", str(tmp_path / "index.html")).code == 0


def test_an_operator_registers_and_cannot_approve(roles: Logins) -> None:
    assert roles.as_("operator", "arm").code == 0
    assert roles.as_("operator", "register", CHANGE, "--json").json["schedule"]["state"] == "pending"
    assert roles.as_("operator", "approve", "1").code == 4
    assert roles.as_("approver", "approve", "1", "--json").json["schedule"]["state"] == "active"
    for arguments in (("pause", "1", "--reason", "x"), ("resume", "1"), ("archive", "1")):
        assert roles.as_("operator", *arguments).code == 0, arguments
    assert roles.as_("operator", "register", SAY).code == 0
    assert roles.as_("operator", "node", "hold", "mars", "--reason", "x").code == 0
    assert roles.as_("operator", "node", "release", "mars").code == 0
    assert roles.as_("operator", "disarm").code == 0


def test_what_an_operator_starts_is_left_to_a_worker(roles: Logins) -> None:
    assert roles.run("register", SAY).code == 0
    started = roles.as_("operator", "test-run", "1", "--json")
    assert (started.code, started.json["run"]["state"]) == (0, "queued")
    roles.may_work_on("mars")
    assert roles.as_("worker", "work", "--json").json == {"runs": [{"id": 1}]}
    assert roles.as_("operator", "rerun", "1", "--json").json["run"]["state"] == "queued"


def test_a_ticker_fires_and_delivers(roles: Logins) -> None:
    fired(roles, SAY, CHANGE)
    roles.owner("UPDATE schedctl.leg SET claimable_until = now() - interval '1 minute'")
    roles.owner("UPDATE schedctl.installation SET tidied_at = now() - interval '2 hours'")
    ticked = roles.as_("ticker", "tick", "--json").json
    assert (ticked["missed"], ticked["warnings"]) == (2, [])
    assert roles.as_("ticker", "deliver").code == 0
    assert "not_allowed" not in roles.as_("ticker", "watch").err
    assert roles.as_("ticker", "register", SAY + "して").code != 0


def test_an_agent_beats_and_nothing_else(roles: Logins) -> None:
    assert roles.as_("beater", "beat", "agent", "--status", "ok", "--tokens", "5").code == 0
    assert roles.owner("SELECT name, status FROM schedctl.agent") == [("agent", "ok")]
    for statement in ("SELECT * FROM schedctl.agent", "UPDATE schedctl.agent SET state = 'ok'", *CLAIMS):
        roles.refused("beater", statement)


# ---------------------------------------------------------------- a worker's own role

CLAIMS: tuple[LiteralString, ...] = (
    "SELECT schedctl.claim('w', 'testhost')",
    "SELECT schedctl.claim_several('w', 'testhost', 16)",
    "SELECT schedctl.lost_holds('testhost')",
)


def test_a_worker_carries_out_what_is_for_its_node(roles: Logins) -> None:
    fired(roles, CHANGE, SAY.replace("mars", "venus"))
    roles.may_work_on("mars")
    worked = roles.as_("worker", "work", "--drain", "--json")
    assert (worked.code, worked.err, worked.json) == (0, "", {"runs": [{"id": 1}]})
    assert roles.owner("SELECT run_id, state FROM schedctl.run ORDER BY 1") == [(1, "succeeded"), (2, "queued")]
    again = roles.as_("worker", "work", "--drain", "--lang", "en")
    assert (again.code, again.out) == (0, "Nothing is waiting to be carried out\n")


def test_a_node_that_is_none_is_told_to_who_may_read_the_catalog(roles: Logins) -> None:
    unknown = roles.run("work", "--node", "nope", "--lang", "en")
    assert (unknown.code, "nope" in unknown.err) == (3, True), unknown.err
    assert roles.run("work", "--node", "mars").code == 0
    assert roles.as_("worker", "work", "--node", "nope").code == 0


def test_a_worker_learns_lightly_whether_there_is_something_for_it(roles: Logins) -> None:
    fired(roles, SAY)
    for node, told in (("venus", "idle"), ("mars", "busy")):
        roles.may_work_on(node)
        assert glance_work(roles.dsn_of("worker"), "testhost", [], SCHEMA_VERSION) == told


def test_a_worker_without_a_node_claims_nothing(roles: Logins) -> None:
    fired(roles, SAY)
    assert roles.as_("worker", "work", "--json").json == {"runs": []}


def test_a_worker_cannot_pretend_to_be_another_host(roles: Logins) -> None:
    fired(roles, SAY)
    roles.may_work_on("mars", "otherhost")
    assert roles.as_("worker", "work", "--json").json == {"runs": []}


def test_what_a_worker_cannot_do(roles: Logins) -> None:
    roles.may_work_on("mars")
    for statement in FORBIDDEN:
        roles.refused("worker", statement)


def test_a_worker_cannot_touch_what_another_has_claimed(roles: Logins) -> None:
    fired(roles, CHANGE)
    roles.may_work_on("venus")
    roles.owner("SELECT schedctl.claim('w', 'testhost')")
    with psycopg.connect(roles.dsn_of("worker"), autocommit=True) as db:
        guesses: tuple[tuple[LiteralString, object], ...] = (
            ("SELECT schedctl.begin_step(1, gen_random_uuid(), 0, 1)", "refused"),
            ("SELECT schedctl.renew(1, gen_random_uuid(), 0, 1, 'forged', '', 6, '', '', 0)", "overtaken"),
            ("SELECT schedctl.finish_leg(1, gen_random_uuid(), 'succeeded', NULL, NULL)", False),
            ("SELECT count(*) FROM schedctl.lost_holds('testhost')", 0),
        )
        for statement, answer in guesses:
            assert db.execute(statement).fetchone() == (answer,), statement
    assert roles.owner("SELECT state FROM schedctl.leg") == [("running",)]
    assert roles.owner("SELECT type FROM schedctl.event WHERE type = 'late_result'") == []


def test_a_worker_gives_only_its_own_lost_node_free(roles: Logins) -> None:
    fired(roles, CHANGE)
    roles.owner("SELECT schedctl.claim('w', 'testhost')")
    roles.owner("UPDATE schedctl.leg SET lease_until = now() - interval '1 minute'")
    roles.owner("SELECT schedctl.mark_lost()")
    free: LiteralString = (
        "SELECT schedctl.lost_leg_ended(1, 'w', NULL, NULL, 'failed', NULL, '', '', 0, '', '', '', 0, '')"
    )
    for node, answer in (("venus", False), ("mars", True)):
        roles.may_work_on(node)
        with psycopg.connect(roles.dsn_of("worker"), autocommit=True) as db:
            assert db.execute(free).fetchone() == (answer,)


def test_a_worker_cannot_end_a_leg_as_if_it_were_queued_again(roles: Logins) -> None:
    fired(roles, CHANGE)
    roles.may_work_on("mars")
    with psycopg.connect(roles.dsn_of("worker"), autocommit=True) as db:
        row = db.execute("SELECT leg_id, token FROM schedctl.claim('w', 'testhost')").fetchone()
        for state in ("queued", "not_run", "running"):
            with pytest.raises(psycopg.errors.InvalidParameterValue):
                db.execute("SELECT schedctl.finish_leg(%s, %s, %s, NULL, NULL)", (*(row or ()), state))


def test_a_worker_cannot_move_the_clock(roles: Logins) -> None:
    with psycopg.connect(roles.dsn_of("worker")) as db:
        db.execute("SET schedctl.now = '2030-01-01'")
        assert db.execute("SELECT schedctl.now() = now()").fetchone() == (True,)


def test_what_shadows_a_name_is_not_called(roles: Logins) -> None:
    """The functions run with the owner's rights: nothing of the caller's comes before pg_catalog."""
    fired(roles, SAY)
    roles.may_work_on("mars")
    with psycopg.connect(roles.dsn_of("worker"), autocommit=True) as db:
        db.execute("CREATE FUNCTION pg_temp.gen_random_uuid() RETURNS uuid LANGUAGE plpgsql AS 'BEGIN RAISE; END'")
        db.execute("SET search_path = pg_temp, pg_catalog")
        assert db.execute("SELECT count(*) FROM schedctl.claim('w', 'testhost')").fetchone() == (1,)


# ---------------------------------------------------------------- the file itself


PLACES = ["place", "settle_place", "timeline"]


def test_nobody_may_execute_what_runs_with_the_owners_rights(roles: Logins) -> None:
    found = roles.owner(
        "SELECT proname, grantee::regrole::text FROM pg_proc, aclexplode(proacl) "
        "WHERE pronamespace = 'schedctl'::regnamespace AND prosecdef AND grantee <> proowner "
        "AND grantee <> 0 ORDER BY 2, 1"
    )
    by_group: dict[object, list[object]] = {}
    for name, grantee in found:
        by_group.setdefault(grantee, []).append(name)
    assert by_group == {
        # where the database lies: they take nothing of the caller's, and settle_place can only disarm
        **{f"schedctl_{group}": PLACES for group in ("operator", "approver", "ticker")},
        "schedctl_viewer": ["place", "timeline"],
        "schedctl_beater": ["beat"],
        "schedctl_worker": [
            "begin_step",
            "claim",
            "claim_several",
            "finish_leg",
            "finish_step",
            "glance_work",
            "lost_holds",
            "lost_leg_ended",
            "renew",
        ],
    }
    everybody: LiteralString = (
        "SELECT proname FROM pg_proc WHERE pronamespace = 'schedctl'::regnamespace "
        "AND has_function_privilege('public', oid, 'EXECUTE')"
    )
    assert roles.owner(everybody) == []


def test_what_runs_with_the_owners_rights_has_a_fixed_search_path(roles: Logins) -> None:
    assert (
        roles.owner(
            "SELECT proname FROM pg_proc WHERE pronamespace = 'schedctl'::regnamespace AND prosecdef "
            "AND NOT coalesce(proconfig::text LIKE '%search_path=pg_catalog%', false)"
        )
        == []
    )


def test_the_trigger_functions_are_nobodys(roles: Logins) -> None:
    for group in GROUPS:
        roles.refused(group, "SELECT schedctl.fill_outbox()")
