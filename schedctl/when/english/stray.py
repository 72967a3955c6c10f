"""What stands right behind English words of time and must not be lost: `9:00/18:00`, `Mon+Thu`, `9am -0500`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.when.english.scan import Hit
from schedctl.when.reading.draft import CORES
from schedctl.when.reading.grammar import Found
from schedctl.when.reading.parts import Clock, Hourly, Step, Unclear, Window
from schedctl.when.reading.zones_said import AREAS, zone_called

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TIMES: Final = (Clock, Hourly, Step, Window)
JOINED: Final = re.compile(r"[+/&×]\w+(?::\d\d)?")
OFFSET: Final = re.compile(r"\s*[+-]\d{2}:?\d{2}(?![\w:-])")
IN_BRACKETS: Final = re.compile(r" ?\((?P<city>[a-z]+(?: [a-z]+){0,2})\)")


def doubts(text: str, found: Sequence[Hit]) -> Iterator[Hit]:
    """A doubt at each of them that no other word of time has taken."""
    starts = {hit.start for hit in found}
    for hit in found:
        if hit.weak or hit.end in starts:
            continue
        kinds = [part.part for part in hit.parts]
        if any(isinstance(part, TIMES) for part in kinds):
            said = OFFSET.match(text, hit.end) or JOINED.match(text, hit.end) or _city(text, hit.end)
        elif any(isinstance(part, CORES) for part in kinds):
            said = JOINED.match(text, hit.end)
        else:
            continue
        if said is not None and not any(said.start() <= start < said.end() for start in starts):
            yield Hit((Found(_unclear(said[0].strip()), *said.span()),), *said.span())


def _city(text: str, place: int) -> re.Match[str] | None:
    """`9am (Singapore)`: a city after which a time zone is called."""
    said = IN_BRACKETS.match(text, place)
    city = said["city"].replace(" ", "_") if said else ""
    return said if any(zone_called(f"{area}/{city}") for area in AREAS) else None


def _unclear(said: str) -> Unclear:
    return Unclear(
        "ambiguous_time",
        Text(
            f"時刻や日のすぐあとの「{said}」が、いつのことなのか作業のことなのか決められません",
            f"It is not certain whether “{said}”, right behind the time, belongs to it or to the work",
        ),
        advice=Text(
            "時刻や日は and でつなぎ、タイムゾーンは Asia/Tokyo のような IANA の名前で書いてください",
            "Join times and days with “and”; write a zone by its IANA name, such as Asia/Tokyo",
        ),
    )
