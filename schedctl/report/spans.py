"""Lengths of time and numbers as a person reads them. Pure."""

from __future__ import annotations

from typing import Final

from schedctl.language import Text

UNITS: Final = ((86_400, "日", "d"), (3600, "時間", "h"), (60, "分", "min"), (1, "秒", "s"))


def span_said(seconds: float) -> Text:
    """`0.4 秒`, `12 秒`, `4 分 10 秒`, `2 時間 5 分`, `3 日`: two units at most, never a smaller one of nothing."""
    if seconds < 10 and round(seconds, 1) != round(seconds):
        return Text(f"{seconds:.1f} 秒", f"{seconds:.1f} s")
    whole = round(seconds)
    place = next((place for place, (size, _, _) in enumerate(UNITS) if whole >= size), len(UNITS) - 1)
    size, ja, en = UNITS[place]
    count, rest = divmod(whole, size)
    said = Text(f"{count} {ja}", f"{count} {en}")
    if place + 1 == len(UNITS) or not rest // UNITS[place + 1][0]:
        return said
    size, ja, en = UNITS[place + 1]
    return Text(f"{said.ja} {rest // size} {ja}", f"{said.en} {rest // size} {en}")


def number_said(number: float) -> str:
    """`1,234`, `12.5`, `0.3`: a decimal only below a hundred, and only where it says something."""
    shown = f"{number:,.1f}" if abs(number) < 100 else f"{number:,.0f}"
    return shown.removesuffix(".0")


def change_said(share: float) -> str:
    """A growth as `+42 %`, `-8 %`, `±0 %`."""
    percent = round(share * 100)
    return f"{percent:+d} %" if percent else "±0 %"


def share_said(share: float) -> str:
    """A part as `98.6 %`; never 100 where something is missing, never 0 where something is there."""
    percent = round(share * 100, 1)
    if percent >= 100 and share < 1:
        return "99.9 %"
    if percent <= 0 and share > 0:
        return "0.1 %"
    return f"{percent:.1f} %".replace(".0 %", " %")
