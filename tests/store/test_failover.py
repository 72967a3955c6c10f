"""A failover: the next tick goes on at the standby, by itself and once; where the database went back in time, not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest
from standby import pair

from schedctl.usecases import installation
from schedctl.usecases.tick import tick

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Command

    from schedctl.usecases.site import Site

BEFORE = "2026-12-02T02:50+09:00"
DUE = "2026-12-02T03:00:10+09:00"
NEXT_DAY = "2026-12-03T03:00:10+09:00"
EARLIER = "UPDATE schedctl.installation SET timeline = timeline + 1"
LONG_AGO = "UPDATE schedctl.tick_beat SET beat_at = now() - interval '11 minutes'"


def test_after_a_failover_the_next_tick_goes_on(schedctl: Command) -> None:
    with pair() as servers:
        there = {"SCHEDCTL_DSN": servers.dsn}
        schedctl("arm", now=BEFORE, env=there)
        schedctl("register", "--yes", "毎日3時にmarsでprobe.okを実行して", now=BEFORE, env=there)
        assert schedctl("tick", "--json", now=DUE, env=there).json["fired"] == 1
        servers.wait_for_standby()
        servers.lose_primary()
        gone = schedctl("tick", now=DUE, env=there)
        assert (gone.code, gone.out, gone.err.count("\n")) == (1, "", 2)
        servers.promote()
        again = schedctl("tick", "--json", now=DUE, env=there).json
        assert (again["fired"], again["armed"], again["warnings"]) == (0, True, [])
        assert len(schedctl("work", "--drain", "--json", now=DUE, env=there).json["runs"]) == 1
        assert schedctl("tick", "--json", now=NEXT_DAY, env=there).json["fired"] == 1


@pytest.mark.parametrize(("statements", "armed"), [([EARLIER], True), ([EARLIER, LONG_AGO], False), ([LONG_AGO], True)])
def test_a_recovery_to_an_earlier_point_is_told_from_a_failover_by_the_last_tick(
    site_at: Callable[[str], Site], database: str, statements: list[str], *, armed: bool
) -> None:
    site = site_at(BEFORE)
    installation.arm(site, None)
    tick(site)
    with psycopg.connect(database, autocommit=True) as db:
        for statement in statements:
            db.execute(statement)  # pyright: ignore[reportCallIssue, reportArgumentType]
    report = tick(site_at(DUE))
    assert (report.armed, bool(report.warnings)) == (armed, not armed)
