from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.planner import planner_server

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def server() -> Iterator[planner_server.PlannerServer]:
    """A planner server over real HTTP, closed with all its connections after the test."""
    with planner_server.running() as running:
        yield running
