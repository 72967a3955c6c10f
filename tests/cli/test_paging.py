"""The pager: the operator's own, without a shell and without our secrets; who quits it has seen enough."""

from __future__ import annotations

import json
import shutil
import sys
from typing import TYPE_CHECKING, Final

import psycopg
import pytest
from installations import CATALOG
from making import add
from terminals import CTRL_C, SCHEDCTL, on_terminal, surroundings

from schedctl.cli.paging import DEFAULT

if TYPE_CHECKING:
    from pathlib import Path

    from schedctl.usecases.site import Site

MANY: Final = 40
"""Schedules: more than a terminal has lines."""
COPIES: Final = """
    INSERT INTO schedctl.schedule (state, instruction, task, rule, recurring, timezone, sameness, plan_id,
                                   settled_through, next_fire_at, computed_with, created_by, approved_at, approved_by)
    SELECT state, instruction, task, rule, recurring, timezone, sameness || n, plan_id, settled_through,
           next_fire_at, computed_with, created_by, approved_at, approved_by
      FROM schedctl.schedule, generate_series(1, %s) AS n
"""
FAILURES: Final = """
    INSERT INTO schedctl.run (schedule_id, plan_id, trigger, scheduled_for, state, finished_at)
    SELECT schedule_id, plan_id, 'timer', now(), 'failed', now() FROM schedctl.schedule
"""
RECORDER: Final = """
import json, os, sys
text = sys.stdin.read()
json.dump({"argv": sys.argv[1:], "environ": dict(os.environ), "text": text}, open(sys.argv[1], "w"))
print("RECORDED")
"""


@pytest.fixture
def environ(site: Site, database: str) -> dict[str, str]:
    """An installation with many schedules, one of them with a terminal's escape in its name."""
    add(site, "daily at 03:00 in Asia/Tokyo")
    with psycopg.connect(database) as db:
        db.execute(COPIES, (MANY,))
        db.execute("UPDATE schedctl.schedule SET name = E'\\x1b]0;owned\\x07' WHERE schedule_id = 1")
    return surroundings(SCHEDCTL_DSN=database, SCHEDCTL_CATALOG=str(CATALOG), SCHEDCTL_LANG="en", PGPASSWORD="hunter2")


@pytest.fixture
def recorder(tmp_path: Path) -> tuple[str, Path]:
    """A pager that writes down what it was given, and where."""
    script, record = tmp_path / "my pager.py", tmp_path / "record.json"
    script.write_text(RECORDER)
    return f"{sys.executable} '{script}' '{record}' '; touch evil' $HOME", record


def test_the_operators_pager_is_called_as_it_is_written(environ: dict[str, str], recorder: tuple[str, Path]) -> None:
    command, record = recorder
    pagers = {
        "SCHEDCTL_PAGER": command,
        "PAGER": "false",
        "SCHEDCTL_SECRET_X": "s3cr3t",
        "SCHEDCTL_CATALOG": str(CATALOG),
    }
    with on_terminal([*SCHEDCTL, "list"], environ | pagers) as terminal:
        assert terminal.end() == 0
    assert "RECORDED" in terminal.text
    seen = json.loads(record.read_text())
    assert seen["argv"][1:] == ["; touch evil", "$HOME"]  # no shell has read it
    assert seen["text"].count("\n") > MANY
    assert "\x1b[" in seen["text"]  # colours
    assert "␛]0;owned" in seen["text"]  # and nobody else's escapes
    assert [name for name in seen["environ"] if name.startswith(("SCHEDCTL_", "PG"))] == []
    assert "hunter2" not in record.read_text()


@pytest.mark.parametrize(
    ("arguments", "pagers"),
    [
        (("list", "--no-pager"), {}),
        (("list", "--limit", "2"), {}),  # all of it fits
        (("list",), {"SCHEDCTL_PAGER": "cat"}),
        (("list",), {"SCHEDCTL_PAGER": ""}),
        (("list", "--json"), {}),
        (("list",), {"TERM": "dumb"}),
    ],
)
def test_who_is_shown_all_at_once(
    environ: dict[str, str], recorder: tuple[str, Path], arguments: tuple[str, ...], pagers: dict[str, str]
) -> None:
    command, record = recorder
    with on_terminal([*SCHEDCTL, *arguments], environ | {"SCHEDCTL_PAGER": command} | pagers) as terminal:
        assert terminal.end() == 0
    assert not record.exists()
    assert "1" in terminal.text


@pytest.mark.parametrize(
    ("pager", "said"),
    [
        ("/nonexistent/pager", "“/nonexistent/pager” could not be used (No such file or directory)"),
        ("unbalanced 'quote", "“unbalanced 'quote” could not be used (No such file or directory)"),
        ("/", "“/” could not be used (Permission denied)"),
        ("false", "“false” could not be used (exit 1)"),
    ],
)
def test_a_pager_that_shows_nothing_is_done_without_and_named(environ: dict[str, str], pager: str, said: str) -> None:
    with on_terminal([*SCHEDCTL, "list"], environ | {"SCHEDCTL_PAGER": pager, "PAGER": "cat"}) as terminal:
        assert terminal.end() == 0
    assert len(terminal.text.splitlines()) > MANY
    assert f"the pager {said}" in " ".join(terminal.text.split())


def test_less_turns_pages_and_may_be_quit(environ: dict[str, str]) -> None:
    if shutil.which("less") is None:
        pytest.skip("less is not installed")
    assert DEFAULT[0] == "less"
    with on_terminal([*SCHEDCTL, "list"], environ) as terminal:
        terminal.wait_for(r"\n:")
        terminal.press("v")  # would start an editor: LESSSECURE does not let it
        at = terminal.wait_for("Command not available")
        terminal.press("\n")
        at = terminal.wait_for(":", at)
        terminal.press("G")
        terminal.wait_for("Disarmed", at)
        terminal.press(CTRL_C)  # stops nothing of ours; the terminal forgets what is typed in the same moment
        terminal.press_until_it_ends("q")
        assert terminal.end() == 0
        assert terminal.is_sane()
    assert "Traceback" not in terminal.text


def test_a_pager_that_reads_nothing_breaks_nothing(environ: dict[str, str]) -> None:
    with on_terminal([*SCHEDCTL, "list"], environ | {"PAGER": "true"}) as terminal:
        assert terminal.end() == 0
    assert terminal.text.strip() == ""


def test_a_reader_that_went_away_is_no_error(environ: dict[str, str]) -> None:
    line = f"{sys.executable} -m schedctl list --limit 1000 | head -n 1; echo ${{PIPESTATUS[0]}}"
    with on_terminal(["bash", "-c", line], environ) as terminal:
        assert terminal.end() == 0
    assert terminal.text.splitlines()[-1] == "0"
    assert "Broken" not in terminal.text


def test_a_long_report_is_paged_too(environ: dict[str, str], database: str, recorder: tuple[str, Path]) -> None:
    command, record = recorder
    with psycopg.connect(database) as db:
        db.execute(FAILURES)
    with on_terminal([*SCHEDCTL, "report", "--day", "today"], environ | {"SCHEDCTL_PAGER": command}) as terminal:
        assert terminal.end() == 0
    assert "RECORDED" in terminal.text
    assert json.loads(record.read_text())["text"].count("\n") > MANY
