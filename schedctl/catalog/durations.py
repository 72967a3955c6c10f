"""Lengths of time in the catalog: `90s`, `5m`, `2h`, or a whole number of seconds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from schedctl.language import Text

if TYPE_CHECKING:
    from schedctl.catalog.table import Table

DURATION: Final = re.compile(r"(\d{1,6})(s|m|h)")
SECONDS: Final = {"s": 1, "m": 60, "h": 3600}
LONGEST_S: Final = 7 * 24 * 3600


def seconds(table: Table, key: str, default: int, example: str) -> int:
    """The length at `key` in seconds, from 1 second to a week."""
    value = table.values.get(key, default)
    written = DURATION.fullmatch(value) if isinstance(value, str) else None
    found = int(written[1]) * SECONDS[written[2]] if written else value
    if not isinstance(found, int) or isinstance(found, bool) or not 1 <= found <= LONGEST_S:
        table.expect(key, Text(" 1s から 168h までの時間", "a time from 1s to 168h"), f'{key} = "{example}"')
        return default
    return found
