"""What every command has in common: `--json`, `--lang`, and help in the operator's language."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import click

from schedctl.cli.session import Session
from schedctl.language import Lang, Text

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Command = Callable[Concatenate[Session, Parameters], Result]


def _asked_language() -> Lang:
    """The language for help: the texts are made before the options are parsed."""
    arguments = sys.argv[1:]
    for before, argument in zip(["", *arguments], arguments, strict=False):
        if argument in ("--lang=ja", "--lang=en"):
            return "ja" if argument.endswith("ja") else "en"
        if before == "--lang" and argument in ("ja", "en"):
            return "ja" if argument == "ja" else "en"
    named = os.environ.get("SCHEDCTL_LANG") or ""
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return "ja" if (named or locale).startswith("ja") else "en"


HELP_LANGUAGE: Final = _asked_language()


def told(ja: str, en: str) -> str:
    """A help text in the operator's language."""
    return Text(ja, en).say(HELP_LANGUAGE)


def common(function: Callable[Concatenate[Session, Parameters], Result]) -> Callable[Parameters, Result]:
    """Add `--json` and `--lang` to a command and give it its session."""

    @click.option("--json", "as_json", is_flag=True, help=told("JSON で答える", "Answer in JSON"))
    @click.option("--lang", type=click.Choice(["ja", "en"]), help=told("言葉: ja か en", "Language: ja or en"))
    @wraps(function)
    def with_session(*args: Any, as_json: bool, lang: Lang | None, **options: Any) -> Result:
        return function(Session.start(os.environ, lang, as_json), *args, **options)

    return with_session
