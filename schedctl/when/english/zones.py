"""English words for time zones: UTC, Europe/Berlin, London time; and those that name none for sure: EST, local time."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from schedctl.errors import Refused
from schedctl.language import Text
from schedctl.when.english.scan import Hit, compiled
from schedctl.when.english.words import DOUBTFUL_ZONES, one_of
from schedctl.when.reading.grammar import Found
from schedctl.when.reading.parts import InZone, Unclear
from schedctl.when.reading.zones_said import is_of_an_area, unknown_zone
from schedctl.when.zones import zone_named

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.when.reading.normalize import Sentence

IANA: Final = re.compile(r"(?<![\w/])(?:in |on )?\(?(?P<name>[a-z]+(?:/[a-z0-9_+-]+){1,2})(?: time)?\)?(?![\w/.])")
SHORT_ZONE: Final = re.compile(r"(?<![\w/])(?:in )?(?P<name>utc|gmt|jst|(?:tokyo|japan)(?= time))(?![\w/+-])(?: time)?")
BEHIND_A_CLOCK: Final = (
    r"(?:(?<=\d)|(?<=[ap]m)|(?<=[ap]\.m\.)|(?<=noon)|(?<=midnight)|(?<=o'clock)|(?<=\)))(?: \(?|\()(?:in )?"
)
REGION: Final = r"(?:us |uk )?(?P<region>pacific|eastern|central|mountain)(?: (?:standard|daylight|summer|winter))?"
WHOSE: Final = r"(?:local|server|host|system|node|my|our|your|their|uk|us|european|standard|summer|winter|daylight)"
DOUBTFUL: Final = re.compile(
    rf"{BEHIND_A_CLOCK}(?P<name>{one_of(DOUBTFUL_ZONES)}(?: time)?|{REGION}(?: time)?|(?:the )?{WHOSE} time)\)?(?!\w)"
)
OF_A_CITY: Final = re.compile(rf"{BEHIND_A_CLOCK}(?P<name>[a-z]+(?: [a-z]+){{0,2}}?) time\)?(?!\w)")
ZONES: Final = {"utc": "UTC", "gmt": "UTC", "jst": "Asia/Tokyo", "tokyo": "Asia/Tokyo", "japan": "Asia/Tokyo"}
REGIONS: Final = {
    "pacific": "America/Los_Angeles",
    "eastern": "America/New_York",
    "central": "America/Chicago",
    "mountain": "America/Denver",
}
AREAS: Final = ("Asia", "Europe", "America", "Australia", "Africa", "Pacific", "Atlantic", "Indian")


def marks(sentence: Sentence) -> Iterator[Hit]:
    """Every zone that the sentence names, and a doubt at each name right behind a time that could be several."""
    text = sentence.text
    for match in (*IANA.finditer(text), *SHORT_ZONE.finditer(text)):
        zone = ZONES.get(match["name"]) or _zone(sentence.written(*match.span("name")))
        if zone:
            yield _hit(match, InZone(zone))
        elif _looks_like_a_zone(sentence.written(*match.span("name"))) and compiled(BEHIND_A_CLOCK).match(
            text, match.start() - 1
        ):
            yield _hit(match, unknown_zone(match["name"]))
    for match in DOUBTFUL.finditer(text):
        yield _hit(match, _doubt(match))
    for match in OF_A_CITY.finditer(text):
        zone = None if match["name"] in ZONES else _zone_of_city(match["name"])
        if zone:
            yield _hit(match, InZone(zone))


def _looks_like_a_zone(written: str) -> bool:
    """`Asia/Tokio`, `Europa/Berlin`: a name in two parts, each with a capital letter."""
    return is_of_an_area(written) or all(part[:1].isupper() for part in written.split("/"))


def _hit(match: re.Match[str], part: InZone | Unclear) -> Hit:
    place = match.span() if match[0][:1] not in {" ", "("} else (match.start() + 1, match.end())
    return Hit((Found(part, *place),), *place)


def _doubt(match: re.Match[str]) -> Unclear:
    """`9am EST`: which zone, and in summer? `9am local time`: whose?"""
    name = match["name"]
    likely = DOUBTFUL_ZONES.get(name.removesuffix(" time")) or REGIONS.get(match["region"] or "")
    shown = name.upper() if name in DOUBTFUL_ZONES else name
    return Unclear(
        "ambiguous_time",
        Text(f"「{shown}」がどのタイムゾーンか決められません", f"“{shown}” does not name one time zone"),
        (likely,) if likely else (),
        Text("Asia/Tokyo のような IANA の名前を書いてください", "Write an IANA name such as Asia/Tokyo"),
    )


def _zone(written: str) -> str | None:
    """The zone as the zone database spells it, or None."""
    titled = "/".join("_".join(word.capitalize() for word in part.split("_")) for part in written.split("/"))
    for name in (written, titled):
        try:
            return zone_named(name).key
        except Refused:
            continue
    return None


@lru_cache(maxsize=256)
def _zone_of_city(city: str) -> str | None:
    """`london`, `new york`: the zone that is named after it; None where none or several are."""
    name = "_".join(word.capitalize() for word in city.split(" "))
    found = [zone for area in AREAS if (zone := _zone(f"{area}/{name}"))]
    return found[0] if len(found) == 1 else None
