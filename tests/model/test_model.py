"""Firing on a real PostgreSQL against the reference model: whatever happens in whatever order, both hold the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from threading import Barrier, Thread
from typing import TYPE_CHECKING, Any

import pytest
from drawing import BACK, GAPS, STARTS, STEPS, registrations
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
from oracle import MINUTE
from reference import UNENDED, Reference, Run, Schedule

from schedctl.errors import Refused
from schedctl.usecases import installation, runs, schedules
from schedctl.usecases.ledger import Ledger
from schedctl.usecases.site import Site, open_site
from schedctl.usecases.tick import TickReport, tick

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EMPTY = """
    SET session_replication_role = replica;
    TRUNCATE schedctl.run, schedctl.leg, schedctl.step, schedctl.schedule, schedctl.freeze, schedctl.tick_beat,
             schedctl.event RESTART IDENTITY CASCADE;
    SET session_replication_role = DEFAULT;
    UPDATE schedctl.installation SET armed = false, armed_since = NULL, nothing_lost_until = '-infinity';
"""
RUNS = """
    SELECT schedule_id, trigger, scheduled_for, state, reason, coalesce(first_at, scheduled_for), count
      FROM schedctl.run
"""


class Firing(RuleBasedStateMachine):
    """Does the same to schedctl and to the reference."""

    site: Site
    other: Site

    @initialize(start=st.sampled_from(STARTS), second=st.sampled_from([0, 0, 30]), armed=st.booleans())
    def begin(self, start: datetime, second: int, armed: bool) -> None:
        self.site.db.execute(EMPTY)
        self.now = start + timedelta(seconds=second)
        self.reference = Reference()
        self.claimed: dict[int, tuple[Run, Any]] = {}
        self.manual: dict[int, Run] = {}
        if armed:
            self.arm()

    def here(self) -> Site:
        return replace(self.site, settings=replace(self.site.settings, rehearsal_now=self.now))

    # --- registration and the verbs of operators --------------------------------------------------------------------

    @precondition(lambda self: len(self.reference.schedules) < 6)
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

    def both(self, act: Callable[[Site, str], object], reference: Callable[[Schedule], str | None], which: int) -> None:
        """Do it to the `which`-th schedule on both sides: the same refusal, or none."""
        if not self.reference.schedules:
            return
        number = which % len(self.reference.schedules)
        refusal = None
        try:
            act(self.here(), str(number + 1))
        except Refused as refused:
            refusal = refused.type
        assert refusal == reference(self.reference.schedules[number])

    @rule(which=st.integers(0, 5))
    def approve(self, which: int) -> None:
        self.both(schedules.approve, lambda known: self.reference.approve(known, self.now), which)

    @rule(which=st.integers(0, 5))
    def pause(self, which: int) -> None:
        self.both(
            lambda site, one: schedules.pause(site, one, "点検"),
            lambda known: self.reference.pause(known, "点検"),
            which,
        )

    @rule(which=st.integers(0, 5))
    def resume(self, which: int) -> None:
        self.both(schedules.resume, lambda known: self.reference.resume(known, self.now), which)

    @rule(which=st.integers(0, 5), sure=st.integers(0, 2))
    def archive(self, which: int, sure: int) -> None:
        if sure == 0:
            self.both(
                lambda site, one: schedules.archive(site, one, None),
                lambda known: self.reference.archive(known, self.now),
                which,
            )

    @rule()
    def arm(self) -> None:
        installation.arm(self.here(), None)
        self.reference.arm(self.now)

    @rule(sure=st.integers(0, 2))
    def disarm(self, sure: int) -> None:
        if sure == 0:
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

    @rule(minutes=st.sampled_from(STEPS))
    def pass_time_and_tick(self, minutes: int) -> None:
        self.now += minutes * MINUTE
        self.expect([tick(self.here())])

    @rule(minutes=st.sampled_from(STEPS))
    def pass_time_without_a_tick(self, minutes: int) -> None:
        self.now += minutes * MINUTE

    @rule(minutes=st.sampled_from(GAPS))
    def nobody_ticks_for_long(self, minutes: int) -> None:
        self.now += minutes * MINUTE
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

    @rule(which=st.integers(0, 5))
    def start_by_hand(self, which: int) -> None:
        def expected(known: Schedule) -> str | None:
            if known.state == "archived":
                return "wrong_state"
            if known.state == "pending" and known.changes:
                return "not_approved"
            known.runs.append(Run(known, None, "queued"))
            return None

        def start(site: Site, one: str) -> None:
            started.append(runs.start(site, one).run_id)

        started: list[int] = []
        self.both(start, expected, which)
        for run_id in started:
            self.manual[run_id] = self.reference.schedules[which % len(self.reference.schedules)].runs[-1]

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

    @rule()
    def claim(self) -> None:
        leg = Ledger(self.here(), "worker").claim(None)
        may = self.reference.claimable(self.now)
        if leg is None:
            assert may == []
            return
        known = self.known(leg.run_id, leg.schedule_id, leg.scheduled_for)
        assert known in may
        known.state = "running"
        self.claimed[leg.leg_id] = (known, leg)
        self.site.db.execute("UPDATE schedctl.leg SET lease_until = 'infinity' WHERE leg_id = %s", (leg.leg_id,))

    @precondition(lambda self: self.claimed)
    @rule(which=st.integers(0, 5), state=st.sampled_from(["succeeded", "failed", "failed"]))
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


@pytest.mark.parametrize(("sequences", "steps"), [pytest.param(30, 25), pytest.param(2000, 40, marks=pytest.mark.long)])
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
