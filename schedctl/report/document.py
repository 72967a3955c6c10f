"""A report as JSON: docs/report.schema.json says what stands in it. Keys are added, never changed or removed. Pure."""

from __future__ import annotations

import dataclasses
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any, Final, cast

from schedctl.language import Text

if TYPE_CHECKING:
    from schedctl.language import Lang
    from schedctl.report.model import Report

VERSION: Final = 1
COMPUTED: Final = {
    "Report": ("complete", "quiet"),
    "AgentReport": ("noteworthy",),
    "ScheduleReport": ("noteworthy",),
    "Cost": ("ratio",),
    "DayCost": ("mean",),
}
"""Properties that stand beside the fields."""


def document(report: Report, lang: Lang) -> dict[str, Any]:
    """The report: its fields as they are named in report/model.py, sentences in one language, instants in ISO 8601."""
    return {"version": VERSION, **cast("dict[str, Any]", _plain(report, lang))}


def _plain(value: object, lang: Lang) -> object:
    match value:
        case Text():
            return value.say(lang)
        case datetime():
            return value.isoformat(timespec="seconds")
        case date():
            return value.isoformat()
        case time():
            return value.isoformat(timespec="minutes")
        case float():
            return round(value, 4)
        case tuple():
            return [_plain(one, lang) for one in cast("tuple[object, ...]", value)]
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            names = [field.name for field in dataclasses.fields(value)]
            names += COMPUTED.get(type(value).__name__, ())
            return {name: _plain(cast("object", getattr(value, name)), lang) for name in names}
        case _:
            return value
