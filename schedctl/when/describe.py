"""A timing as the one canonical sentence that an operator is shown, and that reads back to the same timing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from schedctl.when.model import Once, Recurring, Timing
from schedctl.when.saying.english import once_en, recurring_en
from schedctl.when.saying.japanese import once_ja, recurring_ja

if TYPE_CHECKING:
    from schedctl.language import Lang

DEFAULT_ZONE: Final = "Asia/Tokyo"


def describe(timing: Timing, lang: Lang, default_zone: str = DEFAULT_ZONE) -> str:
    """The canonical sentence of `timing` in `lang`; its zone is named where it is not `default_zone`."""
    return f"{_says(timing, lang)}{_calendar(timing, lang)}{_zone(timing.zone, lang, default_zone)}"


def _says(timing: Timing, lang: Lang) -> str:
    match timing:
        case Once():
            return once_ja(timing) if lang == "ja" else once_en(timing)
        case Recurring():
            return recurring_ja(timing) if lang == "ja" else recurring_en(timing)
        case _:
            assert_never(timing)


def _calendar(timing: Timing, lang: Lang) -> str:
    if isinstance(timing, Once) or timing.calendar == "":
        return ""
    return f"（カレンダー「{timing.calendar}」）" if lang == "ja" else f' (calendar "{timing.calendar}")'


def _zone(zone: str, lang: Lang, default_zone: str) -> str:
    if zone == default_zone:
        return ""
    return f"（{zone}）" if lang == "ja" else f" ({zone})"
