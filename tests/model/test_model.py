"""Firing on a real PostgreSQL against the reference model: whatever happens in whatever order, both hold the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from threading import Barrier, Thread
from typing import TYPE_CHECKING, Any

import pytest
from drawing import AROUND, BACK, GAPS, STARTS, STEPS, registrations
from emptying import EMPTY, FITTING, RUNS, VERBS
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from installations import settings_for
from making import CHANGES, READS, add
from oracle import DAY, MINUTE
from reference import UNENDED, Reference, Run

from schedctl.errors import Refused
from schedctl.usecases import installation, runs, schedules
from schedctl.usecases.ledger import Ledger
from schedctl.usecases.site import Site, open_site
from schedctl.usecases.tick import TickReport, tick

if TYPE_CHECKING:
    from collections.abc import Iterator


class Firing(RuleBasedStateMachine):
    """Does the same to schedctl and to the reference."""

    site: Site
    other: Site

    @initialize(start=st.sampled_from(STARTS), second=st.sampled_from([0, 0, 30]), data=st.data())
    def begin(self, start: datetime, second: int, data: st.DataObject) -> None:
        self.site.db.execute(EMPTY)
        self.now = start + timedelta(seconds=second)
        self.reference = Reference()
        self.claimed: dict[int, tuple[Run, Any]] = {}
        self.manual: dict[int, Run] = {}
        if data.draw(st.integers(0, 3)):
            self.switch(0)
        for _ in range(data.draw(st.integers(2, 4))):
            self.register(data)

    def here(self) -> Site:
        return replace(self.site, settings=replace(self.site.settings, rehearsal_now=self.now))

    # --- registration and the verbs of operators --------------------------------------------------------------------

    @precondition(lambda self: len(self.reference.schedules) < 8)
    @rule(data=st.data())
    def register(self, data: st.DataObject) -> None:
        known, own_catch_up = data.draw(registrations(self.now))
        if not known.rule.goes_on(self.now):
            return
        number = len(self.reference.schedules) + 1
        made = add(
            self.here(),
            known.rule.line,
            CHANGES if known.changes else READS,
            state=known.state,
            say=f"plan {number}",
            overlap=known.overlap,
            catch_up=own_catch_up,
        )
        assert made == number
        self.reference.schedules.append(known)

    @precondition(lambda self: self.reference.schedules)
    @rule(verb=st.sampled_from(VERBS), which=st.integers(0, 7), fitting=st.sampled_from([True, True, False]))
    def operate(self, verb: str, which: int, fitting: bool) -> None:
        """Mostly in a state that it fits, now and then in any."""
        every = range(len(self.reference.schedules))
        fit = [one for one in every if self.reference.schedules[one].state in FITTING[verb]]
        chosen = fit if fitting and fit else every
        number = chosen[which % len(chosen)]
        known = self.reference.schedules[number]
        act, refused_by = {
            "approve": (schedules.approve, lambda: self.reference.approve(known, self.now)),
            "pause": (
                lambda site, one: schedules.pause(site, one, "点検"),
                lambda: self.reference.pause(known, "点検"),
            ),
            "resume": (schedules.resume, lambda: self.reference.resume(known, self.now)),
            "archive": (
                lambda site, one: schedules.archive(site, one, None),
                lambda: self.reference.archive(known, self.now),
            ),
            "start": (self.start_by_hand, lambda: self.reference.refuses_to_start(known)),
        }[verb]
        refusal = None
        try:
            act(self.here(), str(number + 1))
        except Refused as refused:
            refusal = refused.type
        assert refusal == refused_by()

    @precondition(lambda self: any(known.state == "active" for known in self.reference.schedules))
    @rule(which=st.integers(0, 7))
    def pause(self, which: int) -> None:
        self.operate("pause", which, fitting=True)

    @precondition(lambda self: any(known.state == "paused" for known in self.reference.schedules))
    @rule(which=st.integers(0, 7))
    def resume(self, which: int) -> None:
        self.operate("resume", which, fitting=True)

    def start_by_hand(self, site: Site, one: str) -> None:
        known = self.reference.schedules[int(one) - 1]
        run_id = runs.start(site, one).run_id
        self.manual[run_id] = Run(known, None, "queued")
        known.runs.append(self.manual[run_id])

    @rule(sure=st.integers(0, 3))
    def switch(self, sure: int) -> None:
        """Arm, or (less often) disarm."""
        if not self.armed:
            installation.arm(self.here(), None)
            self.reference.arm(self.now)
        elif sure == 3:
            installation.disarm(self.here(), None)
            self.reference.disarm()

    @rule(after=st.sampled_from([-30, 0, 1, 60]), lasts=st.sampled_from([1, 60, 2000]), reads=st.booleans())
    def freeze(self, after: int, lasts: int, reads: bool) -> None:
        start, end = self.now + after * MINUTE, self.now + (after + lasts) * MINUTE
        risks = ["changes", "disrupts", *(["reads"] if reads else [])]
        self.site.db.execute("INSERT INTO schedctl.freeze VALUES (%s, %s, %s, '凍結')", (start, end, risks))
        self.reference.freezes.append((start, end, reads))

    # --- time and ticks ---------------------------------------------------------------------------------------------

    def expect(self, reports: list[TickReport]) -> None:
        told = self.reference.tick(self.now)
        said = {name: sum(getattr(report, name) for report in reports) for name in ("fired", "missed", "skipped")}
        said["rehearsed"] = sum(report.rehearsed for report in reports)
        assert said == {name: told[name] for name in said}
        assert all((report.armed, report.refused, report.lost) == (self.armed, 0, 0) for report in reports)

    @property
    def armed(self) -> bool:
        return self.reference.armed_at is not None

    @rule(minutes=st.sampled_from(STEPS + GAPS), ticked=st.sampled_from([True, True, False]))
    def time_passes(self, minutes: int, ticked: bool) -> None:
        self.now += minutes * MINUTE
        if ticked:
            self.expect([tick(self.here())])

    @precondition(lambda self: self.reference.schedules)
    @rule(which=st.integers(0, 7), minutes=st.sampled_from(AROUND))
    def an_occurrence_comes(self, which: int, minutes: int) -> None:
        """Tick at the next occurrence of a schedule, or so many minutes from it."""
        rule = self.reference.schedules[which % len(self.reference.schedules)].rule
        soon = rule.between(self.now, self.now + 2 * DAY)
        if soon and soon[0] + minutes * MINUTE >= self.now:
            self.now = soon[0] + minutes * MINUTE
            self.expect([tick(self.here())])

    @rule(minutes=st.sampled_from(BACK), ticked=st.booleans())
    def the_clock_goes_back(self, minutes: int, ticked: bool) -> None:
        self.now -= minutes * MINUTE
        if ticked:
            self.expect([tick(self.here())])

    @rule()
    def tick_twice(self) -> None:
        self.expect([tick(self.here()), tick(self.here())])

    @precondition(lambda self: not any(run.state == "queued" for run in self.every_run()))
    @rule(minutes=st.sampled_from(STEPS))
    def tick_at_once_on_two_hosts(self, minutes: int) -> None:
        self.now += minutes * MINUTE
        reports: list[TickReport] = []
        together = Barrier(2)

        def one(site: Site) -> None:
            together.wait()
            reports.append(tick(site))

        elsewhere = replace(self.other, settings=replace(self.other.settings, rehearsal_now=self.now, host="otherhost"))
        threads = [Thread(target=one, args=(site,)) for site in (self.here(), elsewhere)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(reports) == 2
        self.expect(reports)

    # --- runs -------------------------------------------------------------------------------------------------------

    def every_run(self) -> Iterator[Run]:
        return (run for known in self.reference.schedules for run in known.runs)

    def known(self, run_id: int, schedule_id: int | None, scheduled_for: datetime | None) -> Run:
        if scheduled_for is None:
            return self.manual[run_id]
        assert schedule_id is not None
        return next(run for run in self.reference.schedules[schedule_id - 1].runs if run.at == scheduled_for)

    @rule(which=st.integers(0, 20))
    def cancel(self, which: int) -> None:
        query = "SELECT run_id, schedule_id, scheduled_for FROM schedctl.run WHERE state <> 'running' ORDER BY run_id"
        found = self.site.db.execute(query).fetchall()
        if not found:
            return
        row = found[which % len(found)]
        known = self.known(*row)
        try:
            runs.cancel(self.here(), row[0], "取りやめ")
        except Refused:
            assert known.state not in UNENDED
        else:
            assert known.state == "queued"
            known.end("cancelled", "取りやめ")

    @precondition(lambda self: any(run.state == "queued" for run in self.every_run()))
    @rule(most=st.integers(1, 3))
    def claim(self, most: int) -> None:
        legs = Ledger(self.here(), "worker").claim(None, most)
        may = self.reference.claimable(self.now)
        assert len(legs) <= most
        assert bool(legs) == bool(may)
        for leg in legs:
            known = self.known(leg.run_id, leg.schedule_id, leg.scheduled_for)
            assert known in may
            assert known.state == "queued"
            known.state = "running"
            self.claimed[leg.leg_id] = (known, leg)
            self.site.db.execute("UPDATE schedctl.leg SET lease_until = 'infinity' WHERE leg_id = %s", (leg.leg_id,))

    @precondition(lambda self: self.claimed)
    @rule(which=st.integers(0, 7), state=st.sampled_from(["succeeded", "failed", "failed"]))
    def finish(self, which: int, state: str) -> None:
        leg_id = sorted(self.claimed)[which % len(self.claimed)]
        known, leg = self.claimed.pop(leg_id)
        assert Ledger(self.here(), "worker").finish_leg(leg, state, None, None)
        self.reference.finish(known, state)

    # --- both hold the same -----------------------------------------------------------------------------------------

    @invariant()
    def the_same_states(self) -> None:
        rows = self.site.db.execute("SELECT state FROM schedctl.schedule ORDER BY schedule_id").fetchall()
        assert [state for (state,) in rows] == [known.state for known in self.reference.schedules]

    @invariant()
    def the_same_runs(self) -> None:
        found = Counter(self.site.db.execute(RUNS).fetchall())
        expected = Counter(
            (
                number,
                "manual" if run.at is None else "timer",
                run.at,
                run.state,
                run.reason,
                run.first or run.at,
                run.count,
            )
            for number, known in enumerate(self.reference.schedules, 1)
            for run in known.runs
        )
        assert found == expected


@pytest.mark.parametrize(("sequences", "steps"), [pytest.param(50, 40), pytest.param(2000, 40, marks=pytest.mark.long)])
def test_firing_follows_the_reference(database: str, sequences: int, steps: int) -> None:
    with open_site(settings_for(database)) as site, open_site(settings_for(database)) as other:
        site.db.execute("ALTER TABLE schedctl.installation ALTER lease SET DEFAULT '1 day'")

        class Here(Firing):
            pass

        Here.site, Here.other = site, other
        run_state_machine_as_test(
            Here,
            settings=settings(max_examples=sequences, stateful_step_count=steps, report_multiple_bugs=False),
        )
