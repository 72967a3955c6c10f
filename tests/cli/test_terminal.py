"""On a real terminal: what lasts says so and leaves no trace, Ctrl-C is answered in one sentence, colours are asked."""

from __future__ import annotations

import io
import json
import socket
import sys
from typing import TYPE_CHECKING, Final

import pytest
from installations import CATALOG, settings_for
from terminals import CTRL_C, ROOT, SCHEDCTL, Terminal, on_terminal, surroundings

from schedctl.cli.screen import Screen
from schedctl.cli.session import Session
from schedctl.cli.terminal import StatusLine, lasting, said_with_seconds, wants_colour
from schedctl.language import Text
from schedctl.redact import Redactor
from tests.planner import model_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import Command

SENTENCE: Final = "毎日9時にmarsの様子をいい感じに見て"
LATER: Final = Text("調べています", "Looking")


class OnTerminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def model() -> Iterator[model_server.ModelServer]:
    with model_server.running() as running:
        yield running


@pytest.fixture
def environ(database: str, tmp_path: Path) -> dict[str, str]:
    return surroundings(
        SCHEDCTL_DSN=database,
        SCHEDCTL_CATALOG=str(CATALOG),
        SCHEDCTL_STATE=str(tmp_path / "state"),
        SCHEDCTL_HOST="testhost",
        SCHEDCTL_LANG="ja",
    )


