from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fleets import SHIPPED, fleet_catalog

from schedctl.catalog.files import read_folder
from schedctl.catalog.parse import parse

if TYPE_CHECKING:
    from schedctl.catalog.model import Catalog


@pytest.fixture(scope="session")
def fleet() -> Catalog:
    return fleet_catalog()


@pytest.fixture(scope="session")
def shipped() -> Catalog:
    return parse(read_folder(SHIPPED))
