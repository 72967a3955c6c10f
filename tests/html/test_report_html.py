"""The report in a browser: nothing sticks out, nothing is asked for, everybody can read it, and text stays text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from report_days import terrible
from report_texts import HOSTILE, PLAIN, spoken_by
from reports import empty, quiet, week
from structure import structure_of

from schedctl.report.html import render

if TYPE_CHECKING:
    from collections.abc import Callable

    from browser import Browser, Theme

    from schedctl.language import Lang
    from schedctl.report.model import Report

SCREENS: Final[tuple[tuple[int, Lang], ...]] = ((360, "ja"), (900, "en"), (1600, "ja"))
AUDIT: Final = (Path(__file__).parent / "audit.js").read_text(encoding="utf-8")
WORLDS: Final[dict[str, Callable[[], Report]]] = {
    "empty": empty,
    "quiet": quiet,
    "week": week,
    "terrible": terrible,
    "hostile": lambda: spoken_by(HOSTILE, terrible()),
}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("world", WORLDS)
def test_everybody_can_read_it_on_every_screen(browser: Browser, tmp_path: Path, world: str, theme: Theme) -> None:
    file = tmp_path / "report.html"
    page = browser.open()
    for width, lang in SCREENS:
        file.write_text(render(WORLDS[world](), lang), encoding="utf-8")
        page.show(file, width, theme)
        assert (width, page.evaluate(AUDIT)) == (width, [])
        # The names of the landmarks would not be found in a page that a quirk or a policy had emptied.
        assert page.evaluate("document.compatMode + getComputedStyle(document.body).margin") == "CSS1Compat0px"
    assert page.complaints == []
    assert {url for url in page.requests if not url.startswith("data:")} == {file.as_uri()}


def test_the_themes_differ_and_paper_is_white(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(render(terrible(), "ja"), encoding="utf-8")
    page = browser.open()
    colour = "getComputedStyle(document.body).backgroundColor"
    seen: list[str] = []
    themes: tuple[Theme, ...] = ("light", "dark")
    for theme in themes:
        page.show(file, 900, theme)
        seen.append(page.evaluate(colour))
    assert len(set(seen)) == 2
    page.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    assert page.evaluate(colour) == "rgb(255, 255, 255)"
    assert page.evaluate(AUDIT) == []


def test_hostile_text_can_be_read_as_it_was_written(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(render(spoken_by(HOSTILE, terrible()), "ja"), encoding="utf-8")
    page = browser.open()
    page.show(file, 900, "light")
    shown = page.evaluate("document.querySelector('h3 bdi').textContent")
    assert shown.startswith(HOSTILE[:90])
    assert shown.endswith(f"…（全 {len(HOSTILE):,} 字）")
    assert len(shown) < 300
    assert "\u202e" not in page.evaluate("document.documentElement.outerHTML")


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_text_adds_no_element_and_no_attribute(lang: Lang) -> None:
    """Holds without a browser too: what was escaped badly would show as another structure."""
    assert structure_of(render(spoken_by(HOSTILE, terrible()), lang)) == structure_of(
        render(spoken_by(PLAIN, terrible()), lang)
    )


def test_a_very_long_text_is_cut_and_says_so() -> None:
    document = render(spoken_by(HOSTILE, quiet()), "en")
    assert f"({len(HOSTILE):,} characters in all)" in document
    assert len(document) < 400_000
