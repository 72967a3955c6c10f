"""Adopting another agents.toml: it changes who is watched and how, and forgets nothing of what an agent was."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from installations import CATALOG, told
from psycopg.sql import SQL

from schedctl.errors import Refused, SchedctlError
from schedctl.usecases import adoption, installation, runs
from schedctl.usecases.beats import beat
from schedctl.usecases.tick import tick

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import LiteralString

    from conftest import Command

    from schedctl.usecases.site import Site

    SiteAt = Callable[[str], Site]

START = "2026-12-01T10:00+09:00"
LATER = "2026-12-01T10:03+09:00"
RESTART = 'restart = { action = "service.restart", node = "mars" }\n'
EXECUTOR = "[agents.executor]\n" + RESTART


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(CATALOG, tmp_path / "catalog"))


@pytest.fixture
def adopt(site_at: SiteAt, folder: Path) -> Callable[..., Site]:
    """Adopt this agents.toml at that moment; the site."""

    def run(agents: str, now: str = START) -> Site:
        (folder / "agents.toml").write_text(agents, encoding="utf-8")
        site = site_at(now)
        site = replace(site, settings=replace(site.settings, catalog=folder))
        assert adoption.adopt(site, dry_run=False).adopted
        return site

    return run


def agents_of(site: Site, columns: LiteralString) -> list[tuple[Any, ...]]:
    return site.db.execute(SQL("SELECT name, {} FROM schedctl.agent ORDER BY name").format(SQL(columns))).fetchall()


def test_it_changes_who_is_watched_and_how(adopt: Callable[..., Site]) -> None:
    adopt(EXECUTOR)
    site = adopt('[agents.executor]\nevery = "10s"\n[agents.writer]\n')
    assert agents_of(site, "watched, extract(epoch FROM every)::int, restart_plan IS NULL") == [
        ("executor", True, 10, True),
        ("writer", True, 60, True),
    ]
    site = adopt("[agents.writer]\n")
    assert agents_of(site, "watched") == [("executor", False), ("writer", True)]


def test_an_agent_keeps_its_history(adopt: Callable[..., Site]) -> None:
    site = adopt(EXECUTOR)
    for tokens in range(12):
        beat(site, "executor", "ok", tokens)
    before = agents_of(site, "tokens, beat_at, state, state_since, ok_since, watched_since")
    site = adopt(EXECUTOR + 'cooldown = "6m"\n', LATER)
    assert agents_of(site, "tokens, beat_at, state, state_since, ok_since, watched_since") == before


def test_who_comes_back_is_watched_from_now_on_and_not_by_what_is_long_past(
    adopt: Callable[..., Site], site_at: SiteAt
) -> None:
    site = adopt("[agents.executor]\n")
    installation.arm(site, None)
    beat(site, "executor", "ok", 5)
    tick(site_at(LATER))
    assert agents_of(site, "state") == [("executor", "unhealthy")]
    adopt("[agents.writer]\n", LATER)
    site = adopt("[agents.executor]\n", "2026-12-05T10:00+09:00")
    assert agents_of(site, "state, tokens")[0] == ("executor", "starting", [5])
    tick(site)
    assert agents_of(site, "state")[0] == ("executor", "starting")
    tick(site_at("2026-12-05T10:03+09:00"))
    assert agents_of(site, "state")[0] == ("executor", "unhealthy")


@pytest.mark.parametrize(
    ("agents", "state"),
    [
        ("[agents.writer]\n", ("cancelled", "catalog_changed", 1)),
        ("[agents.executor]\n", ("cancelled", "catalog_changed", 1)),
        (EXECUTOR.replace("mars", "venus"), ("cancelled", "catalog_changed", 1)),
        (EXECUTOR + "attempts = 2\n", ("queued", None, 1)),
    ],
)
def test_a_queued_restart_that_is_no_longer_approved_is_not_carried_out(
    adopt: Callable[..., Site], site_at: SiteAt, agents: str, state: tuple[str, str | None, int]
) -> None:
    installation.arm(adopt(EXECUTOR), None)
    tick(site_at(LATER))
    assert told(site_at(LATER)) == [("queued", None, 1)]
    assert told(adopt(agents, LATER)) == [state]


def test_a_restart_is_done_again_only_as_the_catalog_has_it(
    adopt: Callable[..., Site], site_at: SiteAt, folder: Path
) -> None:
    installation.arm(adopt(EXECUTOR), None)
    tick(site_at(LATER))
    runs.cancel(site_at(LATER), 1, "見てから")
    assert runs.start_again(site_at(LATER), 1).state == "queued"
    actions = folder / "actions" / "probe.toml"
    before, restart, after = actions.read_text(encoding="utf-8").partition('["service.restart"]')
    actions.write_text(before + restart + after.replace('["true"]', '["true", "--force"]', 1), encoding="utf-8")
    adopt(EXECUTOR, LATER)
    with pytest.raises(Refused) as refused:
        runs.start_again(site_at(LATER), 1)
    assert (refused.value.type, "--force" in refused.value.message.ja) == ("catalog_changed", True)


def test_it_is_told_to_the_channels_that_it_names(adopt: Callable[..., Site], site_at: SiteAt, folder: Path) -> None:
    with (folder / "policy.toml").open("a", encoding="utf-8") as policy:
        policy.write('[channels.oncall]\ntype = "slack"\nurl = "${secret:oncall}"\n')
    adopt('[agents.executor]\ntell = ["oncall"]\n[agents.writer]\n')
    tick(site_at(LATER))
    found = site_at(LATER).db.execute(
        "SELECT channel, type, detail ->> 'agent' FROM schedctl.outbox JOIN schedctl.event USING (event_id)"
    )
    assert found.fetchall() == [("oncall", "agent_unhealthy", "executor")]


REFUSED = [
    ('restart = { action = "service.strat", node = "mars" }', "service.strat"),
    ('restart = { action = "service.restart", node = "pluto" }', "pluto"),
    ('restart = { action = "gpu.only", node = "mars" }', "mars"),
]


@pytest.mark.parametrize(("restart", "word"), REFUSED, ids=[row[1] for row in REFUSED])
def test_a_restart_that_cannot_be_planned_is_refused_by_check_and_by_adopt(
    schedctl: Command, folder: Path, restart: str, word: str
) -> None:
    text = (folder / "actions" / "probe.toml").read_text(encoding="utf-8")
    only = '["gpu.only"]\nlabel = { ja = "描画", en = "make pictures" }\nrisk = "changes"\ntimeout = 5\n'
    text += only + 'argv = ["true"]\ngroups = ["gpu"]\n'
    (folder / "actions" / "probe.toml").write_text(text, encoding="utf-8")
    (folder / "agents.toml").write_text(f"[agents.executor]\n{restart}\n", encoding="utf-8")
    env = {"SCHEDCTL_CATALOG": str(folder)}
    checked = schedctl("catalog", "check", "--json", env=env)
    assert checked.code == 2
    (problem,) = checked.json["problems"]
    assert (problem["file"], problem["key"].startswith("agents.executor.restart")) == ("agents.toml", True)
    assert word in problem["message"]
    adopted = schedctl("catalog", "adopt", "--json", env=env)
    assert (adopted.code, adopted.json["error"]["type"]) == (2, "catalog_invalid")


def test_nothing_of_a_refused_catalog_is_kept(adopt: Callable[..., Site]) -> None:
    site = adopt(EXECUTOR)
    with pytest.raises(SchedctlError):
        adopt(EXECUTOR.replace("mars", "pluto"))
    assert agents_of(site, "watched") == [("executor", True)]
