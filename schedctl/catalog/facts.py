"""Every type of event that can be told, and how grave it is. The table schedctl.event_type says the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

Severity = Literal["info", "warning", "error"]
SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)


@dataclass(frozen=True, slots=True)
class Fact:
    """How grave a type of event is, and the severity by which routes choose it.

    A recovery is good news, and whoever was told of what it ends has to be told of it.
    """

    severity: Severity
    routed_as: Severity


def _fact(severity: Severity, routed_as: Severity | None = None) -> Fact:
    return Fact(severity, routed_as or severity)


FACTS: Final[dict[str, Fact]] = {
    "registered": _fact("info"),
    "approved": _fact("info"),
    "paused": _fact("warning"),
    "resumed": _fact("info", "warning"),
    "archived": _fact("info"),
    "finished": _fact("info"),
    "armed": _fact("info", "warning"),
    "disarmed": _fact("warning"),
    "fired": _fact("info"),
    "late": _fact("warning"),
    "missed": _fact("error"),
    "skipped": _fact("warning"),
    "rehearsed": _fact("info"),
    "refused": _fact("error"),
    "succeeded": _fact("info"),
    "failed": _fact("error"),
    "recovered": _fact("info", "error"),
    "timed_out": _fact("error"),
    "lost": _fact("error"),
    "cancelled": _fact("warning"),
    "budget_reached": _fact("error"),
    "auto_paused": _fact("error"),
    "catalog_adopted": _fact("info"),
    "node_held": _fact("warning"),
    "agent_unhealthy": _fact("warning"),
    "agent_restarted": _fact("warning"),
    "agent_escalated": _fact("error"),
    "agent_recovered": _fact("info", "error"),
    "cost_alarm": _fact("error"),
    "tick_silent": _fact("error"),
    "queue_stuck": _fact("error"),
    "freeze_ahead": _fact("info"),
    "report_written": _fact("info"),
}
