"""What `register`'s options change about firing: its own catch-up, overlap, jitter."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from installations import runs_of
from making import add

from schedctl.usecases import installation
from schedctl.usecases.tick import tick

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedctl.store.schedules import Overlap
    from schedctl.usecases.site import Site

DAILY = "daily at 03:00 in Asia/Tokyo"
MINUTELY = "daily at 00:00-23:59/1m in Asia/Tokyo"


def test_a_schedule_may_have_its_own_catch_up(site_at: Callable[[str], Site]) -> None:
    start = site_at("2026-12-01T10:00+09:00")
    installation.arm(start, None)
    add(start, DAILY, say="ten minutes", catch_up=timedelta(minutes=10))
    add(start, DAILY, say="three hours", catch_up=timedelta(hours=3))
    site = site_at("2026-12-02T05:00+09:00")
    report = tick(site)
    assert (report.missed, report.fired) == (1, 1)
    claimable = site.db.execute("SELECT claimable_until FROM schedctl.leg").fetchone()
    assert claimable is not None
    assert claimable[0].isoformat() == "2026-12-01T21:00:00+00:00"


@pytest.mark.parametrize(("overlap", "states"), [("queue", ["queued", "queued", "skipped"]), ("allow", ["queued"] * 3)])
def test_overlap_can_queue_one_or_allow_all(
    site_at: Callable[[str], Site], overlap: Overlap, states: list[str]
) -> None:
    start = site_at("2026-12-01T10:00+09:00")
    installation.arm(start, None)
    add(start, MINUTELY, overlap=overlap)
    tick(site_at("2026-12-01T10:01:10+09:00"))
    running = site_at("2026-12-01T10:01:20+09:00")
    running.db.execute(
        "UPDATE schedctl.leg SET state = 'running', token = gen_random_uuid(), worker = 'w', lease_until = 'infinity'"
    )
    running.db.execute("UPDATE schedctl.run SET state = 'running', started_at = now()")
    tick(site_at("2026-12-01T10:02:10+09:00"))
    site = site_at("2026-12-01T10:03:10+09:00")
    tick(site)
    assert [run["state"].replace("running", "queued") for run in runs_of(site)] == states
    # A queued one waits until the run before it has ended; an allowed one does not.
    with site.transaction():  # by the site's clock
        claimed = site.db.execute("SELECT count(*) FROM schedctl.claim('w2', 'testhost')").fetchone()
    assert claimed == ((0,) if overlap == "queue" else (1,))


def test_jitter_only_delays_and_always_by_the_same(site_at: Callable[[str], Site]) -> None:
    start = site_at("2026-12-01T10:00+09:00")
    installation.arm(start, None)
    schedules_made = [add(start, DAILY, say=f"plan {number}", jitter=timedelta(minutes=30)) for number in range(20)]
    rows = start.db.execute("SELECT next_fire_at FROM schedctl.schedule ORDER BY schedule_id").fetchall()
    instants = [row[0] for row in rows]
    earliest = datetime.fromisoformat("2026-12-02T03:00+09:00")
    assert all(earliest <= instant < earliest + timedelta(minutes=30) for instant in instants)
    assert len(set(instants)) > 10
    fired = [tick(site_at(f"2026-12-02T03:{minute:02}:00+09:00")).fired for minute in range(31)]
    assert sum(fired) == len(schedules_made)
    assert max(fired) < 10
    site = site_at("2026-12-02T04:00+09:00")
    assert sorted(run["scheduled_for"] for run in runs_of(site)) == sorted(instants)
