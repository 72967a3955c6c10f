"""The READMEs hold: their commands exist and do what is said, their tables agree with the program, none is left out."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
import pytest

from schedctl import errors
from schedctl.cli.main import COMMANDS, cli
from schedctl.errors import TimingError
from schedctl.settings import shipped
from schedctl.when.describe import describe
from schedctl.when.read import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Command

    from schedctl.language import Lang

ROOT: Final = Path(__file__).resolve().parent.parent
SAID_AT: Final = datetime.fromisoformat("2026-11-30T10:00:00+09:00")
ZONE: Final = "Asia/Tokyo"
BLOCK: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED: Final = re.compile(r"\bschedctl ([a-z][a-z-]*)(?: ([a-z]+)\b)?")
STATES_IN_SQL: Final = re.compile(r"(?:schedule|run)_states_are_known CHECK \(state IN \(([^)]+)\)")


@dataclass(frozen=True, slots=True)
class Readme:
    """One README: its text by sections, and the words its tables need."""

    name: str
    lang: Lang
    reading: str
    refusing: str
    settings: str
    by_hand: str
    states: str
    task: str

    @property
    def text(self) -> str:
        return (ROOT / self.name).read_text(encoding="utf-8")

    def section(self, title: str) -> str:
        return re.split(r"^## ", self.text.partition(f"\n## {title}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]

    def rows(self, title: str) -> list[list[str]]:
        """The cells of a section's table, without its head."""
        lines = [line for line in self.section(title).splitlines() if line.startswith("|")]
        return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]

    @property
    def code(self) -> list[str]:
        """Every line of code: those of the blocks, and what stands in backquotes."""
        blocks = [line for _, body in BLOCK.findall(self.text) for line in body.splitlines()]
        return blocks + re.findall(r"`([^`\n]+)`", BLOCK.sub("", self.text))

    def blocks(self, kind: str) -> list[list[str]]:
        return [body.splitlines() for found, body in BLOCK.findall(self.text) if found == kind]


JAPANESE: Final = Readme(
    "README.md",
    "ja",
    "文の読まれ方",
    "断られる文",
    "設定",
    "自分の手で続ける",
    "状態",
    "このマシンのディスク使用量を確認して",
)
ENGLISH: Final = Readme(
    "README.en.md", "en", "How a sentence is read", "What is refused", "Settings", "Going on by hand", "States",
    "check the disk usage on this machine",
)  # fmt: skip
READMES: Final = (JAPANESE, ENGLISH)
each: Final = pytest.mark.parametrize("readme", READMES, ids=lambda readme: readme.name)


def rows_of(title: Callable[[Readme], str]) -> list[object]:
    """Every row of a table of both READMEs: the sentence (with a task where it ends in …) and what is said of it."""
    return [
        pytest.param(readme, row[0].replace("…", readme.task), row[1].strip("`"), id=f"{readme.lang}-{row[0]}")
        for readme in READMES
        for row in readme.rows(title(readme))
    ]


