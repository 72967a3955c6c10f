"""Groups of commands: their help is laid out by terminal cells, and `--lang` may stand in front of a command too."""

from __future__ import annotations

from typing import Any

import click

from schedctl.cli.options import lang_of_group


class LazyHelpContext(click.Context):
    """Makes the formatter only for who asks for help: it needs rich, which no other command pays for."""

    def make_formatter(self) -> click.HelpFormatter:
        """The formatter that counts cells."""
        from schedctl.cli.helping import CellFormatter

        return CellFormatter(width=self.terminal_width, max_width=self.max_content_width)


class CommandGroup(click.Group):
    """A group whose help says of each command its whole first sentence."""

    context_class = LazyHelpContext

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.params.append(lang_of_group())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, with help like the group's; None where there is none."""
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            command.context_class = LazyHelpContext
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands, each with the first sentence of its help."""
        from schedctl.cli.helping import first_sentence

        commands = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        rows = [(name, first_sentence((command and command.help) or "")) for name, command in commands]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
