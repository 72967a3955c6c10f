"""Every command speaks one language at a time: its help, its options, and its answer to a wrong command line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

import click
import pytest
from installations import CATALOG
from rich.cells import cell_len

from schedctl.cli.command_words import SAID
from schedctl.cli.groups import CommandGroup, first_sentence
from schedctl.cli.main import COMMANDS, cli
from schedctl.cli.options import asked_language
from schedctl.language import Lang, is_japanese

if TYPE_CHECKING:
    from conftest import Command

ROOT: Final = Path(__file__).parents[2]
LANGS: Final[tuple[Lang, ...]] = get_args(Lang)
NARROW: Final = 40
"""Columns: help is walked as the narrowest terminal shows it."""
CLICKS_OWN: Final = re.compile(
    r"\b(?:Got|Invalid|Missing|No such|does not|requires|is not|Option|[Aa]rgument|Usage:|Options:|Commands:)(?!\w)"
    r"|Show (?:this|the)|\[default:|\[required\]"
)
"""What only click would say, and only in English."""
Walked = dict[Lang, dict[str, dict[str, Any]]]


@pytest.fixture(scope="module")
def walked() -> Walked:
    """All that `tests/support/walking.py` hears of each command, in each language."""
    return {lang: json.loads(walk(lang)) for lang in LANGS}


def walk(lang: Lang) -> str:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("SCHEDCTL_", "PG"))}
    command = [sys.executable, str(ROOT / "tests/support/walking.py"), "--lang", lang]
    # Whatever a command line that is right after all would do, it does to nothing of ours.
    environ |= {
        "COLUMNS": str(NARROW),
        "PYTHONPATH": str(ROOT),
        "SCHEDCTL_DSN": "host=/nonexistent",
        "SCHEDCTL_CATALOG": str(CATALOG),
    }
    ran = subprocess.run(command, env=environ, capture_output=True, text=True, check=True, timeout=300)
    return ran.stdout


def test_every_command_is_walked(walked: Walked) -> None:
    for lang in LANGS:
        assert {path.split(" ")[0] for path in walked[lang] if path} == set(COMMANDS)


def test_help_is_in_the_language_that_was_asked_for(walked: Walked) -> None:
    assert [path for path, told in walked["en"].items() if is_japanese(told["help"])] == []
    assert [path for path, told in walked["ja"].items() if CLICKS_OWN.search(told["help"])] == []
    assert [path for path, told in walked["ja"].items() if not is_japanese(told["help"].split("\n\n")[1])] == []


@pytest.mark.parametrize("lang", LANGS)
def test_help_fits_into_a_narrow_terminal(walked: Walked, lang: Lang) -> None:
    lines = [line for told in walked[lang].values() for line in told["help"].splitlines()]
    assert [line for line in lines if cell_len(line) > NARROW] == []


@pytest.mark.parametrize("lang", LANGS)
def test_every_option_is_explained_in_it(walked: Walked, lang: Lang) -> None:
    explained = [(path, *one) for path, told in walked[lang].items() for one in told["options"].items()]
    assert [row for row in explained if is_japanese(row[2]) != (lang == "ja") or not row[2]] == []


@pytest.mark.parametrize("lang", LANGS)
def test_a_wrong_command_line_is_answered_in_it(walked: Walked, lang: Lang) -> None:
    answers = [answer for told in walked[lang].values() for answer in told["errors"].values()]
    assert len(answers) > 200
    messages = [answer for answer in answers if "[usage]" in answer]
    assert [one for one in messages if is_japanese(one) != (lang == "ja")] == []
    if lang == "ja":
        assert [one for one in messages if CLICKS_OWN.search(one)] == []
    assert [one for one in answers if "internal_error" in one or one.startswith("exit code 0")] == []


def test_the_list_of_commands_says_what_each_says_itself(walked: Walked) -> None:
    """`command_words` spares the list the import of every command."""
    told = {name: {lang: walked[lang][name]["help"] for lang in LANGS} for name in COMMANDS}
    assert set(SAID) == set(COMMANDS), "a new command has its sentence in cli/command_words.py too"
    for name, text in SAID.items():
        for lang in LANGS:
            paragraph = told[name][lang].split("\n\n")[1]
            joined = "".join(paragraph.split()) if lang == "ja" else " ".join(paragraph.split())
            said = text.say(lang)
            assert joined.startswith("".join(said.split()) if lang == "ja" else said), (name, lang)


def test_no_group_lays_out_its_help_by_itself() -> None:
    context = click.Context(cli)
    groups = [command for name in COMMANDS if isinstance(command := cli.get_command(context, name), click.Group)]
    assert [group.name for group in groups if not isinstance(group, CommandGroup)] == []


@pytest.mark.parametrize(
    ("arguments", "environ", "lang"),
    [
        (["show", "--lang", "ja"], {"SCHEDCTL_LANG": "en"}, "ja"),  # what is typed wins
        (["--lang=en", "show"], {"SCHEDCTL_LANG": "ja"}, "en"),
        (["show"], {"SCHEDCTL_LANG": "ja", "LANG": "en_US.UTF-8"}, "ja"),
        (["show"], {"LANG": "ja_JP.UTF-8"}, "ja"),
        (["show"], {"LANG": "ja_JP.UTF-8", "LC_ALL": "C"}, "en"),
        (["show"], {}, "en"),
        (["show"], {"SCHEDCTL_LANG": "jp", "LANG": "ja_JP.UTF-8"}, "ja"),  # which is said to be no language
    ],
)
def test_whose_word_on_the_language_counts(arguments: list[str], environ: dict[str, str], lang: Lang) -> None:
    assert asked_language(arguments, environ) == lang


@pytest.mark.parametrize("line", ["--lang ja list", "list --lang ja", "--lang en list --lang ja"])
def test_lang_may_stand_before_or_behind_the_command(schedctl: Command, line: str) -> None:
    ran = schedctl(*line.split(), env={"SCHEDCTL_LANG": "en"})
    assert ran.out.startswith("予定はありません")


@pytest.mark.parametrize("line", ["--json show 7", "show --json 7", "--json --lang en show 7", "--json node release x"])
def test_json_may_stand_before_or_behind_the_command(schedctl: Command, line: str) -> None:
    ran = schedctl(*line.split())
    assert (ran.code, ran.err, list(ran.json)) == (3, "", ["error"])


@pytest.mark.parametrize("line", ["", "node", "--lang ja catalog"])
def test_a_group_alone_is_answered_with_its_help(schedctl: Command, line: str) -> None:
    ran = schedctl(*line.split())
    assert (ran.code, ran.out) == (2, "")
    assert "schedctl" in ran.err.splitlines()[0]
    assert "[usage]" not in ran.err


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("予定を示す。ほかは別", "予定を示す"),
        ("Show it. And more.", "Show it"),
        ("sql/001.sql is read", "sql/001.sql is read"),
        ("", ""),
    ],
)
def test_the_first_sentence(text: str, sentence: str) -> None:
    assert first_sentence(text) == sentence
