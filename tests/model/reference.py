"""What the design (§6, §7 and the start of §8) says about firing: a program that is too simple to be wrong.

It was written from the design, before its author had read the tick. The sentences it follows stand beside the lines.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oracle import Rule

    from schedctl.store.schedules import Overlap, ScheduleState

DAY = timedelta(days=1)
CATCH_UP = timedelta(hours=1)
UNENDED = ("queued", "running")


@dataclass(slots=True, eq=False)
class Run:
    """The record of an occurrence (or of several: first, last and count), or of a manual start (`at` is None)."""

    schedule: Schedule
    at: datetime | None
    state: str
    reason: str | None = None
    first: datetime | None = None
    count: int = 1
    claimable_until: datetime | None = None

    def end(self, state: str, reason: str | None = None) -> None:
        self.state, self.reason = state, reason


@dataclass(slots=True, eq=False)
class Schedule:
    rule: Rule
    state: ScheduleState
    settled: datetime
    changes: bool = False
    overlap: Overlap = "skip"
    catch_up: timedelta = CATCH_UP
    reason: str | None = None
    failures: int = 0
    never_approved: bool = False
    runs: list[Run] = field(default_factory=list[Run])

    def unended(self) -> list[Run]:
        """Manual runs never count."""
        return [run for run in self.runs if run.at is not None and run.state in UNENDED]

    def settle(self, now: datetime) -> None:
        """It moves backwards only when it lies more than a day ahead (a clock that had been wrong)."""
        self.settled = now if self.settled > now + DAY else max(self.settled, now)

    def cancel_queued(self, reason: str) -> None:
        """Pause, archive and disarm turn queued runs into `cancelled`; running and manual ones go on."""
        for run in self.runs:
            if run.state == "queued" and run.at is not None:
                run.end("cancelled", reason)


@dataclass(slots=True)
class Reference:
    """An installation."""

    armed_at: datetime | None = None
    freezes: list[tuple[datetime, datetime, bool]] = field(default_factory=list[tuple[datetime, datetime, bool]])
    schedules: list[Schedule] = field(default_factory=list[Schedule])

    def frozen(self, schedule: Schedule, instant: datetime) -> bool:
        """Whether a freeze of the plan's risk is on (the third of each freeze: reading plans too)."""
        return any(start <= instant < end and (schedule.changes or reads_too) for start, end, reads_too in self.freezes)

    # --- the tick ---------------------------------------------------------------------------------------------------

    def tick(self, now: datetime) -> Counter[str]:
        told: Counter[str] = Counter()
        for schedule in self.schedules:
            if schedule.settled > now + DAY:
                schedule.settled = now
            if schedule.state == "pending" and schedule.rule.at is not None and schedule.rule.at <= now:
                self._record(schedule, told, "missed", "not_approved", [schedule.rule.at])
                schedule.state, schedule.never_approved = "finished", True
            if schedule.state == "active":
                self._judge(schedule, now, told)
        for schedule in self.schedules:  # a run that nobody claimed ends as missed(not_claimed)
            for run in schedule.runs:
                if run.state == "queued" and run.claimable_until is not None and run.claimable_until < now:
                    run.end("missed", "not_claimed")
                    told["missed"] += 1
        return told

    def _judge(self, schedule: Schedule, now: datetime, told: Counter[str]) -> None:
        passed = schedule.rule.between(schedule.settled, now)
        if not passed:
            return
        # Only occurrences after the later of `settled_through` and the moment of arming count. But nothing vanishes: a
        # one-shot gets its record; and a wrong clock at arming holds nothing back for years, as for `settled_through`.
        armed_at = self.armed_at if self.armed_at and self.armed_at <= now + DAY else None
        due = [at for at in passed if armed_at is None or at > armed_at]
        if schedule.rule.at is not None and not due:
            self._record(schedule, told, "missed", "late", passed)
        if due:
            # Of several only the latest fires; what a gap left behind is one record.
            late = due if due[-1] <= now - schedule.catch_up and not self.frozen(schedule, due[-1]) else due[:-1]
            if late:
                self._record(schedule, told, "missed", "late", late)
            if late != due:
                self._begin(schedule, due[-1], told)
        schedule.settle(now)
        if not schedule.rule.goes_on(now):
            schedule.state = "finished"

    def _begin(self, schedule: Schedule, at: datetime, told: Counter[str]) -> None:
        waiting = [run.state for run in schedule.unended()]
        in_the_way = {"skip": bool(waiting), "queue": "queued" in waiting, "allow": False}[schedule.overlap]
        if self.frozen(schedule, at):  # judged at its instant
            self._record(schedule, told, "skipped", "freeze", [at])
        elif self.armed_at is None:
            self._record(schedule, told, "rehearsed", None, [at])
        elif in_the_way:
            self._record(schedule, told, "skipped", "overlap", [at])
        else:
            self._record(schedule, told, "queued", None, [at])

    def _record(
        self, schedule: Schedule, told: Counter[str], state: str, reason: str | None, of: list[datetime]
    ) -> None:
        """If the clock went back, an occurrence that already has a run is refused by the unique key."""
        if of[-1] not in [run.at for run in schedule.runs]:
            until = of[-1] + schedule.catch_up
            schedule.runs.append(Run(schedule, of[-1], state, reason, of[0], len(of), until))
            told["fired" if state == "queued" else state] += len(of)

    # --- what operators do ------------------------------------------------------------------------------------------

    def arm(self, now: datetime) -> None:
        self.armed_at = self.armed_at or now

    def disarm(self) -> None:
        if self.armed_at is not None:
            self.armed_at = None
            for schedule in self.schedules:
                schedule.cancel_queued("disarmed")

    def approve(self, schedule: Schedule, now: datetime) -> str | None:
        """The type of the refusal, if any."""
        if schedule.state != "pending":
            return "wrong_state"
        if not schedule.rule.goes_on(now):
            return "past_time"
        schedule.settle(now)
        schedule.state = "active"
        return None

    def pause(self, schedule: Schedule, reason: str) -> str | None:
        if schedule.state != "active":
            return "wrong_state"
        schedule.state, schedule.reason = "paused", reason
        schedule.cancel_queued("paused")
        return None

    def resume(self, schedule: Schedule, now: datetime) -> str | None:
        if schedule.state != "paused":
            return "wrong_state"
        self._summarise(schedule, now)
        schedule.state, schedule.reason, schedule.failures = "active", None, 0
        schedule.settle(now)
        if not schedule.rule.goes_on(now):
            schedule.state = "finished"
        return None

    def archive(self, schedule: Schedule, now: datetime) -> str | None:
        if schedule.state not in ("pending", "active", "paused"):
            return "wrong_state"
        if schedule.state == "paused":
            self._summarise(schedule, now)
        schedule.state = "archived"
        schedule.cancel_queued("archived")
        return None

    def refuses_to_start(self, schedule: Schedule) -> str | None:
        """A manual run: not of what is archived; before the approval only of a plan that reads."""
        if schedule.state == "archived":
            return "wrong_state"
        unapproved = schedule.state == "pending" or schedule.never_approved
        return "not_approved" if unapproved and schedule.changes else None

    def _summarise(self, schedule: Schedule, now: datetime) -> None:
        passed = schedule.rule.between(schedule.settled, now)
        if passed:  # one `skipped(paused)` summary
            self._record(schedule, Counter(), "skipped", "paused", passed)

    # --- workers ----------------------------------------------------------------------------------------------------

    def claimable(self, now: datetime) -> list[Run]:
        """The runs of which a worker may begin the (one) leg; all are on one node."""
        return [
            run for each in self.schedules for run in each.runs if run.state == "queued" and self._may_begin(run, now)
        ]

    def _may_begin(self, run: Run, now: datetime) -> bool:
        every = [other for each in self.schedules for other in each.runs]
        if run.schedule.changes and any(other.state == "running" and other.schedule.changes for other in every):
            return False  # at most one leg that changes holds a node
        if run.at is None:
            return True  # manual runs may always be claimed
        if self.armed_at is None or self.frozen(run.schedule, now):
            return False
        if run.claimable_until is not None and now > run.claimable_until:
            return False
        waits = run.schedule.overlap == "queue"
        return not (waits and any(other.state == "running" for other in run.schedule.unended()))

    def finish(self, run: Run, state: str) -> None:
        """A worker reports. Three failures in a row pause a plan that changes."""
        run.end(state)
        schedule = run.schedule
        if run.at is None:
            return
        schedule.failures = schedule.failures + 1 if state == "failed" else 0
        if schedule.failures >= 3 and schedule.changes and schedule.state == "active":
            self.pause(schedule, "auto_paused")
