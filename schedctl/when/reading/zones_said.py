"""Zone names as people type them: `asia/tokyo` is `Asia/Tokyo`."""

from __future__ import annotations

from functools import lru_cache
from zoneinfo import available_timezones


def zone_called(name: str) -> str | None:
    """The zone of this name, whatever its case; None where there is none."""
    return _by_lower_case().get(name.lower())


@lru_cache(maxsize=1)
def _by_lower_case() -> dict[str, str]:
    return {zone.lower(): zone for zone in available_timezones()}
