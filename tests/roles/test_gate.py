"""The gate as a process: whom it lets in is who acted, with that role's rights, whatever the client sent along."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Final, cast

import pytest
from gates import Gate
from installations import CATALOG
from logins import CHANGE, SAY

from schedctl.cli.gate_line import command_of
from schedctl.cli.gate_verbs import ROLES, Verb
from schedctl.cli.session import Session
from schedctl.settings import Admitted

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Ran
    from logins import Logins

EVENTS: Final = "SELECT type, actor, role, host, gate FROM schedctl.event ORDER BY event_id DESC LIMIT 1"
FORGED: Final = {
    "SCHEDCTL_ACTOR": "mallory",
    "SCHEDCTL_DSN": "host=192.0.2.99 user=evil",
    "SCHEDCTL_CATALOG": "/nonexistent",
    "SCHEDCTL_STATE": "/nonexistent",
    "SCHEDCTL_HOST": "elsewhere",
    "SCHEDCTL_REHEARSAL_NOW": "2030-01-01T00:00:00+09:00",
    "SCHEDCTL_LANG": "xx",
    "SCHEDCTL_DEBUG": "1",
    "SCHEDCTL_PLANNER": "openai",
    "SCHEDCTL_PLANNER_URL": "http://192.0.2.99/",
    "SCHEDCTL_TIMEZONE": "America/New_York",
    "SCHEDCTL_SSH_CONFIG": "/tmp/evil",
    "CREDENTIALS_DIRECTORY": "/tmp",
    "PGHOST": "192.0.2.99",
    "PGOPTIONS": "-c role=postgres -c schedctl.gate={}",
    "PGUSER": "postgres",
    "PGSERVICE": "evil",
    "PGSERVICEFILE": "/tmp/evil",
    "PGPASSFILE": "/tmp/evil",
    "PGSYSCONFDIR": "/tmp",
    "HTTP_PROXY": "http://192.0.2.99/",
    "HOME": "/tmp",
    "XDG_STATE_HOME": "/tmp",
    "PAGER": "sh -c id",
    "_SCHEDCTL_COMPLETE": "bash_source",
    "PYTHONUTF8": "0",
    "PYTHONCOERCECLOCALE": "0",
    "LC_CTYPE": "C",
    "TZ": "America/New_York",
    "LC_ALL": "C",
}


@pytest.fixture
def gate(roles: Logins, tmp_path: Path) -> Gate:
    """A gate whose database login may do nothing but speak for people."""
    made = Gate(tmp_path, roles.dsn_of("gate"))
    made.prepare()
    return made


def test_who_acted_is_whom_the_key_belongs_to(roles: Logins, gate: Gate) -> None:
    said = gate.say(f"register --json {SAY}")
    assert (said.code, said.err) == (0, "")
    assert said.json["schedule"]["created_by"] == "alice"
    who = {"actor": "alice", "role": "operator", "key": "SHA256:abc", "from": "192.0.2.7"}
    assert roles.owner(EVENTS) == [("approved", "alice", roles.names["gate"], "192.0.2.7", who)]
    assert gate.say("pause 1 --reason しばらく  休む", actor="田中").code == 0
    event = roles.owner("SELECT actor, gate ->> 'actor', detail ->> 'reason' FROM schedctl.event WHERE type = 'paused'")
    assert event == [("田中", "田中", "しばらく  休む")]


def test_nothing_that_a_client_sends_changes_who_where_or_when(roles: Logins, gate: Gate) -> None:
    said = gate.say(f"register --json --lang en {SAY}", **FORGED)
    assert (said.code, said.err) == (0, "")
    assert said.json["schedule"]["when"]["timezone"] == "Asia/Tokyo"
    assert roles.owner("SELECT created_by, created_identity FROM schedctl.schedule") == [("alice", "alice")]
    assert roles.owner("SELECT abs(extract(epoch FROM created_at - now())) < 3600 FROM schedctl.schedule") == [(True,)]
    assert roles.owner("SELECT host FROM schedctl.plan_leg") == [("testhost",)]


def test_two_people_need_two_keys(roles: Logins, gate: Gate, tmp_path: Path) -> None:
    """One login for all of them: who they are says the gate, and neither a label nor another role makes two of one."""
    folder = shutil.copytree(CATALOG, tmp_path / "catalog")
    (folder / "policy.toml").write_text("second_person = true\n")
    gate.prepare(f"SCHEDCTL_CATALOG={folder}")
    assert gate.say("catalog adopt", "approver", "carol").code == 0
    assert gate.say(f"register --yes --json {CHANGE}", "approver").json["schedule"]["state"] == "pending"
    own = gate.say("approve 1", "approver", SCHEDCTL_ACTOR="bob", PGOPTIONS="-c schedctl.gate={}")
    assert (own.code, "[second_person_needed]" in own.err) == (4, True)
    assert gate.say("approve 1 --json", "approver", "bob").json["schedule"]["approved_by"] == "bob"
    assert roles.owner("SELECT created_identity, approved_identity FROM schedctl.schedule") == [("alice", "bob")]


def test_a_role_has_its_rights_in_the_database_too(roles: Logins, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each verb of each role works by the gate's login, which may do nothing else."""

    def said(line: str, role: str, actor: str = "alice") -> Ran:
        monkeypatch.setattr(Session, "admitted", Admitted(role, actor, None, "192.0.2.7"))
        return roles.as_("gate", *command_of(line, ROLES[role]))

    assert said(f"register {CHANGE}", "operator").code == 0
    monkeypatch.setitem(cast("dict[str, Verb]", ROLES["operator"]), "approve", ROLES["approver"]["approve"])
    assert said("approve 1", "operator").code == 4, "the database refuses what the table would have let through"
    assert said("approve 1", "approver", "bob").code == 0
    for line in ("list", "show 1", "runs", "upcoming", "status", "explain " + SAY):
        ran = said(line, "viewer")
        assert (ran.code in (0, 1), "[" in ran.err) == (True, False), (line, ran)
    for line in ("arm", "test-run 1 --json", "logs 1", "cancel 1", "rerun 1", "pause 1 --reason x", "resume 1"):
        assert said(line, "operator").code == 0, line
    for line in ("node hold mars --reason x", "node release mars", "archive 1", "disarm --reason x"):
        assert said(line, "operator").code == 0, line
    for line in ("catalog check", "catalog adopt --dry-run", "catalog adopt"):
        assert said(line, "approver").code == 0, line
    assert said("beat reviewer --status ok --tokens 5 --detail all is well", "beater", "reviewer").code == 0
    assert roles.owner("SELECT name, status FROM schedctl.agent") == [("reviewer", "ok")]
    assert roles.owner("SELECT DISTINCT gate ->> 'actor' FROM schedctl.event WHERE type <> 'catalog_adopted'") != []


