"""The shapes that secrets usually have: `password=…`, `://user:…@host`, bearer tokens, keys. Used by `redact` only.

A shape is an opening of bounded length and a run of bytes of any length. What an operator needs to understand an error
stays: the name, the separator, the quotation mark. When in doubt more is masked rather than less.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

MASK: Final = b"[redacted]"


class Shapes:
    """Masks what looks like a secret: an opening of bounded length, then a run of bytes that may be of any length."""

    def __init__(self) -> None:
        self._held = b""
        self._before = b""
        self._run: _Run | None = None
        """Set while a secret is being swallowed whose end has not been seen."""

    def feed(self, chunk: bytes, *, last: bool) -> bytes:
        """What can be shown; `last` says that nothing follows."""
        buffer = self._before + self._held + chunk
        lower = buffer.lower()
        at = self._swallow(buffer, len(self._before), last=last)
        sure = len(buffer) if last else _first_unsure(lower, at)
        shown: list[bytes] = []
        while self._run is None and (found := _opening(lower, at, sure)):
            shown += (buffer[at : found.kept_to], MASK)
            self._run = found.run
            at = self._swallow(buffer, found.end, last=last)
            sure = _first_unsure(lower, at) if at > sure and not last else sure
        if self._run is None:
            shown.append(buffer[at:sure])
            at = sure
        self._before, self._held = buffer[max(at - 2, 0) : at], buffer[at:]
        return b"".join(shown)

    def _swallow(self, buffer: bytes, at: int, *, last: bool) -> int:
        """Where the open run ends; when that is not known yet, `_run` stays set and the result is what to hold."""
        if self._run is None:
            return at
        matched = self._run.whole.match(buffer, at)
        end = matched.end() if matched else at
        if last or not self._run.may_go_on.match(buffer, end):
            self._run = None
        return end


@dataclass(frozen=True, slots=True)
class _Run:
    """The secret part of a shape; `may_go_on` matches where the bytes at hand do not say yet whether it ended."""

    whole: re.Pattern[bytes]
    may_go_on: re.Pattern[bytes] = re.compile(rb"\Z")


@dataclass(frozen=True, slots=True)
class _Opening:
    """A found opening: show up to `kept_to`, mask, and go on at `end` with `run`."""

    kept_to: int
    end: int
    run: _Run


BARE: Final = _Run(re.compile(rb"[^\s\"'&]*"))
QUOTED: Final = {
    quote_mark: _Run(
        re.compile(rb"[^%b\\\r\n]*(?:\\[^\r\n][^%b\\\r\n]*)*" % (quote_mark, quote_mark)), re.compile(rb"\\?\Z")
    )
    for quote_mark in (b'"', b"'")
}
ESCAPED: Final = _Run(re.compile(rb"[^\"'\\\r\n]*"))
USERINFO: Final = _Run(re.compile(rb"[^\s/]{1,512}(?=@)"), re.compile(rb"(?!)"))
TOKEN: Final = _Run(re.compile(rb"[\w~+/=-]*(?:\.[\w~+/=-]+)*"), re.compile(rb"\.?\Z"))
KEY_BLOCK: Final = _Run(
    re.compile(rb"[\w+/=\s\\,:.()]*(?:-(?!----END |(?:-{0,4}|----E(?:ND?)?)\Z)[\w+/=\s\\,:.()]*)*"),
    re.compile(rb"(?:-{0,5}|-----E(?:ND?)?)\Z"),
)

# Everything below is matched against lower-cased bytes. Heads are literal, so that a head cut in two is recognised.
ASSIGNED: Final = (
    *(b"password", b"passwd", b"passphrase", b"passcode", b"secret", b"token", b"authorization", b"x-amz-signature"),
    *(b"api_key", b"api-key", b"apikey", b"access_key", b"access-key", b"accesskey", b"private_key", b"private-key"),
)
SHORT_NAMES: Final = (b"pass", b"pwd")
OPTIONS: Final = (b"--password", b"--passwd", b"--passphrase", b"--secret", b"--token", b"--api-key")
SCHEMES: Final = (b"bearer", b"basic")
TOKENS: Final = (
    *(b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_", b"github_pat_", b"glpat-", b"sk-", b"sk_live_", b"npm_", b"eyj"),
    *(b"xoxa-", b"xoxb-", b"xoxe-", b"xoxo-", b"xoxp-", b"xoxr-", b"xoxs-", b"xapp-"),
)
WEBHOOKS: Final = (b"hooks.slack.com/services/", b"hooks.slack.com/workflows/", b"/api/webhooks/")
AWS: Final = (b"akia", b"asia", b"abia", b"acca")
BLOCK: Final = (b"-----begin ",)
URL: Final = (b"://",)
HEADS: Final = (*ASSIGNED, *SHORT_NAMES, *OPTIONS, *SCHEMES, *TOKENS, *WEBHOOKS, *AWS, *BLOCK, *URL)


def _factored(words: Iterable[bytes]) -> bytes:
    """An alternation by first letters, shortest word first: `re` scans it four times as fast as a flat one."""
    by_letter: dict[bytes, list[bytes]] = {}
    for word in sorted(set(words)):
        by_letter.setdefault(word[:1], []).append(word[1:])
    if b"" in by_letter:
        return b""
    return b"|".join(
        re.escape(letter) + (b"(?:" + rest + b")" if (rest := _factored(rests)) else b"")
        for letter, rests in by_letter.items()
    )


# Compiled (10 ms in all) when a text asks for them first: a worker starts its command before it shows anything.
@cache
def _head() -> re.Pattern[bytes]:
    return re.compile(_factored(HEADS))


def _any(heads: Iterable[bytes]) -> bytes:
    return b"(?:" + b"|".join(map(re.escape, heads)) + b")"


# name=value, "name": "value", <name>value, name: Bearer value, also inside a JSON string
SEPARATOR: Final = (
    rb"(?:(?:[_-](?:key|hash|base|value)|[0-9]){0,2}[\"'\\]{0,3}[ \t]{0,8}(?:=>|:=|[=:])[ \t]{0,8}|>)"
    rb"(?:\\{1,3}[\"'](?=[^\"'\\\r\n])|\"(?=[^\"\r\n])|'(?=[^'\r\n])|(?=[^\s\"'&]))"
    rb"(?:(?:bearer|basic|digest|token|negotiate)[ \t]{1,8}(?=[^\s\"'&]))?"
)
SCHEME_AT_END: Final = re.compile(rb"[a-z]+[ \t]+\Z")


@cache
def _whole_opening() -> re.Pattern[bytes]:
    shapes = (
        b"(?P<assigned>" + _any(ASSIGNED) + SEPARATOR + b")",
        b"(?P<short>" + _any(SHORT_NAMES) + SEPARATOR + b")",
        b"(?P<option>" + _any(OPTIONS) + rb"[ \t]{1,4}(?=[^\s\"'&-]))",
        b"(?P<scheme>" + _any(SCHEMES) + rb"[ \t]{1,8}(?=[a-z0-9_.~+/=-]{16}))",
        b"(?P<token>" + _any(TOKENS) + rb"(?=[a-z0-9_-]{16})|" + _any(AWS) + rb"(?=[a-z0-9]{16}(?![a-z0-9_-])))",
        b"(?P<webhook>" + _any(WEBHOOKS) + rb"(?=[a-z0-9]))",
        b"(?P<block>" + _any(BLOCK) + rb"[a-z0-9 ]{0,32}private key(?: block)?-----(?=[^\[]))",
        b"(?P<url>" + _any(URL) + rb"[^\s/:@]{0,128}:(?=[^\s/]{1,512}@))",
    )
    return re.compile(b"|".join(shapes))


REFERENCE: Final = re.compile(rb"secret:[a-z0-9_.-]{1,64}\}")
"""After `${`: the catalog's way to name a secret. Nothing that is no name is let through by it."""


