"""Which events a route lets through: by type, severity, risk and node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from days import BEFORE, DAILY, day_of, due
from making import READS, add
from telling import WEBHOOK, at, telling_site, told_types

from schedctl.plan.request import Request
from schedctl.usecases import installation, nodes, schedules

if TYPE_CHECKING:
    from pathlib import Path

ROUTES = WEBHOOK + '[[routes]]\nchannels = ["ops"]\n'


@pytest.mark.parametrize(
    ("conditions", "heard"),
    [
        ('severity = "error"', ["failed", "recovered", "failed", "recovered"]),
        ('events = ["failed"]', ["failed", "failed"]),
        ('severity = "error"\nrisks = ["changes", "disrupts"]', ["failed", "recovered"]),
        ('severity = "error"\nnodes = ["gpu"]', ["failed", "recovered"]),
        ('nodes = ["jupiter"]', []),
        ('events = ["node_held"]\nnodes = ["venus"]', ["node_held"]),
        ('severity = "error"\n[[routes]]\nchannels = ["ops"]\nevents = ["failed"]', ["failed", "recovered"] * 2),
    ],
)
def test_routes_by_type_severity_risk_and_node(
    database: str, tmp_path: Path, conditions: str, heard: list[str]
) -> None:
    with telling_site(database, tmp_path, ROUTES + conditions) as site:
        installation.arm(at(site, BEFORE), None)
        site.db.execute("DELETE FROM schedctl.outbox")
        for number, requests in enumerate((READS, (Request("venus", "packages.refresh"),))):
            day = 2 + 2 * number
            schedule = add(at(site, due(day - 1)), DAILY, requests, say=f"plan {number}")
            day_of(site, day, outcome="failed")
            day_of(site, day + 1, outcome="succeeded")
            schedules.archive(at(site, due(day + 1)), str(schedule), None)
        nodes.hold(site, "venus", "点検")
        assert told_types(site) == heard
