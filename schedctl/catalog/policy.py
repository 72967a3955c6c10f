"""policy.toml -> what needs approval, when schedules pause, what is kept, the freezes, and who is told."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from schedctl.catalog import keys
from schedctl.catalog.basics import RISKS, Freeze, Risk
from schedctl.catalog.budget import EXAMPLE as BUDGET_EXAMPLE
from schedctl.catalog.budget import NO_BUDGET, Budget, parse_budget
from schedctl.catalog.channels import parse_channels, parse_routes, secret_reference
from schedctl.catalog.model import DailyReport, Policy
from schedctl.language import Text

if TYPE_CHECKING:
    from schedctl.catalog.table import Table

EXAMPLE: Final = "start = 2026-12-28T00:00:00+09:00"
CLOCK: Final = re.compile(r"([01]\d|2[0-3]):([0-5]\d)(?::00)?")


def parse_policy(file: Table) -> Policy:
    """The policy; every key has a default."""
    default = Policy()
    return Policy(
        approval=file.choices("approval", RISKS, default.approval),
        second_person=file.boolean("second_person"),
        auto_pause_after=file.integer("auto_pause_after", default.auto_pause_after, 1, 1000),
        freezes=tuple(
            freeze for table in file.list_of_tables("freezes", keys.FREEZE) if (freeze := _freeze(table)) is not None
        ),
        output_limit_bytes=file.integer("output_limit_bytes", default.output_limit_bytes, 1024, 64 * 1024 * 1024),
        budget=_budget(file),
        retention_days=file.integer("retention_days", default.retention_days, 1, 36500),
        retention_runs=file.integer("retention_runs", default.retention_runs, 1, 10_000_000),
        channels=parse_channels(file),
        routes=parse_routes(file),
        dead_man_url=secret_reference(file, "dead_man_url") if "dead_man_url" in file.values else None,
        report=_report(file.inner("report", keys.REPORT)),
    )


def _report(table: Table) -> DailyReport:
    """When the daily report is written; TOML's own local time (`at = 08:00:00`) is understood as well."""
    default = DailyReport()
    written = table.string("at", default.at)
    clock = CLOCK.fullmatch(written)
    if clock is None and written != "off":
        table.expect("at", Text("時刻か off ", "a time of day or off"), 'at = "08:00"')
    name = table.string("timezone", default.timezone)
    known = _named_zone(table, name) is not None
    return DailyReport(
        f"{clock[1]}:{clock[2]}" if clock else default.at if written != "off" else "off",
        name if known else default.timezone,
    )


def _budget(file: Table) -> Budget:
    written = file.optional_string("budget")
    try:
        return parse_budget(written) if written is not None else NO_BUDGET
    except ValueError as error:
        file.note(
            "budget",
            Text(f"「{error}」は予算として読めません", f"“{error}” is no budget"),
            Text(f'budget = "{BUDGET_EXAMPLE}" のように書いてください', f'Write it like budget = "{BUDGET_EXAMPLE}"'),
        )
        return NO_BUDGET


def _freeze(table: Table) -> Freeze | None:
    table.require("reason", Text("なぜ止めるか", "why nothing may change"), 'reason = "年末年始"')
    zone = _zone(table)
    start, end = _instant(table, "start", zone), _instant(table, "end", zone)
    if start is None or end is None:
        return None
    if end <= start:
        table.note(
            "end",
            Text("終わりが始まりより後ではありません", "The end is not after the start"),
            Text("start と end を確認してください", "Check start and end"),
        )
    risks: tuple[Risk, ...] = table.choices("risks", RISKS, ("changes", "disrupts"))
    return Freeze(start, end, risks, table.string("reason"))


def _zone(table: Table) -> ZoneInfo | None:
    """The zone of a freeze's wall-clock times; None where none is named."""
    name = table.optional_string("timezone")
    return (_named_zone(table, name) or ZoneInfo("UTC")) if name is not None else None


def _named_zone(table: Table, name: str) -> ZoneInfo | None:
    """The zone called so; None, and a mistake, where there is none."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        table.note(
            "timezone",
            Text(f"タイムゾーン「{name}」はありません", f"There is no time zone “{name}”"),
            Text("Asia/Tokyo のような IANA の名前を書いてください", "Write an IANA name such as Asia/Tokyo"),
        )
        return None


def _instant(table: Table, key: str, zone: ZoneInfo | None) -> datetime | None:
    """An instant: with its offset, or a wall-clock time in the freeze's `timezone`."""
    value = table.values.get(key)
    try:
        instant = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        instant = None
    if instant is None:
        table.expect(key, Text("日時", "a date and time"), EXAMPLE)
        return None
    if instant.tzinfo is None and zone is None:
        table.note(
            key,
            Text("時差がないので、いつのことか決まりません", "It has no offset, so it names no instant"),
            Text(f"時差か timezone を書いてください。例: {EXAMPLE}", f"Add an offset or timezone, like {EXAMPLE}"),
        )
        return None
    return instant.replace(tzinfo=instant.tzinfo or zone)