@cache
def _unsure() -> re.Pattern[bytes]:
    return re.compile(
        _any((*ASSIGNED, *SHORT_NAMES, *OPTIONS, *SCHEMES)) + rb"[a-z0-9_ \t\"'\\:=>.~+/-]{0,66}\Z"
        rb"|" + _any((*TOKENS, *AWS, *WEBHOOKS)) + rb"[a-z0-9_-]{0,17}\Z"
        rb"|" + _any(BLOCK) + rb"[a-z0-9 -]{0,64}\Z"
        rb"|" + _any(URL) + rb"[^\s/]{0,641}\Z"
    )


UNSURE_BYTES: Final = 700
BEGINNINGS: Final = frozenset(head[:length] for head in HEADS for length in range(1, len(head)))
LONGEST_HEAD: Final = max(map(len, HEADS))


def _first_unsure(lower: bytes, at: int) -> int:
    """Where the earliest opening may begin that would need more bytes to be complete."""
    found = _unsure().search(lower, max(at, len(lower) - UNSURE_BYTES))
    first = found.start() if found else len(lower)
    starts = range(max(at, len(lower) - LONGEST_HEAD), first)
    return next((start for start in starts if lower[start:] in BEGINNINGS), first)


def _opening(lower: bytes, at: int, sure: int) -> _Opening | None:
    """The first opening that begins before `sure`; words that only look like one are passed over."""
    head = _head().search(lower, at)
    while head and (start := head.start()) < sure:
        found = _whole_opening().match(lower, start)
        named = lower[max(start - 2, 0) : start] == b"${" and REFERENCE.match(lower, start)
        if found and not named and _stands_alone(found, lower[max(start - 1, 0) : start]):
            return _Opening(start if found.lastgroup == "token" else found.end(), found.end(), _run_after(found))
        head = _head().search(lower, start + 1)
    return None


def _stands_alone(found: re.Match[bytes], before: bytes) -> bool:
    """Not a path (`/etc/passwd: no such file`), not `PWD=`, not the end of another word (`disk-…` is no `sk-`)."""
    match found.lastgroup:
        case "assigned":
            tag_of_sudoers = before == b"o" and found[0].startswith(b"passwd")  # NOPASSWD: names no password
            return before not in (b"/", b".") and not tag_of_sudoers
        case "short":
            return before in (b"_", b"-", b";")
        case "token" | "scheme":
            return not (before.isalnum() or before in (b"_", b"-"))
        case _:
            return True


def _run_after(found: re.Match[bytes]) -> _Run:
    match found.lastgroup:
        case "url":
            return USERINFO
        case "block":
            return KEY_BLOCK
        case "token" | "scheme" | "webhook":
            return TOKEN
        case _:
            return _value_after(found[0])


def _value_after(opening: bytes) -> _Run:
    """The run of an assigned value, by the quotation mark at the end of its opening (a scheme may stand behind it)."""
    opening = SCHEME_AT_END.sub(b"", opening)
    if opening.endswith((b'\\"', b"\\'")):
        return ESCAPED
    return QUOTED.get(opening[-1:], BARE)
