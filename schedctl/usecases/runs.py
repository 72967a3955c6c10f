"""Runs: list them, look at one, start one by hand."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from schedctl.errors import NotFound, Refused
from schedctl.language import Text
from schedctl.plan import codec
from schedctl.plan.approval import highest_risk
from schedctl.plan.check import still_means_the_same
from schedctl.plan.model import Plan
from schedctl.store import catalogs, installation, runs, schedules
from schedctl.store.events import record
from schedctl.store.runs import RunFilter, RunRow
from schedctl.usecases.nodes import require_known
from schedctl.usecases.schedules import find, hold, refuse_changed
from schedctl.usecases.site import Site, adopted_catalog

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.catalog.basics import Freeze
    from schedctl.store.schedules import ScheduleRow

UNENDED: Final = ("queued", "running")
LOOK_EVERY_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class RunPage:
    """One page of runs, newest first; `more` says whether older ones follow."""

    runs: tuple[RunRow, ...]
    more: bool


def listed(site: Site, which: RunFilter, schedule: str | None) -> RunPage:
    """Runs that pass the filter, with their steps; `NotFound` for a schedule or a node that was never there."""
    with site.transaction():
        schedule_id = find(site, schedule).schedule_id if schedule is not None else None
        found = runs.listed(
            site.db,
            RunFilter(schedule_id, which.states, which.since, which.node, which.trigger, which.before, which.limit + 1),
        )
        if which.node is not None and not found:
            require_known(site, which.node)
        ids = tuple(run.run_id for run in found[: which.limit])
        return RunPage(runs.with_steps(site.db, ids, output=False), len(found) > which.limit)


def by_ids(site: Site, run_ids: tuple[int, ...]) -> tuple[RunRow, ...]:
    """These runs in the order of their ids, with their steps."""
    with site.transaction():
        return tuple(reversed(runs.with_steps(site.db, run_ids)))


def one(site: Site, run_id: int) -> RunRow:
    """One run with its steps; `NotFound` (`run_not_found`)."""
    return site.patiently(lambda _: _one(site, run_id))


def followed(site: Site, run_id: int) -> Iterator[RunRow]:
    """A run whenever something of it is new, up to its end; `NotFound`. What is new is asked without the output."""
    seen: runs.Progress | None = None
    while True:
        with site.transaction():
            progress = runs.progress(site.db, run_id)
            run = _one(site, run_id) if progress is None or progress != seen else None
        seen = progress
        if run is not None:
            yield run
            if run.state not in UNENDED:
                return
        time.sleep(LOOK_EVERY_S)


def start(site: Site, reference: str, step: int | None = None) -> RunRow:
    """Queue a manual run of a schedule's plan, or of its `step` alone (from 1, as `show` numbers them).

    Before a schedule is approved, only a plan that reads may run. Manual runs fire nothing, count for nothing, and the
    schedule's own occurrences go on as they are.
    """
    with site.transaction():
        installation.settle_place(site.db)
        row = hold(site, reference)
        if row.state == "archived":
            raise Refused(
                "wrong_state",
                Text(
                    f"予定 {row.schedule_id} は archived なので、試せません", f"Schedule {row.schedule_id} is archived"
                ),
                Text("同じ指示で登録し直してください", "Register the instruction anew"),
            )
        _require_approved(row)
        refuse_changed(row, adopted_catalog(site))
        only = _one_step(row, step) if step is not None else None
        run_id = runs.start_manual(site.db, row.schedule_id, site.actor.name, only)
        record(site.db, "started", site.actor, schedule_id=row.schedule_id, run_id=run_id, detail={"trigger": "manual"})
        return _one(site, run_id)


def rehearse(site: Site, reference: str, step: int | None) -> Plan:
    """What `start` would carry out; nothing is queued or recorded."""
    with site.transaction():
        row = find(site, reference)
        refuse_changed(row, adopted_catalog(site))
        plan = codec.from_json(row.plan)
        if step is None:
            return plan
        _one_step(row, step)
        return Plan((plan.steps[step - 1],), plan.origin)


def freeze_over(site: Site, reference: str, step: int | None = None) -> Freeze | None:
    """The freeze that would skip this plan, or its `step` alone, if it were due now: it stops no manual run."""
    with site.transaction() as now:
        plan = codec.from_json(find(site, reference).plan)
        risk = highest_risk(plan) if step is None else plan.steps[step - 1].risk
        return next((freeze for freeze in catalogs.freezes(site.db) if freeze.stops(now, risk)), None)


def start_again(site: Site, run_id: int) -> RunRow:
    """Queue a manual run of what an ended run was asked to carry out (`rerun`)."""
    with site.transaction():
        installation.settle_place(site.db)
        ended = _one(site, run_id)
        if ended.state in UNENDED:
            raise _wrong_state(ended, Text("まだ終わっていません", "has not ended"))
        if ended.schedule_id is not None:
            row = schedules.hold(site.db, ended.schedule_id)
            assert row is not None  # noqa: S101 - schedules are never deleted
            _require_approved(row)
            refuse_changed(row, adopted_catalog(site))
        else:
            _refuse_changed_restart(site, run_id)
        new = runs.start_again(site.db, run_id, site.actor.name)
        detail: dict[str, object] = {"trigger": "manual", "again": run_id}
        record(site.db, "started", site.actor, schedule_id=ended.schedule_id, run_id=new, detail=detail)
        return _one(site, new)


def cancel(site: Site, run_id: int, reason: str) -> RunRow:
    """End what is queued of a run; the workers of what is running stop it within two renewals of their leases."""
    with site.transaction():
        if not runs.cancel(site.db, run_id, reason):
            run = _one(site, run_id)
            asked = Text("すでに取り消しの途中です", "is being cancelled already")
            raise _wrong_state(run, asked if run.state in UNENDED else Text("もう終わっています", "has ended already"))
        run = _one(site, run_id)
        detail: dict[str, object] = {"reason": reason}
        record(site.db, "cancelled", site.actor, schedule_id=run.schedule_id, run_id=run_id, detail=detail)
        return run


def _one_step(row: ScheduleRow, number: int) -> runs.OneStep:
    """Where the plan's step of this number stands among its legs; `NotFound` (`step_not_found`)."""
    plan = codec.from_json(row.plan)
    if not 1 <= number <= len(plan.steps):
        raise NotFound(
            "step_not_found",
            Text(
                f"手順 {number} はありません（1 から {len(plan.steps)} まで）",
                f"There is no step {number} (1 to {len(plan.steps)})",
            ),
            Text(
                f"schedctl show {row.schedule_id} で確かめてください", f"See them with schedctl show {row.schedule_id}"
            ),
        )
    wanted = plan.steps[number - 1]
    return next(
        runs.OneStep(place, leg.steps.index(wanted))
        for place, leg in enumerate(codec.legs(plan))
        if wanted in leg.steps
    )


