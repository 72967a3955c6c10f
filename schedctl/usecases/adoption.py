"""Adopt the catalog files: what changed is shown; a schedule whose plan would now be another is paused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from schedctl.catalog import files
from schedctl.catalog.difference import Change, compare
from schedctl.catalog.parse import find_problems, parse
from schedctl.catalog.problems import CatalogInvalid
from schedctl.plan import codec
from schedctl.plan.check import still_means_the_same
from schedctl.plan.sudoers import lines
from schedctl.store import catalogs, runs, schedules
from schedctl.store.events import record
from schedctl.usecases.current_catalog import make_current, restarts_of
from schedctl.usecases.failures import node_not_found
from schedctl.usecases.recomputing import recompute
from schedctl.usecases.site import Site, adopted_catalog

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from schedctl.catalog.model import Catalog
    from schedctl.catalog.problems import Problem
    from schedctl.language import Text
    from schedctl.store.schedules import ScheduleRow


@dataclass(frozen=True, slots=True)
class Affected:
    """A schedule that the new catalog stops, what becomes of it, and how its plan differs.

    A pending one is archived: it could only be approved into something unseen.
    """

    schedule_id: int
    instruction: str
    becomes: Literal["paused", "archived"]
    differences: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Adoption:
    """What adopting did, or (with `dry_run`) would do."""

    changes: tuple[Change, ...]
    paused: tuple[Affected, ...]
    moved: tuple[int, ...]
    adopted: bool
    cancelled_runs: tuple[int, ...] = ()


def check(folder: Path) -> tuple[Catalog | None, tuple[Problem, ...]]:
    """The catalog of these files, or every mistake in them. Needs no database."""
    try:
        document = files.read_folder(folder)
    except CatalogInvalid as unreadable:
        return None, unreadable.problems
    problems = find_problems(document)
    if problems:
        return None, problems
    catalog = parse(document)
    try:
        restarts_of(catalog, "")
    except CatalogInvalid as invalid:
        return None, invalid.problems
    return catalog, ()


def sudoers(folder: Path, node: str, user: str) -> tuple[str, ...]:
    """The sudoers lines for a node of these files; `NotFound` (`node_not_found`) for any other."""
    catalog = parse(files.read_folder(folder))
    for known in catalog.nodes:
        if known.name == node:
            return lines(catalog, known, user)
    raise node_not_found(node, tuple(known.name for known in catalog.nodes))


def adopt(site: Site, dry_run: bool) -> Adoption:
    """Make the files at hand the catalog that counts, in one transaction; nothing happens when they are it already.

    What is queued, by the timer or by hand, and would now be another command is cancelled; what runs goes on.
    """
    new = parse(files.read_folder(site.settings.catalog))
    with site.transaction() as now:
        catalogs.hold_for_adoption(site.db)
        old = adopted_catalog(site)
        changes = compare(old, new)
        rows = schedules.hold_living(site.db)
        affected = tuple(found for row in rows if (found := _affected(row, new)))
        if dry_run or new.digest == old.digest:
            return Adoption(changes, affected if dry_run else (), (), adopted=False)
        make_current(site.db, new, site.actor.name, site.settings.host)
        cancelled = _cancel_queued(site, new)
        detail: dict[str, object] = {
            "digest": new.digest,
            "changes": [change.text.en for change in changes],
            "changes_ja": [change.text.ja for change in changes],
            "cancelled_runs": len(cancelled),
        }
        record(site.db, "catalog_adopted", site.actor, detail=detail)
        for one in affected:
            _stop(site, one)
        stopped = {one.schedule_id for one in affected}
        moved = _move(site, [row for row in rows if row.schedule_id not in stopped], new, now)
        return Adoption(changes, affected, moved, adopted=True, cancelled_runs=cancelled)


def _affected(row: ScheduleRow, new: Catalog) -> Affected | None:
    differences = still_means_the_same(codec.from_json(row.plan), new)
    if not differences:
        return None
    return Affected(row.schedule_id, row.instruction, "archived" if row.state == "pending" else "paused", differences)


def _cancel_queued(site: Site, new: Catalog) -> tuple[int, ...]:
    """Outside the catalog nothing runs: the ids of the runs whose queued legs this ends (`catalog_changed`)."""
    stale = tuple(run_id for run_id, plan in runs.hold_unbegun(site.db) if _is_stale(plan, new))
    for run_id in stale:
        runs.cancel_queued(site.db, run_id, "catalog_changed")
    return stale


def _is_stale(plan: dict[str, object], new: Catalog) -> bool:
    try:
        return bool(still_means_the_same(codec.from_json(plan), new))
    except ValueError:
        return True


def _stop(site: Site, affected: Affected) -> None:
    schedules.close(site.db, affected.schedule_id, affected.becomes, "catalog_changed")
    detail: dict[str, object] = {
        "reason": "catalog_changed",
        "differences": [difference.en for difference in affected.differences],
    }
    record(site.db, affected.becomes, site.actor, schedule_id=affected.schedule_id, detail=detail)


def _move(site: Site, rows: list[ScheduleRow], new: Catalog, now: datetime) -> tuple[int, ...]:
    """Next instants by the new calendars. What is due already stays due: the next tick settles it."""
    waiting = [row for row in rows if row.next_fire_at is not None and row.next_fire_at > now]
    return recompute(site, waiting, new.calendars, now, "calendar")
