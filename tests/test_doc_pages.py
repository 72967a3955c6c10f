"""The pages hold together: links lead somewhere, no page is out of reach, commands that are shown can be typed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from own_server import OwnServer, running

from schedctl.store.embedded_programs import binaries

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parents[1]
READMES: Final = ("README.md", "README.en.md")
PAGES: Final = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (*(ROOT / name for name in READMES), ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md"))
)
CODE: Final = re.compile(r"^( *)```.*?^\1```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK: Final = re.compile(r"\]\(([^)\s]+)\)")
BLOCK: Final = re.compile(r"^( *)```sh\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
COPY: Final = "schedctl_restored"

ELSEWHERE: Final = {
    ".venv/bin/schedctl demo": "run by .ci/run and by tests/test_newcomer.py, in a fresh folder",
    ". .venv/bin/activate": "tests/test_readme.py by a rehearsal's clock, tests/test_newcomer.py by the real one",
    "sudo python3 -m venv /opt/schedctl": "pip in root's /opt; tests/support/installed_box.py does it in a box",
    "sudo -u postgres createuser": "tests/support/installed_box.py makes role and database so",
    "/etc/schedctl/dsn": "tests/units/test_real_machine.py has this file, with root, in a box",
    "schedctl install-units": "tests/units/test_real_machine.py, on a real systemd",
    "users.lock": "tests/store/test_embedded_backup.py, without a DSN",
    "docs/examples/yoyaku.sh": "tests/roles/test_chat.py, by bash and zsh",
    "yoyaku 毎週": "tests/roles/test_chat.py, by bash and zsh",
}
"""Blocks that do not run here, by what stands in them: where they do."""


def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def links(page: str) -> Iterator[tuple[str, str]]:
    """The page and anchor that each link within the repository means; the page is its path from the root."""
    for target in LINK.findall(CODE.sub("", text(page))):
        if not re.match(r"[a-z]+:", target):
            path, _, anchor = target.partition("#")
            found = (ROOT / page).parent / path if path else ROOT / page
            yield os.path.relpath(found, ROOT), anchor


def anchors(page: str) -> set[str]:
    """What GitHub calls the headings: lower case, without punctuation, blanks as dashes."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^( *)```.*?^\1```$", "", text(page), flags=re.M | re.S), re.MULTILINE)
    kept = (
        "".join(c for c in heading.lower() if c in " -_" or unicodedata.category(c)[0] in "LN") for heading in headings
    )
    return {heading.replace(" ", "-") for heading in kept}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for target, anchor in links(page):
        assert (ROOT / target).exists(), target
        assert not anchor or anchor in anchors(target), f"{target}#{anchor}"


@pytest.mark.parametrize("readme", READMES)
def test_every_page_is_named_by_the_readmes(readme: str) -> None:
    """The decisions by their folder."""
    named = {target for target, _ in links(readme)}
    assert "docs/decisions" in named
    pages = {page for page in PAGES if page.startswith("docs/") and not page.startswith("docs/decisions/")}
    assert pages - named == set()


def runnable(page: str) -> list[str]:
    """The lines of the page's shell blocks that no other test runs."""
    blocks = [body for _, body in BLOCK.findall(text(page)) if not any(part in body for part in ELSEWHERE)]
    return [line.strip() for body in blocks for line in body.splitlines()]


def test_what_runs_elsewhere_still_stands_there() -> None:
    lines = "\n".join(body for page in PAGES for _, body in BLOCK.findall(text(page)))
    assert [part for part in ELSEWHERE if part not in lines] == []


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """An operator's environment: a server whose database is called schedctl, its programs, and schedctl by name."""
    folder = tmp_path_factory.mktemp("operator")
    program = folder / "schedctl"
    program.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -P -m schedctl "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    with running() as server:
        yield {
            "PATH": f"{folder}:{binaries()}:/usr/bin:/bin",
            "PGHOST": str(server.sockets),
            "PGUSER": "schedctl",
            "SCHEDCTL_DSN": _dsn(server, "schedctl"),
            "SCHEDCTL_STATE": str(folder / "state"),
            "HOME": str(folder),
            "LANG": "C.UTF-8",
        }


def _dsn(server: OwnServer, database: str) -> str:
    return f"host={server.sockets} user=schedctl dbname={database}"


@pytest.mark.parametrize("page", [*READMES, "docs/operations.md", "docs/scaling.md", "docs/chat.md"])
def test_the_commands_that_are_shown_can_be_typed(page: str, machine: dict[str, str]) -> None:
    """On an armed installation with a schedule, which is then restored beside it: what comes next means the copy."""
    said = "every day at 3am check the disk usage on this machine"
    begin = ["schedctl list", f"dropdb --if-exists {COPY}", "schedctl arm", f"schedctl register '{said}' || [ $? = 2 ]"]
    lines = [*begin, *runnable(page)]
    there = machine["SCHEDCTL_DSN"].replace("dbname=schedctl", f"dbname={COPY}")
    script = "\n".join(line + (f"\nSCHEDCTL_DSN='{there}'" if "pg_restore" in line else "") for line in lines)
    ran = subprocess.run(
        ["bash", "-euxc", script], cwd=machine["HOME"], env=machine, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
