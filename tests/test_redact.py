"""What the redactor masks, what it leaves alone, and that chunk borders make no difference."""

from __future__ import annotations

import base64
import time
import tracemalloc
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedctl.redact import Redactor, StreamRedactor, secrets_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

TABLE = Path(__file__).with_name("redact.tsv").read_text(encoding="utf-8").splitlines()
ROWS = [row.replace("\\n", "\n").split("\t") for row in TABLE if not row.startswith("#")]
KNOWN = Redactor.of(["p@ss/word", "hunter22"])


@pytest.mark.parametrize(("text", "shown"), [row[:2] for row in ROWS], ids=[row[0][:40] for row in ROWS])
def test_what_is_shown(text: str, shown: str) -> None:
    assert KNOWN.text(text) == shown
    assert KNOWN.text(shown) == shown, "masking again changes nothing"
    assert in_pieces(KNOWN, text.encode(), range(len(text.encode()))) == shown.encode()


def test_what_looks_like_a_token_is_masked_in_the_place_of_a_secret_s_name_too() -> None:
    assert KNOWN.text("${secret:ghp_abcdefghijklmnopqrst}") == "${secret:[redacted]}"


def in_pieces(redactor: Redactor, data: bytes, borders: Iterable[int]) -> bytes:
    stream = StreamRedactor(redactor)
    places = [0, *sorted(borders), len(data)]
    return b"".join(stream.feed(data[start:end]) for start, end in pairwise(places)) + stream.finish()


def spellings(secret: str) -> list[tuple[bytes, bytes]]:
    """What a command prints, and the part of it that must not be seen."""
    raw = secret.encode()
    encoded = [raw, base64.b64encode(raw)]
    encoded += [text.encode() for text in (quote(secret), quote(secret, safe=""), quote_plus(secret))]
    inside = [base64.b64encode(b"x" * before + raw + b"tail") for before in range(3)]
    return [*((text, text) for text in encoded), *((text, text[4:-8]) for text in inside)]


@pytest.mark.parametrize("secret", ["p@ss/word & more", "パスワード第二", "correct horse battery staple"])
def test_a_secret_is_masked_wherever_a_chunk_ends(secret: str) -> None:
    redactor = Redactor.of([secret])
    for spelling, hidden in spellings(secret):
        data = b"before " + spelling + b" after"
        for border in range(len(data) + 1):
            shown = in_pieces(redactor, data, [border])
            assert hidden not in shown, (spelling, border)
            assert shown == redactor.bytes(data)
            assert shown.startswith(b"before ")
            assert shown.endswith(b" after")


PIECES = st.sampled_from(
    [
        *("password", "passwd", "pass", "pwd", "token", "--token", "Bearer ", "Authorization", "AKIA", "ghp_", "eyJ"),
        *("=", ":", "=>", '"', "'", "\\", '\\"', " ", "\n", "_", "-", "/", "://", "@", "&", "x", "x" * 16, "A1" * 8),
        *("-----BEGIN ", "RSA ", "PRIVATE KEY", "-----", "-----END ", "--", "END "),
        *("hunter22", "hunt", "er22", "p%40ss", "%2Fword", "ヒ", "\0", "hooks.slack.com/services/"),
    ]
)


@settings(max_examples=500)
@given(st.lists(PIECES, max_size=30).map("".join), st.data())
def test_chunk_borders_make_no_difference(text: str, data: st.DataObject) -> None:
    raw = text.encode()
    borders = data.draw(st.lists(st.integers(0, len(raw)), max_size=12))
    assert in_pieces(KNOWN, raw, borders) == KNOWN.bytes(raw)


@given(st.binary(max_size=300), st.text("ab@/ é", min_size=4, max_size=9).filter(lambda text: len(text.strip()) > 3))
def test_no_secret_survives_among_any_bytes(noise: bytes, secret: str) -> None:
    redactor = Redactor.of([secret])
    assert secret.encode() not in redactor.bytes(noise + secret.encode() + noise)


@given(st.text())
def test_any_text_can_be_masked(text: str) -> None:
    assert isinstance(KNOWN.text(text), str)


def test_overlapping_secrets_leave_nothing_between_them() -> None:
    redactor = Redactor.of(["abcdef", "defghi"])
    assert redactor.text("-abcdefghi-") == "-[redacted]-"
    assert in_pieces(redactor, b"-abcdefghi-", range(11)) == b"-[redacted]-"
    assert Redactor.of(["abcdefgh", "bcde"]).text("-abcdefgh-") == "-[redacted]-", "one inside another"