def test_nothing_is_carried_out_in_the_gate_not_even_with_the_owners_login(roles: Logins, tmp_path: Path) -> None:
    gate = Gate(tmp_path, roles.dsn)
    gate.prepare()
    assert gate.say(f"register {SAY}").code == 0
    assert gate.say("test-run 1 --json").json["run"]["state"] == "queued"
    assert roles.owner("SELECT created_by FROM schedctl.run") == [("alice",)]


def test_a_login_that_may_not_speak_for_people_is_told_what_to_do(roles: Logins, tmp_path: Path) -> None:
    gate = Gate(tmp_path, roles.dsn_of("operator"))
    gate.prepare()
    said = gate.say("list --json --lang en", "approver")
    assert (said.code, said.json["error"]["type"]) == (4, "gate_not_granted")
    assert said.json["error"]["hint"].endswith("schedctl grant gate " + roles.names["operator"])


def test_a_refusal_is_a_refusal_in_the_clients_own_way(gate: Gate) -> None:
    said = gate.say("list --dsn x --json")
    assert (said.code, said.err, said.json["error"]["type"]) == (4, "", "gate_refused")
    said = gate.say("reboot", LANG="ja_JP.UTF-8")
    assert (said.code, said.out, said.err.splitlines()[0]) == (
        4,
        "",
        "schedctl: この鍵では「reboot」は使えません [gate_refused]",
    )


@pytest.mark.parametrize("line", [b"list \xff\xfe", b"list\x1b[2J", b"x" * 100_000])
def test_what_is_no_text_is_refused(gate: Gate, line: bytes) -> None:
    said = gate.say(line)
    assert (said.code, said.out, "[gate_refused]" in said.err, "\x1b" in said.err) == (4, "", True, False)


def test_a_shells_letters_reach_no_shell(gate: Gate, tmp_path: Path) -> None:
    for line in (
        f"register 毎日3時に$(touch {tmp_path}/pwned)",
        f"register `touch {tmp_path}/pwned`; touch {tmp_path}/pwned",
    ):
        assert gate.say(line).code in (2, 4)
    assert gate.say(f"list; touch {tmp_path}/pwned").code == 4
    assert not (tmp_path / "pwned").exists()


def test_an_agents_key_beats_for_that_agent_alone(gate: Gate) -> None:
    assert gate.say("beat reviewer --json", "beater", "reviewer").json == {
        "agent": {"name": "reviewer", "status": "ok"}
    }
    other = gate.say("beat builder", "beater", "reviewer")
    assert (other.code, "[gate_refused]" in other.err) == (4, True)
    assert gate.say("beat --help", "beater", "reviewer").code == 0


def test_help_says_what_the_key_may_do(gate: Gate) -> None:
    said = gate.say("help", "viewer")
    assert (said.code, "show" in said.out, "register" in said.out) == (0, True, False)
    assert "--yes" in gate.say("register --help").out


def test_the_settings_are_nobody_elses_to_write_or_read(gate: Gate) -> None:
    for mode in (0o660, 0o602, 0o644):
        gate.settings.chmod(mode)
        said = gate.say("list")
        assert (said.code, "[gate_settings]" in said.err) == (1, True)
    gate.settings.chmod(0o600)
    gate.settings.write_text("SCHEDCTL_DSN\n")
    assert "line 1" in gate.say("list").err
    gate.settings.unlink()
    assert "is not there" in gate.say("list").err


@pytest.mark.parametrize("actor", ["", "alice;id", "a\nb"])
def test_an_actor_is_a_name(gate: Gate, actor: str) -> None:
    assert gate.say("list", actor=actor).code == 2
