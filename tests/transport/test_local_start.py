"""What a command finds when it starts, and what is said when it cannot."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedctl.transport.base import Command
from schedctl.transport.local import LocalTransport, environment_of
from tests.transport.local_world import Start

if TYPE_CHECKING:
    from pathlib import Path


def test_the_environment_is_ours_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHEDCTL_DSN", "postgresql://u:secret@h/db")
    monkeypatch.setenv("LANG", "ja_JP.SJIS")
    start = Start()
    outcome = start.run("env", environment=(("NEEDRESTART_MODE", "l"), ("LANG", "C")))
    seen = dict(line.split("=", 1) for line in outcome.stdout.head.decode().splitlines())
    assert seen.pop("SCHEDCTL_START")
    assert seen == {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "LANG": "C",
        "LC_ALL": "C.UTF-8",
        "TZ": "Asia/Tokyo",
        "DEBIAN_FRONTEND": "noninteractive",
        "HOME": seen["HOME"],
        "USER": seen["USER"],
        "LOGNAME": seen["USER"],
        "NEEDRESTART_MODE": "l",
        "SCHEDCTL_LEG": start.label,
    }


def test_the_schedules_zone_is_the_commands_zone() -> None:
    assert Start().run("date", "-d", "@0", "+%H:%M").stdout.head == b"09:00\n"


def test_it_starts_in_the_root_folder_with_a_sane_mask_and_no_open_files() -> None:
    leak, mask = os.dup2(0, 57, inheritable=True), os.umask(0o077)
    try:
        outcome = Start().shell("pwd; umask; ls /proc/self/fd | grep -c 57; ps -o pid=,pgid=,sid= -p $$")
    finally:
        os.close(leak)
        os.umask(mask)
    folder, seen_mask, leaks, numbers = outcome.stdout.head.decode().splitlines()
    assert (folder, seen_mask, leaks) == ("/", "0022", "0")
    assert len(set(numbers.split())) == 1, "it leads its own group and session"


@pytest.mark.parametrize(
    "given", ["", "はい\n", "x" * 1_000_000], ids=["nothing", "an answer", "more than a pipe holds"]
)
def test_standard_input_is_what_was_given_and_then_its_end(given: str) -> None:
    assert Start().run("wc", "-c", stdin=given).stdout.head.split() == [str(len(given.encode())).encode()]


WORDS = st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20), max_size=4)


@settings(max_examples=40)
@given(WORDS)
def test_no_shell_reads_the_words(words: list[str]) -> None:
    outcome = Start().run("printf", r"%s\0", "$(id); `id` * ~", *words)
    expected = "".join(f"{word}\0" for word in ["$(id); `id` * ~", *words])
    assert outcome.stdout.head == expected.encode()


def script(path: Path, text: str, mode: int = 0o755) -> str:
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def test_what_cannot_start_says_why(tmp_path: Path) -> None:
    cases = {
        "no-such-program-here": "command_not_found",
        str(tmp_path / "nowhere" / "x"): "command_not_found",
        script(tmp_path / "plain", "data", stat.S_IRUSR): "not_executable",
        script(tmp_path / "lost", "#!/no/such/interpreter\n"): "not_executable",
        script(tmp_path / "foreign", "\x7fELF nonsense"): "not_executable",
        str(tmp_path): "not_executable",
        "nul\0inside": "could_not_start",
    }
    for program, error_type in cases.items():
        outcome = Start().run(program)
        assert (outcome.state, outcome.error_type, outcome.exit_code) == ("failed", error_type, None), program
        assert outcome.error_message
        assert outcome.hint
        assert outcome.stdout.length == 0


def test_a_command_too_long_for_the_system_is_not_started() -> None:
    outcome = Start().run("echo", "x" * 3_000_000)
    assert outcome.error_type == "could_not_start"
    assert outcome.error_message
    assert "Argument list too long" in outcome.error_message.en


SUDO = {
    "sudo: a password is required": "sudo_password_needed",
    "sudo: a terminal is required to read the password; either use ssh's -t option": "sudo_password_needed",
    "sudo: sorry, you must have a tty to run sudo": "sudo_password_needed",
    "deploy is not in the sudoers file.": "sudo_password_needed",
    "sudo: apt-gte: command not found": "command_not_found",
    "/usr/bin/env: ‘apt-gte’: No such file or directory": "command_not_found",
    "E: could not get lock": "exit_code",
}


@pytest.mark.parametrize(("said", "error_type"), SUDO.items())
def test_what_sudo_refuses_is_told_apart_from_what_the_command_says(tmp_path: Path, said: str, error_type: str) -> None:
    script(tmp_path / "sudo", f'#!/bin/sh\nprintf "%s|" "$@"\necho "{said}" >&2\nexit 1\n')
    user = Start(LocalTransport(guardian=Start().transport.guardian, is_root=False))
    path = (("PATH", f"{tmp_path}:/usr/bin:/bin"),)
    outcome = user.run("apt-get", "update", as_root=True, environment=path)
    assert outcome.error_type == error_type
    assert outcome.stdout.head == f"-n|--|/usr/bin/env|{'='.join(path[0])}|apt-get|update|".encode()
    assert user.run("sh", "-c", f'echo "{said}" >&2; exit 1', environment=path).error_type == "exit_code"


def test_root_needs_no_sudo() -> None:
    root = Start(LocalTransport(guardian=Start().transport.guardian, is_root=True))
    assert root.run("echo", "hi", as_root=True).stdout.head == b"hi\n"


def test_a_user_without_a_name_has_an_environment_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 3_000_000_000)
    environment = environment_of(Command(("true",), 1, "UTC", "x"))
    assert (environment["USER"], environment["HOME"]) == ("3000000000", "/")