def test_bytes_that_are_no_text_pass_unharmed() -> None:
    data = b"\x00\xff\xfe" + "日本語".encode("cp932")
    assert KNOWN.bytes(data) == data
    assert Redactor.of(["日本語の鍵"]).bytes("日本語の鍵".encode("cp932")) == b"[redacted]"


def test_the_lines_of_a_key_file_are_secrets_too() -> None:
    key_file = "first line of the key\nsecond line of it\n"
    assert Redactor.of([key_file]).text("2: second line of it") == "2: [redacted]"


def test_short_words_are_no_secrets_by_themselves() -> None:
    assert Redactor.of(["abc", "", "    "]).text("abc    password=abc") == "abc    password=[redacted]"


def test_a_redactor_does_not_show_what_it_knows() -> None:
    assert "hunter22" not in repr(KNOWN)


@pytest.mark.parametrize("prompt", [b"Do you want to continue? [Y/n] ", b"37%"])
def test_a_prompt_is_shown_while_the_command_waits(prompt: bytes) -> None:
    assert StreamRedactor(KNOWN).feed(prompt) == prompt


ENDLESS = [
    *(b"password=" + b"a" * 10, b'password="\\"', b"://a:", b"hunter2", b"token", b"-----BEGIN PRIVATE KEY-----\n-"),
    *(b"x" * 50, b"Authorization: ", b"eyJ" + b"a" * 20, b"--token  ", b"\\" * 9, b"password" + b" " * 8, b"://x@"),
]


@pytest.mark.parametrize("piece", ENDLESS, ids=repr)
def test_time_is_linear(piece: bytes) -> None:
    small, large = piece * (60_000 // len(piece)), piece * (480_000 // len(piece))
    assert quickest(lambda: KNOWN.bytes(large)) < 24 * quickest(lambda: KNOWN.bytes(small)) + 0.02


def quickest(work: Callable[[], object]) -> float:
    times: list[float] = []
    for _ in range(3):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)


@pytest.mark.parametrize("piece", ENDLESS, ids=repr)
def test_memory_is_bounded(piece: bytes) -> None:
    stream = StreamRedactor(KNOWN)
    chunk = piece * (16_384 // len(piece))
    stream.feed(chunk)
    tracemalloc.start()
    for _ in range(12):
        stream.feed(chunk)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 4 * len(chunk)


@pytest.mark.parametrize(
    ("dsn", "secrets"),
    [
        ("postgresql://u:p%40ss@h/db", ("p@ss", "p%40ss")),
        ("postgresql://u@h1:5432,h2:5433/db?password=abcd&sslmode=require", ("abcd",)),
        ("postgresql://[bad:host:1/", ()),
        ("host=h password=abcd user=u", ("abcd",)),
        (r"host=h password = 'a\'b c' user=u", ("a'b c", r"a\'b c")),
        (r"password=a\ b", ("a b", r"a\ b")),
        ("service=prod sslpassword=abcd", ("abcd",)),
        ("postgresql//u:p%40ss@h/db", ("p@ss", "p%40ss", "postgresql//u:p%40ss@h/db")),  # no colon
        ("host=h password=abcd efgh user=u", ("abcd", "efgh")),  # a value that should have been quoted
        ("host = h application_name='nightly worker' dbname=x", ()),
        ("", ()),
        (None, ()),
    ],
)
def test_the_password_of_a_dsn(dsn: str | None, secrets: tuple[str, ...]) -> None:
    assert secrets_of({}, dsn) == secrets


def test_environment_variables_that_are_secrets_by_name() -> None:
    environ = {
        "SCHEDCTL_PLANNER_API_KEY": "one",
        "SCHEDCTL_SLACK_TOKEN": "two",
        "SCHEDCTL_NOTIFY_WEBHOOK_URL": "https://h/three",
        "PGPASSWORD": "four",
        "SCHEDCTL_DSN": "postgresql://u:five@h/db",
        "SCHEDCTL_TIMEZONE": "Asia/Tokyo",
        "EDITOR": "vi",
        "SCHEDCTL_SMTP_PASSWORD": "",
    }
    assert secrets_of(environ, None) == ("one", "two", "https://h/three", "four", "five")
