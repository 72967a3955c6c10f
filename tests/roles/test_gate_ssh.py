"""The gate behind a real sshd: what OpenSSH hands over, and an attacker with a shell on the client's side."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pytest
from gates import ROOT, Gate, Said
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from logins import SAY
from sshd import Sshd, require_sshd

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from logins import Logins

ATTACKS: Final = (
    *(
        "touch {mark}",
        "list; touch {mark}",
        "list && touch {mark}",
        "list | tee {mark}",
        "list > {mark}",
        "; touch {mark}",
    ),
    *("$(touch {mark})", "`touch {mark}`", "list $(touch {mark})", "list\ntouch {mark}", "list\rtouch {mark}"),
    *(
        "sh -c 'touch {mark}'",
        "list --dsn $(touch {mark})",
        "show @{mark}",
        "schedctl gate --role approver --actor bob",
    ),
    *(
        "env SCHEDCTL_ACTOR=bob schedctl list",
        "SCHEDCTL_ACTOR=bob list",
        "list --json=$(touch {mark})",
    ),
    *("approve 1", "list --lan ja", "list \u2014\u2014json", "logs 1 -f", "report --html {mark}", "page --out {mark}"),
)


MANY: Final = """
    INSERT INTO schedctl.schedule (state, instruction, task, rule, recurring, timezone, sameness, plan_id,
                                   settled_through, next_fire_at, computed_with, created_by, approved_at, approved_by)
    SELECT state, instruction, task, rule, recurring, timezone, sameness || n, plan_id, settled_through, next_fire_at,
           computed_with, created_by, approved_at, approved_by FROM schedctl.schedule, generate_series(1, 40) AS n
