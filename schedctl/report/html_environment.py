"""How pages are made: Jinja2 that escapes everything, and the few things that a template may ask for.

Nothing that comes from outside is ever marked as safe. Whatever a template prints has its control characters made
visible on the way, so that no text can turn the reading direction of the page.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final
from zoneinfo import ZoneInfo

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from schedctl.controls import harmless
from schedctl.language import Lang, Text, language_of
from schedctl.report import svg_agent, svg_cost, svg_day, svg_runs, words
from schedctl.report.kept import TEMPLATES
from schedctl.when.saying.moments import age_said, day_said, instant_said, moment_said

if TYPE_CHECKING:
    from collections.abc import Callable

QUOTED_LETTERS: Final = 240
"""Of somebody else's text: the whole of it is in `schedctl show`."""
LONGEST: Final = 600
"""Letters of anything that is printed, sentences included."""


def environment(lang: Lang, zone: str) -> Environment:
    """An environment that speaks one language in one zone."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=partial(_printed, lang),
        auto_reload=False,
    )
    drawings: dict[str, Any] = {"runs": svg_runs, "agent_strip": svg_agent, "costs": svg_cost, "days": svg_day}
    speech: dict[str, Any] = {"lang": lang, "zone": zone, "t": Text, "words": words}
    made.globals.update(drawings | speech)
    made.filters.update(_filters(lang, zone))
    return made


def _filters(lang: Lang, zone: str) -> dict[str, Any]:
    """How instants, days and somebody else's text are said; each takes one value."""
    place = ZoneInfo(zone)
    found: dict[str, Callable[[Any], str]] = {
        "instant": lambda at: instant_said(at, zone, lang),
        "moment": lambda at: moment_said(at, zone, lang),
        "clock": lambda at: f"{at.astimezone(place):%H:%M}",
        "iso": lambda at: at.astimezone(place).isoformat(timespec="seconds"),
        "day": lambda day: day_said(day, lang),
        "day_of_year": lambda day: day_said(day, lang, with_year=True),
        "age": lambda age: age_said(age, lang),
        "quoted": partial(quoted, lang),
        "language": language_of,
        "digest": style_digest,
    }
    return dict(found)


def _printed(lang: Lang, value: Any) -> Any:
    """What an expression of a template becomes before it is escaped."""
    if isinstance(value, Markup):
        return value
    if isinstance(value, Text):
        value = value.say(lang)
    return harmless(_cut(lang, value, LONGEST)) if isinstance(value, str) else value


def quoted(lang: Lang, text: str) -> str:
    """Somebody else's text, cut where it is very long; it says how long it was."""
    return _cut(lang, text, QUOTED_LETTERS)


def _cut(lang: Lang, text: str, letters: int) -> str:
    if len(text) <= letters:
        return text
    count = f"{len(text):,}"
    return text[:letters] + Text(f"…（全 {count} 字）", f"… ({count} characters in all)").say(lang)


@cache
def style_digest(style: str) -> str:
    """What a Content-Security-Policy calls a style sheet."""
    return "sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
