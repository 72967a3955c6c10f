from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.planner import model_server, real_model

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.planner.llm import Planner


@pytest.fixture
def model() -> Iterator[model_server.ModelServer]:
    """A language model server over real HTTP, scripted, closed with all its connections after the test."""
    with model_server.running() as running:
        yield running


@pytest.fixture(scope="session")
def real_planner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planner]:
    """A planner with a real model on a real server; tests that ask for it are marked `model`."""
    with real_model.running(tmp_path_factory.mktemp("model")) as planner:
        yield planner
