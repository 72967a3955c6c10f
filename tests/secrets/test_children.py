"""No program that schedctl starts gets a secret, in its words or in its environment, by Python's audit events."""

from __future__ import annotations

import ast
import os
import shutil
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from installations import CATALOG
from planted import ALL, Planted, found_in

from schedctl.cli.main import call, tell_of_thread
from schedctl.cli.session import Session
from schedctl.secrets import without_ours

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CODE: Final = sorted((Path(__file__).parents[2] / "schedctl").rglob("*.py"))
STARTERS: Final = ("run", "Popen", "call", "check_call", "check_output")
ALL_INHERIT: Final = ("system", "popen", "execv", "execl", "execlp", "execvp", "spawnl", "spawnv", "posix_spawnp")
FAR: Final = """
[nodes.far]
transport = "ssh"
label = { ja = "遠くのノード", en = "far node" }
address = "127.0.0.1"
port = 1
"""
TOLD: Final = """
["root.says"]
label = { ja = "管理者の確認", en = "check as root" }
risk = "reads"
timeout = "5s"
as = "root"
argv = ["true"]
"""
POLICY: Final = """
approval = []
[channels.own]
type = "command"
action = "probe.says"
[[routes]]
channels = ["own"]
severity = "info"
"""
Started = tuple[object, Any, "Mapping[Any, Any] | None"]


class Listener:
    """Hears of every program that this process starts, while somebody listens: an audit hook cannot be taken back."""

    def __init__(self) -> None:
        self.started: list[Started] | None = None
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.started is not None and event in ("subprocess.Popen", "os.posix_spawn"):
            words, environment = arguments[1], arguments[-1]
            self.started.append((event, words, environment if environment is not None else dict(os.environ)))


LISTENER: Final = Listener()


@pytest.fixture
def started(empty_database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[Started]]:
    """What was started; secrets stand everywhere, and the catalog has nodes of every kind."""
    catalog = shutil.copytree(CATALOG, tmp_path / "catalog")
    (catalog / "actions" / "more.toml").write_text(TOLD)
    (catalog / "policy.toml").write_text(POLICY)
    with (catalog / "nodes.toml").open("a") as nodes:
        nodes.write(FAR)
    for name in [name for name in os.environ if name.startswith(("SCHEDCTL_", "PG"))]:
        monkeypatch.delenv(name)
    for name, value in Planted(tmp_path).environment(empty_database).items():
        monkeypatch.setenv(name, value)
    for name, value in {"CATALOG": catalog, "STATE": tmp_path / "state", "HOST": "testhost"}.items():
        monkeypatch.setenv(f"SCHEDCTL_{name}", str(value))
    monkeypatch.setenv("HOME", str(tmp_path))
    LISTENER.started = found = []
    yield found
    LISTENER.started = None


def test_nothing_that_is_started_has_a_secret(started: list[Started]) -> None:
    for words in (
        *(("register", "毎日3時にmarsのディスク使用量を確認して"), ("register", "毎日4時にfarでひとこと")),
        *(
            ("register", "毎日5時にmarsで管理者の確認"),
            ("arm",),
            ("test-run", "1"),
            ("test-run", "2"),
            ("test-run", "3"),
        ),
        *(("deliver",), ("notify", "test", "own"), ("doctor",), ("install-units", "--user", "--dry-run")),
    ):
        call(list(words))
    programs = {os.path.basename(os.fsdecode(argv[0])) for _, argv, _ in started}  # noqa: PTH119 - a name is enough
    assert {"true", "printf"} < programs
    assert programs & {"ssh", "setpriv"}
    for _, argv, environment in started:
        said = b"\n".join(
            os.fsencode(part) for part in (*argv, *(environment or {}).keys(), *(environment or {}).values())
        )
        assert found_in(said) == set(), argv


def test_every_program_is_started_with_an_environment_of_its_own() -> None:
    inheriting: list[str] = []
    for path in CODE:
        for node in ast.walk(ast.parse(path.read_bytes())):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            owner, name = ast.unparse(node.func.value), node.func.attr
            given = any(keyword.arg == "env" for keyword in node.keywords)
            if (owner == "subprocess" and name in STARTERS and not given) or (owner == "os" and name in ALL_INHERIT):
                inheriting.append(f"{path.name}:{node.lineno}")
    assert inheriting == []


def test_what_is_ours_is_left_out() -> None:
    kept = {"PATH": "/bin", "HOME": "/root", "LANG": "C", "XDG_RUNTIME_DIR": "/run/user/0", "PAGER": "less"}
    assert without_ours({**kept, "SCHEDCTL_DSN": "x", "PGPASSWORD": "x", "CREDENTIALS_DIRECTORY": "x"}) == kept


def test_a_thread_that_breaks_says_none(
    started: list[Started], monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(threading, "excepthook", tell_of_thread)
    monkeypatch.setattr(Session, "current", None)  # an earlier test's session knows other secrets
    for debug in ("0", "1"):
        monkeypatch.setenv("SCHEDCTL_DEBUG", debug)

        def broken() -> None:
            raise RuntimeError(" ".join(ALL))

        thread = threading.Thread(target=broken)
        thread.start()
        thread.join()
    said = capsysbinary.readouterr().err
    assert (b"[internal_error]" in said, b"Traceback" in said, found_in(said)) == (True, True, set())
