"""What an operator sees: transcripts of a story in both languages, and that no line is wider than the terminal.

The transcripts (`screens.ja.txt`, `screens.en.txt`) are read like a manual. After a change that is meant, write them
anew with SCHEDCTL_WRITE_SCREENS=1 and read the difference.
"""

from __future__ import annotations

import contextlib
import os
import pty
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import partialmethod
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from installations import CATALOG
from rich.cells import cell_len

from schedctl.cli.main import COMMANDS
from schedctl.cli.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Command, Ran

    from schedctl.language import Lang

NOW: Final = "2026-11-30T10:00:00+09:00"
DUE: Final = "2026-12-01T09:20:30+09:00"
HERE: Final = Path(__file__).parent
WRITE_ANEW: Final = os.environ.get("SCHEDCTL_WRITE_SCREENS") == "1"
ANSI: Final = re.compile(r"\x1b\[[0-9;]*m")
FREEZE: Final = """
[[freezes]]
start = 2026-12-02T00:00:00+09:00
end = 2026-12-03T09:00:00+09:00
reason = "棚卸し"
"""
VARYING: Final = (
    (re.compile(r"\d+\.\ds\b"), "0.0s"),
    (re.compile(r"testhost: \d+ (秒|s)"), r"testhost: 0 \1"),
    (re.compile(r"(カタログ|Catalog)( +).*"), r"\1\2…"),
)
"""Durations, ages, and who prepared the database when."""

LINES: Final[dict[Lang, tuple[str, ...]]] = {
    "ja": (
        "register 毎週日曜午前3時にmarsのパッケージを更新して",
        "register 毎日午前4時にまずmarsのパッケージを更新してからvenusのパッケージを更新して --yes",
        "register 毎日4時にvenusのpackages.refreshを実行して --yes --name refresh --catch-up 30m",
        "register 毎月6日（休日なら前営業日）の5時にこのマシンのディスク使用量を確認して",
        "register 5分ごとにmarsのprobe.saysを実行して --overlap queue",
        "register 明日の朝9時にvenusのservice.restartを実行して --name restart",
        "register 毎日9時にmarsのprobe.failsを実行して --jitter 5m",
        "register 毎日14時にjupiterのディスク使用量を確認して --timezone America/New_York",
        "register 毎日marsのディスク使用量を確認して",
        "explain 毎月最終営業日の17時にmarsのディスク使用量を確認して",
    ),
    "en": (
        "register every Sunday at 3am update packages on mars",
        "register every day at 4am update packages on mars --yes",
        "register every day at 4am run packages.refresh on venus --yes --name refresh --catch-up 30m",
        "register every day at 5am check the disk usage on this machine",
        "register every 5 minutes run probe.says on mars --overlap queue",
        "register tomorrow at 9am run service.restart on venus --name restart",
        "register every day at 9am run probe.fails on mars --jitter 5m",
        "register every day at 2pm check the disk usage on jupiter --timezone America/New_York",
        "register every day check the disk usage on mars",
        "explain every Monday at 1am check the disk usage on mars",
    ),
}
BEFORE: Final = (
    "list",
    "upcoming --days 5",
    "arm --reason 本番",
    "pause 4 --reason 棚卸し",
    "node hold venus --reason 点検",
)
AFTER: Final = (
    "tick",
    "work --drain",
    "runs",
    "runs --errors --trigger timer",
    "logs 4",
    "show 7",
    "test-run 5",
    "status",
    "approve 1",
    "catalog adopt",
    "upcoming --until 2026-12-03",
    "list --state paused",
    "status",
    "show 99",
    "fly",
    "runs --limit 0",
)


def words(line: str) -> list[str]:
    """A line of the story as arguments: only options and their values stand alone, a sentence stays whole."""
    command, _, rest = line.partition(" ")
    sentence, *options = re.split(r" (?=--)", rest) if not rest.startswith("--") else ["", *re.split(r" (?=--)", rest)]
    spoken = [sentence] if command in ("register", "explain") else sentence.split()
    return [command, *spoken, *(word for option in options for word in option.split(" ", 1))]


@pytest.fixture
def changed_catalog(tmp_path: Path) -> Path:
    """The tests' catalog with another command for an upgrade, one action less, and a freeze."""
    folder = tmp_path / "catalog"
    shutil.copytree(CATALOG, folder)
    probe = folder / "actions" / "probe.toml"
    text = probe.read_text(encoding="utf-8")
    text = text.replace('argv = ["true"]\nprerequisites', 'argv = ["true", "--now"]\nprerequisites')
    probe.write_text(text.replace('["probe.sleeps"]', '["probe.waits"]'), encoding="utf-8")
    policy = folder / "policy.toml"
    policy.write_text(policy.read_text(encoding="utf-8") + FREEZE, encoding="utf-8")
    return folder


