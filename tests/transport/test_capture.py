"""What is kept of a stream, and how it is shown."""

from __future__ import annotations

import hashlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedctl.redact import Redactor
from schedctl.transport.base import Captured
from schedctl.transport.capture import NOTHING, Capture, display


def captured(data: bytes, limit: int = 1000, redactor: Redactor | None = None, step: int = 7) -> Captured:
    capture = Capture(redactor or Redactor(), limit)
    for start in range(0, len(data), step):
        capture.feed(data[start : start + step])
    return capture.finish()


@given(st.binary(max_size=200), st.integers(1, 60), st.integers(1, 250))
def test_head_tail_length_and_digest(data: bytes, limit: int, step: int) -> None:
    kept = captured(data, limit, step=step)
    assert kept.length == len(data)
    assert kept.sha256 == hashlib.sha256(data).hexdigest()
    if len(data) <= limit:
        assert (kept.head, kept.tail) == (data, b"")
    else:
        assert (kept.head, kept.tail) == (data[: limit // 2], data[len(data) - (limit - limit // 2) :])


@given(st.binary(max_size=200), st.integers(1, 60), st.integers(1, 100), st.integers(1, 250))
def test_what_is_shown_of_a_running_command(data: bytes, limit: int, shown: int, step: int) -> None:
    """Never more than asked for, nothing that was not written, and nothing that finishing would then miss."""
    capture = Capture(Redactor(), limit)
    for start in range(0, len(data), step):
        capture.feed(data[start : start + step])
    so_far = capture.so_far(shown)
    assert len(so_far.head) + len(so_far.tail) <= shown
    assert data.startswith(so_far.head)
    assert so_far.tail == b"" or data[: so_far.length].endswith(so_far.tail)
    whole = capture.finish()
    assert (whole.length, whole.sha256) == (len(data), hashlib.sha256(data).hexdigest())


def test_nothing_is_nothing() -> None:
    assert captured(b"") == NOTHING
    assert display(NOTHING) == ""


def test_a_secret_leaves_its_length_and_nothing_else() -> None:
    secret = captured(b"hunter22 ok", redactor=Redactor.of(["hunter22"]))
    assert secret.head == b"[redacted] ok"
    assert secret.length == 11
    assert secret.sha256 == hashlib.sha256(b"[redacted] ok").hexdigest(), "no digest of the secret to test guesses with"


SHOWN = {
    "日本語".encode(): "日本語",
    "エラーが発生しました\n".encode("cp932"): "エラーが発生しました\n",
    "エラーが発生しました\n".encode("euc_jp"): "エラーが発生しました\n",
    "ｴﾗｰ: 失敗".encode("cp932"): "ｴﾗｰ: 失敗",
    b"\x00\xff\xfe" + "日本".encode("cp932"): "␀\\xff\\xfe\\x93\\xfa\\x96{",
    "良い\n".encode() + "悪い\n".encode("cp932") + b"\xff\n": "良い\n悪い\n\\xff\n",
    b"\x1b[1;31mred\x1b[0m \x1b[2J\x1b[10;10Hx": "red x",
    b"a\x1b]0;title\x07b \x1b]8;;http://h\x1b\\link": "ab link",
    b"\x1b]52;c;Y2xpcA==\nnext": "␛]52;c;Y2xpcA==\nnext",
    b"\x1bc\x1b(B\x1b": "␛",
    "\u009b31m".encode(): "\\x9b31m",
    b"bell\x07 back\x08 del\x7f": "bell␇ back␈ del␡",
    b"10%\r20%\r100%\ndone\r\n": "100%\ndone\n",
    b"10%\r100%\r": "100%",
    "a\u202eb\u2028c\ufeff".encode(): "a\\u202eb\\u2028c\\ufeff",
}


@pytest.mark.parametrize(("raw", "shown"), SHOWN.items())
def test_what_is_shown(raw: bytes, shown: str) -> None:
    assert display(captured(raw)) == shown


@given(st.binary())
def test_no_bytes_at_all_can_touch_a_terminal(data: bytes) -> None:
    shown = display(captured(data, limit=50))
    assert not [letter for letter in shown if letter not in "\n\t" and (ord(letter) < 32 or 126 < ord(letter) < 160)]


@pytest.mark.parametrize("limit", range(40, 52))
def test_a_letter_that_was_cut_is_left_out(limit: int) -> None:
    shown = display(captured("日本語🗾".encode() * 20, limit))
    head, marker, tail = shown.split("\n")
    assert set(head + tail) == set("日本語🗾")
    assert marker == f"[… {260 - limit} bytes left out …]"


@pytest.mark.parametrize("piece", [b"\r", b"a\r", b"\x1b]", b"\x1b[0", b"\x1b", b"\xff", b"\x93"], ids=repr)
def test_showing_takes_linear_time(piece: bytes) -> None:
    output = Captured(piece * (400_000 // len(piece)), b"", 400_000, "")
    begun = time.process_time()
    display(output)
    assert time.process_time() - begun < 2
