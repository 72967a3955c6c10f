"""The embedded server: whether there is one, and whether nobody else can read it. Makes none."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from schedctl.language import Text
from schedctl.store.embedded_programs import binaries
from schedctl.usecases.doctor_finding import Finding, Fix, Topic, Unknown
from schedctl.usecases.doctor_gathering import attempted

if TYPE_CHECKING:
    from schedctl.settings import Settings

EMBEDDED: Final = Topic("embedded", Text("組み込みの PostgreSQL", "embedded server"))


@dataclass(frozen=True, slots=True)
class EmbeddedFacts:
    """Where its data lie, or would: `foreign` where another user owns the folder, `open` where others may enter."""

    folder: str
    state: Literal["not_asked_for", "none", "private", "open", "foreign"]

    @property
    def may_start(self) -> bool:
        """Whether to start it to ask it: a server is neither made nor repaired in passing."""
        return self.state == "private"


def gather_embedded(settings: Settings) -> EmbeddedFacts | Unknown:
    """Look at its folder; Unknown where its programs are missing and would be needed."""
    home = settings.state.resolve() / "postgresql"

    def look() -> EmbeddedFacts:
        if settings.dsn is not None:
            return EmbeddedFacts(str(home), "not_asked_for")
        binaries()
        try:
            there = (home / "data" / "PG_VERSION").exists()
        except PermissionError:
            return EmbeddedFacts(str(home), "foreign")
        if not there:
            return EmbeddedFacts(str(home), "none")
        found = home.stat()
        if found.st_uid != os.geteuid():
            return EmbeddedFacts(str(home), "foreign")
        return EmbeddedFacts(str(home), "open" if stat.S_IMODE(found.st_mode) & 0o077 else "private")

    return attempted(look)


def check_embedded(found: EmbeddedFacts | Unknown) -> Finding:
    """Whether the server for one person's machine is as it should be."""
    if isinstance(found, Unknown):
        return EMBEDDED.failed(found, "pip install 'schedctl[embedded]'")
    folder = found.folder
    match found.state:
        case "not_asked_for":
            return EMBEDDED.unused(Text("DSN のデータベースを使っています", "the DSN names another database"))
        case "none":
            return EMBEDDED.unused(
                Text(
                    f"{folder}: まだありません。最初のコマンドが作ります",
                    f"{folder}: none yet; the first command makes it",
                )
            )
        case "private":
            return EMBEDDED.ok(Text(f"{folder}（本人だけが使えます）", f"{folder}, for its owner alone"))
        case "open":
            says = Text(f"{folder} にほかの利用者も入れます", f"Others may enter {folder}")
            return EMBEDDED.bad(says, Fix(Text("閉じてください", "Close it"), f"chmod 700 {folder}"))
        case "foreign":
            says = Text(f"{folder} はほかの利用者のものです", f"{folder} belongs to another user")
            hint = Text(
                "その利用者として実行するか、SCHEDCTL_STATE を変えてください", "Run as that user, or set SCHEDCTL_STATE"
            )
            return EMBEDDED.bad(says, Fix(hint, f"ls -ld {folder}"))
