"""Zone names as people type them: `asia/tokyo` is `Asia/Tokyo`."""

from __future__ import annotations

from functools import lru_cache
from typing import Final
from zoneinfo import available_timezones

from schedctl.language import Text
from schedctl.when.reading.parts import Unclear

AREAS: Final = frozenset(
    ("africa", "america", "antarctica", "arctic", "asia", "atlantic", "australia", "europe", "indian", "pacific", "etc")
)
"""The areas that zones are named after."""


def zone_called(name: str) -> str | None:
    """The zone of this name, whatever its case; None where there is none."""
    return _by_lower_case().get(name.lower())


def is_of_an_area(name: str) -> bool:
    """Whether a name looks like a zone's: `Asia/Tokio`."""
    return name.lower().partition("/")[0] in AREAS


def unknown_zone(said: str) -> Unclear:
    """`9時 Asia/Tokio`: never silently the usual zone."""
    message = Text(f"「{said}」というタイムゾーンはありません", f"There is no time zone “{said}”")
    advice = Text("Asia/Tokyo のような IANA の名前で書いてください", "Write an IANA name such as Asia/Tokyo")
    return Unclear("ambiguous_time", message, advice=advice)


@lru_cache(maxsize=1)
def _by_lower_case() -> dict[str, str]:
    return {zone.lower(): zone for zone in available_timezones()}
