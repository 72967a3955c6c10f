"""One Chromium for all tests of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from browser import Browser, program, running

if TYPE_CHECKING:
    from collections.abc import Generator


@pytest.fixture(scope="session")
def browser() -> Generator[Browser]:
    """A headless browser, or a skip that says what is missing."""
    chromium = program()
    if chromium is None:
        pytest.skip("chromium is not installed (Debian: the packages chromium and fonts-noto-cjk)")
    with running(chromium) as started:
        yield started
