"""Every query constant is understood by the database; the two hot ones use their indexes at 50,000 rows."""

from __future__ import annotations

import importlib
import pkgutil
import re
from typing import TYPE_CHECKING, LiteralString, cast

import pytest
from making import READS, add

import schedctl.store
from schedctl.store import firing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from schedctl.usecases.site import Site

STATEMENT = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b")
PLACEHOLDER = re.compile(r"%s|%\((\w+)\)s")
MANY = """
    INSERT INTO schedctl.schedule (state, instruction, task, rule, recurring, timezone, sameness, plan_id,
                                   settled_through, next_fire_at, computed_with, created_by, approved_at, approved_by)
    SELECT state, instruction, task, rule, recurring, timezone, sameness || n, plan_id, settled_through,
           next_fire_at + n * interval '1 minute', computed_with, created_by, approved_at, approved_by
      FROM schedctl.schedule, generate_series(1, 50000) AS n
"""
MANY_RUNS = """
    INSERT INTO schedctl.run (schedule_id, plan_id, trigger, scheduled_for, state, finished_at)
    SELECT 1, 1, 'timer', timestamptz '2020-01-01' + n * interval '1 minute', 'succeeded', now()
      FROM generate_series(1, 50000) AS n
"""
MANY_LEGS = """
    INSERT INTO schedctl.leg (run_id, position, stage, node, changes, state, due_at, finished_at)
    SELECT run_id, 0, 0, 'mars', false, 'succeeded', scheduled_for, now() FROM schedctl.run
"""


def queries() -> Iterator[tuple[str, str]]:
    """The name and text of each query constant in the store."""
    for module_info in pkgutil.iter_modules(schedctl.store.__path__, "schedctl.store."):
        module = importlib.import_module(module_info.name)
        for name, value in vars(module).items():
            if name.isupper() and isinstance(value, str) and STATEMENT.match(value) and "{" not in value:
                yield f"{module_info.name.rsplit('.', 1)[-1]}.{name}", value


def numbered(query: str) -> str:
    """The query with PostgreSQL's own placeholders."""
    seen: dict[str, int] = {}

    def number(found: re.Match[str]) -> str:
        key = found[1] or f"#{len(seen)}"
        return f"${seen.setdefault(key, len(seen) + 1)}"

    return PLACEHOLDER.sub(number, query)


def test_every_query_can_be_prepared(site: Site) -> None:
    found = dict(queries())
    assert len(found) > 60
    for name, query in found.items():
        try:
            site.db.execute(cast("LiteralString", f"PREPARE checked AS {numbered(query)}"))
        except Exception as error:  # noqa: BLE001 - whatever it is, the name of the query belongs to it
            pytest.fail(f"{name}: {error}")
        site.db.execute("DEALLOCATE checked")


def plan_of(site: Site, query: LiteralString, values: object) -> str:
    """How the database would carry the query out."""
    rows = site.db.execute("EXPLAIN " + query, values).fetchall()  # pyright: ignore[reportArgumentType]
    return "\n".join(row[0] for row in rows)


def test_what_is_due_is_found_by_its_index(site_at: Callable[[str], Site]) -> None:
    site = site_at("2026-12-01T10:00+09:00")
    add(site, "daily at 03:00 in Asia/Tokyo", READS)
    site.db.execute(MANY)
    site.db.execute("ANALYZE schedctl.schedule")
    found = plan_of(site, firing.DUE, {"limit": 500, "only": None})
    assert "schedule_due" in found
    assert "Seq Scan on schedule" not in found


def test_what_can_be_claimed_is_found_by_its_index(site_at: Callable[[str], Site]) -> None:
    site = site_at("2026-12-01T10:00+09:00")
    add(site, "daily at 03:00 in Asia/Tokyo", READS)
    site.db.execute(MANY_RUNS)
    site.db.execute(MANY_LEGS)
    site.db.execute("ANALYZE schedctl.leg, schedctl.run")
    body = site.db.execute("SELECT prosrc FROM pg_proc WHERE proname = 'take_legs'").fetchone()
    assert body is not None
    select = re.search(r"SELECT l\.leg_id(.*?)FOR UPDATE", body[0], re.DOTALL)
    assert select is not None
    query = select[1].replace("v_passed", "'{}'::bigint[]").replace("p_host", "'h'")
    query = query.replace("v_all", "true").replace("p_nodes", "NULL::text[]").replace("p_run", "NULL::bigint")
    query = query.replace("v_most", "16")
    found = plan_of(site, cast("LiteralString", "SELECT l.leg_id" + query), None)
    assert "leg_claimable" in found


def test_what_a_worker_says_of_a_leg_walks_through_no_other(site_at: Callable[[str], Site]) -> None:
    site = site_at("2026-12-01T10:00+09:00")
    add(site, "daily at 03:00 in Asia/Tokyo", READS)
    site.db.execute(MANY_RUNS)
    site.db.execute(MANY_LEGS)
    site.db.execute("ANALYZE schedctl.leg, schedctl.run")
    site.db.execute(
        "UPDATE schedctl.run SET state = 'queued', finished_at = NULL, trigger = 'manual', scheduled_for = NULL "
        "WHERE run_id = 1"
    )
    site.db.execute("UPDATE schedctl.leg SET state = 'queued', finished_at = NULL WHERE run_id = 1")
    claimed = site.db.execute("SELECT leg_id, token FROM schedctl.claim_several('w', '', 1)").fetchone()
    assert claimed is not None
    for statement in (
        "SELECT schedctl.begin_step(%s, %s, 1, 1)",
        "SELECT schedctl.renew(%s, %s)",
        "SELECT schedctl.finish_step(%s, %s, 1, 1, 'failed', 1, NULL, '', '', 0, '', '', '', 0, '', NULL, NULL)",
        "SELECT schedctl.finish_leg(%s, %s, 'failed', NULL, NULL)",
    ):
        site.db.execute(statement, claimed)
    site.db.execute("SELECT pg_stat_force_next_flush()")
    scans = site.db.execute("SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'leg_running'").fetchone()
    assert scans == (0,)
