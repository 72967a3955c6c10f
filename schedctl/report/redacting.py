"""A report without secrets: every text of it passes the redactor, once, before anything is rendered."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeVar, cast

from schedctl.report.kept import Kept

if TYPE_CHECKING:
    from schedctl.redact import Redactor

Value = TypeVar("Value")


def redacted(value: Value, redactor: Redactor) -> Value:
    """The same value with every secret replaced, in dataclasses and tuples as deep as they go."""
    return cast("Value", _redacted(value, redactor, {}))


def _redacted(value: object, redactor: Redactor, seen: dict[str, str]) -> object:
    match value:
        case str():
            if value not in seen:
                seen[value] = redactor.text(value)
            return seen[value]
        case Kept():
            return value  # was redacted when it was gathered
        case tuple():
            return tuple(_redacted(one, redactor, seen) for one in cast("tuple[object, ...]", value))
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = (field.name for field in dataclasses.fields(value))
            changes: dict[str, Any] = {name: _redacted(getattr(value, name), redactor, seen) for name in fields}
            return dataclasses.replace(value, **changes)
        case _:
            return value
