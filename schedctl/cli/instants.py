"""Instants as options: ISO 8601, in the zone of the settings where no offset is written."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from schedctl.errors import Refused
from schedctl.language import Text

DAY_ALONE: Final = re.compile(r"\d{4}-\d\d-\d\d")
ONE_DAY: Final = timedelta(days=1)


def instant_given(text: str | None, zone: str, option: str, *, whole_day: bool = False) -> datetime | None:
    """The instant that an option names, None where it was not given; `Refused` (`usage`) where it is none.

    With `whole_day`, a date alone means up to its end.
    """
    if text is None:
        return None
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        raise Refused(
            "usage",
            Text(f"{option} の「{text}」は時刻として読めません", f"{option}: “{text}” is not an instant"),
            Text(
                "2026-12-06 か 2026-12-06T03:00+09:00 のように書いてください",
                "Write it like 2026-12-06 or 2026-12-06T03:00+09:00",
            ),
        ) from None
    if whole_day and DAY_ALONE.fullmatch(text):
        read += ONE_DAY
    return read if read.tzinfo else read.replace(tzinfo=ZoneInfo(zone))
