"""A command that is told no database, on a machine whose units have one, makes no empty one of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from installations import settings_for

from schedctl import settings
from schedctl.errors import Refused
from schedctl.usecases.site import open_site
from tests.store.embedded_commands import with_a_cluster

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("environ", "counts"),
    [
        ({}, True),
        ({"SCHEDCTL_STATE": "/srv/mine"}, False),
        ({"STATE_DIRECTORY": "/var/lib/schedctl"}, False),
        ({"SCHEDCTL_DSN": "host=/run/postgresql"}, False),
        ({"PGSERVICE": "schedctl"}, False),
    ],
)
def test_it_counts_where_nothing_says_which(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, environ: dict[str, str], counts: bool
) -> None:
    installed = tmp_path / "dsn"
    monkeypatch.setattr(settings, "INSTALLED_DSN", installed)
    assert settings.from_environment(environ).installed_dsn is None
    installed.touch()
    assert settings.from_environment(environ).installed_dsn == (installed if counts else None)


def test_no_database_is_made_beside_the_machines_own(tmp_path: Path) -> None:
    untold = replace(settings_for(""), dsn=None, state=tmp_path / "state", installed_dsn=tmp_path / "dsn")
    with pytest.raises(Refused) as refused, open_site(untold):
        pass
    assert refused.value.type == "database_not_named"
    assert list(tmp_path.iterdir()) == []


def test_one_that_is_there_is_used(tmp_path: Path) -> None:
    state = with_a_cluster(tmp_path / "state")
    untold = replace(settings_for(""), dsn=None, state=state, installed_dsn=tmp_path / "dsn")
    with open_site(untold) as site, site.transaction():
        assert site.db.execute("SELECT count(*) FROM schedctl.schedule").fetchone() == (0,)
