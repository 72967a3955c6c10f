"""Slips of an impatient operator: a misspelt command, an empty sentence; and what an HTTP status is called."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from making import add

from schedctl.cli.run_view import show_ran_step
from schedctl.cli.screen import Screen
from schedctl.cli.session import Session
from schedctl.usecases import runs

if TYPE_CHECKING:
    from conftest import Command

    from schedctl.usecases.site import Site


@pytest.mark.parametrize(
    ("words", "ja", "en"),
    [
        ("regsiter", "regsiter というコマンドはありません（register ではありませんか）", "Did you mean register?"),
        ("node hodl", "hodl というコマンドはありません（hold ではありませんか）", "Did you mean hold?"),
        ("xyzzy", "xyzzy というコマンドはありません [usage]", "No such command 'xyzzy'. [usage]"),
    ],
)
def test_a_misspelt_command_is_guessed_at_but_not_run(schedctl: Command, words: str, ja: str, en: str) -> None:
    for lang, said in (("ja", ja), ("en", en)):
        refused = schedctl(*words.split(), "--lang", lang)
        assert (refused.code, said in refused.err) == (2, True), refused.err


@pytest.mark.parametrize("sentence", ["", "  ", "---"])
def test_a_sentence_without_a_letter_is_answered_in_the_terminals_language(schedctl: Command, sentence: str) -> None:
    for locale, said in (("ja_JP.UTF-8", "いつ実行するか"), ("C.UTF-8", "when to run")):
        refused = schedctl("register", "--", sentence, env={"LANG": locale, "LC_ALL": "", "LC_MESSAGES": ""})
        assert (refused.code, said in refused.err) == (2, True), refused.err


@pytest.mark.parametrize(("asked", "said"), [(None, "exit 1"), ({"method": "GET"}, "HTTP 1")])
def test_the_status_of_an_answer_is_no_exit_code(
    site: Site, capsys: pytest.CaptureFixture[str], asked: dict[str, str] | None, said: str
) -> None:
    add(site, "daily at 03:00 in Asia/Tokyo")
    (step, *_) = runs.start(site, "1").steps
    screen = Screen(Session.start({}, "en", as_json=False))
    show_ran_step(screen, replace(step, exit_code=1, definition={**step.definition, "request": asked}))
    screen.show()
    assert said in capsys.readouterr().out
