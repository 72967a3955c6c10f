"""docs/examples: the Slack command and the shell function hand a sentence on, whatever it says, and nothing else."""

from __future__ import annotations

import importlib.util
import json
import queue
import re
import shutil
import subprocess
import sys
import textwrap
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from gates import ROOT, Gate
from logins import CHANGE, SAY
from slack import SECRET, Slack, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from logins import Logins

EXAMPLES: Final = Path(ROOT) / "docs" / "examples"
PEOPLE: Final = {
    "U1": {"name": "alice", "role": "operator"},
    "U2": {"name": "bob", "role": "approver"},
    "U3": {"name": "viewer", "role": "viewer"},
}
NO_SENTENCES: Final = (
    " ",
    f"--yes {SAY}",
    f"-- --yes {SAY}",
    f"{SAY}; touch {{mark}}",
    f"$(touch {{mark}}){SAY}",
    f"`touch {{mark}}` {SAY}",
    f"{SAY}\nlist",
    "' | touch {mark} #",
)
SHELLS: Final = [shell for shell in ("bash", "zsh") if shutil.which(shell)]
ACTED: Final = "SELECT gate ->> 'actor' FROM schedctl.event WHERE type = 'approved'"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A schedctl that can be called by its path alone."""
    path = tmp_path / "schedctl"
    path.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -P -m schedctl "$@"\n', encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def receiver(roles: Logins, tmp_path: Path, program: Path) -> Any:
    """The example as a module, its handler ready to serve this database's gate."""
    gate = Gate(tmp_path, roles.dsn_of("gate"))
    gate.prepare()
    specification = importlib.util.spec_from_file_location("slack_command", EXAMPLES / "slack_command.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    settings = {"schedctl": str(program), "settings": str(gate.settings), "people": PEOPLE}
    module.Receiver.config = {**settings, "secret": SECRET, "slack": "https://hooks.slack.com/"}
    vars(module)["ANSWER_WITHIN_S"] = 60
    return module


@pytest.fixture
def slack(receiver: Any) -> Iterator[Slack]:
    with serving(receiver.Receiver) as port:
        yield Slack(port)


def instructions(roles: Logins) -> list[object]:
    return [row[0] for row in roles.owner("SELECT instruction FROM schedctl.schedule ORDER BY schedule_id")]


def test_a_sentence_is_registered_shown_and_approved_by_another(slack: Slack, roles: Logins) -> None:
    shown = slack.command(CHANGE)
    assert shown["response_type"] == "in_channel"
    assert "pending" in shown["blocks"][0]["text"]["text"]
    (button,) = shown["blocks"][1]["elements"]
    refused = slack.press(button["value"], "U1")
    assert (refused["response_type"], "[gate_refused]" in refused["text"]) == ("ephemeral", True)
    assert "active" in slack.press(button["value"], "U2")["text"]
    assert roles.owner(ACTED) == [("bob",)]
    assert instructions(roles) == [CHANGE]


def test_what_is_no_sentence_is_refused_and_does_nothing(slack: Slack, roles: Logins, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    for said in NO_SENTENCES:
        assert slack.command(said.format(mark=mark))["response_type"] == "ephemeral", said
    assert not mark.exists()
    assert instructions(roles) == []


def test_nobody_is_called_by_what_an_answer_quotes(slack: Slack) -> None:
    answer = slack.command("<!channel> `x` " + SAY)
    assert not set("<>`") & set(answer["text"])


def test_strangers_and_viewers_register_nothing(slack: Slack, roles: Logins) -> None:
    assert "[unknown_person]" in slack.command(SAY, "U9")["text"]
    assert "[gate_refused]" in slack.command(SAY, "U3")["text"]
    assert instructions(roles) == []


def test_what_slack_did_not_sign_a_moment_ago_is_not_read(slack: Slack, roles: Logins) -> None:
    body = b"user_id=U1&response_url=x&text=" + SAY.encode()
    assert slack.send(body, secret="another")[0] == 401
    assert slack.send(body, at=time.time() - 301)[0] == 401
    assert slack.send(body, at=time.time() + 301)[0] == 401
    assert slack.send(body, X_Slack_Signature="")[0] == 401
    assert slack.send(body, X_Slack_Request_Timestamp="²")[0] == 401
    assert slack.send(b"x" * 20_000)[0] == 413
    assert slack.send(b"payload={}")[0] == 400
    assert instructions(roles) == []


def test_its_settings_are_read_as_the_page_has_them(
    receiver: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (page,) = re.findall(r"```toml\n(.*?)```", (EXAMPLES.parent / "chat.md").read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "slack.toml").write_text(textwrap.dedent(page), encoding="utf-8")
    (tmp_path / "slack_signing_secret").write_text(SECRET + "\n", encoding="utf-8")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    config = receiver.read_config(tmp_path / "slack.toml")
    assert (config["secret"], config["people"]["U045EF6GH"]["role"]) == (SECRET, "approver")
    assert (config["settings"], config["slack"]) == ("/etc/schedctl/gate", "https://hooks.slack.com/")


def test_a_late_answer_goes_to_slack_and_nowhere_else(receiver: Any) -> None:
    told: queue.Queue[bytes] = queue.Queue()

    class Hooks(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            told.put(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *_: object) -> None:
            pass

    receiver.ANSWER_WITHIN_S = 0
    with serving(Hooks) as hooks:
        later = f"http://127.0.0.1:{hooks}/"
        with serving(receiver.Receiver) as port:
            assert "受け付けました" in Slack(port, later).command(SAY)["text"]
        assert told.empty()
        receiver.Receiver.config = {**receiver.Receiver.config, "slack": later}
        with serving(receiver.Receiver) as port:
            assert "受け付けました" in Slack(port, later).command(SAY)["text"]
        assert "[duplicate]" in json.loads(told.get_nowait())["text"]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("said", [SAY, "--yes " + SAY, SAY + " * ? $(touch mark); `touch mark`"])
def test_the_shell_function_hands_the_sentence_on_as_it_is(tmp_path: Path, shell: str, said: str) -> None:
    """Both ways: to the schedctl at hand, and over ssh, whose words the gate's reader takes for one line."""
    for name in ("schedctl", "ssh"):
        (tmp_path / name).write_text(f'#!/bin/sh\nprintf "%s\\n" {name} "$@"\n', encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "sentence").write_text(said, encoding="utf-8")
    line = f'. {EXAMPLES}/yoyaku.sh; yoyaku "$(cat sentence)"; YOYAKU_HOST=ops; yoyaku --json "$(cat sentence)"; yoyaku'
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    ran = subprocess.run(
        [shell, "-c", line], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.stdout.splitlines() == [
        *("schedctl", "register", "--", said),
        *("ssh", "-T", "ops", "register", "--json", "--", said),
    ]
    assert (ran.returncode, "使い方" in ran.stderr) == (2, True)
    assert not (tmp_path / "mark").exists()
