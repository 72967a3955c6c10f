"""Commands on a node behind a real sshd: what they are given, how they end, what is kept of them."""

from __future__ import annotations

import os
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedctl.plan.model import Target
from schedctl.redact import Redactor
from schedctl.transport import processes
from schedctl.transport.capture import display
from tests.transport.ssh_world import Remote, wait_until

if TYPE_CHECKING:
    from sshd import Sshd

    from schedctl.transport.base import Outcome

NASTY = (
    "web1; reboot",
    "$HOME",
    "`id`",
    "$(id)",
    "a'b\"c\\",
    "",
    " ",
    "-n",
    "*",
    "~",
    "a\nb\n",
    "!!",
    "日本語",
    "\x7f\x1b[2J",
)


@pytest.fixture
def remote(shared_node: Sshd) -> Remote:
    return Remote(shared_node)


def said(outcome: Outcome) -> tuple[str, int | None, str | None]:
    return outcome.state, outcome.exit_code, outcome.error_type


def test_a_command_runs_and_its_streams_stay_apart(remote: Remote) -> None:
    outcome = remote.shell("echo out; echo err >&2")
    assert said(outcome) == ("succeeded", 0, None)
    assert (outcome.stdout.head, outcome.stderr.head) == (b"out\n", b"err\n")
    assert outcome.stdout.sha256 == sha256(b"out\n").hexdigest()


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("exit 3", ("failed", 3, "exit_code")),
        ("exit 255", ("failed", 255, "exit_code")),  # what ssh itself says when the way fails
        ("kill -KILL $$", ("failed", 137, "killed_by_signal")),
    ],
)
def test_how_a_command_ends_by_itself(remote: Remote, script: str, expected: tuple[str, int, str]) -> None:
    assert said(remote.shell(script)) == expected


def test_an_expected_exit_code_is_success(remote: Remote) -> None:
    outcome = remote.run(remote.command("/bin/sh", "-c", "exit 143", success=(0, 143)))
    assert said(outcome) == ("succeeded", 143, None)


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("nonesuch", "command_not_found"),
        ("/nonesuch/program", "command_not_found"),
        ("/etc/passwd", "not_executable"),
        ("/etc", "not_executable"),
    ],
)
def test_what_cannot_be_started_is_named(remote: Remote, program: str, error: str) -> None:
    outcome = remote.run(remote.command(program))
    assert said(outcome) == ("failed", None, error)
    assert outcome.error_message is not None
    assert program in outcome.error_message.ja


def test_no_value_is_ever_interpreted(remote: Remote) -> None:
    outcome = remote.run(remote.command("printf", "%s\\0", *NASTY))
    assert outcome.stdout.head == "".join(f"{word}\0" for word in NASTY).encode()


@settings(max_examples=12)
@given(
    words=st.lists(st.binary(max_size=60).map(lambda raw: raw.replace(b"\0", b"")), min_size=1, max_size=6),
    stdin=st.binary(max_size=60).map(lambda raw: raw.replace(b"\0", b"")),
    value=st.binary(max_size=60).map(lambda raw: raw.replace(b"\0", b"")),
)
def test_any_bytes_arrive_as_they_were(shared_node: Sshd, words: list[bytes], stdin: bytes, value: bytes) -> None:
    remote = Remote(shared_node)
    text = [word.decode("utf-8", "surrogateescape") for word in (*words, stdin, value)]
    command = remote.command(
        "/bin/sh",
        "-c",
        'cat; printf "|%s" "$VALUE"; printf "|%s" "$@"',
        "sh",
        *text[:-2],
        stdin=text[-2],
        environment=(("VALUE", text[-1]),),
    )
    assert remote.run(command).stdout.head == b"|".join([stdin, value, *words])


def test_every_byte_arrives(remote: Remote) -> None:
    every = bytes(range(1, 256)) * 40
    outcome = remote.run(remote.command("printf", "%s", every.decode("utf-8", "surrogateescape")), limit=20_000)
    assert outcome.stdout.head == every


def test_the_environment_is_ours_and_nothing_else(remote: Remote) -> None:
    outcome = remote.run(remote.command("env", "-0", environment=(("X", "a b\n'c'"), ("TZ", "UTC"))))
    seen = dict(entry.split("=", 1) for entry in outcome.stdout.head.decode().split("\0") if entry)
    home = str(remote.node.home)
    assert seen == {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "DEBIAN_FRONTEND": "noninteractive",
        "HOME": home,
        "USER": remote.node.target.user,
        "LOGNAME": remote.node.target.user,
        "SCHEDCTL_LEG": remote.label,
        "SCHEDCTL_START": remote.label,
        "X": "a b\n'c'",
    }


def test_a_command_starts_in_the_root_folder_with_an_empty_input(remote: Remote) -> None:
    outcome = remote.shell("pwd; umask; cat; tty")
    assert outcome.stdout.head == b"/\n0022\nnot a tty\n"


