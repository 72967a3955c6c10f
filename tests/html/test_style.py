"""The style sheet's colours can be told from what is behind them, in both themes and on paper; and nothing moves."""

from __future__ import annotations

import re
from typing import Final

import pytest

from schedctl.report.html_environment import TEMPLATES

STYLE: Final = (TEMPLATES / "style.css").read_text(encoding="utf-8")
PALETTES: Final = {
    theme: dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{3,6})", block))
    for theme, block in zip(("light", "dark", "print"), re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL), strict=True)
}
BEHIND: Final = ("paper", "freeze")
TEXT: Final = frozenset({"ink", "soft", "ok", "bad", "warn", "note", "live"})
"""Colours of letters: 4.5 to 1 (WCAG 2.2, 1.4.3)."""
MARKS: Final = frozenset({"ok-line", "bad", "warn", "note", "live", "faint", "soft", "ink"})
"""Colours of marks that tell something: 3 to 1 (1.4.11)."""
QUIET: Final = frozenset({"rule", "grid", *BEHIND})
"""Lines that only help the eye, and what is behind everything."""


def luminance(colour: str) -> float:
    """WCAG's relative luminance of `#rgb` or `#rrggbb`."""
    digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_the_formula_is_the_one_of_wcag() -> None:
    assert contrast("#000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", PALETTES)
def test_every_colour_can_be_told_from_what_is_behind_it(theme: str) -> None:
    palette = PALETTES[theme]
    least = dict.fromkeys(TEXT, 4.5) | dict.fromkeys(MARKS - TEXT, 3.0)
    weak = {
        (name, back): round(contrast(palette[name], palette[back]), 2)
        for name, ratio in least.items()
        for back in BEHIND
        if contrast(palette[name], palette[back]) < ratio
    }
    assert weak == {}


def test_the_themes_have_the_same_colours_and_the_style_no_others() -> None:
    assert set(PALETTES["light"]) == set(PALETTES["dark"]) == set(PALETTES["print"]) == TEXT | MARKS | QUIET
    rules = re.sub(r":root \{.*?\}", "", STYLE, flags=re.DOTALL)
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b|rgba?\(|hsl", rules) == []
    assert set(re.findall(r"[ ;{]color: var\(--([a-z-]+)\)", rules)) <= TEXT
    assert set(re.findall(r"(?:fill|stroke): var\(--([a-z-]+)\)", rules)) <= MARKS | QUIET


def test_nothing_moves_and_nothing_is_fetched() -> None:
    assert re.findall(r"animation|transition|@keyframes|scroll-behavior", STYLE) == []
    assert re.findall(r"url\(|@import|@font-face", STYLE) == []


def test_no_template_says_that_a_text_is_safe() -> None:
    for path in TEMPLATES.glob("*.html"):
        assert re.findall(r"\|\s*safe\b|autoescape|Markup|<script|\bstyle=|\bon[a-z]+=", path.read_text("utf-8")) == []
