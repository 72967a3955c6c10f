"""Settings: environment variables -> one frozen value; and where the files that come with schedctl lie."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from schedctl.errors import Refused
from schedctl.language import Lang, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

INSTALLED_DSN: Final = Path("/etc/schedctl/dsn")
DEFAULT_TIMEZONE: Final = "Asia/Tokyo"
PACKAGE: Final = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Admitted:
    """Whom the gate let in: a person under a role, the fingerprint of their key, and the address they came from."""

    role: str
    actor: str
    key: str | None
    address: str


@dataclass(frozen=True, slots=True)
class Settings:
    """What the environment decides. Whatever decides firing lives in the database instead."""

    dsn: str | None
    timezone: str
    catalog: Path
    state: Path
    host: str
    actor: str | None
    lang: Lang | None
    locale_lang: Lang
    rehearsal_now: datetime | None
    planner: str | None
    planner_url: str | None
    planner_model: str | None
    planner_api_key: str | None
    ssh_config: str | None
    debug: bool
    installed_dsn: Path | None = None
    """Where `install-units` put this machine's DSN, when nothing says which database this command is to use."""
    admitted: Admitted | None = None
    """Set by `schedctl gate` alone; no variable says it."""


def from_environment(environ: Mapping[str, str]) -> Settings:
    """Read the settings; `Refused` (`bad_setting`) names the variable that cannot be used."""
    dsn = _dsn(environ)
    return Settings(
        dsn=dsn,
        timezone=_timezone(environ.get("SCHEDCTL_TIMEZONE")),
        catalog=Path(environ.get("SCHEDCTL_CATALOG") or shipped("catalog")),
        state=Path(environ.get("SCHEDCTL_STATE") or _default_state(environ)),
        host=environ.get("SCHEDCTL_HOST") or socket.gethostname(),
        actor=environ.get("SCHEDCTL_ACTOR") or None,
        lang=_lang(environ.get("SCHEDCTL_LANG")),
        locale_lang="ja" if _locale(environ).startswith("ja") else "en",
        rehearsal_now=_rehearsal_now(environ.get("SCHEDCTL_REHEARSAL_NOW")),
        planner=environ.get("SCHEDCTL_PLANNER") or None,
        planner_url=environ.get("SCHEDCTL_PLANNER_URL") or None,
        planner_model=environ.get("SCHEDCTL_PLANNER_MODEL") or None,
        planner_api_key=environ.get("SCHEDCTL_PLANNER_API_KEY") or None,
        ssh_config=environ.get("SCHEDCTL_SSH_CONFIG") or None,
        debug=environ.get("SCHEDCTL_DEBUG") == "1",
        installed_dsn=_installed_dsn(environ) if dsn is None else None,
    )


def unusable(environ: Mapping[str, str]) -> dict[str, Refused]:
    """The variables that cannot be used, each with its refusal."""
    found: dict[str, Refused] = {}
    for name, read in CHECKED.items():
        try:
            read(environ.get(name) or None)
        except Refused as refusal:
            found[name] = refusal
    return found


def usable(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without the variables that cannot be used."""
    bad = unusable(environ)
    return {name: value for name, value in environ.items() if name not in bad}


def shipped(folder: str) -> Path:
    """Where `sql`, `catalog` or `systemd` lies: beside the package in a checkout, inside it when installed."""
    installed = PACKAGE / "_shipped" / folder
    return installed if installed.is_dir() else PACKAGE.parent / folder


def check_zone(name: str, source: str) -> str:
    """`name` when the zone database knows it; else `Refused` (`unknown_timezone`), never a silent fallback."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Refused(
            "unknown_timezone",
            Text(f"{source} のタイムゾーン「{name}」が見つかりません", f"{source}: there is no time zone “{name}”"),
            Text(
                "Asia/Tokyo のような IANA の名前を書いてください（tzdata パッケージが入っているかも確認してください）",
                "Write an IANA name such as Asia/Tokyo (and check that the tzdata package is installed)",
            ),
        ) from None
    return name


