"""An error as rows keep it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schedctl.errors import SchedctlError


def error_document(error: SchedctlError) -> dict[str, object]:
    """An error as it is stored: its type and its sentences in both languages."""
    hint = error.hint
    return {
        "type": error.type,
        "ja": error.message.ja,
        "en": error.message.en,
        "hint_ja": hint.ja if hint else None,
        "hint_en": hint.en if hint else None,
    }
