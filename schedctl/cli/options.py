"""What every command has in common: `--json`, `--lang`, and help in the operator's language."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar, get_args

import click

from schedctl.catalog.budget import EXAMPLE, NO_BUDGET, Budget, parse_budget
from schedctl.cli.session import Session
from schedctl.controls import CONTROLS
from schedctl.language import Lang, Text
from schedctl.settings import usable

LANGUAGES: Final[tuple[Lang, ...]] = get_args(Lang)
OF_GROUP: Final = "schedctl."
BREAKS_A_LINE: Final = re.compile(r"[\t\n\u2028\u2029\ud800-\udfff]")
LONGEST_NAME: Final = 100
ACCOUNT: Final = re.compile(r"(?=.*[a-z])%?[A-Za-z_][A-Za-z0-9_.-]{0,63}")
"""In sudoers a word in capitals is no user: `ALL`, or an alias."""

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Function = TypeVar("Function", bound=Callable[..., Any])
Command = Callable[Concatenate[Session, Parameters], Result]


def asked_language(arguments: Sequence[str], environ: Mapping[str, str]) -> Lang:
    """The language of what is said before there is a session: `--lang`, else `SCHEDCTL_LANG`, else the locale's."""
    for before, argument in zip(["", *arguments], arguments, strict=False):
        for lang in LANGUAGES:
            if argument == f"--lang={lang}" or (before, argument) == ("--lang", lang):
                return lang
    set_to = environ.get("SCHEDCTL_LANG")
    locale = environ.get("LC_ALL") or environ.get("LC_MESSAGES") or environ.get("LANG") or ""
    return "ja" if (set_to if set_to in LANGUAGES else locale).startswith("ja") else "en"


HELP_LANGUAGE: Final = asked_language(sys.argv[1:], os.environ)
"""Help texts are made before the options are parsed."""


def told(ja: str, en: str) -> str:
    """A help text in the operator's language."""
    return Text(ja, en).say(HELP_LANGUAGE)


LANG_HELP: Final = told("表示する言語: ja か en", "Language: ja or en")
JSON_HELP: Final = told("JSON で答える", "Answer in JSON")


def common(function: Callable[Concatenate[Session, Parameters], Result]) -> Callable[Parameters, Result]:
    """Add `--json` and `--lang` to a command and give it its session."""
    return _with_session(function, lambda environ: environ)


def common_forgiving(function: Callable[Concatenate[Session, Parameters], Result]) -> Callable[Parameters, Result]:
    """The same for a command that goes on without the variables that cannot be used."""
    return _with_session(function, usable)


def _with_session(
    function: Callable[Concatenate[Session, Parameters], Result],
    environment: Callable[[Mapping[str, str]], Mapping[str, str]],
) -> Callable[Parameters, Result]:

    @click.option("--json", "as_json", is_flag=True, help=JSON_HELP)
    @click.option("--lang", type=click.Choice(LANGUAGES), help=LANG_HELP)
    @wraps(function)
    def with_session(*args: Any, as_json: bool, lang: Lang | None, **options: Any) -> Result:
        before = click.get_current_context().meta
        lang, as_json = lang or before.get(f"{OF_GROUP}lang"), as_json or f"{OF_GROUP}json" in before
        session = Session.start(environment(os.environ), lang, as_json)
        return function(session, *args, **options)

    return with_session


def pageable(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Add `--no-pager` to a command whose answer may be long; it arrives as `paged`."""
    said = told("ページャを使わない", "Do not use a pager")
    return click.option("--no-pager", "paged", flag_value=False, default=True, help=said)(function)


def options_of_group() -> list[click.Parameter]:
    """`--json` and `--lang` in front of a command: the same as behind it."""
    return [
        click.Option(["--json"], is_flag=True, help=JSON_HELP, expose_value=False, callback=_remember),
        click.Option(["--lang"], type=click.Choice(LANGUAGES), help=LANG_HELP, expose_value=False, callback=_remember),
    ]


def _remember(context: click.Context, option: click.Parameter, given: Lang | bool | None) -> None:
    if given:
        context.meta[f"{OF_GROUP}{option.name}"] = given


def span(text: str) -> timedelta:
    """A length of time (90s, 5m, 2h, 1d), as an option's type; a usage error shows how it is written."""
    written = re.fullmatch(r"([1-9]\d{0,5})([smhd])", text)
    if written is None:
        raise click.BadParameter(
            told(f"「{text}」は長さとして読めません。30m や 2h のように", f"“{text}” is no length; write 30m or 2h")
        )
    return timedelta(seconds=int(written[1]) * {"s": 1, "m": 60, "h": 3600, "d": 86_400}[written[2]])


def reason(*, required: bool = False, default: str | None = None) -> Callable[[Function], Function]:
    """Add `--reason`: one line, so that it can pass for no other line of a screen. A blank one is none."""

    def checked(_context: click.Context, _option: click.Parameter, text: str | None) -> str | None:
        if text is None or not text.strip():
            if required:
                raise click.BadParameter(
                    told("理由が空です。ひとことで書いてください", "it is empty; say why in a word")
                )
            return default
        return one_line(text)

    said = told("理由", "Why")
    return click.option("--reason", metavar="TEXT", required=required, callback=checked, help=said)


def file_name(text: str) -> str:
    """The file to write, as an option's type. An empty one is a variable that was not set: a usage error."""
    if not text:
        raise click.BadParameter(told("ファイル名が空です", "the name of the file is empty"))
    return text


def name(text: str) -> str:
    """What a schedule may be called, as an option's type; a usage error for what would pass for an id or an option."""
    if not text.strip():
        raise click.BadParameter(told("名前が空です", "the name is empty"))
    if text.isdigit():
        raise click.BadParameter(
            told(
                f"「{text}」は番号と見分けが付きません。文字を入れてください",
                f"“{text}” could not be told from an id; put a letter into it",
            )
        )
    if text.startswith("-"):
        raise click.BadParameter(
            told(
                f"「{text}」は - で始まるので、オプションと見分けが付きません",
                f"“{text}” begins with - and could not be told from an option",
            )
        )
    if len(text) > LONGEST_NAME:
        raise click.BadParameter(
            told(
                f"名前が長すぎます（{len(text)} 文字。{LONGEST_NAME} 文字まで）",
                f"the name is too long: {len(text)} characters; {LONGEST_NAME} at most",
            )
        )
    return one_line(text)


def account(text: str) -> str:
    """A user of a machine, or (`%wheel`) a group, as an option's type: anything else would end up in sudoers."""
    if not ACCOUNT.fullmatch(text):
        raise click.BadParameter(told(f"「{text}」は利用者の名前ではありません", f"“{text}” is not the name of a user"))
    return text


def one_line(text: str) -> str:
    """The text; a usage error where it has line breaks or control characters."""
    if CONTROLS.search(text) or BREAKS_A_LINE.search(text):
        raise click.BadParameter(
            told(
                "改行や制御文字は使えません。1行で書いてください",
                "no line breaks or control characters; write one line",
            )
        )
    return text


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