def _require_approved(row: ScheduleRow) -> None:
    """Also one that finished without ever being approved stays unapproved."""
    if row.approved_at is None and row.risk != "reads":
        approve = Text(
            f"schedctl approve {row.schedule_id} で承認してください",
            f"Approve it: schedctl approve {row.schedule_id}",
        )
        anew = Text("同じ指示で登録し直してください", "Register the instruction anew")
        raise Refused(
            "not_approved",
            Text(
                f"予定 {row.schedule_id} は未承認です。承認前に試せるのは、読み取りだけの計画です",
                f"Schedule {row.schedule_id} is not approved; before that only a plan that reads can be tried",
            ),
            approve if row.state == "pending" else anew,
        )


def _refuse_changed_restart(site: Site, run_id: int) -> None:
    """`Refused` (`catalog_changed`) when the restart, which no schedule stands for, would now be another one."""
    changes = still_means_the_same(codec.from_json(runs.plan(site.db, run_id)), adopted_catalog(site))
    if changes:
        raise Refused(
            "catalog_changed",
            Text(
                f"この再起動のあとでカタログが変わりました: {changes[0].ja}",
                f"The catalog has changed since this restart: {changes[0].en}",
            ),
            Text(
                "次の再起動は、いまのカタログの通りに行われます。"
                "手で行うには、文で登録して schedctl test-run を使ってください",
                "The next restart goes by today's catalog; to restart by hand, register it and use schedctl test-run",
            ),
        )


def _wrong_state(run: RunRow, why: Text) -> Refused:
    return Refused(
        "wrong_state",
        Text(f"実行 {run.run_id}（{run.state}）は{why.ja}", f"Run {run.run_id} ({run.state}) {why.en}"),
        Text(f"schedctl logs {run.run_id} で確かめてください", f"Look at it with schedctl logs {run.run_id}"),
    )


def _one(site: Site, run_id: int) -> RunRow:
    found = runs.with_steps(site.db, (run_id,))
    if not found:
        raise NotFound(
            "run_not_found",
            Text(f"実行記録 {run_id} はありません", f"There is no run {run_id}"),
            Text("schedctl runs で番号を確かめてください", "See the ids with schedctl runs"),
        )
    return found[0]
