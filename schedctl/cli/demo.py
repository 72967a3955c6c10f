"""`schedctl demo`: the whole way, on a scratch state, through the real commands."""

from __future__ import annotations

import io
import json
import os
import shlex
import shutil
import sys
import tempfile
from contextlib import contextmanager, nullcontext, redirect_stdout
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from schedctl.catalog import files
from schedctl.catalog.parse import parse
from schedctl.cli import main
from schedctl.cli.options import common, told
from schedctl.language import Text
from schedctl.settings import DEFAULT_TIMEZONE
from schedctl.store import embedded
from schedctl.usecases.explain import explain

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from schedctl.cli.session import Session

SENTENCE: Final = Text(
    "毎週日曜午前3時にこのマシンのディスク使用量を確認して", "every Sunday at 3am check the disk usage on this machine"
)
UNREADABLE: Final = Text("毎日このマシンのディスク使用量を確認して", "check the disk usage on this machine every day")
SOON: Final = Text("1分後にこのマシンのディスク使用量を確認して", "in 1 minute check the disk usage on this machine")
OTHER_DATABASES: Final = ("SCHEDCTL_DSN", "PGSERVICE", "PGHOST", "PGHOSTADDR", "PGDATABASE", "CREDENTIALS_DIRECTORY")


@click.command(
    "demo",
    help=told(
        "使い捨ての環境で一通りやってみる: 登録、点火、tick、実行、結果",
        "Try the whole way on a scratch state: register, arm, tick, work, result",
    ),
)
@common
def demo_command(session: Session) -> None:
    """Run the real commands one after the other, on a state of their own, and show each command line."""
    with (
        tempfile.TemporaryDirectory(prefix="schedctl-demo-") as scratch,
        _only_this_state(Path(scratch)),
        embedded.running(Path(scratch)),
    ):
        acts = [_act(session, *act) for act in _story(session)]
    if session.as_json:
        session.document({"steps": acts})
    else:
        session.out(session.say(_farewell()))


def _story(session: Session) -> list[tuple[Text, dict[str, str], list[str], int]]:
    """Title, environment, arguments and exit code of each act."""
    sentence = session.say(SENTENCE)
    calendars = parse(files.read_folder(session.settings.catalog)).calendars
    due = explain(sentence, datetime.now(UTC), DEFAULT_TIMEZONE, calendars, count=1).next[0]
    rehearsal = {"SCHEDCTL_REHEARSAL_NOW": due.replace(second=30).isoformat()}
    return [
        (
            Text("時刻のない指示は断ります", "A sentence without a time is refused"),
            {},
            ["register", session.say(UNREADABLE)],
            2,
        ),
        (
            Text("登録すると、いつ・何をするかが返ります", "Registering answers when and what"),
            {},
            ["register", sentence],
            0,
        ),
        (Text("点火するまでは何も実行されません", "Nothing fires until the installation is armed"), {}, ["arm"], 0),
        (Text("その時刻になったとして tick", "A tick, as if that time had come"), rehearsal, ["tick"], 0),
        (
            Text("もう一度 tick しても、同じ回は動きません", "Another tick does not fire it again"),
            rehearsal,
            ["tick"],
            0,
        ),
        (
            Text("worker がこのマシンで実行します", "A worker carries it out on this machine"),
            rehearsal,
            ["work", "--drain"],
            0,
        ),
        (Text("結果と出力は残ります", "The result and its output are kept"), {}, ["logs", "1"], 0),
    ]


def _act(
    session: Session, title: Text, changes: Mapping[str, str], arguments: list[str], expected: int
) -> dict[str, Any]:
    """Show a command line and let it answer; with `--json`, nothing is shown and the answer is in what comes back."""
    typed = [*(f"{name}={value}" for name, value in changes.items()), "schedctl", *map(shlex.quote, arguments)]
    if not session.as_json:
        session.out(f"\n# {session.say(title)}\n$ {' '.join(typed)}")
    answer = io.StringIO()
    with _environment(changes), redirect_stdout(answer) if session.as_json else nullcontext():
        ended = main.call([*arguments, "--lang", session.lang, *(["--json"] if session.as_json else [])])
    if ended != expected:
        session.err(answer.getvalue().rstrip())
        raise click.exceptions.Exit(ended or 1)
    return {
        "title": session.say(title),
        "command": " ".join(typed),
        "exit_code": ended,
        "answer": json.loads(answer.getvalue()) if session.as_json else None,
    }


def _farewell() -> Text:
    """How to go on by hand; the environment is entered first where the program is not on the PATH."""
    enter = "" if shutil.which("schedctl") else f". {shlex.quote(str(Path(sys.prefix, 'bin', 'activate')))}\n"
    do, look = "schedctl tick && schedctl work --drain", "schedctl runs"
    return Text(
        "\n# 続きはご自身の手で（この demo の状態は消えました）\n"
        f"{enter}schedctl arm\nschedctl register {SOON.ja}\n"
        f"{do}   # その時刻を過ぎたら（ふだんはタイマーが毎分呼びます）\n{look}",
        "\n# Go on by hand (the state of this demo is gone)\n"
        f"{enter}schedctl arm\nschedctl register '{SOON.en}'\n"
        f"{do}   # when its time has come (the systemd timer does it otherwise)\n{look}",
    )


@contextmanager
def _only_this_state(state: Path) -> Generator[None]:
    with _environment({"SCHEDCTL_STATE": str(state)}, without=OTHER_DATABASES):
        yield


@contextmanager
def _environment(changes: Mapping[str, str], without: tuple[str, ...] = ()) -> Generator[None]:
    """The process's environment with these changes, and as it was afterwards."""
    before = dict(os.environ)
    for name in without:
        os.environ.pop(name, None)
    os.environ.update(changes)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