def paths(group: click.Group, before: str = "") -> Iterator[str]:
    """Every command as one types it, without the groups themselves."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from paths(command, f"{before}{name} ")
        else:
            yield f"{before}{name}"


@each
def test_the_first_block_is_the_two_commands_of_a_newcomer(readme: Readme) -> None:
    (_, first), *_ = BLOCK.findall(readme.text)
    install_and_show, install_and_test = first.splitlines()
    assert install_and_show.endswith("schedctl demo")
    assert "pytest" in install_and_test
    assert readme.blocks("sh")[0] == JAPANESE.blocks("sh")[0]


@each
def test_every_command_stands_there(readme: Readme) -> None:
    assert [path for path in paths(cli) if f"`schedctl {path}`" not in readme.text] == []


@each
def test_every_command_there_exists(readme: Readme) -> None:
    known = set(paths(cli))
    for first, second in NAMED.findall("\n".join(readme.code)):
        assert first in COMMANDS
        assert first in known or f"{first} {second}" in known


@each
def test_every_command_line_there_can_be_read(readme: Readme) -> None:
    lines = [line.removeprefix("$ ") for line in readme.code]
    commands = [shlex.split(line)[1:] for line in lines if re.match(r"schedctl [a-z]", line)]
    assert commands
    for name, *arguments in commands:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        options = {word for word in arguments if word.startswith("--")}
        assert options <= {option for parameter in command.params for option in parameter.opts}


@each
def test_the_settings_are_those_of_the_code(readme: Readme) -> None:
    """docs/settings.md has them all: tests/test_reference.py holds it to the code."""
    reference = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8").partition("## What one sets")[2]
    told = [row[0].strip("`") for row in readme.rows(readme.settings)]
    assert len(told) == len(set(told))
    assert set(told) == set(re.findall(r"^\| `(SCHEDCTL_[A-Z_]+)`", reference.partition("\n## ")[0], re.MULTILINE))


@each
def test_every_state_is_explained(readme: Readme) -> None:
    sql = "".join(path.read_text(encoding="utf-8") for path in sorted(shipped("sql").glob("*.sql")))
    states = set(re.findall(r"'(\w+)'", " ".join(STATES_IN_SQL.findall(sql))))
    assert states == {word for row in readme.rows(readme.states) for word in re.findall(r"`(\w+)`", row[1])}


@each
def test_every_exit_code_and_refusal_is_explained(readme: Readme) -> None:
    codes = {"0"} | {str(error.exit_code) for error in (errors.SchedctlError, *_kinds(errors.SchedctlError))}
    assert codes == set(re.findall(r"^\| (\d) \|", readme.text, re.MULTILINE))
    types = (*errors.TimingErrorType.__args__, *errors.PlanErrorType.__args__)
    assert [kind for kind in types if f"`{kind}`" not in readme.text] == []


def _kinds(error: type[errors.SchedctlError]) -> Iterator[type[errors.SchedctlError]]:
    for kind in error.__subclasses__():
        yield kind
        yield from _kinds(kind)


@each
def test_its_links_lead_somewhere(readme: Readme) -> None:
    for target in re.findall(r"\]\(([^)#:]+)", readme.text):
        assert (ROOT / target).exists(), target


@pytest.mark.parametrize(("readme", "sentence", "says"), rows_of(lambda readme: readme.reading))
def test_a_sentence_is_read_as_the_table_says(readme: Readme, sentence: str, says: str) -> None:
    reading = read(sentence, SAID_AT, ZONE)
    assert (describe(reading.timing, readme.lang, ZONE), reading.task) == (says, readme.task)


@pytest.mark.parametrize(("readme", "sentence", "kind"), rows_of(lambda readme: readme.refusing))
def test_what_the_table_suggests_is_what_the_refusal_suggests(readme: Readme, sentence: str, kind: str) -> None:
    ((suggestions,),) = [
        row[2:] for row in readme.rows(readme.refusing) if row[0].replace("…", readme.task) == sentence
    ]
    with pytest.raises(TimingError) as refused:
        read(sentence, SAID_AT, ZONE)
    assert refused.value.hint is not None, kind
    for suggestion in re.findall(r"`([^`]+)`", suggestions):
        assert suggestion in refused.value.hint.say(readme.lang)
        assert read(f"{suggestion} {readme.task}", SAID_AT, ZONE).task == readme.task


@pytest.mark.parametrize(("readme", "sentence", "kind"), rows_of(lambda readme: readme.refusing))
def test_a_sentence_is_refused_as_the_table_says(readme: Readme, sentence: str, kind: str) -> None:
    with pytest.raises(TimingError) as refused:
        read(sentence, SAID_AT, ZONE)
    assert refused.value.type == kind
    assert refused.value.hint is not None


@each
def test_register_answers_as_shown(readme: Readme, schedctl: Command, empty_database: str) -> None:
    ((line, *answer),) = readme.blocks("console")
    ran = schedctl(*shlex.split(line)[2:], now=SAID_AT.isoformat(), env=_newcomer(empty_database))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == answer, f"{readme.name} has to show:\n{ran.out}"


@each
def test_the_way_by_hand_leads_to_a_result(readme: Readme, schedctl: Command, empty_database: str) -> None:
    """The lines as they stand there; only the sleep is a step of the rehearsal's clock instead."""
    ((_, body),) = BLOCK.findall(readme.section(readme.by_hand))
    now, said = SAID_AT + timedelta(seconds=50), ""  # late in a minute: what is said is rounded up to the next
    for line in body.splitlines():
        match shlex.split(line):
            case ["schedctl", *arguments]:
                ran = schedctl(*arguments, now=now.isoformat(), env=_newcomer(empty_database))
                assert ran.code == 0, ran.err
                said = ran.out
            case ["sleep", seconds]:
                now += timedelta(seconds=int(seconds))
            case other:
                assert other == [".", ".venv/bin/activate"]
    assert "succeeded" in said
    assert "Mounted on" in said


def _newcomer(database: str) -> dict[str, str]:
    return {"SCHEDCTL_DSN": database, "SCHEDCTL_CATALOG": str(shipped("catalog"))}
