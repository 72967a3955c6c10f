"""The environment in which a gate's command runs: what the administrator's file says, and nothing that the client sent.

sshd may pass on what a client sends (AcceptEnv). The gate cannot tell it from anything else, so it keeps none of it but
the language, and takes its settings from a file.
"""

from __future__ import annotations

import ipaddress
import os
import pwd
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Final

from schedctl.errors import OperationFailed
from schedctl.language import Text

if TYPE_CHECKING:
    from collections.abc import Mapping

SETTINGS: Final = Path("/etc/schedctl/gate")
PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
LOCALES: Final = ("LANG", "LC_ALL", "LC_MESSAGES")
A_LOCALE: Final = re.compile(r"[A-Za-z]{1,8}(?:_[A-Za-z]{2})?(?:\.[A-Za-z0-9-]{1,12})?")
ASSIGNMENT: Final = re.compile(r"([A-Z_][A-Z0-9_]*)=(.*)")
NEVER: Final = frozenset({"SCHEDCTL_ACTOR", "SCHEDCTL_REHEARSAL_NOW", "SSH_ORIGINAL_COMMAND"})
"""Who acts is said by the gate's own options, and when by the database."""


def clean(sent: Mapping[str, str], settings: Mapping[str, str]) -> dict[str, str]:
    """The whole environment of the command. Pagers and editors can start a shell, so none is left to be started."""
    user = pwd.getpwuid(os.getuid())
    languages = {name: sent[name] for name in LOCALES if A_LOCALE.fullmatch(sent.get(name, ""))}
    own = {"PATH": PATH, "HOME": user.pw_dir, "USER": user.pw_name, "LOGNAME": user.pw_name, "NO_COLOR": "1"}
    said = {name: value for name, value in settings.items() if name not in NEVER}
    return {**languages, **own, **said, "PAGER": "cat", "LESSSECURE": "1"}


def settings_in(path: Path) -> dict[str, str]:
    """The settings of the gate's file, as systemd's EnvironmentFile= writes them.

    `OperationFailed` (`gate_settings`) when it is missing or cannot be read, or when others can: who reads it can let
    anybody in.
    """
    try:
        with path.open(encoding="utf-8") as opened:
            _require_own(path, os.fstat(opened.fileno()))
            lines = opened.read().splitlines()
    except FileNotFoundError:
        raise _unusable(path, Text("がありません", "is not there")) from None
    except (OSError, UnicodeDecodeError):
        raise _unusable(path, Text("が読めません", "cannot be read")) from None
    return dict(_assignments(path, lines))


def client_address(sent: Mapping[str, str]) -> str:
    """The address from which the client came, by sshd's own word."""
    word = sent.get("SSH_CONNECTION", "").partition(" ")[0]
    try:
        return str(ipaddress.ip_address(word.partition("%")[0]))
    except ValueError:
        return ""


def _assignments(path: Path, lines: list[str]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith(("#", ";")):
            continue
        written = ASSIGNMENT.fullmatch(line.strip())
        if written is None:
            raise _unusable(
                path, Text(f"の {number} 行目が NAME=value ではありません", f"line {number} is not NAME=value")
            )
        value = written[2].strip()
        if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
            value = value[1:-1]
        found.append((written[1], value))
    return found


def _require_own(path: Path, status: os.stat_result) -> None:
    mine = status.st_uid in (0, os.geteuid())
    if not mine or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise _unusable(path, Text("は、ほかの利用者が書き換えられます", "could have been written by another user"))
    if status.st_mode & stat.S_IROTH:
        raise _unusable(path, Text("は、ほかの利用者が読めます", "can be read by everybody"))


def _unusable(path: Path, why: Text) -> OperationFailed:
    return OperationFailed(
        "gate_settings",
        Text(f"ゲートの設定ファイル {path} {why.ja}", f"The gate's settings {path}: {why.en}"),
        Text(
            "管理者に知らせてください（所有者は root、モードは 0640 まで）",
            "Tell the administrator: it belongs to root, mode 0640 at most",
        ),
    )
