"""Ticks and workers are killed before each of their exchanges with the database, and at random moments.

By default every tenth exchange is tried, from another start each time; the long version tries every one.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from marks import DUE, SCHEDULES, World

if TYPE_CHECKING:
    from collections.abc import Iterator

TICK = ("tick",)
WORK = ("work", "--drain", "--slots", "1")
EVERY_TENTH = pytest.param(10, id="every-tenth")
EVERY_ONE = pytest.param(1, id="every-one", marks=pytest.mark.long)


@pytest.mark.parametrize("stride", [EVERY_TENTH, EVERY_ONE])
def test_a_tick_killed_anywhere_fires_once_or_leaves_it_to_the_next(
    world: World, fresh: Iterator[None], stride: int
) -> None:
    next(fresh)
    whole = world.processes.run(*TICK, now=DUE)
    assert whole["exchanges"] > 10
    for exchange in range(random.randrange(stride), whole["exchanges"], stride):  # noqa: S311 - any start will do
        next(fresh)
        assert world.processes.run(*TICK, kill_at=exchange, now=DUE)["killed"]
        after = world.processes.run(*TICK, now=DUE)
        assert after["code"] == 0, after["output"]
        world.assert_one_run_an_occurrence()


@pytest.mark.parametrize("stride", [EVERY_TENTH, EVERY_ONE])
def test_a_worker_killed_anywhere_starts_nothing_twice(world: World, fresh: Iterator[None], stride: int) -> None:
    next(fresh)
    assert world.processes.run(*TICK, now=DUE)["code"] == 0
    whole = world.processes.run(*WORK, now=DUE)
    assert len(world.begun()) == SCHEDULES * 3
    for exchange in range(random.randrange(stride), whole["exchanges"], stride):  # noqa: S311 - any start will do
        next(fresh)
        assert world.processes.run(*TICK, now=DUE)["code"] == 0
        world.processes.run(*WORK, kill_at=exchange, now=DUE)
        after = world.processes.run(*WORK, now=DUE)
        assert after["code"] == 0, after["output"]
        world.assert_settles_soundly()


@pytest.mark.parametrize(
    "times", [pytest.param(4, id="four"), pytest.param(200, id="two-hundred", marks=pytest.mark.long)]
)
def test_random_kills(world: World, fresh: Iterator[None], times: int) -> None:
    for _ in range(times):
        next(fresh)
        for command in (TICK, WORK, TICK, WORK, WORK):
            after = random.uniform(0.005, 0.25)  # noqa: S311 - any moment will do
            world.processes.run(*command, kill_after=after, now=DUE)
        for command in (TICK, WORK):
            ended = world.processes.run(*command, now=DUE)
            assert ended["code"] == 0, ended["output"]
        world.assert_settles_soundly()
