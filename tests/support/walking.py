"""Walks all commands in one language, in a process of its own, since help is made when the program starts.

`python walking.py --lang ja` prints one JSON object: the help of each command, the help of each of its options, and
what a wrong command line is answered with.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from typing import TYPE_CHECKING

import click

from schedctl.cli.main import call, cli

if TYPE_CHECKING:
    from collections.abc import Iterator

BAD_VALUE = "§"


def commands(command: click.Command, context: click.Context) -> Iterator[tuple[tuple[str, ...], click.Context]]:
    """Every command and group below this one, with its path."""
    path = tuple(context.command_path.split()[1:])
    yield path, context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                yield from commands(inner, inner.context_class(inner, parent=context, info_name=name))


def wrong_lines(path: tuple[str, ...], command: click.Command) -> Iterator[list[str]]:
    """Command lines of this command that cannot be right."""
    yield [*path, "--nonesuch"]
    if isinstance(command, click.Group):
        yield [*path, "nonesuch"]
        return
    yield [*path, *["x"] * 9]
    if any(isinstance(one, click.Argument) and one.required for one in command.params):
        yield [*path]
    for option in (one for one in command.params if isinstance(one, click.Option)):
        if option.is_flag:
            yield [*path, f"{option.opts[0]}=1"]
        else:
            yield [*path, option.opts[0]]
            if not isinstance(option.type, click.types.StringParamType):
                yield [*path, option.opts[0], BAD_VALUE, *["1"] * sum(one.required for one in command.params)]


def answered(line: list[str]) -> str:
    """What it says on stderr."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        code = call(["--lang", sys.argv[2], *line])
    return said.getvalue() if code == 2 else f"exit code {code}: {said.getvalue()}"


def main() -> None:
    """Print all of it."""
    found = list(commands(cli, cli.context_class(cli, info_name="schedctl")))
    told = {
        " ".join(path): {
            "help": context.get_help(),
            "options": {
                one.opts[0]: (one.get_help_record(context) or ("", ""))[1]
                for one in context.command.get_params(context)
                if isinstance(one, click.Option)
            },
            "errors": {" ".join(line): answered(line) for line in wrong_lines(path, context.command)},
        }
        for path, context in found
    }
    sys.stdout.write(json.dumps(told, ensure_ascii=False))


if __name__ == "__main__":
    main()
