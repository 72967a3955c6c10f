"""Help in the operator's language, laid out by terminal cells: click counts letters, and a kanji takes two cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click
from rich.cells import cell_len
from rich.text import Text as Styled

from schedctl.cli.options import HELP_LANGUAGE
from schedctl.cli.wrapping import wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable

IN_JAPANESE: Final = (
    ("Usage:", "使い方:"),
    ("Options", "オプション"),
    ("Commands", "コマンド"),
    ("[default: ", "[初期値: "),
    ("[required]", "[必須]"),
)
"""What click itself says."""
WIDEST_OPTION: Final = 26
"""Cells: what is longer stands on a line of its own."""


class CellFormatter(click.HelpFormatter):
    """click's help, with lines that end where the terminal ends. A newline in a text is a newline."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """`使い方: schedctl register [OPTIONS] TEXT`."""
        super().write_usage(prog, args, f"{_translated(prefix or 'Usage:').strip()} ")

    def write_heading(self, heading: str) -> None:
        """A section's title."""
        super().write_heading(_translated(heading))

    def write_text(self, text: str) -> None:
        """Paragraphs, indented."""
        margin = " " * self.current_indent
        for line in wrapped(Styled(text), self.width - self.current_indent):
            self.write(f"{margin}{line.plain}".rstrip() + "\n")

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = WIDEST_OPTION, col_spacing: int = 2) -> None:
        """Options or commands beside what they mean."""
        named = [(_shortened(name), _translated(meaning)) for name, meaning in rows]
        widest = min(col_max, WIDEST_OPTION, self.width // 3)
        column = min(max((cell_len(name) for name, _ in named), default=0), widest) + col_spacing
        behind = self.current_indent + column
        for name, meaning in named:
            lines = [line.plain for line in wrapped(Styled(meaning), self.width - behind)] or [""]
            head = " " * self.current_indent + name
            if cell_len(name) + col_spacing > column:
                self.write(_broken(head, self.width) + "\n")
                head = ""
            self.write(head + " " * (behind - cell_len(head)) + lines[0] + "\n")
            for line in lines[1:]:
                self.write(" " * behind + line + "\n")


def _shortened(name: str) -> str:
    return name.replace("INTEGER RANGE", "N").replace("INTEGER", "N")


def _broken(head: str, width: int) -> str:
    """An option whose choices are too many for one line, broken between them."""
    if cell_len(head) <= width:
        return head
    return "\n      ".join(line.plain for line in wrapped(Styled(head.replace("|", "| ")), width)).replace("| ", "|")


def _translated(text: str) -> str:
    if HELP_LANGUAGE == "ja":
        for english, japanese in IN_JAPANESE:
            text = text.replace(english, japanese)
    return text