def test_output_is_kept_as_bytes_and_shown_safely(remote: Remote) -> None:
    raw = b"\0\xff\xfe" + "更新\n".encode("shift_jis") + b"\x1b]0;title\x07"
    octal = "".join(f"\\{byte:03o}" for byte in raw)
    outcome = remote.run(remote.command("printf", octal))
    assert outcome.stdout.head == raw
    assert "\x1b" not in display(outcome.stdout)


def test_a_long_output_is_kept_as_head_and_tail(remote: Remote) -> None:
    outcome = remote.shell("echo first; head -c 9000000 /dev/zero; echo; echo last")
    assert outcome.stdout.length == 9_000_012
    assert (outcome.stdout.head[:6], outcome.stdout.tail[-5:]) == (b"first\n", b"last\n")
    assert len(outcome.stdout.head + outcome.stdout.tail) <= 4096


def test_a_secret_is_masked_and_never_stays_on_the_node(shared_node: Sshd) -> None:
    remote = Remote(shared_node, Redactor.of(["p@ss/word"]))
    outcome = remote.run(remote.command("echo", "it is p@ss/word"))
    assert outcome.stdout.head == b"it is [redacted]\n"
    wait_until(remote.forgotten)


def test_the_records_are_private_to_the_user(remote: Remote) -> None:
    assert remote.shell("exit 0").state == "succeeded"
    assert (remote.node.runs.stat().st_mode & 0o777, remote.folder.stat().st_mode & 0o777) == (0o700, 0o700)


def test_a_name_is_never_used_twice(remote: Remote) -> None:
    notes = remote.node.folder / f"notes-{remote.label}"
    assert remote.shell(f"echo started >> {notes}").state == "succeeded"
    assert said(remote.shell(f"echo started >> {notes}")) == ("failed", None, "already_begun")
    assert notes.read_text() == "started\n"


def test_the_time_limit_ends_the_command_with_its_children(remote: Remote) -> None:
    outcome = remote.shell("echo begun; trap '' TERM; setsid sleep 60 & sleep 60", timeout_s=1)
    assert said(outcome) == ("timed_out", 137, "timed_out")
    assert outcome.stdout.head == b"begun\n"
    assert not remote.still_running()


STUBBORN = "env -i setsid sh -c 'trap \"\" TERM; echo $$; while :; do sleep 0.1; done' & wait"


@pytest.mark.parametrize("script", ["env -i setsid sh -c 'echo $$; exec sleep 60' & wait", STUBBORN])
def test_a_child_that_sheds_its_session_and_its_mark_is_still_somebodys_child(remote: Remote, script: str) -> None:
    outcome = remote.shell(script, timeout_s=1)
    assert outcome.state == "timed_out"
    assert int(outcome.stdout.head) not in dict(processes._living())


def test_a_command_that_ends_on_term_has_its_grace(remote: Remote) -> None:
    outcome = remote.shell("trap 'echo bye; exit 5' TERM; sleep 30 & wait", timeout_s=1)
    assert said(outcome) == ("timed_out", 5, "timed_out")
    assert outcome.stdout.head == b"bye\n"


def test_a_background_child_holding_the_output_does_not_hold_the_run(remote: Remote) -> None:
    outcome = remote.shell("sleep 60 & echo done")
    assert said(outcome) == ("succeeded", 0, None)
    assert not remote.still_running()


def test_a_daemon_that_let_go_of_the_output_stays(remote: Remote) -> None:
    outcome = remote.shell("setsid sleep 5 >/dev/null 2>&1 </dev/null & echo $!")
    pid = int(outcome.stdout.head)
    os.kill(pid, 0)
    os.kill(pid, 9)


def test_a_stop_ends_the_command(remote: Remote) -> None:
    outcome = remote.shell("echo begun; sleep 30", heartbeat=lambda: "stop" if remote.begun() else "go_on")
    assert said(outcome) == ("cancelled", 143, "cancelled")
    assert remote.ended()


def test_a_login_shell_that_speaks_is_not_taken_for_the_command(own_node: Sshd) -> None:
    (own_node.home / ".bashrc").write_text("echo welcome; echo warning >&2; printf 'no line end'\n")
    remote = Remote(own_node)
    outcome = remote.shell("echo out")
    assert (outcome.stdout.head, outcome.stderr.head) == (b"out\n", b"")


def test_beats_go_on_while_a_command_is_silent(remote: Remote) -> None:
    beats: list[int] = []
    remote.shell("sleep 1", heartbeat=lambda: beats.append(1) or "go_on")
    assert len(beats) >= 5


def test_only_ssh_nodes_are_taken(remote: Remote) -> None:
    with pytest.raises(ValueError, match="mars"):
        remote.transport.run(Target("mars", "local"), remote.command("true"), lambda: "go_on", Redactor(), 1)


def test_a_week_old_start_is_forgotten(own_node: Sshd) -> None:
    old = own_node.runs / "old"
    old.mkdir(parents=True)
    os.utime(old, (1, 1))
    assert Remote(own_node).shell("exit 0").state == "succeeded"
    wait_until(lambda: not old.exists())
