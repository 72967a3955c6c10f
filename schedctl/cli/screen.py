"""The terminal view: lines with labels, good at 80 columns with Japanese widths, plain and unwrapped when piped."""

from __future__ import annotations

import io
import shutil
import sys
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text as Styled

from schedctl.cli import paging
from schedctl.cli.terminal import wants_colour
from schedctl.cli.wrapping import command_lines, wrapped
from schedctl.controls import harmless

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedctl.cli.session import Session

LABEL_CELLS: Final = 10
NARROWEST: Final = 40
"""Cells: a terminal that is narrower wraps by itself."""
ARROW: Final = "→ "


class Screen:
    """Collects lines and prints them through the session. Colours and wrapping only on a terminal."""

    def __init__(self, session: Session, width: int | None = None) -> None:
        """`width` forces a terminal of so many cells, whatever stdout is."""
        self.session = session
        self.on_terminal = width is not None or sys.stdout.isatty()
        self.coloured = wants_colour(on_terminal=self.on_terminal)
        self._file = io.StringIO()
        self._console = Console(
            file=self._file,
            width=width or shutil.get_terminal_size().columns,
            force_terminal=self.on_terminal,
            color_system="standard" if self.coloured else None,
            highlight=False,
            markup=False,
            emoji=False,
        )
        self.width = max(NARROWEST, self._console.width)

    def line(self, text: str = "", style: str = "", indent: int = 0) -> None:
        """One paragraph; on a terminal, what is too long goes on under its own beginning."""
        self.styled(Styled(text, style=style), indent)

    def styled(self, text: Styled, indent: int = 0) -> None:
        """One paragraph of several styles."""
        self.hanging(Styled(" " * indent), text)

    def field(self, label: str, text: str | Styled, style: str = "", indent: int = 2) -> None:
        """A label and what it stands for; what is too long goes on under its own beginning."""
        head = Styled(" " * indent + padded(label, LABEL_CELLS), style="dim")
        self.hanging(head, text if isinstance(text, Styled) else Styled(text, style=style))

    def hanging(self, head: Styled, text: Styled) -> None:
        """A head, and beside it a paragraph that goes on under its own beginning."""
        text.plain = harmless(text.plain)
        if not self.on_terminal:
            self._print(head + text)
            return
        margin = head.cell_len
        for line in wrapped(text, self.width - margin) or [Styled()]:
            self._print(head + line)
            head = Styled(" " * margin)

    def command(self, words: Sequence[str], indent: int) -> None:
        """A command as one could paste it into a shell: a word that is too long is left to the terminal to wrap."""
        room = self.width - indent if self.on_terminal else sys.maxsize
        for line in command_lines([harmless(word) for word in words], room):
            self._print(Styled(" " * indent + line, style="dim"))

    def next_step(self, text: str) -> None:
        """What the operator would do now."""
        self.hanging(Styled(ARROW, style="cyan"), Styled(text, style="cyan"))

    def verbatim(self, text: str, style: str = "") -> None:
        """Somebody else's output, as it is: the terminal wraps it, so that it can be copied."""
        if self.coloured:
            self._console.print(Styled(text, style=style), soft_wrap=True)
        else:
            self._file.write(text + "\n")

    def show(self, *, paged: bool = False) -> None:
        """Print what was collected; `paged` on a terminal that it may be too long for."""
        text = self._file.getvalue().rstrip("\n")
        if paged and paging.is_wanted():
            paging.page(self.session, text)
        else:
            self.session.out(text)

    def _print(self, line: Styled) -> None:
        line.rstrip()
        if self.coloured:
            self._console.print(line, no_wrap=True, overflow="ignore", crop=False)
        else:
            self._file.write(line.plain + "\n")


def show_line(session: Session, text: str) -> None:
    """One sentence as the whole answer."""
    screen = Screen(session)
    screen.line(text)
    screen.show()


def padded(text: str, cells: int) -> str:
    """`text` with spaces behind it up to so many terminal cells (a kanji takes two), one at least."""
    return text + " " * max(1, cells - cell_len(text))
