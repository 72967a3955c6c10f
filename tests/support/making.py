"""Schedules made without a sentence, for tests of what comes after registration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedctl.catalog.budget import NO_BUDGET, Budget
from schedctl.plan.build import build
from schedctl.plan.model import Origin
from schedctl.plan.request import Request
from schedctl.store import plans, schedules
from schedctl.store.schedules import NewSchedule
from schedctl.usecases.site import Site, adopted_catalog
from schedctl.when import rule
from schedctl.when.model import Recurring
from schedctl.when.rhythm import NONE, Rhythm, next_after

if TYPE_CHECKING:
    from datetime import timedelta

    from schedctl.store.schedules import Overlap, ScheduleState

READS = (Request("mars", "probe.ok"),)
CHANGES = (Request("mars", "packages.refresh"),)
BREAKS = (Request("mars", "packages.break"),)


def add(
    site: Site,
    line: str,
    requests: tuple[Request, ...] = READS,
    *,
    state: ScheduleState = "active",
    say: str = "",
    overlap: Overlap = "skip",
    catch_up: timedelta | None = None,
    jitter: timedelta | None = None,
    budget: Budget = NO_BUDGET,
) -> int:
    """Store a schedule with this rule and plan, as if registered now; its id."""
    timing = rule.parse(line)
    with site.transaction() as now:
        catalog = adopted_catalog(site)
        plan = build(requests, catalog, site.settings.host, Origin("literal"))
        recurring = isinstance(timing, Recurring)
        sameness = f"{say or line}|{requests}"
        upcoming = next_after(Rhythm(timing, jitter or NONE, sameness), now, catalog.calendars)
        new = NewSchedule(
            name=None,
            state=state,
            instruction=say or line,
            task="probe",
            rule=line,
            recurring=recurring,
            timezone=timing.zone,
            sameness=sameness,
            plan_id=plans.insert(site.db, plan),
            overlap=overlap,
            catch_up=catch_up,
            jitter=jitter,
            budget=budget,
            next_fire_at=upcoming if state == "active" or not recurring else None,
            computed_with="2020a 0.1",
            created_by="test",
            approved_by=None if state == "pending" else "test",
            replaces=None,
        )
        return schedules.insert(site.db, new)
