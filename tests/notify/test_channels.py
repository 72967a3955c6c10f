"""Slack, ntfy and commands: each says the same in its own form."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from schedctl.catalog.model import Action
from schedctl.catalog.telling import CommandChannel
from schedctl.language import Text
from schedctl.notify.about import Notice
from schedctl.notify.channel import ChannelFailed
from schedctl.notify.command import CommandLine
from schedctl.notify.message import Message, compose
from schedctl.notify.ntfy import Ntfy
from schedctl.notify.slack import Slack
from schedctl.plan.elevation import inside_sudo

if TYPE_CHECKING:
    from pathlib import Path

    from receivers import Receiver

    from schedctl.catalog.telling import Input

AT = datetime.fromisoformat("2026-12-06T03:41:00+09:00")
KEY = "5f0c9f5e-7f0b-4c55-9d0e-0f2a4c1d2e3f"


def message(name: str = "nightly") -> Message:
    return compose(
        Notice(7, "auto_paused", "error", AT, "schedctl", "", {"failures_in_a_row": 3}, 3, name), "Asia/Tokyo"
    )


def test_slack(receiver: Receiver) -> None:
    Slack(receiver.url + "/services/T0/B0/x", "en").send(message("<!channel> & co"), KEY, AT)
    (got,) = receiver.got
    title, sentence, step = got.json["text"].split("\n")
    assert title == ":red_circle: [schedctl] paused by itself: schedule 3 “&lt;!channel&gt; &amp; co”"
    assert sentence.startswith("Schedule 3 “&lt;!channel&gt; &amp; co” paused by itself after 3 failures in a row")
    assert step == "→ schedctl resume 3"


def test_ntfy(receiver: Receiver) -> None:
    Ntfy(receiver.url, "ops-topic", "tk_abc", "ja").send(message(), KEY, AT)
    (got,) = receiver.got
    assert got.path == "/"
    assert got.headers["authorization"] == "Bearer tk_abc"
    assert got.json["topic"] == "ops-topic"
    assert got.json["title"] == "[schedctl] 自動停止: 予定 3「nightly」"
    assert got.json["priority"] == 5
    assert "ops-topic" not in repr(Ntfy(receiver.url, "ops-topic", "tk_abc", "ja"))


def command(*argv: str, given: Input = "text", timeout_s: int = 10) -> CommandLine:
    action = Action("notify.test", Text("通知", "tell"), "reads", timeout_s, argv)
    return CommandLine(CommandChannel("log", "notify.test", given), action)


def script(folder: Path, text: str) -> str:
    path = folder / "tell"
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def test_a_command_reads_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHEDCTL_SECRET_OPS_URL", "https://ops.example/secret")
    program = script(tmp_path, f"cat > {tmp_path}/got; env > {tmp_path}/env")
    command(program).send(message(), KEY, AT)
    assert (
        (tmp_path / "got").read_text().startswith("[schedctl] 自動停止: 予定 3「nightly」\n予定 3「nightly」は、失敗が")
    )
    environment = (tmp_path / "env").read_text()
    assert f"SCHEDCTL_NOTICE={KEY}\n" in environment
    assert "SCHEDCTL_EVENT=auto_paused\n" in environment
    assert "ops.example" not in environment


def test_a_command_reads_json(tmp_path: Path) -> None:
    command(script(tmp_path, f"cat > {tmp_path}/got"), given="json").send(message(), KEY, AT)
    assert json.loads((tmp_path / "got").read_text())["type"] == "auto_paused"


@pytest.mark.parametrize(
    ("text", "timeout_s", "how"),
    [("exit 3", 10, "exit 3"), ("sleep 30 & exec sleep 30", 1, "1 s"), ("kill -9 $$", 10, "exit -9")],
)
def test_a_command_that_fails_is_tried_again(tmp_path: Path, text: str, timeout_s: int, how: str) -> None:
    with pytest.raises(ChannelFailed) as raised:
        command(script(tmp_path, text), timeout_s=timeout_s).send(message(), KEY, AT)
    assert raised.value.passing
    assert raised.value.message.en == f"The command “notify.test” failed to tell ({how})"


def test_a_command_that_is_not_there() -> None:
    with pytest.raises(ChannelFailed, match="FileNotFoundError"):
        command("/nowhere/tell").send(message(), KEY, AT)


def test_a_command_for_root_is_what_sudoers_allows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines that `schedctl catalog sudoers` prints name `/usr/bin/env` and the action's environment."""
    sudo = tmp_path / "sudo"
    sudo.write_text(f'#!/bin/sh\nprintf "%s " "$@" >{tmp_path}/asked\n', encoding="utf-8")
    sudo.chmod(0o755)
    monkeypatch.setattr("schedctl.notify.command.PATH", str(tmp_path))
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    sender = command("tell", "-v")
    action = replace(sender.action, as_root=True, environment=(("LC_ALL", "C.UTF-8"),))
    replace(sender, action=action).send(message(), KEY, AT)
    assert (tmp_path / "asked").read_text().split() == ["-n", "--", *inside_sudo(action.argv, action.environment)]


def test_a_command_that_reads_nothing_is_fine() -> None:
    command("true").send(message("x" * 1000), KEY, AT)
