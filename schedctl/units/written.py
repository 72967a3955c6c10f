"""The unit files that come with schedctl, written out for one place; and whether a person changed one since. Pure."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

    from schedctl.units.manager import Scope

SHIPPED_PROGRAM: Final = "/opt/schedctl/bin/schedctl"
SHIPPED_SETTINGS: Final = "/etc/schedctl"
SHIPPED_DSN: Final = f"LoadCredential=dsn:{SHIPPED_SETTINGS}/dsn"
SYSUSERS: Final = "schedctl.sysusers.conf"
SYSUSERS_INSTALLED: Final = "schedctl.conf"
NODE_TEMPLATE: Final = "schedctl-work@"
MARK: Final = "# Written by schedctl install-units. Change it with a drop-in (systemctl edit), not here. "
MARKED: Final = re.compile(re.escape(MARK) + r"sha256:([0-9a-f]{64})\n")

NOT_FOR_A_PERSON: Final = frozenset(
    {
        "User", "CapabilityBoundingSet", "AmbientCapabilities", "ProtectSystem", "ProtectHome", "PrivateTmp",
        "PrivateDevices", "ProtectKernelTunables", "ProtectKernelModules", "ProtectKernelLogs", "ProtectControlGroups",
        "ProtectClock", "ProtectHostname", "ProtectProc", "ProcSubset", "KeyringMode", "RemoveIPC", "After", "Wants",
    }
)  # fmt: skip
"""Settings that a person's systemd cannot carry out: they need root, or name units of the machine."""

QUIET: Final = "LogLevelMax=notice"
QUIET_FOR_A_PERSON: Final = """\
# The journal minds this limit in units of the machine only. What happened goes to it straight, answers nowhere.
StandardOutput=null"""


@dataclass(frozen=True, slots=True)
class Choice:
    """What differs between places: which program, where the DSN lies, and whose systemd it is."""

    scope: Scope
    program: Path
    settings: Path
    dsn: Path


def written(shipped: str, choice: Choice) -> str:
    """A shipped unit file as it is written for this place, with its mark in the first line."""
    text = shipped.replace(SHIPPED_PROGRAM, str(choice.program))
    text = text.replace(SHIPPED_DSN, f"LoadCredential=dsn:{choice.dsn}")
    text = text.replace(SHIPPED_SETTINGS, str(choice.settings)) if choice.scope == "user" else text
    return marked(_for_a_person(text) if choice.scope == "user" else text)


def marked(text: str) -> str:
    """The text behind a line that tells whether somebody changed it."""
    return f"{MARK}sha256:{_digest(text)}\n{text}"


def is_as_written(there: str, shipped: str) -> bool:
    """Whether a file is as some version of schedctl wrote it, or the shipped one copied by hand."""
    mark = MARKED.match(there)
    if mark is None:
        return there == shipped
    return mark[1] == _digest(there[mark.end() :])


def _for_a_person(text: str) -> str:
    """Without what a person's systemd cannot do, and without the comments that speak of it."""
    kept: list[str] = []
    for line in text.replace(QUIET, f"{QUIET}\n{QUIET_FOR_A_PERSON}").splitlines():
        if line.partition("=")[0] in NOT_FOR_A_PERSON:
            while kept and kept[-1].startswith("#"):
                kept.pop()
            continue
        kept.append(line)
    return "\n".join(kept) + "\n"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
