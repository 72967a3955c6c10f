"""A fleet to plan for: the shipped actions on mars (web), venus (gpu), jupiter (gpu, web), this machine, and an agent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from schedctl.catalog.files import read_folder
from schedctl.catalog.parse import parse

if TYPE_CHECKING:
    from schedctl.catalog.model import Catalog

SHIPPED = Path(__file__).parents[2] / "catalog"
FLEET = Path(__file__).parent / "fleet"


def fleet_catalog() -> Catalog:
    """The shipped catalog with the fleet's files laid over it."""
    shipped, fleet = (cast("dict[str, object]", read_folder(folder)["files"]) for folder in (SHIPPED, FLEET))
    return parse({"files": {**shipped, **fleet}})


@pytest.fixture(scope="session")
def fleet() -> Catalog:
    return fleet_catalog()


@pytest.fixture(scope="session")
def shipped() -> Catalog:
    return parse(read_folder(SHIPPED))
