"""No command says a secret: done well, refused, failed, cut off from its database, and with its traceback."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import psycopg
import pytest
from planted import ALL, DSN, Planted, found_in

from schedctl.cli.main import COMMANDS, call
from schedctl.usecases import site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SAY: Final = "毎日3時にmarsのディスク使用量を確認して"
WRITTEN: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "register": (
        ("register", SAY),
        ("register", SAY, "--yes"),
        ("register", "そのうち何かして"),
        ("register", "毎日3時に謎"),
    ),
    "explain": (("explain", SAY), ("explain", "何か")),
    "show": (("show", "1"), ("show", "999"), ("show",)),
    "approve": (("approve", "1"),),
    "pause": (("pause", "1", "--reason", "x"),),
    "resume": (("resume", "1"),),
    "archive": (("archive", "999"),),
    "test-run": (("test-run", "1"), ("test-run", "1", "--dry-run")),
    "rerun": (("rerun", "1"),),
    "cancel": (("cancel", "1"),),
    "logs": (("logs", "1"),),
    "node": (("node", "hold", "mars", "--reason", "x"), ("node", "release", "mars"), ("node",)),
    "notify": (("notify", "test", "nobody"),),
    "beat": (("beat", "agent", "--detail", "x"), ("beat",)),
    "watch": (("watch",), ("watch", "--quiet")),
    "catalog": (("catalog", "check"), ("catalog", "adopt"), ("catalog", "sudoers", "mars")),
    "grant": (("grant",), ("grant", "viewer", "no body")),
    "gate": (("gate", "--role", "x", "--actor", "y"),),
    "work": (("work", "--drain"),),
    "completion": (("completion", "bash"),),
    "install-units": (("install-units", "--user", "--dry-run"),),
    "uninstall-units": (("uninstall-units", "--user", "--dry-run"),),
    "demo": (("demo", "--help"),),
}
"""How each command is tried; one that is not here is tried as it is, with --help and with an option that it has not."""


def tried(command: str) -> Iterator[tuple[str, ...]]:
    for words in WRITTEN.get(command, ((command,),)):
        yield words
        if command not in ("completion", "demo", "gate"):
            yield (*words, "--json")
    yield (command, "--help")
    yield (command, "--no-such-option")


def said_by(capsysbinary: pytest.CaptureFixture[bytes], *lines: tuple[str, ...]) -> bytes:
    """Every byte that these command lines print."""
    capsysbinary.readouterr()
    for words in lines:
        call(list(words))
    said = capsysbinary.readouterr()
    return said.out + said.err


def plant(dsn: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Secrets in the environment of the commands, beside a database that may be there or not."""
    for name in [name for name in os.environ if name.startswith(("SCHEDCTL_", "PG"))]:
        monkeypatch.delenv(name)
    for name, value in Planted(folder).environment(dsn).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SCHEDCTL_STATE", str(folder / "state"))
    monkeypatch.setenv("SCHEDCTL_HOST", "testhost")
    monkeypatch.setenv("SCHEDCTL_DEBUG", "1")
    monkeypatch.setenv("HOME", str(folder))


@pytest.fixture
def planted(database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A prepared database."""
    plant(database, monkeypatch, tmp_path)


@pytest.fixture
def planted_nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No database at all."""
    plant("host=127.0.0.1 port=1 user=x dbname=x", monkeypatch, tmp_path)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_works_or_is_refused_says_none(
    planted: None, capsysbinary: pytest.CaptureFixture[bytes], command: str
) -> None:
    assert found_in(said_by(capsysbinary, *tried(command))) == set()


BROKEN: Final = (
    "host=127.0.0.1 port=1 user=x dbname=x password='{quoted}'",
    "postgresql://x:{percent}@127.0.0.1:1/x",
    "postgresql//x:{percent}@127.0.0.1:1/x",  # no colon: libpq repeats it in its complaint
    "postgresql:/x:{percent}@127.0.0.1/x",
    "host=127.0.0.1 port=1 password={percent} nonsense",
    "host=127.0.0.1 port=one password='{quoted}'",
    "password='{quoted}",
    "{quoted}",
    "host=/nonexistent password='{quoted}' sslmode=nonsense",
)
SAYS_MORE: Final = (("list",), ("tick", "--json"), ("beat", "agent"), ("doctor",))


@pytest.mark.parametrize("dsn", BROKEN)
def test_no_command_repeats_a_connection_string_that_does_not_work(
    planted_nowhere: None, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, dsn: str
) -> None:
    quoted = DSN.replace("\\", "\\\\").replace("'", "\\'")
    monkeypatch.setenv("SCHEDCTL_DSN", dsn.format(quoted=quoted, percent=quote(DSN, safe="")))
    assert found_in(said_by(capsysbinary, *SAYS_MORE)) == set()


EVERY: Final = " | ".join(ALL)
ERRORS: Final[tuple[Callable[[], Exception], ...]] = (
    lambda: RuntimeError(f"it was {EVERY}", {"token": EVERY}, EVERY.encode()),
    lambda: psycopg.OperationalError(f"connection failed: {EVERY}"),
    lambda: psycopg.errors.UniqueViolation(
        f"duplicate\nDETAIL:  Key (name)=({EVERY}) already exists.\nCONTEXT:  {EVERY}"
    ),
    lambda: UnicodeDecodeError("utf-8", EVERY.encode() + b"\xff", 0, 1, "bad byte"),
)
"""Errors that carry secrets in their arguments, as libraries make them."""


@pytest.mark.parametrize("command", [command for command in COMMANDS if command not in ("completion", "gate", "demo")])
def test_a_traceback_says_none(
    planted_nowhere: None, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Whatever is raised where every command opens its database, with whatever in its arguments."""
    for made in ERRORS:

        def fail(*_arguments: object, made: Callable[[], Exception] = made, **_options: object) -> object:
            raise made()

        monkeypatch.setattr(site.database, "connect", fail)
        for words in (WRITTEN.get(command, ((command,),))[0], (command, "--json")):
            assert found_in(said_by(capsysbinary, words)) == set(), words
