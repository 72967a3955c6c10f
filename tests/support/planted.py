"""Secrets planted where real ones stand, and a search for every spelling of them in whatever came out."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, quote_plus

from psycopg.conninfo import make_conninfo

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

DSN: Final = 'dsn-Zk4/p@ss "wörd" & 7'
PGPASSWORD: Final = "pgpassword-Qv8%41+x"
HOOK: Final = "T0HOOK41/B0HOOK42/hookX9secret77"
TOKEN: Final = "http-token Lw5\\é'9"
SIGNING: Final = "whsec_" + base64.b64encode(b"signing-secret-of-a-webhook").decode()
PLANNER: Final = "planner-key-Hn3=="
CREDENTIAL: Final = "credential\tJq6 of systemd"
ALL: Final = (DSN, PGPASSWORD, HOOK, TOKEN, SIGNING, PLANNER, CREDENTIAL)


@dataclass(frozen=True, slots=True)
class Planted:
    """The environment of a command, with secrets in every place that takes one."""

    folder: Path

    def environment(self, dsn: str, hook_url: str = "https://hooks.example.org") -> dict[str, str]:
        """The variables. The credential is a file, as systemd leaves it."""
        credentials = self.folder / "credentials"
        credentials.mkdir(exist_ok=True)
        (credentials / "mail_password").write_text(CREDENTIAL + "\n")
        (credentials / "dsn").write_text(make_conninfo(dsn, password=DSN))
        return {
            "SCHEDCTL_DSN": make_conninfo(dsn, password=DSN),
            "PGPASSWORD": PGPASSWORD,
            "SCHEDCTL_SECRET_HOOK": f"{hook_url}/services/{HOOK}",
            "SCHEDCTL_SECRET_API_TOKEN": TOKEN,
            "SCHEDCTL_SECRET_SIGNING": SIGNING,
            "SCHEDCTL_PLANNER_API_KEY": PLANNER,
            "CREDENTIALS_DIRECTORY": str(credentials),
        }


def spellings(secret: str) -> Iterator[bytes]:
    """How a program, a log or a protocol would write it."""
    raw = secret.encode()
    yield raw
    for text in (quote(secret), quote(secret, safe=""), quote_plus(secret)):
        yield text.encode()
        yield text.lower().encode()
    for text in (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], repr(secret)[1:-1]):
        yield text.encode()
    yield base64.b64encode(raw)
    for before in range(3):
        yield base64.b64encode(bytes(before) + raw)[4:-4]


KNOWN: Final = {spelling: secret for secret in ALL for spelling in spellings(secret)}


def found_in(data: bytes) -> set[str]:
    """Which planted secrets can be read in it, in any spelling."""
    return {secret for spelling, secret in KNOWN.items() if spelling in data}


def found_in_values(row: Mapping[str, object]) -> set[str]:
    """The same for a row of a table, whatever its columns are."""
    found: set[str] = set()
    for value in row.values():
        written = value if isinstance(value, bytes) else json.dumps(value, default=str, ensure_ascii=False).encode()
        found |= found_in(written)
        if isinstance(value, str):
            found |= found_in(value.encode())
    return found
