"""Completion by real shells: each runs the script that `schedctl completion` prints, as an operator's shell would."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Final

import psycopg
import pytest
from click.shell_completion import CompletionItem, ShellComplete
from installations import CATALOG
from terminals import ROOT, on_terminal, surroundings

from schedctl.cli.groups import COMPLETION
from schedctl.cli.main import cli

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Command

SENTENCE: Final = "毎日9時にmarsのディスク使用量を確認して"
CHANNEL: Final = """
    UPDATE schedctl.catalog
       SET document = jsonb_set(document, '{files,policy.toml,channels}', '{"ops": {"type": "slack"}}')
"""
BASH: Final = """
eval "$(schedctl completion bash)"
{exports}
COMP_WORDS=({words})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_schedctl_completion schedctl
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
FISH: Final = "schedctl completion fish | source; {exports} complete -C '{line}'"


def needs(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A folder with a `schedctl` in it that is this tree's."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "schedctl"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m schedctl "$@"\n')
    script.chmod(0o755)
    return folder


@pytest.fixture
def environ(database: str, program: Path, tmp_path: Path) -> dict[str, str]:
    return surroundings(
        PATH=f"{program}:{os.environ['PATH']}",
        SCHEDCTL_DSN=database,
        SCHEDCTL_CATALOG=str(CATALOG),
        SCHEDCTL_STATE=str(tmp_path / "state"),
        SCHEDCTL_LANG="ja",
    )


