"""One redactor for every path that prints: configured secrets in all their spellings, then the usual shapes.

Both stages work on bytes, so that NUL and Shift_JIS pass unharmed, and both are streams: a whole value is one chunk.
What comes out does not depend on where the chunks end, memory is bounded, and time is linear in the input.

Not masked: a secret of fewer than four characters (its shape still is: `password=abc`), and base64 that was wrapped
inside the secret. A base64 spelling inside a longer one may show up to four bits of the secret at either end.
"""

from __future__ import annotations

import base64
import json
import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, quote_plus, unquote

from schedctl.secret_shapes import MASK, Shapes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SHORTEST_SECRET: Final = 4
SHORTEST_BASE64: Final = 5
SHORTEST_LINE: Final = 12
"""Lines of a secret of several lines (a key file) are secrets of their own from this length on."""


@dataclass(frozen=True, slots=True)
class Redactor:
    """Masks secrets in text and bytes; a frozen value that does not show what it knows."""

    spellings: tuple[bytes, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, secrets: Iterable[str]) -> Redactor:
        """The redactor that knows these secrets beside the usual shapes."""
        found = {spelling for secret in secrets for part in _parts(secret) for spelling in _spellings(part)}
        return cls(tuple(sorted(found)))

    def text(self, text: str) -> str:
        """`text` with every secret replaced by `[redacted]`; the same object when there is none."""
        raw = text.encode("utf-8", "surrogatepass")
        masked = self.bytes(raw)
        return text if masked == raw else masked.decode("utf-8", "replace")

    def bytes(self, data: bytes) -> bytes:
        """`data` with every secret replaced by `[redacted]`."""
        for stage in _stages(self):
            data = stage.feed(data, last=True)
        return data


class StreamRedactor:
    """The same, piece by piece: holds back only what may yet become a secret or a shape."""

    def __init__(self, redactor: Redactor) -> None:
        self._stages = _stages(redactor)

    def feed(self, chunk: bytes) -> bytes:
        """What can be shown now that `chunk` is known."""
        for stage in self._stages:
            chunk = stage.feed(chunk, last=False)
        return chunk

    def finish(self) -> bytes:
        """The rest, when nothing follows."""
        rest = b""
        for stage in self._stages:
            rest = stage.feed(rest, last=True)
        return rest


def _stages(redactor: Redactor) -> tuple[_Spellings, Shapes]:
    return _Spellings(redactor.spellings), Shapes()


def secrets_of(environ: Mapping[str, str], dsn: str | None) -> tuple[str, ...]:
    """The values that are secrets by their variable's name, and the DSN's password (both forms of a DSN)."""
    named = (value for name, value in environ.items() if value and SECRET_NAME.fullmatch(name))
    return tuple(dict.fromkeys((*named, *_passwords_of_dsn(dsn or environ.get("SCHEDCTL_DSN") or ""))))


SECRET_NAME: Final = re.compile(r"SCHEDCTL_\w*(?:KEY|TOKEN|SECRET|PASSWORD|WEBHOOK|WEBHOOK_URL)|PGPASSWORD")
DSN_URL: Final = re.compile(r"[a-z][a-z0-9+.-]*://[^:@/?#]*:([^/?#]*)@", re.IGNORECASE)
DSN_USERINFO: Final = re.compile(r":([^:@/?#\s]+)@")
"""The same in a URL that is written wrongly: libpq repeats that in its complaint."""
DSN_WORD: Final = re.compile(r"\b(?:ssl)?password\s*=\s*(?:'((?:[^'\\]|\\.)*)'|((?:[^\s'&\\]|\\.)+))", re.IGNORECASE)

QUOTED_VALUE: Final = re.compile(r"'(?:[^'\\]|\\.)*'")


