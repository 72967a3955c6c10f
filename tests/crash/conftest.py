"""An armed installation whose commands tell on a doubled start, and real processes to work on it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import pytest
from installations import settings_for
from making import add
from marks import NODE, PLAN, SCHEDULES, SSH_NODE, World, write_catalog
from processes import Processes, serving
from sshd import serve

from schedctl.usecases import installation
from schedctl.usecases.site import open_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BEFORE = "2026-12-01T10:00:00+09:00"


@pytest.fixture(scope="session")
def fork_server() -> Iterator[Processes]:
    """The process that forks the others."""
    with serving() as processes:
        yield processes


@pytest.fixture
def world(empty_database: str, fork_server: Processes, tmp_path: Path) -> World:
    """Schedules that are all due at `DUE`, on a database of their own."""
    return made(empty_database, fork_server, tmp_path, NODE, {})


@pytest.fixture
def ssh_world(empty_database: str, fork_server: Processes, tmp_path: Path) -> Iterator[World]:
    """The same, whose nodes are reached over a real sshd."""
    for node in serve(tmp_path / "node"):
        variables = {"SCHEDCTL_SSH_CONFIG": str(node.folder / "ssh_config")}
        yield made(empty_database, fork_server, tmp_path, SSH_NODE.format(target=node.target), variables)


def made(dsn: str, fork_server: Processes, folder: Path, node: str, variables: dict[str, str]) -> World:
    """The installation, armed, and its processes."""
    starts = folder / "starts"
    starts.touch()
    catalog = write_catalog(folder / "catalog", starts, node)
    now = datetime.fromisoformat(BEFORE)
    with open_site(settings_for(dsn, catalog=catalog, rehearsal_now=now)) as site:
        installation.arm(site, None)
        for number in range(SCHEDULES):
            add(site, "daily at 03:00 in Asia/Tokyo", PLAN, say=f"plan {number}")
    fork_server.environment = {
        "SCHEDCTL_DSN": dsn,
        "SCHEDCTL_CATALOG": str(catalog),
        "SCHEDCTL_HOST": "testhost",
        "LANG": "C.UTF-8",
        **variables,
    }
    return World(dsn, starts, fork_server)


@pytest.fixture
def fresh(request: pytest.FixtureRequest) -> Iterator[None]:
    """Each `next()` puts the world back to where all schedules are due and nothing has run."""
    name = "ssh_world" if "ssh_world" in request.fixturenames else "world"
    world: World = request.getfixturevalue(name)

    def again() -> Iterator[None]:
        while True:
            world.execute(
                "TRUNCATE schedctl.run, schedctl.leg, schedctl.step, schedctl.tick_beat RESTART IDENTITY CASCADE"
            )
            world.execute(
                "UPDATE schedctl.schedule SET state = 'active', reason = NULL, failures_in_a_row = 0, "
                "settled_through = '2026-12-01T10:00+09:00', next_fire_at = '2026-12-02T03:00+09:00'"
            )
            world.starts.write_text("")
            yield None

    return again()
