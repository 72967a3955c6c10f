"""A node behind a real sshd, for the tests of the ssh transport."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from private_node import serve_private
from sshd import Sshd, serve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from private_node import PrivateNode


@pytest.fixture(scope="session")
def shared_node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    """One sshd for all tests that leave it as it is."""
    yield from serve(tmp_path_factory.mktemp("node"))


@pytest.fixture
def own_node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    """An sshd that a test may stop, cut and misconfigure."""
    yield from serve(tmp_path_factory.mktemp("own"))


@pytest.fixture
def private_node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateNode]:
    """A node whose user is not root; skipped where this machine cannot make one."""
    yield from serve_private(tmp_path_factory.mktemp("private"))
