"""Every key that the catalog files know. docs/catalog.md explains each, and a test holds the two together."""

from __future__ import annotations

from typing import Final

NODES_FILE: Final = ("nodes", "groups")
NODE: Final = ("transport", "label", "aliases", "address", "user", "port", "groups")
GROUP: Final = ("label", "aliases")
ACTION: Final = (
    "label",
    "aliases",
    "risk",
    "timeout",
    "argv",
    "request",
    "as",
    "prerequisites",
    "conflicts",
    "final",
    "groups",
    "parameters",
    "repeatable",
    "retries",
    "success_exit_codes",
    "environment",
    "stdin",
)
COMMAND_ONLY: Final = ("as", "success_exit_codes", "environment", "stdin")
"""Keys of an action that say something about a command and nothing about a request."""
PARAMETER: Final = ("label", "values", "pattern", "default", "aliases")
REQUEST: Final = (
    "method",
    "url",
    "headers",
    "body",
    "success_statuses",
    "external_id",
    "tokens_used",
    "follow_redirects",
)
POLICY_FILE: Final = (
    "approval",
    "second_person",
    "auto_pause_after",
    "output_limit_bytes",
    "budget",
    "retention_days",
    "retention_runs",
    "freezes",
    "channels",
    "routes",
    "dead_man_url",
    "report",
)
REPORT: Final = ("at", "timezone")
EVERY_CHANNEL: Final = ("type", "language")
CHANNEL_KINDS: Final = {
    "webhook": ("url", "key"),
    "slack": ("url",),
    "ntfy": ("server", "topic", "token"),
    "email": ("host", "port", "security", "user", "password", "sender", "recipients", "ca_file"),
    "command": ("action", "input"),
}
CHANNEL: Final = tuple(dict.fromkeys((*EVERY_CHANNEL, *(key for keys in CHANNEL_KINDS.values() for key in keys))))
ROUTE: Final = ("channels", "events", "severity", "risks", "nodes")
FREEZE: Final = ("start", "end", "timezone", "risks", "reason")
AGENTS_FILE: Final = ("agents",)
AGENT: Final = (
    "label",
    "every",
    "missed_beats",
    "restart",
    "cooldown",
    "attempts",
    "cost_window",
    "cost_factor",
    "stopping_for",
    "tell",
)
RESTART: Final = ("action", "node", "parameters")
CALENDAR: Final = ("country", "closed", "closed_yearly", "open")
CALENDAR_FILE: Final = (*CALENDAR, "calendars")
