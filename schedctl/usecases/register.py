"""Register: a sentence becomes a timing and a plan, is shown, and is stored; fixed from then on."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from schedctl.catalog import files
from schedctl.catalog.budget import NO_BUDGET, Budget
from schedctl.catalog.parse import parse
from schedctl.errors import PlanError, Refused
from schedctl.language import Text
from schedctl.plan.approval import highest_risk, needs_approval
from schedctl.plan.build import build
from schedctl.plan.model import Origin, Plan
from schedctl.plan.resolve import never_an_order, resolve
from schedctl.planner import llm
from schedctl.planner.answer import Declined
from schedctl.store import catalogs, plans, schedules
from schedctl.store.events import record
from schedctl.store.installation import read as read_installation
from schedctl.store.installation import read_and_keep
from schedctl.store.schedules import NewSchedule, Overlap
from schedctl.usecases.failures import passed
from schedctl.usecases.limits import NO_LIMITS, Limits, check_spread, limited
from schedctl.usecases.schedules import archive_held, hold_living
from schedctl.usecases.site import Site, adopted_catalog
from schedctl.usecases.views import ScheduleView, surroundings, view
from schedctl.when import data_version, rule
from schedctl.when.model import Once, Reading, Recurring, Timing
from schedctl.when.read import read
from schedctl.when.rhythm import NONE, Rhythm, next_after
from schedctl.when.saying.moments import moment_said

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime, timedelta

    from schedctl.catalog.model import Catalog


@dataclass(frozen=True, slots=True)
class Wish:
    """What the operator said to `register`."""

    instruction: str
    timezone: str
    approved: bool = False
    name: str | None = None
    replaces: str | None = None
    overlap: Overlap = "skip"
    limits: Limits = NO_LIMITS
    jitter: timedelta | None = None
    catch_up: timedelta | None = None
    budget: Budget = NO_BUDGET


def register(site: Site, wish: Wish, progress: Callable[[float], None]) -> ScheduleView:
    """Read, plan and store. Every refusal leaves nothing stored. The model, if one is needed, is asked once, here."""
    with site.transaction() as now:
        catalog = _agreed_catalog(site)
        reading = read(wish.instruction, now, wish.timezone, catalog.calendars)
        timing = limited(reading.timing, wish.limits, now)
        check_spread(timing, wish.jitter, wish.catch_up or read_installation(site.db).catch_up, now, catalog.calendars)
    plan = _plan(site, reading.task, catalog, progress)
    with site.transaction() as now:
        _require_unchanged(site, catalog)
        return _store(site, wish, Reading(timing, reading.task), plan, catalog, now)


def _agreed_catalog(site: Site) -> Catalog:
    """The adopted catalog, when the files at hand say the same."""
    adopted = adopted_catalog(site)
    at_hand = parse(files.read_folder(site.settings.catalog))
    if at_hand.digest != adopted.digest:
        raise Refused(
            "catalog_differs",
            Text(
                f"手元のカタログ（{site.settings.catalog}）が、採用済みのものと違います",
                f"The catalog at hand ({site.settings.catalog}) differs from the adopted one",
            ),
            Text(
                "違いを見るには schedctl catalog adopt --dry-run、採用するには --dry-run なしで実行してください",
                "See the difference with schedctl catalog adopt --dry-run, adopt it with schedctl catalog adopt",
            ),
        )
    return adopted


def _require_unchanged(site: Site, catalog: Catalog) -> None:
    """Between planning and storing, with no transaction open, somebody may have adopted another catalog.

    From here to the end of the transaction nobody can: an adoption has to see the schedule that is stored now.
    """
    read_and_keep(site.db)
    current = catalogs.current(site.db)
    if current is None or current.digest != catalog.digest:
        raise Refused(
            "catalog_differs",
            Text(
                "計画している間に、別のカタログが採用されました",
                "Another catalog was adopted while this was being planned",
            ),
            Text("もう一度登録してください", "Register once more"),
        )


def _plan(site: Site, task: str, catalog: Catalog, progress: Callable[[float], None]) -> Plan:
    try:
        requests, origin = resolve(task, catalog), Origin("literal")
    except PlanError as refusal:
        planner = llm.configured(site.settings)
        if planner is None or never_an_order(task, catalog):
            raise
        try:
            answered = llm.ask(planner, task, catalog, progress)
        except Declined:
            raise refusal from None  # it names the words that had no home
        requests, origin = answered.requests, answered.origin
    return build(requests, catalog, site.settings.host, origin)


def _store(site: Site, wish: Wish, reading: Reading, plan: Plan, catalog: Catalog, now: datetime) -> ScheduleView:
    timing = reading.timing
    same = sameness(wish.instruction, timing)
    next_fire_at = next_after(Rhythm(timing, wish.jitter or NONE, same), now, catalog.calendars)
    if next_fire_at is None:
        raise passed(timing)
    _refuse_frozen(timing, plan, catalog)
    policy = catalog.policy
    by_yes = wish.approved and not policy.second_person
    approved = by_yes or not needs_approval(plan, policy)
    old = hold_living(site, wish.replaces) if wish.replaces else None
    if old is not None:
        archive_held(site, old, "replaced")
    schedule_id = schedules.insert(
        site.db,
        NewSchedule(
            name=wish.name or (old.name if old else None),
            state="active" if approved else "pending",
            instruction=wish.instruction,
            task=reading.task,
            rule=rule.write(timing),
            recurring=isinstance(timing, Recurring),
            timezone=timing.zone,
            sameness=same,
            plan_id=plans.insert(site.db, plan),
            overlap=wish.overlap,
            catch_up=wish.catch_up,
            jitter=wish.jitter,
            budget=wish.budget.or_else(policy.budget),
            next_fire_at=next_fire_at if approved or isinstance(timing, Once) else None,
            computed_with=str(data_version.at_hand()),
            created_by=site.actor.name,
            approved_by=site.actor.name if approved else None,
            replaces=old.schedule_id if old else None,
        ),
    )
    record(site.db, "registered", site.actor, schedule_id=schedule_id, detail={"planner": plan.origin.planner})
    if approved:
        record(site.db, "approved", site.actor, schedule_id=schedule_id, detail={"by": "yes" if by_yes else "policy"})
    row = schedules.by_id(site.db, schedule_id)
    assert row is not None  # noqa: S101 - inserted above
    return view(row, surroundings(site, now, read_installation(site.db).armed))


def _refuse_frozen(timing: Timing, plan: Plan, catalog: Catalog) -> None:
    if not isinstance(timing, Once):
        return
    for freeze in catalog.policy.freezes:
        if freeze.stops(timing.at, highest_risk(plan)):
            raise Refused(
                "frozen",
                Text(
                    f"その時刻は変更凍結中です（{freeze.reason}）。実行されません",
                    f"That instant lies in a freeze ({freeze.reason}); it would not run",
                ),
                Text(
                    f"{moment_said(freeze.end, timing.zone, 'ja')} 以後の時刻にしてください",
                    f"Choose an instant from {moment_said(freeze.end, timing.zone, 'en')} on",
                ),
            )


def sameness(instruction: str, timing: Timing) -> str:
    """What two registrations must not share while both live: the words and the timing, whenever they were said."""
    count = ""
    if isinstance(timing, Recurring) and timing.count is not None:
        count = f" count {timing.count}"
        timing = replace(timing, count=None, counted_from=None)
    said = " ".join(instruction.split())
    return hashlib.sha256(f"{said}\n{rule.write(timing)}{count}".encode()).hexdigest()
