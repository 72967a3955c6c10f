"""What every command has in common: `--json`, `--lang`, and help in the operator's language."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import click

from schedctl.catalog.budget import EXAMPLE, NO_BUDGET, Budget, parse_budget
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


def span(text: str) -> timedelta:
    """A length of time (90s, 5m, 2h, 1d), as an option's type; a usage error shows how it is written."""
    written = re.fullmatch(r"([1-9]\d{0,5})([smhd])", text)
    if written is None:
        raise click.BadParameter(
            told(f"「{text}」は長さとして読めません。30m や 2h のように", f"“{text}” is no length; write 30m or 2h")
        )
    return timedelta(seconds=int(written[1]) * {"s": 1, "m": 60, "h": 3600, "d": 86_400}[written[2]])


def budget(text: str | Budget) -> Budget:
    """What a run may use up, as an option's type; a usage error names the part that cannot be read."""
    if isinstance(text, Budget):
        return text
    try:
        return parse_budget(text) if text else NO_BUDGET
    except ValueError as error:
        raise click.BadParameter(
            told(f"「{error}」は読めません。{EXAMPLE} のように", f"“{error}” cannot be read; write {EXAMPLE}")
        ) from None


DAY: Final = click.DateTime(["%Y-%m-%d"])
