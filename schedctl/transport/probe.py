"""What a node is like: one connection (or one local shell), a script that reads and changes nothing, its answer."""

from __future__ import annotations

import os
import secrets
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from schedctl.secrets import without_ours
from schedctl.transport import ssh_errors
from schedctl.transport.ssh_envelope import REMOTE_COMMAND
from schedctl.transport.ssh_errors import Trouble
from schedctl.transport.ssh_link import Link

if TYPE_CHECKING:
    from schedctl.plan.model import Target
    from schedctl.redact import Redactor
    from schedctl.transport.ssh_link import Client

SCRIPT: Final = Path(__file__).with_name("probe.sh").read_text(encoding="utf-8")
TURN_S: Final = 0.5
LONGEST_ANSWER: Final = 262_144
"""Bytes: `sudo -l` of a user with very many rules."""


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """What a node said of itself. `clock_s` is its clock in seconds since 1970, `sudo` what `sudo -n -l` printed."""

    clock_s: int
    uid: int
    user: str
    programs: frozenset[str]
    systemd: str | None
    """Its version where it is PID 1."""
    home_is_writable: bool
    sudo: str


def ask_node(client: Client, target: Target, redactor: Redactor, patience_s: float) -> NodeFacts | Trouble:
    """Over ssh, on one connection, within `patience_s`; what kept it from answering is typed like a command's."""
    nonce = secrets.token_hex(16)
    give_up = time.monotonic() + patience_s
    heard = bytearray()
    try:
        with Link(client.argv(target, REMOTE_COMMAND), _text(nonce)) as link:
            while (said := link.hear(TURN_S)) is not None and len(heard) < LONGEST_ANSWER:
                heard += said
                if time.monotonic() > give_up:
                    return Trouble("host_unreachable", "no answer", before_anything=False)
            facts = read_answer(heard.decode("utf-8", "replace"), nonce)
            if facts is not None:
                return facts
            code = link.exit_code()
            return ssh_errors.trouble(redactor.bytes(link.diagnosis), code, greeted=nonce.encode() in heard)
    except OSError as error:
        return Trouble("could_not_start", error.strerror or str(error), before_anything=True)


def ask_this_host(patience_s: float) -> NodeFacts | Trouble:
    """The same of this host, as the user that we are."""
    nonce = secrets.token_hex(16)
    try:
        done = subprocess.run(
            ["/bin/sh", "-s"],
            input=_text(nonce),
            env=without_ours(os.environ),
            capture_output=True,
            timeout=patience_s,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return Trouble("could_not_start", "/bin/sh", before_anything=True)
    facts = read_answer(done.stdout.decode("utf-8", "replace"), nonce)
    return facts or Trouble("could_not_start", "/bin/sh", before_anything=True)


def read_answer(text: str, nonce: str) -> NodeFacts | None:
    """The facts of a whole answer; None when it is none. What a login shell prints beside it does not count."""
    said: dict[str, list[str]] = {}
    for line in text.splitlines():
        mark, _, rest = line.partition(" ")
        if mark == nonce:
            word, _, value = rest.partition(" ")
            said.setdefault(word, []).append(value)
    uid, _, user = said.get("user", [""])[0].partition(" ")
    clock = said.get("clock", [""])[0]
    if "end" not in said or not (uid.isdecimal() and clock.isdecimal()):
        return None
    return NodeFacts(
        clock_s=int(clock),
        uid=int(uid),
        user=user,
        programs=frozenset(said.get("has", [])),
        systemd=said["systemd"][0] or "?" if "systemd" in said else None,
        home_is_writable="home" in said,
        sudo="\n".join(said.get("sudo", [])),
    )


def _text(nonce: str) -> bytes:
    return f"nonce={nonce}\n{SCRIPT}".encode()
