"""Outside the catalog nothing runs: adopting another one cancels what is queued and would now be another command."""

from __future__ import annotations

import shutil
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from installations import CATALOG, told
from making import READS, add

from schedctl.plan.request import Request
from schedctl.redact import Redactor
from schedctl.transport.local import LocalTransport
from schedctl.usecases import adoption, installation, runs
from schedctl.usecases.ledger import Ledger
from schedctl.usecases.tick import tick
from schedctl.usecases.work import drain
from schedctl.usecases.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from schedctl.usecases.site import Site

DAILY = "daily at 03:00 in Asia/Tokyo"
START = "2026-12-01T10:00+09:00"
DUE = "2026-12-02T03:00:30+09:00"
UPGRADE = (Request("mars", "packages.upgrade"),)
CANCELLED = ("cancelled", "catalog_changed", 1)


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """A catalog in which packages.upgrade is another command."""
    folder = shutil.copytree(CATALOG, tmp_path / "catalog")
    probe = folder / "actions" / "probe.toml"
    text = probe.read_text(encoding="utf-8")
    other = text.replace('argv = ["true"]\nprerequisites', 'argv = ["true", "--now"]\nprerequisites')
    assert other != text
    probe.write_text(other, encoding="utf-8")
    return folder


def adopt(site: Site, folder: Path) -> adoption.Adoption:
    return adoption.adopt(replace(site, settings=replace(site.settings, catalog=folder)), dry_run=False)


def work(site: Site) -> tuple[int, ...]:
    ledger, ways = Ledger(site, "w1"), {"local": LocalTransport()}
    return drain(Worker(ledger, ways, Redactor(), None, 2, 65_536, "Asia/Tokyo", threading.Event()))


def test_what_is_queued_by_hand_and_by_the_timer_is_cancelled(site_at: Callable[[str], Site], changed: Path) -> None:
    start = site_at(START)
    installation.arm(start, None)
    schedule = add(start, DAILY, UPGRADE)
    site = site_at(DUE)
    assert tick(site).fired == 1
    by_hand = runs.start(site, str(schedule)).run_id
    assert adopt(site, changed).cancelled_runs == (1, by_hand)
    assert told(site) == [CANCELLED, CANCELLED]
    assert work(site) == ()


def test_a_run_of_a_schedule_that_has_ended_is_cancelled_too(site_at: Callable[[str], Site], changed: Path) -> None:
    site = site_at(START)
    schedule = add(site, DAILY, UPGRADE)
    runs.start(site, str(schedule))
    site.db.execute("UPDATE schedctl.schedule SET state = 'finished', next_fire_at = NULL")
    assert adopt(site, changed).cancelled_runs == (1,)
    assert told(site) == [CANCELLED]
    assert work(site) == ()


def test_what_the_new_catalog_would_run_as_well_stays_queued(site_at: Callable[[str], Site], changed: Path) -> None:
    site = site_at(START)
    runs.start(site, str(add(site, DAILY, READS)))
    assert adopt(site, changed).cancelled_runs == ()
    assert work(site) == (1,)
    assert told(site) == [("succeeded", None, 1)]
