"""Canonical JSON of values, and its digest.

Fields at their default are left out, so that a field which a later version adds changes no digest.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from datetime import UTC, date, datetime
from typing import cast


def canonical(value: object) -> object:
    """`value` as plain JSON: dataclasses as objects without their defaults, sets sorted, instants in UTC."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: canonical(inner)
            for field in dataclasses.fields(value)
            if field.compare and (inner := cast("object", getattr(value, field.name))) != default_of(field)
        }
    match value:
        case tuple() | list():
            return [canonical(item) for item in cast("tuple[object, ...]", value)]
        case frozenset():
            return sorted((canonical(item) for item in cast("frozenset[object]", value)), key=json.dumps)
        case datetime():
            return value.astimezone(UTC).isoformat()
        case date():
            return value.isoformat()
        case _:
            return value


def default_of(field: dataclasses.Field[object]) -> object:
    """A field's default value; something equal to nothing else where it has none."""
    return field.default


def digest_of(value: object) -> str:
    """The sha256 (hex) of the canonical JSON of `value`."""
    text = json.dumps(canonical(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
