"""What click refuses, in the operator's language: a command line that is not written as it has to be."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import click

from schedctl.cli.options import LANGUAGES
from schedctl.errors import Refused
from schedctl.language import Text, language_of

if TYPE_CHECKING:
    from collections.abc import Sequence

NO_COMMAND: Final = re.compile(r"No such command '(.+?)'")
JAPANESE: Final = (
    (NO_COMMAND, "{} というコマンドはありません"),
    (
        re.compile(r"Got unexpected extra arguments? \((.+)\)"),
        "余分な引数「{}」があります（空白を含む文は引用符で囲みます）",
    ),
    (re.compile(r"Option '(.+?)' does not take a value"), "{} は値を取りません"),
    (re.compile(r"Option '(.+?)' requires an argument"), "{} の値が書かれていません"),
)
"""click's own sentences."""
OF_PATHS: Final = (
    ("does not exist", "「{}」がありません"),
    ("is a file", "「{}」はフォルダではなくファイルです"),
    ("is a directory", "「{}」はファイルではなくフォルダです"),
    ("is not", "「{}」を開く権限がありません"),
)
DATE: Final = Text("2026-12-01 のような日付で書いてください", "write a date like 2026-12-01")


def help_of_bare_group(error: click.ClickException) -> str | None:
    """The help of a group that was named without a command of it; None for any other mistake."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None or not isinstance(context.command, click.Group):
        return None
    bare = type(error).__name__ == "NoArgsIsHelpError" or error.format_message().startswith("Missing command")
    return context.get_help() if bare else None


def refusal(error: click.ClickException, arguments: Sequence[str]) -> Refused:
    """The refusal (`usage`) that says what is wrong with the command line, and where its help is."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context is not None else " ".join(["schedctl", *_command_of(arguments)])
    return Refused("usage", _message(error), Text(f"書き方: {path} --help", f"See {path} --help"))


def _command_of(arguments: Sequence[str]) -> Sequence[str]:
    """The command's name, where click does not say in which command it was."""
    words = [word for word in arguments if not word.startswith("-") and word not in LANGUAGES]
    return words[:1]


def _message(error: click.ClickException) -> Text:
    english = error.format_message()
    match error:
        case click.NoSuchOption():
            near = _near(error.possibilities or ())
            return Text(f"{error.option_name} というオプションはありません{near}", english)
        case click.UsageError(ctx=click.Context(command=click.Group()) as context) if NO_COMMAND.match(english):
            return _no_command(context, english)
        case click.MissingParameter() if error.param is not None:
            return _missing(error.param, english)
        case click.BadParameter() if error.param is not None:
            return _bad_value(error, error.param)
        case _:
            return Text(_in_japanese(english), english)


def _no_command(group: click.Context, english: str) -> Text:
    from difflib import get_close_matches  # only a slip of the finger needs it

    said: str = NO_COMMAND.findall(english)[0]
    known = group.command.list_commands(group) if isinstance(group.command, click.Group) else []
    near: list[str] = get_close_matches(said, known, 1)
    also = f" Did you mean {near[0]}?" if near else ""
    return Text(_in_japanese(english) + _near(near), f"No such command '{said}'.{also}")


def _in_japanese(english: str) -> str:
    for sentence, japanese in JAPANESE:
        if found := sentence.match(english):
            return japanese.format(*found.groups())
    # What our own commands refuse is written in the operator's language already.
    return english if language_of(english) == "ja" else f"コマンドの書き方が違います（{english}）"


def _missing(parameter: click.Parameter, english: str) -> Text:
    named = _named(parameter)
    if isinstance(parameter.type, click.Choice):
        choices = [str(choice) for choice in parameter.type.choices]
        return Text(
            f"{named} が書かれていません（{'、'.join(choices)} のどれか）",
            f"Missing {named}: one of {', '.join(choices)}",
        )
    return Text(f"{named} が書かれていません", english)


def _bad_value(error: click.BadParameter, parameter: click.Parameter) -> Text:
    named = _named(parameter)
    if isinstance(parameter.type, click.DateTime):
        return Text(f"{named} の値が正しくありません: {DATE.ja}", f"Invalid value for '{named}': {DATE.en}")
    expected = _expected(parameter, error.message)
    return Text(f"{named} の値が正しくありません: {expected}", error.format_message())


def _named(parameter: click.Parameter) -> str:
    return parameter.opts[0] if isinstance(parameter, click.Option) else parameter.human_readable_name


def _expected(parameter: click.Parameter, message: str) -> str:
    match parameter.type:
        case click.Choice() as choice:
            return f"使えるのは {'、'.join(map(str, choice.choices))} です"
        case click.IntRange(min=least, max=None):
            return f"{least} 以上の整数で書いてください"
        case click.IntRange(min=least, max=most):
            return f"{least} から {most} までの整数で書いてください"
        case click.Path() | click.File():
            return _of_path(message)
        case _ if parameter.type is click.INT:
            return "整数で書いてください"
        case _ if parameter.type is click.FLOAT:
            return "数で書いてください"
        case _:
            return message


def _of_path(message: str) -> str:
    quoted = re.search(r"'(.+)'", message)
    for english, japanese in OF_PATHS:
        if quoted is not None and english in message[quoted.end() :]:
            return japanese.format(quoted[1])
    return message


def _near(possibilities: Sequence[str]) -> str:
    return f"（{'、'.join(possibilities)} ではありませんか）" if possibilities else ""
