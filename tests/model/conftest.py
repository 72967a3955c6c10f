"""Processes that begin at once, for the tests of what several hosts and a failing database do to firing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import at_once as at_once_processes
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from at_once import AtOnce


@pytest.fixture(scope="session")
def at_once() -> Iterator[AtOnce]:
    """The process that forks the others."""
    with at_once_processes.serving() as processes:
        yield processes
