"""Keeps the beginning and the end of a stream of any length, redacted; and shows what was kept, safely."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Final

from schedctl.redact import StreamRedactor
from schedctl.transport.base import Captured

if TYPE_CHECKING:
    from schedctl.redact import Redactor

NOTHING: Final = Captured(b"", b"", 0, hashlib.sha256(b"").hexdigest())
"""What a command that never started has written."""


class Capture:
    """Takes a stream piece by piece; memory stays below three times `limit_bytes`, whatever the stream's length."""

    def __init__(self, redactor: Redactor, limit_bytes: int) -> None:
        self._rules = redactor
        self._redactor = StreamRedactor(redactor)
        self._head_limit = limit_bytes // 2
        self._tail_limit = limit_bytes - self._head_limit
        self._head = bytearray()
        self._tail = bytearray()
        self._length = 0
        self._shown_length = 0
        self._digest = hashlib.sha256()
        self._complete = True

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes that the command wrote."""
        self._length += len(chunk)
        self._keep(self._redactor.feed(chunk))

    def skip(self, length: int) -> None:
        """Count bytes that the command wrote and nobody can read any more; then there is no digest."""
        self._keep(self._redactor.finish())
        self._redactor = StreamRedactor(self._rules)
        self._length += length
        self._shown_length += length
        self._complete = False

    def so_far(self, limit_bytes: int) -> Captured:
        """What was kept up to now, at most `limit_bytes`; `length` counts what of it is redacted already."""
        half, complete = limit_bytes // 2, self._shown_length == len(self._head) + len(self._tail)
        if complete and self._shown_length <= limit_bytes:
            return Captured(bytes(self._head + self._tail), b"", self._shown_length, "")
        end = self._head + self._tail if complete else self._tail
        return Captured(bytes(self._head[:half]), bytes(end[max(len(end) - half, 0) :]), self._shown_length, "")

    def finish(self) -> Captured:
        """What was kept, when nothing follows."""
        self._keep(self._redactor.finish())
        whole = self._complete and self._shown_length <= self._head_limit + self._tail_limit
        self._trim()
        head, tail = bytes(self._head), bytes(self._tail)
        head, tail = (head + tail, b"") if whole else (head, tail)
        return Captured(head, tail, self._length, self._digest.hexdigest() if self._complete else "")

    def _keep(self, shown: bytes) -> None:
        self._digest.update(shown)
        self._shown_length += len(shown)
        room = max(self._head_limit - len(self._head), 0)
        self._head += shown[:room]
        self._tail += shown[room:]
        if len(self._tail) > 2 * self._tail_limit:
            self._trim()

    def _trim(self) -> None:
        del self._tail[: max(len(self._tail) - self._tail_limit, 0)]


def display(captured: Captured) -> str:
    """What was kept as text for a terminal or a web page: nothing in it can move a cursor or change a title.

    Decoded as UTF-8, else Shift_JIS or EUC-JP where the bytes are strictly that, else with `\\xff` escapes; colours and
    cursor movements are dropped, other control characters are shown as `␛`; of a progress line its last state stays.
    """
    head, tail = _decoded(_without_cut_end(captured)), _decoded(_without_cut_start(captured.tail))
    if not captured.tail:
        return _harmless(head)
    left_out = max(captured.length - len(captured.head) - len(captured.tail), 1)
    return f"{_harmless(head)}\n[… {left_out} bytes left out …]\n{_harmless(tail)}"


def _without_cut_end(captured: Captured) -> bytes:
    """The head without the first bytes of a UTF-8 letter whose rest was left out."""
    if not captured.tail:
        return captured.head
    return CUT_LETTER.sub(b"", captured.head)


def _without_cut_start(tail: bytes) -> bytes:
    """The tail without the last bytes of a UTF-8 letter whose beginning was left out."""
    return CUT_START.sub(b"", tail) if _is_utf8(CUT_START.sub(b"", tail)) else tail


CUT_LETTER: Final = re.compile(rb"(?:[\xc2-\xf4]|[\xe0-\xf4][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{2})\Z")
CUT_START: Final = re.compile(rb"\A[\x80-\xbf]{1,3}")


def _is_utf8(data: bytes) -> bool:
    return _strictly(data, "utf-8") is not None


def _decoded(data: bytes) -> str:
    """The whole in one encoding when it is strictly that; else line by line, each as well as it can be."""
    whole = _in_one_encoding(data)
    if whole is not None:
        return whole
    lines = (_in_one_encoding(line) or line.decode("utf-8", "backslashreplace") for line in data.split(b"\n"))
    return "\n".join(lines)


def _in_one_encoding(data: bytes) -> str | None:
    """UTF-8, Shift_JIS, EUC-JP in this order; but half-width kana are more likely EUC-JP read wrongly."""
    utf8 = _strictly(data, "utf-8")
    if utf8 is not None:
        return utf8
    shift_jis = _strictly(data, "cp932")
    if shift_jis is None or UNDEFINED_IN_CP932.search(shift_jis):
        return _strictly(data, "euc_jp")
    if HALF_WIDTH_KANA.search(shift_jis):
        return _strictly(data, "euc_jp") or shift_jis
    return shift_jis


HALF_WIDTH_KANA: Final = re.compile("[\uff61-\uff9f]")
UNDEFINED_IN_CP932: Final = re.compile("[\x80\xa0\uf8f0-\uf8f3]")
"""What Python makes of the bytes 80, a0, fd, fe and ff, which no Japanese text has."""


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


# CSI (colours, cursor), OSC and the other strings (titles, links, clipboard), two-letter sequences: ECMA-48, 5.4 to 5.6
TERMINAL_SEQUENCE: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[ -/]+[0-~]|\x1b[0-Z\\`-~]"
)
OVERWRITTEN: Final = re.compile(r"^[^\n]*\r(?=[^\r\n])", re.MULTILINE)
LINE_END: Final = re.compile(r"\r+(?=\n|\Z)")
INVISIBLE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def _harmless(text: str) -> str:
    text = TERMINAL_SEQUENCE.sub("", text)
    text = OVERWRITTEN.sub("", LINE_END.sub("", text))
    return INVISIBLE.sub(_picture, text)


def _picture(found: re.Match[str]) -> str:
    """A visible stand-in: `␛` for a control character, its escape for what only directs the reading."""
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else found[0].encode("unicode_escape").decode("ascii")
