"""Groups of commands: help laid out by terminal cells, and `--json` and `--lang` also in front of a command."""

from __future__ import annotations

import os
import re
import shutil
from typing import TYPE_CHECKING, Any, Final

import click

from schedctl.cli.options import options_of_group, told

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMPLETION: Final = "_SCHEDCTL_COMPLETE"
"""In the environment of a program that a shell asks for completions: which shell, by click's convention."""
HELP_SAID: Final = told("この説明を表示する", "Show this message and exit.")
WIDEST: Final = 100
NARROWEST: Final = 30
SENTENCE: Final = re.compile(r".+?(?:。|\.(?=\s|$)|(?=\n)|$)")


class LazyHelpContext(click.Context):
    """Makes the formatter only for who asks for help: it needs rich, which no other command pays for."""

    def make_formatter(self) -> click.HelpFormatter:
        """The formatter that counts cells."""
        from schedctl.cli.helping import CellFormatter

        # click itself would not go below 50 columns.
        columns = min(shutil.get_terminal_size().columns, self.max_content_width or WIDEST) - 2
        return CellFormatter(width=self.terminal_width or max(NARROWEST, columns))


class CommandGroup(click.Group):
    """A group whose help says of each command its whole first sentence."""

    context_class = LazyHelpContext

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.params += options_of_group()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, with help like the group's; None where there is none."""
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            command.context_class = LazyHelpContext
            _translate(command.get_help_option(click.Context(command, parent=ctx)))
        return command

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """The group's own `--help`."""
        return _translate(super().get_help_option(ctx))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands, each with the first sentence of its help."""
        rows = [(name, self.brief(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands that begin so, each with the first sentence of its help, where the shell shows one."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        from click.shell_completion import CompletionItem

        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        if os.environ.get(COMPLETION, "").startswith("bash"):
            return [CompletionItem(name) for name in names]  # it shows no help
        return [CompletionItem(name, help=self.brief(ctx, name)) for name in names]

    def brief(self, ctx: click.Context, name: str) -> str:
        """The first sentence of a command's help."""
        command = self.get_command(ctx, name)
        return first_sentence((command and command.help) or "")


def _translate(help_option: click.Option | None) -> click.Option | None:
    if help_option is not None:
        help_option.help = HELP_SAID
    return help_option


def first_sentence(text: str) -> str:
    """What the list of commands says of one, without its full stop."""
    found = SENTENCE.match(text)
    return found[0].rstrip("。.") if found else text
