"""The catalog's package actions as shipped, by a real apt: locks, conffiles, a repository that is away."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from apt_box import CONFFILE, DPKG_LOCK, LISTS_LOCK, AptBox, serve_apt_box
from installations import database_in
from psycopg.sql import SQL, Identifier

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def machine(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AptBox]:
    name = Identifier(f"test_apt_{uuid.uuid4().hex[:8]}")
    with psycopg.connect(server, autocommit=True) as db:
        db.execute(SQL("CREATE DATABASE {} ENCODING 'UTF8' TEMPLATE template0").format(name))
        yield from serve_apt_box(tmp_path_factory.mktemp("apt"), database_in(server, name.as_string().strip('"')))
        db.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(name))


@pytest.fixture
def apt(machine: AptBox) -> AptBox:
    """Version 1 is installed, its conffile was edited, and version 2 is on offer."""
    machine.start_anew()
    machine.offer("1", "2")
    return machine


def ends(run: dict[str, Any], action: str) -> list[tuple[str, int | None]]:
    """How each attempt of an action ended."""
    return [(step["state"], step["exit_code"]) for step in run["steps"] if step["action"] == action]


def test_an_upgrade_asks_nothing_and_keeps_the_edited_file(apt: AptBox) -> None:
    run = apt.perform("apt.upgrade")
    assert run["state"] == "succeeded"
    assert [step["action"] for step in run["steps"]] == ["apt.update", "apt.upgrade"]
    assert apt.installed() == "2"
    assert apt.box.do(f"cat {CONFFILE} {CONFFILE}.dpkg-dist") == "edited here\nas in 2\n"


def test_a_simulated_upgrade_changes_nothing_and_minds_no_lock(apt: AptBox) -> None:
    apt.box.do("apt-get -q update")
    with apt.locked(DPKG_LOCK, 60), apt.locked(LISTS_LOCK, 60):
        run = apt.perform("apt.list")
    assert ends(run, "apt.list") == [("succeeded", 0)]
    assert "Inst schedctl-probe [1] (2 " in run["steps"][0]["stdout"]
    assert apt.installed() == "1"


def test_an_upgrade_waits_for_whoever_holds_dpkgs_lock(apt: AptBox) -> None:
    apt.schedule("apt.upgrade")  # so that nothing but the run falls into the seconds
    with apt.locked(DPKG_LOCK, 6):
        run = apt.perform("apt.upgrade")
    assert ends(run, "apt.upgrade") == [("succeeded", 0)]
    assert "Waiting for cache lock" in run["steps"][-1]["stdout"] + run["steps"][-1]["stderr"]
    assert apt.installed() == "2"


def test_an_update_is_tried_again_when_the_lists_were_locked(apt: AptBox) -> None:
    """apt does not wait for this lock."""
    apt.schedule("apt.update")  # so that nothing but the run falls into the seconds
    with apt.locked(LISTS_LOCK, 8):
        run = apt.perform("apt.update")
    assert ends(run, "apt.update") == [("failed", 100), ("succeeded", 0)]
    assert run["state"] == "succeeded"


AWAY = "deb [trusted=yes] http://127.0.0.1:9/debian ./"


def test_an_update_from_a_repository_that_is_away_is_a_failure(apt: AptBox) -> None:
    apt.use(AWAY)
    argv = apt.schedule("apt.update")["plan"]["steps"][0]["argv"]
    assert apt.box.run(*argv).returncode == 100


@pytest.mark.long
@pytest.mark.parametrize("what", ["away", "locked"])
def test_an_update_that_cannot_be_had_fails_with_a_hint_and_upgrades_nothing(apt: AptBox, what: str) -> None:
    if what == "away":
        apt.use(AWAY)
    with apt.locked(LISTS_LOCK if what == "locked" else "/run/another-lock", 300):
        run = apt.perform("apt.upgrade", expect=1)
    assert ends(run, "apt.update") == [("failed", 100)] * 3
    assert ends(run, "apt.upgrade") in ([], [("not_run", None)])
    assert run["error"]["type"] == "exit_code"
    assert run["error"]["hint"]
    assert apt.installed() == "1"


@pytest.mark.long
def test_an_upgrade_gives_up_on_a_lock_that_stays(apt: AptBox) -> None:
    """After the five minutes that the catalog says."""
    with apt.locked(DPKG_LOCK, 600):
        run = apt.perform("apt.upgrade", expect=1)
    assert ends(run, "apt.upgrade") == [("failed", 100)]
    assert run["error"]["hint"]
    assert apt.installed() == "1"
