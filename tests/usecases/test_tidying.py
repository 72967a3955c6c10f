"""What a tick tidies once an hour: old runs, and next instants by newer zone rules and holidays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from making import add

from schedctl.store import installation as stored
from schedctl.usecases import installation, recomputing
from schedctl.usecases.recomputing import follow_newer_data
from schedctl.usecases.tick import tick
from schedctl.when import data_version
from schedctl.when.data_version import DataVersion

if TYPE_CHECKING:
    from collections.abc import Callable

    from schedctl.usecases.site import Site

DAILY = "daily at 03:00 in Asia/Tokyo"
NOW = "2026-12-01T10:00+09:00"
OLD_RUNS = """
    INSERT INTO schedctl.run (schedule_id, trigger, scheduled_for, state, finished_at)
    SELECT 1, 'timer', at, 'succeeded', at
      FROM generate_series(timestamptz '2026-12-01' - interval '20 days', '2026-12-01', '1 day') AS at
"""


def kept(site: Site) -> int:
    row = site.db.execute("SELECT count(*) FROM schedctl.run").fetchone()
    assert row is not None
    return row[0]


@pytest.mark.parametrize(
    ("limits", "left"),
    [
        ((400, 10000), 21),
        ((10, 10000), 10),  # by age: the run of ten days and ten hours ago is gone
        ((400, 3), 3),  # by number, the newest
        ((1, 1), 1),
    ],
)
def test_runs_are_kept_by_age_and_by_number(site_at: Callable[[str], Site], limits: tuple[int, int], left: int) -> None:
    site = site_at(NOW)
    add(site, DAILY)
    site.db.execute(OLD_RUNS)
    site.db.execute("UPDATE schedctl.installation SET retention_days = %s, retention_runs = %s", limits)
    with site.transaction():
        stored.prune(site.db)
    assert kept(site) == left
    newest = site.db.execute("SELECT max(scheduled_for)::date::text FROM schedctl.run").fetchone()
    assert newest == ("2026-12-01",)


def test_what_has_not_ended_is_never_removed(site_at: Callable[[str], Site]) -> None:
    site = site_at(NOW)
    add(site, DAILY)
    site.db.execute(OLD_RUNS)
    site.db.execute("UPDATE schedctl.run SET state = 'queued', finished_at = NULL WHERE run_id = 2")
    site.db.execute("UPDATE schedctl.installation SET retention_days = 1, retention_runs = 1")
    with site.transaction():
        stored.prune(site.db)
    assert site.db.execute("SELECT run_id FROM schedctl.run ORDER BY run_id").fetchall() == [(2,), (21,)]


def test_ticks_tidy_once_an_hour(site_at: Callable[[str], Site]) -> None:
    site = site_at(NOW)
    add(site, DAILY)
    site.db.execute(OLD_RUNS)
    site.db.execute("UPDATE schedctl.installation SET retention_runs = 1")
    tick(site)
    assert kept(site) == 21
    site.db.execute("UPDATE schedctl.installation SET tidied_at = clock_timestamp() - interval '61 minutes'")
    tick(site)
    assert kept(site) == 1


def test_newer_data_moves_instants_and_the_event_says_from_where(site_at: Callable[[str], Site]) -> None:
    site = site_at(NOW)
    installation.arm(site, None)
    moved, stays = add(site, DAILY, say="moved"), add(site, DAILY, say="stays")
    site.db.execute(
        "UPDATE schedctl.schedule SET next_fire_at = '2026-12-02T05:00+09:00' WHERE schedule_id = %s", (moved,)
    )
    assert follow_newer_data(site) == 1
    rows = site.db.execute("SELECT next_fire_at, computed_with FROM schedctl.schedule ORDER BY schedule_id").fetchall()
    assert {row[0].isoformat() for row in rows} == {"2026-12-01T18:00:00+00:00"}
    assert {row[1] for row in rows} == {str(data_version.at_hand())}
    events = site.db.execute(
        "SELECT schedule_id, detail FROM schedctl.event WHERE type = 'next_instant_moved'"
    ).fetchall()
    assert [(one, detail["from"], detail["to"]) for one, detail in events] == [
        (moved, "2026-12-01T20:00:00+00:00", "2026-12-01T18:00:00+00:00")
    ]
    assert stays != moved


def test_schedules_computed_by_newer_data_are_looked_at_once(
    site_at: Callable[[str], Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many of them as a batch holds were read again and again, for ever."""
    site = site_at(NOW)
    monkeypatch.setattr(recomputing, "BATCH", 2)
    for number in range(4):
        add(site, DAILY, say=f"newer {number}")
    site.db.execute("UPDATE schedctl.schedule SET computed_with = '2099z 9.9' WHERE schedule_id < 4")
    site.db.execute("UPDATE schedctl.schedule SET next_fire_at = '2026-12-02T05:00+09:00' WHERE schedule_id = 4")
    assert follow_newer_data(site) == 1


def test_a_schedule_that_cannot_be_read_keeps_no_other_from_newer_data(site_at: Callable[[str], Site]) -> None:
    """It is not due, so no tick has paused it yet; the hour's tidying goes on, and so does the tick."""
    site = site_at(NOW)
    bad, good = add(site, DAILY, say="bad"), add(site, DAILY, say="good")
    site.db.execute(
        "UPDATE schedctl.schedule SET rule = 'daily at 03:00 in Mars/Olympus' WHERE schedule_id = %s", (bad,)
    )
    site.db.execute(
        "UPDATE schedctl.schedule SET next_fire_at = '2026-12-02T05:00+09:00' WHERE schedule_id = %s", (good,)
    )
    site.db.execute("UPDATE schedctl.installation SET tidied_at = clock_timestamp() - interval '61 minutes'")
    assert tick(site).warnings == []
    row = site.db.execute("SELECT next_fire_at FROM schedctl.schedule WHERE schedule_id = %s", (good,)).fetchone()
    assert row is not None
    assert row[0].isoformat() == "2026-12-01T18:00:00+00:00"


def test_an_older_host_moves_nothing(site_at: Callable[[str], Site]) -> None:
    site = site_at(NOW)
    schedule = add(site, DAILY)
    site.db.execute(
        "UPDATE schedctl.schedule SET next_fire_at = '2026-12-02T05:00+09:00', computed_with = '2099z 9.9' "
        "WHERE schedule_id = %s",
        (schedule,),
    )
    assert follow_newer_data(site) == 0
    site.db.execute("UPDATE schedctl.installation SET computed_with = '2099z 9.9'")
    assert follow_newer_data(site) == 0


@pytest.mark.parametrize(
    ("one", "other", "newer"),
    [
        (("2026f", "0.109"), ("2026f", "0.109"), False),
        (("2026f", "0.109"), ("2026e", "0.109"), True),
        (("2026f", "0.109"), ("2026f", "0.99"), True),  # by number, not by letter
        (("2026f", "0.99"), ("2026e", "0.109"), False),  # newer in one, older in the other
        (("2026f", "0.109"), ("", ""), True),
    ],
)
def test_which_edition_is_newer(one: tuple[str, str], other: tuple[str, str], newer: bool) -> None:
    assert DataVersion(*one).newer_than(DataVersion(*other)) is newer
    assert data_version.parse(str(DataVersion(*one))) == DataVersion(*one)