def _passwords_of_dsn(dsn: str) -> Iterable[str]:
    for url in DSN_URL.finditer(dsn):
        yield from (unquote(url[1]), url[1])
    for word in DSN_WORD.finditer(dsn):
        value = word[1] if word[1] is not None else word[2]
        yield from (re.sub(r"\\(.)", r"\1", value), unquote(value), value)
    for found in DSN_USERINFO.finditer(dsn):
        yield from (unquote(found[1]), found[1])
    # A word that is no `name=value` is a part of a value that should have been quoted; libpq repeats it.
    rest = re.sub(r"\s*=\s*", "=", QUOTED_VALUE.sub("''", DSN_WORD.sub("", dsn)))
    yield from (word for word in rest.split() if "=" not in word and "://" not in word)


def _parts(secret: str) -> Iterable[str]:
    """The secret, the same without the line end that its file had, and the long lines when it has several."""
    yield from (secret, secret.strip())
    lines = secret.splitlines()
    if len(lines) > 1:
        yield from (line for line in lines if len(line.strip()) >= SHORTEST_LINE)


def _spellings(secret: str) -> Iterable[bytes]:
    """How programs print a secret: raw, %-encoded, escaped for JSON or Python, in base64, in Shift_JIS."""
    if len(secret.strip()) < SHORTEST_SECRET:
        return
    raw = _utf8(secret)
    yield raw
    with suppress(UnicodeEncodeError):
        yield secret.encode("cp932")
    for percent in (quote(raw), quote(raw, safe=""), quote_plus(raw), quote(raw, safe="/:@!$&'()*+,;=")):
        yield _utf8(percent)
        yield _utf8(re.sub("%[0-9A-F]{2}", lambda code: code[0].lower(), percent))
    in_json = json.dumps(secret)[1:-1]
    for escaped in (
        in_json,
        in_json.replace("/", "\\/"),
        json.dumps(secret, ensure_ascii=False)[1:-1],
        repr(secret)[1:-1],
    ):
        yield _utf8(escaped)
    for core in _base64_cores(raw):
        yield core
        yield core.translate(URL_SAFE)


URL_SAFE: Final = bytes.maketrans(b"+/", b"-_")


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _base64_cores(raw: bytes) -> Iterable[bytes]:
    """Base64 of `raw`, and the letters that it alone decides at each of the three alignments inside other data."""
    yield base64.b64encode(raw)
    yield base64.b64encode(raw + b"\n")
    for before in range(3):
        letters = base64.b64encode(bytes(before) + raw)
        core = letters[(8 * before + 5) // 6 : 8 * (before + len(raw)) // 6]
        if len(core) >= SHORTEST_BASE64:
            yield core


class _Spellings:
    """Masks every occurrence of known byte strings; occurrences that overlap become one mask."""

    def __init__(self, spellings: tuple[bytes, ...]) -> None:
        self._spellings = spellings
        self._held = b""
        self._covered = 0
        """So many bytes of `_held` belong to a mask that was already written."""

    def feed(self, chunk: bytes, *, last: bool) -> bytes:
        """What can be shown; `last` says that nothing follows."""
        buffer = self._held + chunk
        cut = len(buffer) if last else self._first_unsure(buffer)
        shown: list[bytes] = []
        at = self._covered
        for start, end in self._occurrences(buffer):
            if start >= cut:
                break
            if start >= at:
                shown += (buffer[at:start], MASK)
            at = max(at, end)
        shown.append(buffer[at:cut])
        self._held, self._covered = buffer[cut:], max(at - cut, 0)
        return b"".join(shown)

    def _occurrences(self, buffer: bytes) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for spelling in self._spellings:
            start = buffer.find(spelling)
            while start >= 0:
                found.append((start, start + len(spelling)))
                start = buffer.find(spelling, start + 1)
        return sorted(found)

    def _first_unsure(self, buffer: bytes) -> int:
        """Where the earliest occurrence may begin that would need more bytes to be complete."""
        first = len(buffer)
        for spelling in self._spellings:
            start = buffer.find(spelling[:1], max(0, len(buffer) - len(spelling) + 1), first)
            while start >= 0 and not spelling.startswith(buffer[start:]):
                start = buffer.find(spelling[:1], start + 1, first)
            first = start if start >= 0 else first
        return first
