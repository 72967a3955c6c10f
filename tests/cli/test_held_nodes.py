"""Work that waits because something holds its node: every screen on which one would look says what, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest

if TYPE_CHECKING:
    from conftest import Command

NOW = "2026-11-30T10:00:00+09:00"
DUE = "2026-12-01T09:00:30+09:00"
FIRST_LEG_IS: dict[str, bytes] = {
    "running": b"""
        UPDATE schedctl.leg SET state = 'running', holds_node = true, token = gen_random_uuid(), worker = 'gone:1',
               claimed_at = now(), lease_until = now() + interval '1 hour' WHERE run_id = 1""",
    "lost": b"UPDATE schedctl.leg SET state = 'lost', finished_at = now() WHERE run_id = 1",
}
BY_HAND = "mars is held (root: fans) → schedctl node release mars"
BY_A_LOST_RUN = (
    "lost run 1 may still be going on at mars; when you have seen that it ended → schedctl node release mars"
)
BY_A_RUN = "Waits for run 1 on mars to end"


@pytest.fixture
def queued(schedctl: Command) -> Command:
    """Two runs that change mars are queued."""
    schedctl("arm", now=NOW)
    for action in ("packages.refresh", "packages.break"):
        schedctl("register", "--yes", f"毎日9時にmarsの{action}を実行して", now=NOW)
    assert schedctl("tick", "--json", now=DUE).json["fired"] == 2
    return schedctl


def test_a_node_that_a_person_holds(queued: Command) -> None:
    queued("node", "hold", "mars", "--reason", "fans", env={"SCHEDCTL_ACTOR": "root"})
    for command in (["work"], ["work", "--drain", "--node", "mars"], ["runs"], ["show", "2"], ["logs", "2"]):
        ran = queued(*command, "--lang", "en", now=DUE)
        assert (ran.code, BY_HAND in ran.out) == (0, True), (command, ran.out)
    assert "waiting: run 1, 2" in queued("status", "--lang", "en", now=DUE).out
    looked = queued("doctor", "--quick", "--json", "--lang", "en", now=DUE).json["findings"]
    (workers,) = [one for one in looked if one["check"] == "workers"]
    assert (workers["level"], workers["command"]) == ("warning", "schedctl node release mars")
    assert workers["message"].startswith("run 1 and 1 more: Waits, as mars is held")
    (run, _) = queued("runs", "--json", now=DUE).json["runs"]
    (hold,) = run["held_up_by"]
    assert (hold["node"], hold["reason"], hold["run"]) == ("mars", "fans", None)
    assert "Nothing is waiting" in queued("work", "--node", "venus", "--lang", "en", now=DUE).out
    queued("node", "release", "mars")
    assert "Waits" not in queued("runs", "--lang", "en", now=DUE).out


def test_a_node_that_a_run_holds(queued: Command, database: str) -> None:
    for state, said in (("running", BY_A_RUN), ("lost", BY_A_LOST_RUN)):
        with psycopg.connect(database) as db:
            db.execute(FIRST_LEG_IS[state])
        ran = queued("runs", "--lang", "en", now=DUE)
        assert ran.out.count(said) == 1, ran.out
        looked = queued("doctor", "--quick", "--json", now=DUE).json["findings"]
        (workers,) = [one for one in looked if one["check"] == "workers"]
        assert workers["level"] == ("ok" if state == "running" else "warning")
