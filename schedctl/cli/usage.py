"""What click refuses, in the operator's language: a command line that is not written as it has to be."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import click

from schedctl.errors import Refused
from schedctl.language import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

NO_COMMAND: Final = re.compile(r"No such command '(.+?)'")


def refusal(error: click.ClickException) -> Refused:
    """The refusal (`usage`) that says what is wrong with the command line, and where its help is."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context is not None else "schedctl"
    return Refused("usage", _message(error), Text(f"書き方: {path} --help", f"See {path} --help"))


def _message(error: click.ClickException) -> Text:
    english = error.format_message()
    command = NO_COMMAND.match(english)
    match error:
        case click.NoSuchOption():
            near = _near(error.possibilities or ())
            return Text(f"{error.option_name} というオプションはありません{near}", english)
        case click.MissingParameter() if error.param is not None:
            return Text(f"{_named(error.param)} が書かれていません", english)
        case click.BadParameter() if error.param is not None:
            return Text(
                f"{_named(error.param)} の値が正しくありません: {_expected(error.param, error.message)}", english
            )
        case _ if command is not None:
            return Text(f"{command[1]} というコマンドはありません", english)
        case _:
            return Text(f"書き方が違います: {english}", english)


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
        case _ if parameter.type is click.INT:
            return "整数で書いてください"
        case _:
            return message


def _near(possibilities: Sequence[str]) -> str:
    return f"（{'、'.join(possibilities)} ではありませんか）" if possibilities else ""
