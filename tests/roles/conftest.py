"""A login role for each group, on a prepared database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from logins import Logins, logins_on

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Command


@pytest.fixture
def roles(database: str, schedctl: Command) -> Iterator[Logins]:
    """Login roles, one in each group."""
    with logins_on(database, schedctl) as logins:
        yield logins