@pytest.fixture
def story(schedctl: Command, changed_catalog: Path, monkeypatch: pytest.MonkeyPatch) -> Story:
    """Tells the story: each command line with what it answered."""
    monkeypatch.setenv("SCHEDCTL_ACTOR", "alice")
    return Story(schedctl, changed_catalog)


class Story:
    """The commands of one operator's two days."""

    def __init__(self, schedctl: Command, changed_catalog: Path) -> None:
        self.schedctl = schedctl
        self.changed_catalog = changed_catalog

    def tell(self, lang: Lang) -> Iterator[tuple[str, Ran]]:
        """Each line, and what it answered."""
        for line in (*LINES[lang], *BEFORE):
            yield line, self._answer(line, lang, NOW)
        for line in AFTER:
            yield line, self._answer(line, lang, DUE)

    def _answer(self, line: str, lang: Lang, now: str) -> Ran:
        env = {"SCHEDCTL_LANG": lang}
        if line.startswith("catalog"):
            env["SCHEDCTL_CATALOG"] = str(self.changed_catalog)
        ran = self.schedctl(*words(line), now=now, env=env)
        out = ran.out
        for pattern, same in VARYING:
            out = pattern.sub(same, out)
        return replace(ran, out=out)


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_the_transcript(story: Story, lang: Lang) -> None:
    told = "\n".join(
        f"$ schedctl {line}\n{ran.out}{ran.err}" + (f"(exit code {ran.code})\n" if ran.code else "")
        for line, ran in story.tell(lang)
    )
    assert "internal_error" not in told
    assert "\x1b" not in told
    golden = HERE / f"screens.{lang}.txt"
    if WRITE_ANEW:
        golden.write_text(told, encoding="utf-8")
    assert told == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [80, 60])
@pytest.mark.parametrize("lang", ["ja", "en"])
def test_no_line_is_wider_than_the_terminal(
    story: Story, lang: Lang, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Screen, "__init__", partialmethod(Screen.__init__, width=width))
    coloured = False
    for line, ran in story.tell(lang):
        if line == "tick":
            continue  # the timer's command is not a person's: it does without rich, and so without wrapping
        coloured = coloured or "\x1b[" in ran.out
        shown = ANSI.sub("", ran.out).splitlines()
        assert [one for one in shown if cell_len(one) > width or one != one.rstrip()] == [], line
    assert coloured


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb"), ("CLICOLOR", "0")])
def test_without_colours_there_is_no_escape_sequence_at_all(
    story: Story, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setattr(Screen, "__init__", partialmethod(Screen.__init__, width=80))
    monkeypatch.setenv(name, value)
    assert [line for line, ran in story.tell("ja") if "\x1b" in ran.out + ran.err] == []


def test_colours_that_are_forced_leave_the_words_as_they_are(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLICOLOR_FORCE", "1")
    told = [(line, ran.out) for line, ran in story.tell("en")]
    assert any("\x1b[" in out for _, out in told)
    plain = (HERE / "screens.en.txt").read_text(encoding="utf-8")
    assert [line for line, out in told if ANSI.sub("", out) not in plain] == []


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_help_fits_into_80_cells(schedctl: Command, lang: Lang, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for command in ("", *COMMANDS):
        ran = schedctl(*command.split(), "--help", env={"SCHEDCTL_LANG": lang})
        assert [line for line in ran.out.splitlines() if cell_len(line) > 80] == [], command


def test_a_real_terminal_gets_colours_and_80_columns(database: str) -> None:
    environment = {
        "SCHEDCTL_DSN": database,
        "SCHEDCTL_CATALOG": str(CATALOG),
        "SCHEDCTL_LANG": "ja",
        "SCHEDCTL_REHEARSAL_NOW": NOW,
        "COLUMNS": "80",
        "TERM": "xterm-256color",
    }
    arguments = [sys.executable, "-m", "schedctl", *words(LINES["ja"][0])]
    mine, its = pty.openpty()
    with subprocess.Popen(
        arguments, cwd=HERE.parents[1], env=environment, stdin=its, stdout=its, stderr=its
    ) as process:
        os.close(its)
        said = b""
        with contextlib.suppress(OSError):  # EIO: the other end is closed
            while chunk := os.read(mine, 65_536):
                said += chunk
    os.close(mine)
    assert process.returncode == 0
    text = said.decode()
    assert "\x1b[33mpending" in text
    assert max(cell_len(ANSI.sub("", line)) for line in text.splitlines()) <= 80


def test_a_control_character_cannot_reach_the_terminal(schedctl: Command) -> None:
    sentence = "毎日9時に\x1b]0;owned\x07marsの\u202eディスク使用量を確認して"
    ran = schedctl("register", sentence, now=NOW)
    for text in (ran.out, ran.err):
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202e]", text)
