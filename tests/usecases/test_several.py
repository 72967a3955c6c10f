"""Several legs in one exchange: claimed for as many slots as are free, concluded together; each stands for itself."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from making import BREAKS, CHANGES, READS, add

from schedctl.catalog.budget import Budget
from schedctl.errors import OperationFailed
from schedctl.language import Text
from schedctl.plan.request import Request
from schedctl.redact import Redactor
from schedctl.store import claims
from schedctl.store.claims import KeptOutput, LegEnd, StepEnd
from schedctl.transport.local import LocalTransport
from schedctl.usecases import installation, ledger, runs
from schedctl.usecases.ledger import Ledger
from schedctl.usecases.legs import conclude
from schedctl.usecases.tick import tick
from schedctl.usecases.work import drain
from schedctl.usecases.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from schedctl.store.claims import ClaimedLeg, Kept
    from schedctl.store.database import Database
    from schedctl.usecases.site import Site

DAILY = "daily at 03:00 in Asia/Tokyo"
BEFORE = "2026-12-01T10:00+09:00"
DUE = "2026-12-02T03:00:30+09:00"
VENUS = (Request("venus", "packages.refresh"),)
OUTPUT = KeptOutput("終わりました\n".encode(), b"", 19, "")


def fired(site_at: Callable[[str], Site], *plans: tuple[Request, ...]) -> Site:
    """A site at the moment when these plans have just been enqueued."""
    start = site_at(BEFORE)
    installation.arm(start, None)
    for number, requests in enumerate(plans):
        add(start, DAILY, requests, say=f"plan {number}")
    site = site_at(DUE)
    assert tick(site).fired == len(plans)
    return site


def worker(site: Site, slots: int = 2) -> Worker:
    book = Ledger(site, "w1")
    return Worker(book, {"local": LocalTransport()}, Redactor(), None, slots, 65_536, "Asia/Tokyo", threading.Event())


def succeeded(leg: ClaimedLeg, output: KeptOutput = OUTPUT) -> LegEnd:
    return LegEnd(leg, (0, 1), StepEnd("succeeded", 0, None, output, output), None)


def states(site: Site) -> list[str]:
    """The state of each leg, in the order of their runs."""
    return [row[0] for row in site.db.execute("SELECT state FROM schedctl.leg ORDER BY run_id").fetchall()]


def scans_of_steps(site: Site) -> int:
    """How often the whole table was read by this session."""
    site.db.execute("SELECT pg_stat_force_next_flush()")
    row = site.db.execute("SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'step'").fetchone()
    assert row is not None
    return row[0]


# ---------------------------------------------------------------- claiming


def test_as_many_as_asked_for_are_claimed_oldest_first_and_begun(site_at: Callable[[str], Site]) -> None:
    site = fired(site_at, READS, READS, READS)
    legs = Ledger(site, "w1").claim(None, 2)
    assert [(leg.run_id, leg.begun) for leg in legs] == [(1, "begun"), (2, "begun")]
    assert len({leg.token for leg in legs}) == 2
    steps = site.db.execute("SELECT leg_id, position, attempt, state FROM schedctl.step ORDER BY leg_id").fetchall()
    assert steps == [(leg.leg_id, 0, 1, "running") for leg in legs]
    assert [leg.run_id for leg in Ledger(site, "w2").claim(None, 2)] == [3]


def test_of_changing_legs_only_the_first_of_each_node_is_taken(site_at: Callable[[str], Site]) -> None:
    site = fired(site_at, CHANGES, BREAKS, READS, VENUS)
    assert [leg.run_id for leg in Ledger(site, "w1").claim(None, 9)] == [1, 3, 4]
    held = site.db.execute("SELECT node FROM schedctl.leg WHERE holds_node ORDER BY node").fetchall()
    assert held == [("mars",), ("venus",)]


def test_two_workers_that_meet_on_a_node_take_turns(site_at: Callable[[str], Site], database: str) -> None:
    """The other holds the node uncommitted when this one looks: it waits for that, loses, and goes on with the rest."""
    site = fired(site_at, CHANGES, BREAKS, READS, VENUS)
    claimed: list[Sequence[ClaimedLeg]] = []
    with psycopg.connect(database) as other:
        other.execute("SET LOCAL schedctl.now = '2026-12-02T03:00:30+09:00'")
        other.execute("SELECT schedctl.claim('w2', 'testhost')")
        claiming = threading.Thread(target=lambda: claimed.append(Ledger(site, "w1").claim(None, 9)))
        claiming.start()
        _until_somebody_waits(other)
        other.commit()
        claiming.join()
    rest = Ledger(site, "w1").claim(None, 9)
    assert [leg.run_id for legs in (*claimed, rest) for leg in legs] == [3, 4]


def _until_somebody_waits(db: psycopg.Connection) -> None:
    while not (db.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").fetchone() or (0,))[0]:
        db.execute("SELECT pg_sleep(0.01)")


def test_each_first_step_counts_against_the_budget_before_the_next(site_at: Callable[[str], Site]) -> None:
    site = site_at(BEFORE)
    add(site, DAILY, (Request("mars", "probe.ok"), Request("venus", "probe.ok")), budget=Budget(steps=1))
    run_id = runs.start(site, "1").run_id
    assert [leg.begun for leg in Ledger(site, "w1").claim(None, 2)] == ["begun", "steps"]
    assert site.db.execute("SELECT count(*) FROM schedctl.step").fetchone() == (1,)
    assert runs.one(site, run_id).state == "running"


# ---------------------------------------------------------------- concluding


def test_legs_concluded_together_each_keep_their_own_end(site_at: Callable[[str], Site]) -> None:
    site = fired(site_at, READS, READS, READS)
    by = worker(site)
    first, overtaken, last = by.ledger.claim(None, 3)
    site.db.execute("UPDATE schedctl.leg SET token = gen_random_uuid() WHERE leg_id = %s", (overtaken.leg_id,))
    failed = replace(succeeded(last), end=replace(succeeded(last).end, state="failed", exit_code=3))
    assert by.ledger.finish_both([succeeded(first), succeeded(overtaken), failed]) == ("kept", "late", "kept")
    assert states(site) == ["succeeded", "running", "failed"]
    ends = site.db.execute("SELECT state, exit_code, stdout_head FROM schedctl.step ORDER BY leg_id").fetchall()
    assert ends == [("succeeded", 0, OUTPUT.head), ("running", None, None), ("failed", 3, OUTPUT.head)]
    late = site.db.execute("SELECT run_id FROM schedctl.event WHERE type = 'late_result'").fetchall()
    assert late == [(overtaken.run_id,)]


def test_a_leg_does_not_read_the_steps_of_the_others(site_at: Callable[[str], Site]) -> None:
    """A fresh installation: at the last ANALYZE there was no step, so a plan that reads all of them looked cheap."""
    site = fired(site_at, READS, READS)
    site.db.execute("VACUUM ANALYZE schedctl.step")
    before = scans_of_steps(site)
    drain(worker(site))
    assert scans_of_steps(site) == before
    assert states(site) == ["succeeded", "succeeded"]


def test_an_overspent_leg_fails_and_the_others_do_not(site_at: Callable[[str], Site]) -> None:
    site = site_at(BEFORE)
    for number in range(2):
        schedule_id = add(site, DAILY, READS, say=f"plan {number}", budget=Budget(tokens=10))
        runs.start(site, str(schedule_id))
    by = worker(site)
    ends = [succeeded(leg) for leg in by.ledger.claim(None, 2)]
    conclude(by, [replace(one, end=replace(one.end, tokens=10 + number)) for number, one in enumerate(ends)])
    assert states(site) == ["succeeded", "failed"]
    assert (runs.one(site, 2).error or {})["type"] == "budget_reached"


def test_what_the_database_refuses_stands_alone(site_at: Callable[[str], Site]) -> None:
    site = fired(site_at, READS, READS, READS)
    by = worker(site)
    first, bad, last = (succeeded(leg) for leg in by.ledger.claim(None, 3))
    bad = replace(bad, end=replace(bad.end, external_id="\0"))
    with pytest.raises(OperationFailed):
        conclude(by, [first, bad, last])
    assert states(site) == ["succeeded", "running", "succeeded"]


def test_much_output_is_recorded_in_portions(site_at: Callable[[str], Site], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "TOGETHER_BYTES", 100)
    sizes: list[int] = []

    def counted(db: object, now: object, ended: Sequence[LegEnd]) -> tuple[Kept, ...]:
        sizes.append(len(ended))
        return ("kept",) * len(ended)

    monkeypatch.setattr(claims, "finish_both", counted)
    site = fired(site_at, *[READS] * 5)
    outputs = [KeptOutput(b"x" * length, b"", length, "") for length in (20, 20, 200, 10, 10)]
    ends = [succeeded(leg, output) for leg, output in zip(Ledger(site, "w1").claim(None, 5), outputs, strict=True)]
    assert Ledger(site, "w1").finish_both(ends) == ("kept",) * 5
    assert sizes == [2, 1, 2]


def test_what_still_runs_is_recorded_when_claiming_fails(
    site_at: Callable[[str], Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    site = fired(site_at, (Request("mars", "probe.says"),), READS)
    claim = claims.claim
    tries = iter([True, False])

    def once(db: Database, now: datetime | None, *values: Any) -> tuple[ClaimedLeg, ...]:
        if not next(tries):
            raise OperationFailed("database_error", Text("断られました", "It was refused"))
        by, host, _, *rest = values
        return claim(db, now, by, host, 1, *rest)

    monkeypatch.setattr(claims, "claim", once)
    with pytest.raises(OperationFailed):
        drain(worker(site))
    assert states(site) == ["succeeded", "queued"]