def _timezone(value: str | None) -> str:
    return check_zone(value or DEFAULT_TIMEZONE, "SCHEDCTL_TIMEZONE")


def _dsn(environ: Mapping[str, str]) -> str | None:
    """`SCHEDCTL_DSN`, else the systemd credential `dsn`, else libpq's own variables (an empty DSN), else none."""
    if environ.get("SCHEDCTL_DSN"):
        return environ["SCHEDCTL_DSN"]
    if (credential := _credential(environ.get("CREDENTIALS_DIRECTORY") or None)) is not None:
        return credential
    if any(environ.get(name) for name in ("PGSERVICE", "PGHOST", "PGHOSTADDR", "PGDATABASE")):
        return ""
    return None


def _credential(folder: str | None) -> str | None:
    """The credential `dsn`, where systemd gives one."""
    if folder is None:
        return None
    credential = Path(folder) / "dsn"
    try:
        return credential.read_text(encoding="utf-8").strip() if credential.is_file() else None
    except (OSError, UnicodeDecodeError):
        raise Refused(
            "bad_setting",
            Text(
                f"資格情報 {credential} を UTF-8 の文字として読めません",
                f"The credential {credential} cannot be read as UTF-8 text",
            ),
            Text(
                "LoadCredential= が指すファイルの中身を確かめてください（表示はしません）",
                "Look at the file that LoadCredential= names (its content is not shown here)",
            ),
        ) from None


def _installed_dsn(environ: Mapping[str, str]) -> Path | None:
    """The machine's own DSN, unless a state folder is named: that says that the embedded server is meant."""
    if environ.get("SCHEDCTL_STATE") or environ.get("STATE_DIRECTORY"):
        return None
    with suppress(OSError):
        return INSTALLED_DSN if INSTALLED_DSN.exists() else None
    return None


def _default_state(environ: Mapping[str, str]) -> Path:
    if environ.get("STATE_DIRECTORY"):
        return Path(environ["STATE_DIRECTORY"])
    if os.geteuid() == 0:
        return Path("/var/lib/schedctl")
    home = environ.get("XDG_STATE_HOME") or Path(environ.get("HOME", "~")).expanduser() / ".local" / "state"
    return Path(home) / "schedctl"


def _locale(environ: Mapping[str, str]) -> str:
    return environ.get("LC_ALL") or environ.get("LC_MESSAGES") or environ.get("LANG") or ""


def _lang(value: str | None) -> Lang | None:
    match value or None:
        case None:
            return None
        case "ja":
            return "ja"
        case "en":
            return "en"
        case other:
            raise Refused(
                "bad_setting",
                Text(
                    f"SCHEDCTL_LANG は ja か en です（いまは「{other}」）", f"SCHEDCTL_LANG is ja or en, not “{other}”"
                ),
                Text("どちらかにするか、この変数を消してください", "Set it to one of them, or unset it"),
            )


def _rehearsal_now(value: str | None) -> datetime | None:
    if not value:
        return None
    try:
        instant = datetime.fromisoformat(value)
    except ValueError:
        instant = None
    if instant is None or instant.tzinfo is None:
        raise Refused(
            "bad_setting",
            Text(
                f"SCHEDCTL_REHEARSAL_NOW の「{value}」は時刻として読めません",
                f"SCHEDCTL_REHEARSAL_NOW: “{value}” is not an instant",
            ),
            Text(
                "2026-12-06T03:00:30+09:00 のように、時差まで書いてください",
                "Write it with its offset, like 2026-12-06T03:00:30+09:00",
            ),
        )
    return instant


CHECKED: Final[Mapping[str, Callable[[str | None], object]]] = {
    "SCHEDCTL_TIMEZONE": _timezone,
    "SCHEDCTL_LANG": _lang,
    "SCHEDCTL_REHEARSAL_NOW": _rehearsal_now,
    "CREDENTIALS_DIRECTORY": _credential,
}
"""The variables of which not every value can be used."""
