"""Page and report of an installation whose database holds hostile text, by the commands that write them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from agent_stories import EXECUTOR
from days import BEFORE, DAILY, day_of
from making import BREAKS, READS, add
from report_texts import HOSTILE
from structure import structure_of
from telling import at

from schedctl.store import agents
from schedctl.usecases import installation, nodes
from schedctl.usecases.beats import beat
from schedctl.usecases.tick import tick

if TYPE_CHECKING:
    from browser import Browser
    from conftest import Command

    from schedctl.usecases.site import Site

AUDIT: Final = (Path(__file__).parent / "audit.js").read_text(encoding="utf-8")
NOW: Final = "2026-12-04T10:00:00+09:00"
STORED: Final = HOSTILE.replace("\x00", "")
"""PostgreSQL keeps no NUL."""
COMMANDS: Final = {
    "page": ("page", "--title", "本番 <b>", "--out"),
    "day": ("report", "--day", "2026-12-03", "--html"),
    "week": ("report", "--week", "--day", "2026-12-03", "--html"),
}


@pytest.fixture
def installed(site: Site) -> Site:
    """Three days in which an actor, an instruction, a node's hold and an agent say hostile things."""
    before = at(site, BEFORE)
    before = replace(before, actor=replace(before.actor, name=STORED[:200]))
    installation.arm(before, STORED)
    add(before, DAILY, READS, say=STORED)
    nodes.hold(before, "jupiter", STORED)
    with before.transaction():
        agents.watch(before.db, (EXECUTOR,), {})
    beat(before, "executor", "ok", 1200, None, None)
    day_of(site, 2)
    add(at(site, "2026-12-02T10:00+09:00"), DAILY, BREAKS, say="ログの回転")
    day_of(site, 3, outcome="failed")
    beat(at(site, "2026-12-03T10:00+09:00"), "executor", "error", 90_000, STORED[:500], None)
    tick(at(site, "2026-12-03T10:01+09:00"))
    return site


@pytest.mark.parametrize("command", COMMANDS)
def test_it_can_be_read_and_adds_nothing(
    installed: Site, schedctl: Command, browser: Browser, tmp_path: Path, command: str
) -> None:
    file = tmp_path / "written.html"
    assert schedctl(*COMMANDS[command], str(file), now=NOW).code == 0
    tags = {tag.split()[0] for tag in structure_of(file.read_text(encoding="utf-8"))}
    assert tags.isdisjoint({"script", "img"})
    page = browser.open()
    for width in (360, 1600):
        page.show(file, width, "light")
        assert (width, page.evaluate(AUDIT)) == (width, [])
        assert "<script>alert(1)</script>" in page.evaluate("document.body.innerText")
    assert (page.complaints, len([url for url in page.requests if not url.startswith("data:")])) == ([], 2)
