"""Workers are killed while their commands run over ssh: no step begins twice, each has an end, no node stays held.

By default at a handful of moments; the long version at each exchange with the database, and at 200 random ones.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from marks import DUE, SCHEDULES, World

if TYPE_CHECKING:
    from collections.abc import Iterator

WORK = ("work", "--drain", "--slots", "1")
A_FEW = pytest.param(24, id="a-few")
EVERY_ONE = pytest.param(1, id="every-one", marks=pytest.mark.long)


@pytest.mark.parametrize("stride", [A_FEW, EVERY_ONE])
def test_a_worker_killed_anywhere_starts_nothing_twice(ssh_world: World, fresh: Iterator[None], stride: int) -> None:
    next(fresh)
    assert ssh_world.processes.run("tick", now=DUE)["code"] == 0
    whole = ssh_world.processes.run(*WORK, now=DUE)
    assert whole["code"] == 0, whole["output"]
    assert len(ssh_world.begun()) == SCHEDULES * 3
    for exchange in range(random.randrange(stride), whole["exchanges"], stride):  # noqa: S311 - any start will do
        next(fresh)
        assert ssh_world.processes.run("tick", now=DUE)["code"] == 0
        ssh_world.processes.run(*WORK, kill_at=exchange, now=DUE)
        settles(ssh_world)


@pytest.mark.parametrize(
    "times", [pytest.param(1, id="one"), pytest.param(200, id="two-hundred", marks=pytest.mark.long)]
)
def test_random_kills(ssh_world: World, fresh: Iterator[None], times: int) -> None:
    for _ in range(times):
        next(fresh)
        assert ssh_world.processes.run("tick", now=DUE)["code"] == 0
        for _ in range(2):
            after = random.uniform(0.05, 2.0)  # noqa: S311 - any moment will do
            ssh_world.processes.run(*WORK, kill_after=after, now=DUE)
        settles(ssh_world)


def settles(world: World) -> None:
    """A worker that is left alone carries out the rest, and knows what became of what the killed one had begun."""
    after = world.processes.run(*WORK, now=DUE)
    assert after["code"] == 0, after["output"]
    world.assert_settles_soundly()
    world.assert_no_node_stays_held()