@pytest.mark.parametrize(
    ("environ", "terminal", "coloured"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),  # no-color.org: present and not empty
        ({"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}, True, False),
        ({"CLICOLOR_FORCE": "1"}, False, True),
        ({"CLICOLOR_FORCE": "0"}, False, False),
        ({"CLICOLOR": "0"}, True, False),
        ({"TERM": "dumb"}, True, False),
        ({"TERM": "dumb", "CLICOLOR_FORCE": "1"}, True, False),
    ],
)
def test_who_gets_colours(
    environ: dict[str, str], terminal: bool, coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert wants_colour(on_terminal=terminal) is coloured


def session(database: str, monkeypatch: pytest.MonkeyPatch, *, terminal: bool, as_json: bool = False) -> Session:
    monkeypatch.setattr(sys, "stderr", OnTerminal() if terminal else io.StringIO())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "20")
    return Session(settings_for(database), Redactor.of(["hunter2"]), as_json, "ja", "ja")


def said() -> str:
    stream = sys.stderr
    assert isinstance(stream, io.StringIO)
    return stream.getvalue()


def test_a_status_line_is_cut_to_the_terminal_and_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    line = StatusLine(session("", monkeypatch, terminal=True))
    line.write("調べています: hunter2 と mars と venus")
    line.write("短い")
    line.erase()
    line.erase()
    # 20 columns: one stays free, and two for the ^C that a terminal may write; a kanji takes two.
    assert said() == "\r調べています: [re" + "\r短い" + " " * 13 + "\b" * 13 + "\r" + " " * 6 + "\r"


def test_what_is_printed_meanwhile_stands_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    one = session("", monkeypatch, terminal=True)
    one.status = StatusLine(one)
    one.status.write("短い")
    one.err("止まります")
    assert said() == "\r短い" + "\r" + " " * 6 + "\r" + "止まります\n"


def test_a_command_can_be_pasted_from_a_narrow_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    one = Session(settings_for(""), Redactor(), False, "en", "en")
    screen = Screen(one, width=40)
    screen.command(["df", "-x", "tmpfs", f"--output={'target,' * 9}"], indent=15)
    screen.show()
    lines = capsys.readouterr().out.splitlines()
    assert [line.strip() for line in lines] == ["df -x tmpfs \\", f"--output={'target,' * 9}"]


def test_only_the_screen_knows_escape_sequences() -> None:
    """So that NO_COLOR holds everywhere."""
    knowing = [path.name for path in (ROOT / "schedctl" / "cli").glob("*.py") if "Console(" in path.read_text()]
    assert knowing == ["screen.py"]
    escaping = [path.name for path in (ROOT / "schedctl").rglob("*.py") if "\\x1b[" in path.read_text()]
    assert set(escaping) <= {"capture.py"}  # which takes them out of what commands print


@pytest.mark.parametrize(
    ("terminal", "as_json", "term"), [(False, False, "xterm"), (True, True, "xterm"), (True, False, "dumb")]
)
def test_no_status_line_for_a_program_or_a_dumb_terminal(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, as_json: bool, term: str
) -> None:
    one = session("", monkeypatch, terminal=terminal, as_json=as_json)
    monkeypatch.setenv("TERM", term)
    StatusLine(one).write("調べています")
    assert said() == ""


def test_what_is_over_at_once_needs_no_word(monkeypatch: pytest.MonkeyPatch) -> None:
    one = session("", monkeypatch, terminal=True)
    with lasting(one, lambda: LATER):
        pass
    assert said() == ""
    assert one.status is None


def test_how_long_it_has_lasted() -> None:
    one = Session(settings_for(""), Redactor(), False, "en", "en")
    assert said_with_seconds(one, LATER, 12.4) == "Looking… 12 s"


def test_a_model_that_is_loaded_first_is_waited_for_in_words(
    model: model_server.ModelServer, environ: dict[str, str], schedctl: Command
) -> None:
    model.play(model_server.raw(b"HTTP/1.1 200 OK\r\n", then_hang=True))
    asked = {"SCHEDCTL_PLANNER": "ollama", "SCHEDCTL_PLANNER_URL": model.url, "SCHEDCTL_PLANNER_MODEL": "qwen3:8b"}
    with on_terminal([*SCHEDCTL, "register", SENTENCE], environ | asked) as terminal:
        terminal.wait_for(r"qwen3:8b に聞いています… \d+ 秒")
        terminal.press(CTRL_C)
        assert terminal.end() == 130
        assert terminal.is_sane()
    assert last_words(terminal) == "schedctl: 中断しました。何も登録していません [interrupted]"
    assert json.loads(schedctl("list", "--json").out)["schedules"] == []


def test_work_says_what_goes_on_and_ends_politely(environ: dict[str, str], schedctl: Command) -> None:
    schedctl("arm", now="2026-11-30T10:00:00+09:00")
    schedctl("register", "毎日9時にmarsのprobe.sleepsを実行して", "--yes", now="2026-11-30T10:00:00+09:00")
    schedctl("tick", now="2026-12-01T09:00:30+09:00")
    then = {"SCHEDCTL_REHEARSAL_NOW": "2026-12-01T09:00:40+09:00"}
    with on_terminal([*SCHEDCTL, "work", "--drain"], environ | then) as terminal:
        terminal.wait_for(r"実行しています… \d+ 秒")
        terminal.press(CTRL_C)
        terminal.wait_for("止まります: 新しい実行は始めず")
        assert terminal.end() == 0  # all is recorded
        assert terminal.is_sane()
    assert "cancelled" in terminal.text
    assert "\x1b[K" not in terminal.seen


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("doctor", "中断しました。調べていただけで、何も変えていません"),
        ("deliver", "中断しました"),  # still asking whether there is anything to do
        ("list", "中断しました"),
    ],
)
def test_an_interruption_is_one_sentence(environ: dict[str, str], command: str, sentence: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        hanging = environ | {"SCHEDCTL_DSN": f"host=127.0.0.1 port={silent.getsockname()[1]}"}
        with on_terminal([*SCHEDCTL, command], hanging) as terminal:
            connected, _ = silent.accept()
            with connected:
                terminal.press(CTRL_C)
                assert terminal.end() == 130
            assert terminal.is_sane()
    assert last_words(terminal) == f"schedctl: {sentence} [interrupted]"


def last_words(terminal: Terminal) -> str:
    """What stands on the screen in the end: what stood there before, the ^C of the terminal too, is overwritten."""
    return terminal.text.rpartition("\r  \r")[2].strip()
