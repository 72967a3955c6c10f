"""Secrets by name: the systemd credential of that name, else the variable SCHEDCTL_SECRET_NAME. Never in our files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

VARIABLE: Final = "SCHEDCTL_SECRET_"
DSN: Final = "dsn"
"""The credential that is a connection string: only its password is a secret."""
OURS: Final = re.compile(r"SCHEDCTL_|PG[A-Z]|CREDENTIALS_DIRECTORY$")
LONGEST: Final = 65_536
SHORTEST_PATH: Final = 12
"""The path of a secret URL is masked on its own from this length on; `/hook` alone gives nothing away."""
LONGEST_WORD: Final = 24
"""A part of a URL's path that is longer than any word is a key; a shorter one is a key when it has a digit in it."""


def named_secret(name: str, environ: Mapping[str, str]) -> str | None:
    """The secret of this name, without the line end of its file; None when it is nowhere, or empty."""
    folder = environ.get("CREDENTIALS_DIRECTORY")
    if folder and (Path(folder) / name).is_file():
        return (Path(folder) / name).read_text(encoding="utf-8").strip() or None
    return environ.get(variable_of(name), "").strip() or None


def variable_of(name: str) -> str:
    """The environment variable that may hold the secret of this name."""
    return VARIABLE + name.upper().replace("-", "_")


def known_secrets(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Every secret that this process could be asked for: what a redactor has to know before anything is printed."""
    values = [*_credentials(environ), *(value for name, value in environ.items() if name.startswith(VARIABLE))]
    return tuple(dict.fromkeys(part for value in values for part in _parts(value.strip())))


def without_ours(environ: Mapping[str, str]) -> dict[str, str]:
    """An environment for a program that has no need to see where the database is, nor any secret."""
    return {name: value for name, value in environ.items() if not OURS.match(name)}


def _credentials(environ: Mapping[str, str]) -> Iterator[str]:
    folder = environ.get("CREDENTIALS_DIRECTORY")
    try:
        files = sorted(Path(folder).iterdir()) if folder else []
        for file in files:
            if file.name != DSN and file.is_file() and file.stat().st_size <= LONGEST:
                yield file.read_bytes().decode("utf-8", "replace")
    except OSError:
        return


def _parts(value: str) -> Iterator[str]:
    """The value; and of a URL what follows its host, whole and in its long parts: the secret of a webhook's address."""
    if not value:
        return
    yield value
    if value.startswith(("http://", "https://")):
        try:
            url = urlsplit(value)
        except ValueError:
            return
        if len(url.path) >= SHORTEST_PATH:
            yield url.path
        if url.password:
            yield url.password
        for part in re.split("[/&=]", f"{url.path}/{url.query}"):
            if len(part) > LONGEST_WORD or (len(part) >= SHORTEST_PATH and any(map(str.isdigit, part))):
                yield part
