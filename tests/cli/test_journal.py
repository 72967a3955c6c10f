"""What the systemd journal gets: an entry an event, in its own protocol, redacted; nothing where it is not there."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from schedctl.cli import journal
from schedctl.cli.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FIELDS = {"SCHEDCTL_RUN": "12"}


@pytest.fixture
def received(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """The journal's socket; for us, all streams lead to the journal."""
    monkeypatch.setattr(journal, "SOCKET", str(tmp_path / "socket"))
    monkeypatch.setattr(journal, "leads_there", lambda _stream: True)
    monkeypatch.setattr(journal, "_stderr_is_socket", lambda: True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "socket"))
        listening.setblocking(False)
        yield listening


def session() -> Session:
    return Session.start({"SCHEDCTL_SECRET_OPS": "tr0ub4dor-and-3"}, "en", as_json=False)


def test_an_alert_is_an_entry_of_one_line_with_its_fields(received: socket.socket) -> None:
    session().alert("went\nwrong with tr0ub4dor-and-3 \x1b[31m", FIELDS)
    entry = dict(line.split("=", 1) for line in received.recv(4096).decode().splitlines())
    assert entry["MESSAGE"].startswith("went wrong with ")
    assert "tr0ub4dor" not in entry["MESSAGE"]
    assert "\x1b" not in entry["MESSAGE"]
    assert (entry["PRIORITY"], entry["SCHEDCTL_RUN"], entry["SYSLOG_IDENTIFIER"]) == ("3", "12", "schedctl")


def test_what_happened_is_a_notice(received: socket.socket) -> None:
    assert session().happened("done", FIELDS)
    assert b"\nPRIORITY=5\n" in received.recv(4096)


def test_where_the_journal_takes_nothing_a_plain_line_has_to_do(
    received: socket.socket, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    received.close()
    session().alert("went wrong", FIELDS)
    session().happened("done", FIELDS)
    assert capsysbinary.readouterr() == (b"", b"<3>went wrong\n<5>done\n")


def test_a_person_is_told_on_the_terminal_and_not_in_the_journal(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    one = session()
    one.alert("went wrong", FIELDS)
    assert not one.happened("done", FIELDS)
    assert capsysbinary.readouterr() == (b"", b"went wrong\n")
