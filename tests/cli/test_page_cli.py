"""`schedctl page` as the timer calls it, and as a person does."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Command

NOW = "2026-12-04T10:00:00+09:00"
HEAVY = ("rich", "requests", "schedctl.planner.llm", "schedctl.transport.ssh")
LOADED = """
import sys
from schedctl.cli.main import call
assert call(["page", "--out", sys.argv[1]]) == 0
print(" ".join(name for name in sys.argv[2:] if name in sys.modules))
"""


@pytest.mark.parametrize(("lang", "said"), [("ja", "を書きました"), ("en", "written")])
def test_a_page_for_everybody(schedctl: Command, tmp_path: Path, lang: str, said: str) -> None:
    page = tmp_path / "index.html"
    ran = schedctl("page", "--out", str(page), "--lang", lang, "--title", "本番 <1>", now=NOW)
    assert (ran.code, ran.err) == (0, "")
    assert said in ran.out
    document = page.read_text(encoding="utf-8")
    assert f'<html lang="{lang}">' in document
    assert "本番 &lt;1&gt;</bdi></h1>" in document
    assert stat.S_IMODE(page.stat().st_mode) == 0o644
    assert [one.name for one in tmp_path.iterdir()] == ["index.html"]


def test_the_answer_for_programs(schedctl: Command, tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    answer = schedctl("page", "--out", str(page), "--json", now=NOW).json["page"]
    assert answer == {
        "file": str(page), "written_at": NOW, "runs_as_of": NOW, "needs": 0, "bytes": page.stat().st_size,
    }  # fmt: skip


def test_the_page_of_the_next_minute_takes_the_runs_of_the_week_over(schedctl: Command, tmp_path: Path) -> None:
    page, later = tmp_path / "index.html", "2026-12-04T10:01:00+09:00"
    schedctl("page", "--out", str(page), now=NOW)
    answer = schedctl("page", "--out", str(page), "--json", now=later).json["page"]
    assert (answer["written_at"], answer["runs_as_of"]) == (later, NOW)
    page.write_bytes(b"\xff no page of schedctl")
    answer = schedctl("page", "--out", str(page), "--json", now=later).json["page"]
    assert (answer["written_at"], answer["runs_as_of"]) == (later, later)


def test_how_many_things_need_a_person(schedctl: Command, tmp_path: Path) -> None:
    schedctl("arm", now="2026-12-04T09:00:00+09:00")
    ran = schedctl("page", "--out", str(tmp_path / "index.html"), "--lang", "en", now=NOW)
    assert ran.code == 0  # a page that tells of trouble was written well
    assert "1 thing in it needs a person" in ran.out
    assert "no tick has ever come" in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_where_there_is_no_database_the_old_page_stays(schedctl: Command, tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    schedctl("page", "--out", str(page), now=NOW)
    before = page.read_bytes()
    nowhere = {"SCHEDCTL_DSN": f"host={tmp_path} dbname=nothing"}
    ran = schedctl("page", "--out", str(page), "--lang", "en", env=nowhere)
    assert ran.code == 1
    assert "[database_unavailable]" in ran.err
    assert page.read_bytes() == before


@pytest.mark.parametrize("title", ["", "  ", "a\nb", "x" * 81])
def test_a_title_is_one_short_line(schedctl: Command, tmp_path: Path, title: str) -> None:
    ran = schedctl("page", "--out", str(tmp_path / "index.html"), "--title", title)
    assert ran.code == 2
    assert "[usage]" in ran.err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_named(schedctl: Command, tmp_path: Path) -> None:
    ran = schedctl("page", "--out", str(tmp_path / "www" / "index.html"), "--lang", "en")
    assert ran.code == 1
    assert "[file_not_written]" in ran.err
    assert str(tmp_path / "www" / "index.html") in ran.err


def test_once_a_minute_has_to_be_cheap(database: str, tmp_path: Path) -> None:
    """What costs a tenth of a second to import is left out of the page, which needs none of it."""
    environment = {"SCHEDCTL_DSN": database, "PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "-c", LOADED, str(tmp_path / "index.html"), *HEAVY],
        env=environment | {"PYTHONPATH": os.pathsep.join(sys.path)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ran.stdout.splitlines()[-1].strip() == ""
