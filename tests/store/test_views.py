"""The views of docs/sql.md: their columns are a promise, a viewer may read them, and a worker may not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg.rows import dict_row

if TYPE_CHECKING:
    from conftest import Command

PAGE = Path(__file__).parents[2] / "docs" / "sql.md"
BEFORE = "2026-12-02T02:50+09:00"
DUE = "2026-12-02T03:00:10+09:00"
LATE = "2026-12-03T12:00+09:00"
COLUMNS = """
    SELECT column_name FROM information_schema.columns
     WHERE table_schema = 'schedctl' AND table_name = %s ORDER BY ordinal_position
"""


def rows(database: str, query: str) -> list[dict[str, object]]:
    with psycopg.connect(database) as db, db.cursor(row_factory=dict_row) as cursor:
        return cursor.execute(query.encode()).fetchall()


@pytest.fixture
def told(schedctl: Command, database: str) -> str:
    """One run that succeeded and one occurrence that was missed."""
    schedctl("arm", now=BEFORE)
    schedctl("register", "--yes", "--name", "probe", "毎日3時にmarsでprobe.okを実行して", now=BEFORE)
    schedctl("tick", now=DUE)
    schedctl("work", "--drain", now=DUE)
    schedctl("tick", now=LATE)
    return database


def test_schedules_say_what_list_says(told: str) -> None:
    (row,) = rows(told, "SELECT * FROM schedctl.schedules")
    assert (row["id"], row["name"], row["state"], row["risk"], row["nodes"]) == (
        1,
        "probe",
        "active",
        "reads",
        ["mars"],
    )
    assert str(row["next_at"]) in ("2026-12-03 18:00:00+00:00", "2026-12-04 03:00:00+09:00")
    assert row["created_by"] == row["approved_by"] == "schedctl"


def test_runs_say_when_where_and_how(told: str) -> None:
    done, missed = rows(told, "SELECT * FROM schedctl.runs ORDER BY id")
    assert (done["state"], done["nodes"], str(done["late_by"])) == ("succeeded", ["mars"], "0:00:10")
    assert (missed["state"], missed["reason"], missed["nodes"], missed["count"]) == ("missed", "late", None, 1)


def test_health_is_one_row(told: str) -> None:
    (row,) = rows(told, "SELECT * FROM schedctl.health")
    assert (row["armed"], row["active"], row["legs_queued"], row["notices_queued"]) == (True, 1, 0, 0)
    assert row["last_tick_at"] is not None


@pytest.mark.parametrize("view", ["schedules", "runs", "health"])
def test_the_page_has_every_column_in_its_place(database: str, view: str) -> None:
    section = PAGE.read_text(encoding="utf-8").partition(f"### `schedctl.{view}`")[2].partition("\n#")[0]
    said = [
        name for row in re.findall(r"^\| ((?:`\w+` ?)+)\|", section, re.MULTILINE) for name in re.findall(r"\w+", row)
    ]
    with psycopg.connect(database) as db:
        assert said == [name for (name,) in db.execute(COLUMNS, (view,)).fetchall()]


def test_every_query_on_the_page_runs(told: str) -> None:
    queries = re.findall(r"^```sql\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(queries) > 3
    with psycopg.connect(told) as db:
        for query in queries:
            db.execute(query.encode())
