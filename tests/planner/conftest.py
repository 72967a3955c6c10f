from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.planner import model_server

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def model() -> Iterator[model_server.ModelServer]:
    """A language model server over real HTTP, closed with all its connections after the test."""
    with model_server.running() as running:
        yield running
