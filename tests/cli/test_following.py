"""`logs --follow`: each byte once, by whole lines, safely; and live from another process's worker."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from installations import settings_for
from sshd import serve

from schedctl.cli.following import Reader
from schedctl.redact import Redactor
from schedctl.transport.base import Captured
from schedctl.transport.capture import Capture
from schedctl.transport.local import LocalTransport
from schedctl.transport.ssh import SshTransport
from schedctl.usecases import runs
from schedctl.usecases.ledger import Ledger
from schedctl.usecases.site import open_site
from schedctl.usecases.work import work_on_run
from schedctl.usecases.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import Command

    from schedctl.transport.base import Transport

LINES = st.lists(st.text("abcdefgh", min_size=1, max_size=12), min_size=1, max_size=30)


def stored(data: bytes) -> Captured:
    return Captured(data, b"", len(data), "")


@given(LINES, st.lists(st.integers(0, 400), max_size=8))
def test_each_byte_once_and_in_order(lines: list[str], looks: list[int]) -> None:
    whole = "\n".join(lines).encode()
    reader, said = Reader(), ""
    for upto in sorted(looks):
        said += reader.news(stored(whole[:upto]), ended=False)
    assert whole.decode().startswith(said)
    assert said + reader.news(stored(whole), ended=True) == whole.decode()


@given(LINES, st.lists(st.integers(1, 40), min_size=1, max_size=30), st.integers(2, 64))
def test_what_was_left_out_is_said_and_the_rest_shown_once(lines: list[str], steps: list[int], limit: int) -> None:
    """Every shown line was written, in its order; only what the store left out is missing, and then it is said."""
    numbered = [f"{number} {line}" for number, line in enumerate(lines)]
    whole = ("\n".join(numbered) + "\n").encode()
    capture, reader, said, at = Capture(Redactor(), limit), Reader(), [], 0
    for step in steps:
        capture.feed(whole[at : at + step])
        at += step
        said.append(reader.news(capture.so_far(limit), ended=False))
    capture.feed(whole[at:])
    said.append(reader.news(capture.finish(), ended=True))
    shown = [line for line in "\n".join(said).split("\n") if line in set(numbered)]
    assert shown == sorted(set(shown), key=lambda line: int(line.split()[0]))
    if len(whole) <= limit:
        assert "".join(said).encode() == whole
    elif shown != numbered:
        assert any("left out" in text for text in said)


def test_a_secret_changes_the_length_and_nothing_is_shown_twice() -> None:
    """While it runs the length counts redacted bytes, at the end those that the command wrote."""
    capture, reader = Capture(Redactor.of(("hunter2hunter2hunter2hunter2",)), 64), Reader()
    capture.feed(b"password=hunter2hunter2hunter2hunter2\n" * 4 + b"one\ntwo\n" * 5)
    first = reader.news(capture.so_far(64), ended=False)
    capture.feed(b"last\n")
    assert first.endswith("two\n")
    assert reader.news(capture.finish(), ended=True) == "last\n"


def test_terminal_sequences_are_not_replayed() -> None:
    assert Reader().news(stored(b"\x1b[2J\x1b]0;title\x07red \x1b[31mtext\x1b[0m\n"), ended=False) == "red text\n"


def test_a_progress_line_shows_its_last_state() -> None:
    reader = Reader()
    assert reader.news(stored(b"10%\r20%\r3"), ended=False) == "20%"
    assert reader.news(stored(b"10%\r20%\r30%\n"), ended=True) == "30%\n"


SPEAKS = """
["probe.speaks"]
label = { ja = "話す確認", en = "check that speaks" }
risk = "reads"
timeout = "60s"
argv = ["%s"]
"""
SPEAKER = """#!/bin/sh
echo first
printf '\\033[2Jsecond\\n'
while ! test -e %s; do sleep 0.1; done
echo third
"""
LOCAL = '[nodes.mars]\ntransport = "local"\nlabel = { ja = "マーズ", en = "mars" }\n'
SSH = """
[nodes.mars]
transport = "ssh"
label = {{ ja = "マーズ", en = "mars" }}
address = "{target.address}"
user = "{target.user}"
port = {target.port}
"""


@pytest.fixture(params=["local", "ssh"])
def way(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, dict[str, Transport]]]:
    """The nodes' file, and the transports that reach its node."""
    if request.param == "local":
        yield LOCAL, {"local": LocalTransport(beat_every_s=0.1)}
        return
    for node in serve(tmp_path / "node"):
        yield SSH.format(target=node.target), {"ssh": SshTransport(node.client, beat_every_s=0.1)}


def test_a_running_command_is_seen_live(
    schedctl: Command, empty_database: str, tmp_path: Path, way: tuple[str, dict[str, Transport]]
) -> None:
    nodes, transports = way
    folder, done = tmp_path / "catalog", tmp_path / "done"
    (folder / "actions").mkdir(parents=True)
    program = tmp_path / "speak"
    program.write_text(SPEAKER % done)
    program.chmod(0o755)
    (folder / "actions" / "speaks.toml").write_text(SPEAKS % program)
    (folder / "nodes.toml").write_text(nodes)
    (folder / "policy.toml").write_text("approval = []\n")
    (folder / "calendar.toml").write_text('country = "JP"\n')
    env = {"SCHEDCTL_DSN": empty_database, "SCHEDCTL_CATALOG": str(folder)}
    assert schedctl("register", "毎日3時にmarsのprobe.speaksを実行して", env=env).code == 0
    with psycopg.connect(empty_database, autocommit=True) as db:
        db.execute("UPDATE schedctl.installation SET lease = '1 second'")

    def work() -> None:
        with open_site(settings_for(empty_database, catalog=folder)) as site:
            run_id = runs.start(site, "1").run_id
            work_on_run(
                Worker(Ledger(site, "w1"), transports, Redactor(), None, 1, 4096, "UTC", threading.Event()), run_id
            )

    worker = threading.Thread(target=work)
    worker.start()
    try:
        with psycopg.connect(empty_database, autocommit=True) as db:
            query = "SELECT 1 FROM schedctl.step WHERE state = 'running' AND stdout_length > 0"
            deadline = time.monotonic() + 60
            while db.execute(query).fetchone() is None and time.monotonic() < deadline:
                time.sleep(0.05)
        shown = schedctl("logs", "1", env=env).out
        assert "first\nsecond\n" in shown  # also without --follow, up to the last renewal
        threading.Timer(0.5, done.touch).start()
        followed = schedctl("logs", "1", "--follow", "--lang", "en", env=env)
    finally:
        done.touch()
        worker.join(timeout=60)
    assert followed.code == 0
    lines = followed.out.splitlines()
    assert [line for line in lines if line in ("first", "second", "third")] == ["first", "second", "third"]
    assert "\x1b" not in followed.out
    assert any(line.startswith("Run 1") and "succeeded" in line for line in lines)
    assert schedctl("logs", "1", "--follow", "--json", env=env).json["run"]["state"] == "succeeded"


def test_following_an_ended_run_shows_it_and_ends(schedctl: Command) -> None:
    schedctl("register", "毎日3時にmarsのprobe.saysを実行して")
    schedctl("test-run", "1")
    followed = schedctl("logs", "1", "-f")
    assert (followed.code, "こんにちは\n" in followed.out) == (0, True)
    assert schedctl("logs", "9", "--follow").code == 3
