"""From every schema that was ever in use to the present one: all of it or nothing, once, with every row as it was."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from dumps import CODES, DUMPS
from installations import settings_for
from psycopg.sql import SQL, Identifier
from story import EVERYTHING, THERE

from schedctl.cli.start import SCHEMA_VERSION
from schedctl.errors import OperationFailed
from schedctl.settings import shipped
from schedctl.store import schema
from schedctl.usecases import site as site_module
from schedctl.usecases.site import open_site

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Command
    from dumps import Codes, Restore

    from schedctl.language import Lang

OLDEST = DUMPS[0]
NOW = "2026-12-06T12:02:30+09:00"
TABLES = """
    SELECT table_name FROM information_schema.tables
     WHERE table_schema = 'schedctl' AND table_type = 'BASE TABLE' ORDER BY table_name
"""
LOOKING = (
    ("list", "--json"), ("show", "daily-0", "--json"), ("show", "half"), ("runs", "--limit", "200"),
    ("runs", "--errors"), ("logs", "1"), ("upcoming",), ("watch",), ("status",),
)  # fmt: skip


def rows(dsn: str) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table."""
    with psycopg.connect(dsn) as db:
        return {
            table: [
                row
                for (row,) in db.execute(
                    SQL("SELECT to_jsonb(t) FROM schedctl.{} AS t ORDER BY to_jsonb(t)::text").format(Identifier(table))
                )
            ]
            for (table,) in db.execute(TABLES).fetchall()
        }