"""


@dataclass(frozen=True, slots=True)
class Behind:
    """A gate behind an sshd, as its client sees it."""

    sshd: Sshd
    gate: Gate

    def let_in(self, role: str, actor: str, options: str = "restrict") -> None:
        """Write the one line of authorized_keys."""
        said = " ".join(["env", f"PYTHONPATH={ROOT}", *self.gate.command(role, actor)])
        key = (self.sshd.folder / "id.pub").read_text()
        (self.sshd.folder / "authorized_keys").write_text(f'{options},command="{said}" {key}'.lstrip(","))

    def ssh(self, *words: str | bytes, options: tuple[str, ...] = ()) -> Said:
        """What a person types behind `ssh host`."""
        command = ["ssh", "-F", str(self.sshd.folder / "ssh_config"), "-p", str(self.sshd.port), *options]
        words = ("127.0.0.1", "--", *words) if words else ("127.0.0.1",)
        ran = subprocess.run([*command, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
        return Said(ran.returncode, ran.stdout.decode(), ran.stderr.decode())


@pytest.fixture
def behind(roles: Logins, tmp_path: Path) -> Iterator[Behind]:
    """An sshd that passes on whatever variable a client sends, which none should."""
    require_sshd()
    gate = Gate(tmp_path, roles.dsn_of("gate"))
    gate.prepare()
    sshd = Sshd(tmp_path / "node")
    sshd.prepare()
    with (sshd.folder / "sshd_config").open("a") as config:
        config.write("AcceptEnv *\nSubsystem sftp internal-sftp\n")
    made = Behind(sshd, gate)
    made.let_in("operator", "alice")
    sshd.start()
    yield made
    sshd.cut()
    sshd.stop()


def test_a_sentence_is_passed_as_it_is(behind: Behind, roles: Logins) -> None:
    said = behind.ssh("register", "--json", SAY)
    assert (said.code, said.err, said.json["schedule"]["instruction"]) == (0, "", SAY)
    event = roles.owner("SELECT actor, gate ->> 'from', gate ->> 'key' FROM schedctl.event WHERE type = 'registered'")
    assert event == [("alice", "127.0.0.1", "SHA256:abc")]


def test_blanks_quotes_and_apostrophes_arrive(behind: Behind) -> None:
    said = behind.ssh("explain", "--json", "毎週日曜　午前3時に", "mars の", "disk's “usage” を確認して")
    assert said.json["text"] == "毎週日曜　午前3時に mars の disk's “usage” を確認して"
    assert behind.ssh(f"explain --json '{SAY}'").json["text"] == SAY


def test_no_attack_runs_anything(behind: Behind, tmp_path: Path) -> None:
    attacked(behind, tmp_path / "pwned", ATTACKS[1:13:3])


@pytest.mark.long
def test_no_attack_of_all_runs_anything(behind: Behind, tmp_path: Path) -> None:
    attacked(behind, tmp_path / "pwned", ATTACKS)


def attacked(behind: Behind, mark: Path, attacks: tuple[str, ...]) -> None:
    for attack in attacks:
        said = behind.ssh(attack.format(mark=mark))
        assert (said.code, said.out, "[gate_refused]" in said.err) == (4, "", True), (attack, said)
    assert not mark.exists()


def test_a_client_that_sends_variables_changes_nothing(behind: Behind, roles: Logins) -> None:
    forged = "SCHEDCTL_ACTOR=mallory SCHEDCTL_DSN=host=192.0.2.9 PGOPTIONS=-crole=postgres SSH_CONNECTION=192.0.2.9"
    said = behind.ssh("register", "--json", SAY, options=("-o", f"SetEnv={forged} SCHEDCTL_CATALOG=/tmp HOME=/tmp"))
    assert (said.code, said.err, said.json["schedule"]["created_by"]) == (0, "", "alice")
    assert roles.owner("SELECT DISTINCT gate ->> 'from' FROM schedctl.event WHERE gate IS NOT NULL") == [("127.0.0.1",)]
    # Nor can it say its line by a variable: sshd's own comes last.
    said = behind.ssh("list", options=("-o", "SetEnv=SSH_ORIGINAL_COMMAND=status"))
    assert "every day at 03:00" in said.out


def test_there_is_no_shell_no_file_transfer_and_no_tunnel(behind: Behind) -> None:
    said = behind.ssh()
    assert (said.code, said.out, "[gate_refused]" in said.err) == (4, "", True)
    assert "PTY allocation request failed" in behind.ssh(options=("-tt",)).err
    assert behind.ssh("sftp", options=("-s",)).code == 4
    assert behind.ssh(options=("-W", "127.0.0.1:22")).code == 255


def test_a_terminal_brings_no_pager(behind: Behind, roles: Logins, tmp_path: Path) -> None:
    """Without `restrict` a client can have a terminal; a pager on it could start a shell."""
    assert roles.run("register", SAY).code == 0
    roles.owner(MANY)
    pager = tmp_path / "pager"
    pager.write_text(f"#!/bin/sh\ntouch {tmp_path}/pwned\ncat\n")
    pager.chmod(0o755)
    behind.gate.prepare(f"SCHEDCTL_PAGER={pager}")
    behind.let_in("viewer", "alice", "")
    said = behind.ssh("list", options=("-tt",))
    assert (said.code, said.out.count("03:00") > 40) == (0, True)
    assert not (tmp_path / "pwned").exists()


@pytest.mark.long
def test_whatever_a_client_sends_is_a_command_of_the_role_or_refused(behind: Behind, tmp_path: Path) -> None:
    mark = tmp_path / "pwned"
    piece = st.one_of(
        st.sampled_from(
            ["list", "show", "1", "--json", ";", "&&", f"touch {mark}", f"$(touch {mark})", "\n", "'", '"']
        ),
        st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=6),
    )

    @hypothesis_settings(max_examples=100)
    @given(st.lists(piece, min_size=1, max_size=6))
    def tried(pieces: list[str]) -> None:
        said = behind.ssh(" ".join(pieces))
        assert said.code in (0, 2, 3, 4), said
        assert not mark.exists()

    tried()
