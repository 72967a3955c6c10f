"""The part of a status page that the next page may take over: the runs of the week, between two comments. Pure.

Somebody else's text is escaped in a page, so none of it can look like these comments.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from schedctl.language import Lang

TEMPLATES: Final = Path(__file__).resolve().parent / "templates"
PARTS: Final = ("runs.html", "parts.html", "style.css")
MARKED: Final = re.compile(r"<!--runs (ja|en) ([0-9a-f]{32}) (\S+)-->\n(.*?)<!--/runs-->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Kept:
    """The runs of the week as HTML, as of an instant. Two with the same key are about the same days and database."""

    key: str
    as_of: datetime
    html: str


def key_of(*about: str) -> str:
    """A key for what these words and the templates at hand say together."""
    return hashlib.sha256("\n".join((_edition(), *about)).encode()).hexdigest()[:32]


def marked(kept: Kept, lang: Lang) -> str:
    """The part with its comments around it."""
    return f"<!--runs {lang} {kept.key} {kept.as_of.isoformat(timespec='seconds')}-->\n{kept.html}<!--/runs-->"


def kept_in(document: str, lang: Lang) -> Kept | None:
    """What an earlier page holds in this language; None where it is no such page."""
    found = MARKED.search(document)
    if found is None or found[1] != lang:
        return None
    try:
        return Kept(found[2], datetime.fromisoformat(found[3]), found[4])
    except ValueError:
        return None


@cache
def _edition() -> str:
    """Which templates there are: another version of schedctl may draw otherwise."""
    return hashlib.sha256(b"".join((TEMPLATES / name).read_bytes() for name in PARTS)).hexdigest()
