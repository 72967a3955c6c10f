"""The terminal view: lines with labels, good at 80 columns with Japanese widths, plain and unwrapped when piped."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text as Styled

if TYPE_CHECKING:
    from datetime import datetime

    from schedctl.cli.session import Session
    from schedctl.language import Lang

WEEKDAYS_JA: Final = "月火水木金土日"
LABEL_CELLS: Final = 10
STATE_STYLES: Final = {
    "active": "green",
    "succeeded": "green",
    "pending": "yellow",
    "queued": "cyan",
    "running": "cyan",
    "rehearsed": "cyan",
    "failed": "bold red",
    "timed_out": "bold red",
    "lost": "bold red",
    "refused": "bold red",
    "missed": "red",
    "paused": "yellow",
    "skipped": "yellow",
    "cancelled": "yellow",
}


class Screen:
    """Collects lines and prints them through the session. Colours and wrapping only on a terminal."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.on_terminal = sys.stdout.isatty()
        self._file = io.StringIO()
        self._console = Console(
            file=self._file,
            width=None if self.on_terminal else 100_000,
            force_terminal=self.on_terminal,
            no_color=not self.on_terminal or bool(os.environ.get("NO_COLOR")),
            highlight=False,
            soft_wrap=not self.on_terminal,
        )

    def line(self, text: str = "", style: str = "", indent: int = 0) -> None:
        """One paragraph."""
        self.styled(Styled(text, style=style), indent)

    def styled(self, text: Styled, indent: int = 0) -> None:
        """One paragraph of several styles; on a terminal, what is too long goes on under its own beginning."""
        if self.on_terminal:
            self._console.print(Padding(text, (0, 0, 0, indent)))
        else:
            self._console.print(" " * indent + text.plain, markup=False)

    def field(self, label: str, text: str | Styled, style: str = "", indent: int = 2) -> None:
        """A label and what it stands for; what is too long goes on under its own beginning."""
        styled = text if isinstance(text, Styled) else Styled(text, style=style)
        if not self.on_terminal:
            self._console.print(" " * indent + padded(label, LABEL_CELLS) + styled.plain, markup=False)
            return
        grid = Table.grid(padding=0)
        grid.add_column(width=indent + LABEL_CELLS)
        grid.add_column(ratio=1, overflow="fold")
        grid.add_row(Styled(" " * indent + label, style="dim"), styled)
        self._console.print(grid)

    def show(self) -> None:
        """Print what was collected."""
        self.session.out(self._file.getvalue().rstrip("\n"))


def padded(text: str, cells: int) -> str:
    """`text` with spaces behind it up to so many terminal cells (a kanji takes two)."""
    return text + " " * max(1, cells - cell_len(text))


def instant_said(at: datetime, zone: str, lang: Lang) -> str:
    """An instant with weekday, date, time and UTC offset, in a zone."""
    local = at.astimezone(ZoneInfo(zone))
    offset = local.strftime("%z")
    offset = f"{offset[:3]}:{offset[3:]}"
    if lang == "ja":
        return f"{local:%Y-%m-%d}（{WEEKDAYS_JA[local.weekday()]}）{local:%H:%M} {offset}"
    return f"{local:%a %Y-%m-%d %H:%M} {offset}"


def state_styled(state: str) -> Styled:
    """A state's word in its colour."""
    return Styled(state, style=STATE_STYLES.get(state, ""))