def without_news(after: list[dict[str, Any]], before: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with the columns that they had before, in one order."""
    columns = before[0].keys() if before else ()
    return sorted(({name: row[name] for name in columns} for row in after), key=json.dumps)


@pytest.mark.parametrize("number", DUMPS)
def test_every_row_is_as_it_was(number: int, restore: Restore) -> None:
    old = restore(number)
    assert {row[0] for row in old.query(THERE)} >= EVERYTHING
    before = rows(old.dsn)
    with open_site(settings_for(old.dsn)):
        pass
    after = rows(old.dsn)
    assert sorted(row["version"] for row in after["schema_version"]) == list(range(1, SCHEMA_VERSION + 1))
    for table, had in before.items():
        has = without_news(after[table], had)
        # What schedctl itself writes down with its schema may grow; what people made stays.
        kept = [row for row in has if row in had] if table in ("schema_version", "event_type") else has
        assert kept == sorted(had, key=json.dumps), table


@pytest.mark.parametrize("number", DUMPS)
def test_an_upgraded_schema_is_the_same_as_a_new_one(number: int, restore: Restore, database: str) -> None:
    old = restore(number)
    with open_site(settings_for(old.dsn)):
        pass
    new = type(old)(database, old.folder)
    assert sorted(old.schema().splitlines()) == sorted(new.schema().splitlines())


@pytest.mark.parametrize("number", [OLDEST])
def test_every_command_that_looks_can_read_it(number: int, restore: Restore, schedctl: Command) -> None:
    old = restore(number)
    for arguments in LOOKING:
        ran = schedctl(*arguments, now=NOW, env={"SCHEDCTL_DSN": old.dsn, "SCHEDCTL_HOST": "story"})
        assert (ran.code in (0, 1), "internal_error" in ran.err) == (True, False), (arguments, ran)
        assert ran.out, arguments


@pytest.mark.parametrize("number", [OLDEST])
def test_what_was_under_way_is_finished(number: int, restore: Restore, codes: Codes) -> None:
    """What waited is carried out, a worker that no longer reports is lost, and a lost one's node is given free."""
    old, ours = restore(number), codes(None)
    old.execute("UPDATE schedctl.leg SET lease_until = clock_timestamp() - interval '1 minute' WHERE state = 'running'")
    old.execute("UPDATE schedctl.tick_beat SET beat_at = clock_timestamp()")
    old.execute("DELETE FROM schedctl.node_hold")
    assert ours.run(old.dsn, "tick", "--json", now=NOW)[0].json["lost"] == 1
    assert ours.run(old.dsn, "work", "--drain", now=NOW)[0].code == 0
    assert old.query("SELECT count(*) FROM schedctl.leg WHERE state IN ('queued', 'running') OR holds_node") == [(0,)]
    assert old.query(
        "SELECT run.state FROM schedctl.run JOIN schedctl.schedule USING (schedule_id) WHERE name = 'waiting'"
    ) == [("succeeded",)]
    assert len(old.marks()) == 1


@pytest.mark.parametrize("number", [OLDEST])
def test_of_twenty_first_ticks_one_upgrades(number: int, restore: Restore, codes: Codes) -> None:
    old = restore(number)
    ended = codes(None).run(old.dsn, "tick", "--json", times=20, now=NOW)
    assert [one.code for one in ended] == [0] * 20, [one.output for one in ended if one.code]
    assert old.query("SELECT count(*), count(DISTINCT version) FROM schedctl.schema_version") == [
        (SCHEMA_VERSION, SCHEMA_VERSION)
    ]
    at = old.query("SELECT array_agg(applied_at ORDER BY version) FROM schedctl.schema_version")[0][0]
    assert len(set(at[number:])) == min(1, SCHEMA_VERSION - number)


# ---------------------------------------------------------------- an upgrade that fails

BROKEN = """
ALTER TABLE schedctl.schedule ADD COLUMN colour text;
UPDATE schedctl.installation SET catch_up = '2 hours';
ALTER TABLE schedctl.schedule ADD CONSTRAINT nobody_is_armed CHECK (schedule_id < 0);
"""
SAID = {
    "ja": (
        "スキーマの更新が 999_broken.sql で失敗しました（SQLSTATE 23514）。データベースはスキーマ %d のままです",
        "更新前の schedctl はそのまま動きます。原因は PostgreSQL のログにあります。"
        "手で変えた表があれば元に戻してください",
    ),
    "en": (
        "The schema's upgrade failed in 999_broken.sql (SQLSTATE 23514); the database stays at schema %d",
        "The schedctl from before goes on working. The cause is in PostgreSQL's log; undo what was changed by hand",
    ),
}


def with_file(folder: Path, name: str, text: str) -> Path:
    """The numbered files with one more."""
    folder.mkdir()
    for path in shipped("sql").glob("*.sql"):
        (folder / path.name).write_bytes(path.read_bytes())
    (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_an_upgrade_that_fails_leaves_everything_as_before(
    lang: Lang, restore: Restore, schedctl: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    codes: Codes,
) -> None:  # fmt: skip
    old = restore(OLDEST)
    before, definitions = rows(old.dsn), old.schema()
    folder = with_file(tmp_path / "sql", "999_broken.sql", BROKEN)
    monkeypatch.setattr(site_module, "shipped", lambda _: folder)
    ran = schedctl("list", "--json", env={"SCHEDCTL_DSN": old.dsn, "SCHEDCTL_LANG": lang})
    message, hint = SAID[lang]
    error = {"type": "schema_upgrade_failed", "message": message % OLDEST, "hint": hint}
    assert (ran.code, ran.json) == (1, {"error": error})
    assert (rows(old.dsn), old.schema()) == (before, definitions)
    (ended,) = codes(CODES[0]).run(old.dsn, "tick", "--json", now=NOW)
    assert (ended.code, ended.json["warnings"]) == (0, [])


def test_a_first_command_that_fails_leaves_an_empty_database(
    empty_database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, restore: Restore
) -> None:
    folder = with_file(tmp_path / "sql", "999_broken.sql", "SELECT 1 / 0")
    monkeypatch.setattr(site_module, "shipped", lambda _: folder)
    with pytest.raises(OperationFailed) as failed, open_site(settings_for(empty_database)):
        pass
    assert failed.value.message.en == (
        "The schema's upgrade failed in 999_broken.sql (SQLSTATE 22012); the database stays empty"
    )
    with psycopg.connect(empty_database) as db:
        assert db.execute("SELECT to_regnamespace('schedctl') IS NULL").fetchone() == (True,)


COLUMN = """
DO $$ BEGIN
    -- Whoever gives up before the server looks for deadlocks never has it end a tick instead.
    ASSERT current_setting('lock_timeout')::interval < current_setting('deadlock_timeout')::interval;
END $$;
ALTER TABLE schedctl.schedule ADD COLUMN colour text;
"""


def test_an_upgrade_gives_way_to_a_tick_in_the_middle_of_its_work(
    restore: Restore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It neither ends that tick nor keeps others waiting, and says so when it does not get through."""
    old = restore(OLDEST)
    folder = with_file(tmp_path / "sql", "999_column.sql", COLUMN)
    monkeypatch.setattr(site_module, "shipped", lambda _: folder)
    monkeypatch.setattr(site_module, "UPGRADE_ATTEMPTS", 2)
    monkeypatch.setattr(site_module, "PAUSE_S", 0)
    with psycopg.connect(old.dsn) as tick:
        tick.execute("SELECT FROM schedctl.schedule WHERE schedule_id = 1 FOR UPDATE")
        with pytest.raises(OperationFailed) as failed, open_site(settings_for(old.dsn)):
            pass
        tick.execute("UPDATE schedctl.schedule SET name = 'still here' WHERE schedule_id = 1")
    assert (failed.value.type, failed.value.passing) == ("schema_upgrade_waits", True)
    assert old.query("SELECT max(version) FROM schedctl.schema_version") == [(OLDEST,)]
    with open_site(settings_for(old.dsn)):
        assert old.query("SELECT name, colour FROM schedctl.schedule WHERE schedule_id = 1") == [("still here", None)]


def test_an_upgrade_that_gave_way_begins_again(
    restore: Restore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    old = restore(OLDEST)
    folder = with_file(tmp_path / "sql", "999_column.sql", COLUMN)
    monkeypatch.setattr(site_module, "shipped", lambda _: folder)
    with psycopg.connect(old.dsn) as tick:
        tick.execute("SELECT FROM schedctl.schedule WHERE schedule_id = 1 FOR UPDATE")
        monkeypatch.setattr(site_module, "time", SimpleNamespace(sleep=lambda _: tick.commit()))
        with open_site(settings_for(old.dsn)):
            pass
    assert old.query("SELECT max(version) FROM schedctl.schema_version") == [(999,)]


def test_who_waits_for_an_upgrade_is_not_in_its_way(restore: Restore, codes: Codes) -> None:
    """Twenty hosts that found an older schema have read its version, and hold not even that."""
    old = restore(OLDEST)
    with psycopg.connect(old.dsn) as upgrading, ThreadPoolExecutor() as pool:
        upgrading.execute(schema.SERIALISE)
        waiting = pool.submit(codes(None).run, old.dsn, "tick", "--json", times=3, now=NOW)
        while old.query("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") != [(3,)]:
            assert not waiting.done()
        upgrading.execute("SET LOCAL lock_timeout = 1000")
        upgrading.execute("LOCK TABLE schedctl.schema_version, schedctl.catalog, schedctl.installation")
        upgrading.rollback()
        assert [one.code for one in waiting.result()] == [0, 0, 0]
