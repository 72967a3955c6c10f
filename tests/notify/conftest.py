"""A receiver over real HTTP, and an installation whose every fact goes to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from receivers import Receiver, receiving
from telling import telling_site

from schedctl.notify import post

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from schedctl.usecases.site import Site


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Generator[Receiver]:
    """The receiver; whoever asks it waits a third of a second for an answer, not ten."""
    monkeypatch.setattr(post, "READ_TIMEOUT_S", 0.3)
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def told(database: str, tmp_path: Path) -> Generator[Site]:
    """An installation whose policy sends everything to the channel `ops`, a webhook."""
    with telling_site(database, tmp_path) as site:
        yield site
