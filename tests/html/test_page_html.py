"""The status page in a browser, by the same rules as the report."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from pages import PAGES, quiet_page, terrible_page
from report_texts import HOSTILE, PLAIN, spoken_by
from structure import structure_of

from schedctl.report.html import render_page
from schedctl.report.html_environment import style_digest

if TYPE_CHECKING:
    from browser import Browser, Theme

    from schedctl.language import Lang
    from schedctl.report.page_model import Page

AUDIT: Final = (Path(__file__).parent / "audit.js").read_text(encoding="utf-8")
SCREENS: Final[tuple[tuple[int, Lang, Theme], ...]] = ((360, "ja", "dark"), (900, "en", "light"), (1600, "ja", "dark"))


def hostile_page(text: str) -> Page:
    """Everything that somebody else may have written is this text."""
    return spoken_by(text, terrible_page())


@pytest.mark.parametrize("world", [*PAGES, "hostile"])
def test_everybody_can_read_it_on_every_screen(browser: Browser, tmp_path: Path, world: str) -> None:
    file = tmp_path / "index.html"
    page = browser.open()
    for width, lang, theme in SCREENS:
        shown = hostile_page(HOSTILE) if world == "hostile" else PAGES[world]()
        file.write_text(render_page(shown, lang), encoding="utf-8")
        page.show(file, width, theme)
        assert (width, page.evaluate(AUDIT)) == (width, [])
    assert page.complaints == []
    assert {url for url in page.requests if not url.startswith("data:")} == {file.as_uri()}


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_text_adds_no_element_and_no_attribute(lang: Lang) -> None:
    assert structure_of(render_page(hostile_page(HOSTILE), lang)) == structure_of(
        render_page(hostile_page(PLAIN), lang)
    )


def test_a_browser_may_take_nothing_but_the_style_sheet(browser: Browser, tmp_path: Path) -> None:
    document = render_page(quiet_page(), "ja")
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', document)
    style = re.search(r"<style>(.*)</style>", document, re.DOTALL)
    assert policy is not None
    assert style is not None
    assert policy[1].split("; ") == [
        "default-src 'none'", f"style-src '{style_digest(style[1])}'", "img-src data:", "base-uri 'none'",
        "form-action 'none'",
    ]  # fmt: skip
    file = tmp_path / "index.html"
    attack = "<img src='http://127.0.0.1:9/x.png'><script>document.title = 'owned'</script><p style='color: red'>"
    file.write_text(document.replace("<main id=", attack + "<main id="), encoding="utf-8")
    page = browser.open()
    page.show(file, 900, "light")
    assert page.evaluate("document.title") == "本番"
    assert page.evaluate("getComputedStyle(document.querySelector('p[style]')).color") != "rgb(255, 0, 0)"
    refused = " ".join(one for one in page.complaints if "Content Security Policy" in one)
    assert [kind for kind in ("img-src", "script-src", "style-src") if kind not in refused] == []


def test_it_does_not_reload_and_says_when_it_was_written_and_what_an_old_one_means() -> None:
    document = render_page(quiet_page(), "en")
    assert not re.search(r"http-equiv=.refresh", document, re.IGNORECASE)
    assert '<time datetime="2026-11-29T10:00:00+09:00">Sun 2026-11-29 10:00 +09:00</time>' in document
    assert "more than five minutes ago" in document


def test_the_window_s_name_and_picture_say_whether_somebody_is_needed() -> None:
    good, bad = render_page(quiet_page(), "en"), render_page(terrible_page(), "en")
    assert "<title>本番</title>" in good
    assert "<title>(4) 本番（東京）</title>" in bad
    pictures = [re.search(r'rel="icon" href="([^"]+)"', document) for document in (good, bad)]
    assert pictures[0] is not None
    assert pictures[1] is not None
    assert pictures[0][1] != pictures[1][1]
