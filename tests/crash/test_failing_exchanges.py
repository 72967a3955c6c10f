"""At each exchange with the database, the database fails for a moment: nothing is doubled, and nothing is lost by it.

By default at a dozen exchanges, others each time; the long version tries every one with each kind of failure.
"""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from failing_exchange import FAILURES
from marks import DUE, SCHEDULES, World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from failing_exchange import Failure

A_DOZEN = pytest.param(12, id="a-dozen")
EVERY_ONE = pytest.param(None, id="every-one", marks=pytest.mark.long)


def points(whole: dict[str, Any], most: int | None) -> list[tuple[int, Failure]]:
    """Which exchanges are to fail, and how, of a process to which nothing happened."""
    assert whole["code"] == 0, whole["output"]
    every = list(product(range(whole["exchanges"]), FAILURES))
    return random.sample(every, most) if most else every


@pytest.mark.parametrize("most", [A_DOZEN, EVERY_ONE])
def test_a_tick_goes_on(world: World, fresh: Iterator[None], most: int | None) -> None:
    next(fresh)
    for point in points(world.processes.run("tick", now=DUE), most):
        next(fresh)
        ended = world.processes.run("tick", fail_at=point, now=DUE)
        assert ended["code"] == 0, (point, ended["output"])
        world.assert_one_run_an_occurrence()


@pytest.mark.parametrize("most", [A_DOZEN, EVERY_ONE])
@pytest.mark.parametrize("slots", ["1", "4"])
def test_a_worker_goes_on(world: World, fresh: Iterator[None], slots: str, most: int | None) -> None:
    """Also where it was in the middle of a claim: what it claimed without hearing of it is its own."""
    work = ("work", "--drain", "--slots", slots)
    next(fresh)
    assert world.processes.run("tick", now=DUE)["code"] == 0
    for point in points(world.processes.run(*work, now=DUE), most):
        next(fresh)
        assert world.processes.run("tick", now=DUE)["code"] == 0
        ended = world.processes.run(*work, fail_at=point, now=DUE)
        assert ended["code"] == 0, (point, ended["output"])
        assert (len(world.begun()), max(world.begun().values())) == (SCHEDULES * 3, 1), point
        assert world.query("SELECT DISTINCT state FROM schedctl.leg") == [("succeeded",)], point
        world.assert_all_ended()
