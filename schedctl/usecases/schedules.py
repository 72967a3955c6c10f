"""The life of a schedule after registration: show, list, approve, archive."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from schedctl.errors import NotFound, Refused
from schedctl.language import Text
from schedctl.plan import codec
from schedctl.plan.check import still_means_the_same
from schedctl.store import runs, schedules
from schedctl.store.events import record
from schedctl.store.installation import read as read_installation
from schedctl.store.runs import RunFilter, RunRow
from schedctl.store.schedules import LIVING, ScheduleRow, ScheduleState
from schedctl.usecases.failures import UNREADABLE, passed, registering_anew
from schedctl.usecases.site import Site, adopted_catalog
from schedctl.usecases.views import ScheduleView, surroundings, view
from schedctl.when.rhythm import count_between, last_until, next_after

if TYPE_CHECKING:
    from datetime import datetime

    from schedctl.catalog.model import Catalog

A_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Listed:
    """One page of schedules; `more` says whether others follow."""

    schedules: tuple[ScheduleView, ...]
    armed: bool
    more: bool


def show(site: Site, reference: str) -> tuple[ScheduleView, tuple[RunRow, ...]]:
    """A schedule by id or name, with its latest runs."""
    with site.transaction() as now:
        row = find(site, reference)
        latest = runs.listed(site.db, RunFilter(schedule_id=row.schedule_id, limit=10))
        full = runs.with_steps(site.db, tuple(run.run_id for run in latest))
        return view(row, surroundings(site, now, read_installation(site.db).armed)), full


def listed(site: Site, states: tuple[ScheduleState, ...], after: int, limit: int) -> Listed:
    """Schedules in these states (none given: the living ones), in the order of their ids."""
    with site.transaction() as now:
        armed = read_installation(site.db).armed
        around = surroundings(site, now, armed)
        rows = schedules.listed(site.db, states or LIVING, after, limit + 1)
        return Listed(tuple(view(row, around, count=1) for row in rows[:limit]), armed, len(rows) > limit)


def approve(site: Site, reference: str) -> ScheduleView:
    """Make a pending schedule active. What passed before never fires; a one-shot that passed is `past_time`.

    Where the policy wants another person than the one who registered it, the database refuses (`second_person_needed`).
    """
    with site.transaction() as now:
        row = hold(site, reference)
        if row.state != "pending":
            raise _wrong_state(row, Text("承認", "approved"))
        catalog = adopted_catalog(site)
        refuse_changed(row, catalog)
        rhythm = row.rhythm()
        since = _goes_on_from(row, now)
        next_fire_at = next_after(rhythm, since, catalog.calendars)
        if next_fire_at is None:
            raise passed(rhythm.timing)
        schedules.approve(site.db, row.schedule_id, site.actor.name, since, next_fire_at)
        record(site.db, "approved", site.actor, schedule_id=row.schedule_id, detail={"by": "approve"})
        return _seen(site, row.schedule_id)


def pause(site: Site, reference: str, reason: str) -> ScheduleView:
    """Stop an active schedule from firing until it is resumed; what is queued of it is cancelled, what runs goes on."""
    with site.transaction():
        row = hold(site, reference)
        if row.state != "active":
            raise _wrong_state(row, Text("一時停止", "paused"))
        cancelled = schedules.close(site.db, row.schedule_id, "paused", reason)
        detail: dict[str, object] = {"reason": reason, "cancelled_runs": cancelled}
        record(site.db, "paused", site.actor, schedule_id=row.schedule_id, detail=detail)
        return _seen(site, row.schedule_id)


def resume(site: Site, reference: str) -> ScheduleView:
    """Let a paused schedule fire again from now on. What passed meanwhile is one record and never fires.

    A one-shot whose instant passed is finished by it.
    """
    with site.transaction() as now:
        row = hold(site, reference)
        if row.state != "paused":
            raise _wrong_state(row, Text("再開", "resumed"))
        catalog = adopted_catalog(site)
        refuse_changed(row, catalog)
        _summarise_pause(site, row, catalog, now)
        since = _goes_on_from(row, now)
        next_fire_at = next_after(row.rhythm(), since, catalog.calendars)
        if next_fire_at is None:
            schedules.close(site.db, row.schedule_id, "finished", None)
        else:
            schedules.resume(site.db, row, since, next_fire_at)
        record(site.db, "resumed", site.actor, schedule_id=row.schedule_id, detail={"was": row.reason})
        return _seen(site, row.schedule_id)


def archive(site: Site, reference: str, reason: str | None) -> ScheduleView:
    """End a schedule for good: it fires no more, and what is queued of it is cancelled."""
    with site.transaction():
        row = hold_living(site, reference)
        archive_held(site, row, reason)
        return _seen(site, row.schedule_id)


def archive_held(site: Site, row: ScheduleRow, reason: str | None) -> None:
    """Archive a schedule that the caller's transaction holds; what passed while it was paused is recorded first.

    Of one whose rule or zone cannot be read nobody knows what passed: it is archived all the same.
    """
    if row.state == "paused":
        with suppress(*UNREADABLE), site.transaction() as now:
            _summarise_pause(site, row, adopted_catalog(site), now)
    cancelled = schedules.close(site.db, row.schedule_id, "archived", reason)
    detail: dict[str, object] = {"reason": reason, "cancelled_runs": cancelled}
    record(site.db, "archived", site.actor, schedule_id=row.schedule_id, detail=detail)


def find(site: Site, reference: str) -> ScheduleRow:
    """The schedule with this id or name; `NotFound` (`schedule_not_found`)."""
    by_id = schedules.by_id(site.db, int(reference)) if reference.isdecimal() and len(reference) < 19 else None
    row = by_id or schedules.by_name(site.db, reference)
    if row is None:
        raise NotFound(
            "schedule_not_found",
            Text(f"予定「{reference}」はありません", f"There is no schedule “{reference}”"),
            Text("schedctl list で番号と名前を確かめてください", "See the ids and names with schedctl list"),
        )
    return row


def hold_living(site: Site, reference: str) -> ScheduleRow:
    """A pending, active or paused schedule, locked; `Refused` (`wrong_state`) for an ended one."""
    row = hold(site, reference)
    if row.state not in LIVING:
        raise _wrong_state(row, Text("変更", "changed"))
    return row


def refuse_changed(row: ScheduleRow, catalog: Catalog) -> None:
    """`Refused` (`catalog_changed`) when the adopted catalog would now plan something else."""
    changes = still_means_the_same(codec.from_json(row.plan), catalog)
    if changes:
        raise Refused(
            "catalog_changed",
            Text(
                f"登録のあとでカタログが変わりました: {changes[0].ja}",
                f"The catalog has changed since registration: {changes[0].en}",
            ),
            Text(
                f"登録し直してください: {registering_anew(row)}",
                f"Register it anew: {registering_anew(row)}",
            ),
        )


def _goes_on_from(row: ScheduleRow, now: datetime) -> datetime:
    """Now; or, when the clock went back a little, what was settled already: nothing is recorded a second time."""
    return max(now, row.settled_through) if row.settled_through <= now + A_DAY else now


def _summarise_pause(site: Site, row: ScheduleRow, catalog: Catalog, now: datetime) -> None:
    rhythm = row.rhythm()
    count = count_between(rhythm, row.settled_through, now, catalog.calendars)
    first = next_after(rhythm, row.settled_through, catalog.calendars)
    last = last_until(rhythm, now, catalog.calendars)
    if count and first is not None and last is not None:
        runs.skipped_while_paused(site.db, row.schedule_id, first, last, count, site.actor.name)


def hold(site: Site, reference: str) -> ScheduleRow:
    """The schedule with this id or name, locked until the transaction ends; `NotFound` (`schedule_not_found`)."""
    row = schedules.hold(site.db, find(site, reference).schedule_id)
    assert row is not None  # noqa: S101 - schedules are never deleted
    return row


def _seen(site: Site, schedule_id: int) -> ScheduleView:
    row = schedules.by_id(site.db, schedule_id)
    assert row is not None  # noqa: S101 - schedules are never deleted
    with site.transaction() as now:
        return view(row, surroundings(site, now, read_installation(site.db).armed))


def _wrong_state(row: ScheduleRow, verb: Text) -> Refused:
    return Refused(
        "wrong_state",
        Text(
            f"予定 {row.schedule_id} の状態は {row.state} なので、{verb.ja}できません",
            f"Schedule {row.schedule_id} is {row.state} and cannot be {verb.en}",
        ),
        Text(f"schedctl show {row.schedule_id} で確かめてください", f"Look at it with schedctl show {row.schedule_id}"),
    )
