"""A systemd that units are installed for: the machine's own, or one person's. The one place that calls its programs."""

from __future__ import annotations

import getpass
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from schedctl.errors import NotAllowed, OperationFailed, Refused
from schedctl.language import Text
from schedctl.secrets import without_ours

if TYPE_CHECKING:
    from collections.abc import Mapping

Scope = Literal["system", "user"]

OLDEST: Final = 249
"""The first systemd that knows OnSuccess=."""
BOOTED: Final = Path("/run/systemd/system")
"""There where systemd is PID 1 (sd_booted(3))."""
LINGERING: Final = Path("/var/lib/systemd/linger")
"""Here logind notes whose manager runs without a login (loginctl(1), enable-linger)."""
PATIENCE_S: Final = 120
PROGRAMS: Final = ("systemctl", "systemd-analyze")
NEEDED_BY: Final[Mapping[Scope, tuple[str, ...]]] = {
    "system": (*PROGRAMS, "systemd-sysusers"),
    "user": PROGRAMS,
}


@dataclass(frozen=True, slots=True)
class Manager:
    """Where its units lie, where the settings of schedctl lie beside them, and how it is spoken to."""

    scope: Scope
    units: Path
    settings: Path
    sysusers: Path | None
    """The folder for users of the system; a person's manager makes none."""
    bus: Path
    """What is there as long as it runs."""

    @property
    def option(self) -> str:
        """What its programs call it."""
        return f"--{self.scope}"

    @property
    def systemctl_said(self) -> str:
        """How a person calls systemctl for it."""
        return "systemctl" if self.scope == "system" else "systemctl --user"

    @property
    def journal_said(self) -> str:
        """How a person reads what its units say."""
        return "journalctl -u" if self.scope == "system" else "journalctl --user -u"

    def systemctl(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run systemctl for it; the caller looks at the exit code."""
        return run("systemctl", self.option, "--no-ask-password", *words)

    def order(self, *words: str) -> None:
        """The same, for what must succeed: else `OperationFailed` (`systemd_failed`)."""
        must_succeed(self.systemctl(*words), f"{self.systemctl_said} {' '.join(words)}")

    def properties(self, unit: str, *names: str) -> dict[str, str]:
        """Properties of a unit as systemctl shows them; of one that does not exist there are some too."""
        said = self.systemctl("show", f"--property={','.join(names)}", "--", unit).stdout
        return dict(line.split("=", 1) for line in said.splitlines() if "=" in line)


def the_manager(scope: Scope, environ: Mapping[str, str]) -> Manager:
    """The machine's systemd, or that of the person whose environment it is."""
    if scope == "system":
        etc = Path("/etc")
        return Manager(scope, etc / "systemd/system", etc / "schedctl", etc / "sysusers.d", BOOTED)
    home = Path(environ.get("HOME") or "~").expanduser()
    configuration = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    runtime = Path(environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.geteuid()}")
    bus = runtime / "systemd/private"
    return Manager(scope, configuration / "systemd/user", configuration / "schedctl", None, bus)


def require_usable(manager: Manager, instead: Text) -> None:
    """Refuse where there is no such systemd (then do `instead`), or an old one, or where only root may speak to it."""
    missing = [name for name in NEEDED_BY[manager.scope] if shutil.which(name) is None]
    if missing or not manager.bus.exists():
        raise _absent(manager, missing, instead)
    if manager.scope == "system" and os.geteuid() != 0:
        raise NotAllowed(
            "needs_root",
            Text("マシン全体のユニットは root しか入れられません", "Only root can install units for the whole machine"),
            Text(
                "sudo を付けて実行するか、自分だけのために --user で入れてください",
                "Run it with sudo, or install them for yourself with --user",
            ),
        )
    version = re.search(r"systemd (\d+)", run("systemctl", "--version").stdout)
    if version is None or int(version[1]) < OLDEST:
        found = version[1] if version else "?"
        raise Refused(
            "systemd_too_old",
            Text(
                f"systemd {found} は古すぎます。{OLDEST} 以降が必要です",
                f"systemd {found} is too old; {OLDEST} is needed",
            ),
            Text(
                "cron から1分ごとに schedctl tick、続けて schedctl work --drain を呼んでください",
                "Call schedctl tick, then schedctl work --drain, from cron each minute",
            ),
        )


def stays_after_logout(manager: Manager) -> bool:
    """Whether its timers go on when the person logs out: the machine's always do, a person's where lingering is on."""
    return manager.scope == "system" or (LINGERING / getpass.getuser()).exists()


def must_succeed(done: subprocess.CompletedProcess[str], said: str) -> None:
    """`OperationFailed` (`systemd_failed`) with what a program of systemd complained about, unless it succeeded."""
    if done.returncode == 0:
        return
    complaint = (
        " / ".join(line.strip() for line in done.stderr.splitlines() if line.strip()) or f"exit {done.returncode}"
    )
    raise OperationFailed(
        "systemd_failed",
        Text(f"「{said}」が失敗しました: {complaint}", f"“{said}” failed: {complaint}"),
        Text(
            "直してから、もう一度同じコマンドを実行してください。済んだところは繰り返されません",
            "Repair that and run the same command again; what was done is not done twice",
        ),
    )


def run(program: str, *words: str, patience_s: int = PATIENCE_S) -> subprocess.CompletedProcess[str]:
    """Run one of systemd's programs to its end, in plain English and without a pager."""
    plain = {"LC_ALL": "C.UTF-8", "SYSTEMD_COLORS": "0", "SYSTEMD_PAGER": "cat", "PAGER": "cat"}
    environment = without_ours(os.environ) | plain
    argv = [program, *words]
    try:
        return subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            env=environment, timeout=patience_s, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(argv, 124, "", f"no answer within {patience_s} s")


def _absent(manager: Manager, missing: list[str], instead: Text) -> Refused:
    if manager.scope == "user":
        return Refused(
            "no_systemd",
            Text(
                "あなたの systemd（systemd --user）が動いていません", "Your own systemd (systemd --user) is not running"
            ),
            Text(
                "su や sudo ではなく普通にログインして実行するか、root になって --system で入れてください",
                "Log in properly (not through su or sudo), or become root and install with --system",
            ),
        )
    said = ", ".join(missing) or "PID 1"
    return Refused(
        "no_systemd",
        Text(f"このマシンは systemd で動いていません（{said}）", f"This machine does not run systemd ({said})"),
        instead,
    )