@pytest.fixture
def complete(environ: dict[str, str]) -> Callable[..., list[str]]:
    """What a shell offers behind a line: `complete("fish", "schedctl show ")`."""

    def complete(shell: str, line: str, **changes: str) -> list[str]:
        needs(shell)
        exports = "".join(f"export {name}='{value}'; " for name, value in changes.items())
        if shell == "bash":
            words = " ".join(f"'{word}'" for word in line.split(" "))
            command = ["bash", "--norc", "-c", BASH.format(words=words, exports=exports)]
        else:
            command = ["fish", "--no-config", "-c", FISH.format(line=line, exports=exports)]
        ran = subprocess.run(command, env=environ, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
        assert ran.stderr == ""
        return [line for line in ran.stdout.splitlines() if line]

    return complete


@pytest.fixture
def three(schedctl: Command, database: str) -> Command:
    """A schedule that is active, one that waits for approval, one that is paused; a run; and a channel."""
    schedctl("register", SENTENCE, "--name", "disk")
    schedctl("register", "毎日4時にmarsのパッケージを更新して")
    schedctl("register", "毎日5時にvenusのディスク使用量を確認して")
    schedctl("pause", "3", "--reason", "x")
    schedctl("test-run", "1")
    with psycopg.connect(database) as db:
        db.execute(CHANNEL)
    return schedctl


OFFERED: Final = (
    ("sh", ["show"]),
    ("show ", ["3", "2", "1"]),  # the newest first
    ("show d", ["disk"]),  # a name, once something is typed
    ("approve ", ["2"]),
    ("pause ", ["1"]),
    ("resume ", ["3"]),
    ("register x --replaces ", ["3", "2", "1"]),
    ("logs ", ["1"]),
    ("rerun ", ["1"]),
    ("cancel ", []),  # nothing runs
    ("node hold ma", ["mars"]),
    ("work --node ve", ["venus"]),
    ("work --node=ve", ["venus"]),
    ("notify test ", ["ops"]),
    ("list --state pa", ["paused"]),
    ("explain x --timezone Asia/Toky", ["Asia/Tokyo"]),
    ("register ", []),  # a sentence is the operator's own
)


def test_what_is_offered_where(three: Command) -> None:
    """By click's own mechanism, in this process."""
    found = [(line, [item.value for item in offered(line)]) for line, _ in OFFERED]
    assert found == list(OFFERED)


def offered(line: str) -> list[CompletionItem]:
    *words, typed = line.split(" ")
    return ShellComplete(cli, {}, "schedctl", COMPLETION).get_completions(words, typed)


def test_bash(three: Command, complete: Callable[..., list[str]]) -> None:
    assert complete("bash", "schedctl show ") == ["3", "2", "1"]
    assert complete("bash", "schedctl work --node=ma") == ["mars"]


def test_fish_shows_what_stands_behind_an_id(three: Command, complete: Callable[..., list[str]]) -> None:
    assert complete("fish", "schedctl show 1") == [f"1\tactive  {SENTENCE}"]
    assert complete("fish", "schedctl node h") == ["hold\tこのノードで変更を始めさせない"]
    assert complete("fish", "schedctl explain x --timezone tok") == ["Asia/Tokyo"]


def test_zsh_shows_what_stands_behind_an_id(three: Command, environ: dict[str, str]) -> None:
    needs("zsh")
    with on_terminal(["zsh", "-f", "-i"], environ, columns=100) as zsh:
        zsh.press(
            "PS1='%% '; autoload -Uz compinit; compinit -u -D; eval \"$(schedctl completion zsh)\"; echo rea''dy\n"
        )
        at = zsh.wait_for("ready")
        zsh.press("schedctl show \t")
        at = zsh.wait_for(f"1 +-- active +{SENTENCE}", at)
        zsh.press("\x15schedctl approve \t")
        at = zsh.wait_for("schedctl approve 2 ", at)  # the only one
        zsh.press("\x15schedctl appr\t")
        zsh.wait_for("schedctl approve ", at)


@pytest.mark.parametrize("dsn", ["host=127.0.0.1 port=9", "host=/nonexistent", "no dsn at all ="])
def test_a_database_that_is_away_is_passed_over(schedctl: Command, monkeypatch: pytest.MonkeyPatch, dsn: str) -> None:
    monkeypatch.setenv("SCHEDCTL_DSN", dsn)
    assert offered("show ") == []
    assert [item.value for item in offered("sh")] == ["show"]


def test_one_that_is_silent_is_not_waited_for(schedctl: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    speaks = threading.Event()

    def named(*_: object) -> list[list[str]]:
        speaks.wait(20)
        return [["1", "", "active", "late"]]

    monkeypatch.setattr("schedctl.store.namable.named", named)
    monkeypatch.setattr("schedctl.cli.completing.PATIENCE_S", 0.1)
    assert offered("show ") == []
    speaks.set()


def test_no_trouble_is_ever_shown(complete: Callable[..., list[str]]) -> None:
    assert complete("bash", "schedctl show ", SCHEDCTL_DSN="host=/nonexistent") == []
    assert complete("bash", "schedctl show ", SCHEDCTL_TIMEZONE="Mars/Olympus") == []


def test_completing_starts_no_embedded_server(
    complete: Callable[..., list[str]], environ: dict[str, str], tmp_path: Path
) -> None:
    del environ["SCHEDCTL_DSN"]
    assert complete("bash", "schedctl show ") == []
    assert not (tmp_path / "state").exists()


def test_what_is_offered_moves_no_cursor_and_needs_no_quotes(
    schedctl: Command, complete: Callable[..., list[str]], database: str
) -> None:
    schedctl("register", SENTENCE, "--name", "a b")
    with psycopg.connect(database) as db:  # as an older version may have stored it
        db.execute("UPDATE schedctl.schedule SET instruction = %s", ("\x1b]0;owned\x07" + SENTENCE,))
    (line,) = complete("fish", "schedctl show ")
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", line)
    assert offered("show a") == []


def test_with_arguments_it_is_a_command_like_any_other(environ: dict[str, str]) -> None:
    command = [sys.executable, "-m", "schedctl", "--version"]
    ran = subprocess.run(
        command,
        env=environ | {"_SCHEDCTL_COMPLETE": "bash_source"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.startswith("schedctl ")
