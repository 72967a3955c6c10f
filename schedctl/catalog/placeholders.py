"""Placeholders: `{unit}` inside one word of an argv or one part of a request. `{{json .}}` is none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

PLACEHOLDER: Final = re.compile(r"(?<!\{)\{([a-z][a-z0-9_]*)\}(?!\})")


def names_in(word: str) -> tuple[str, ...]:
    """The names of the placeholders in `word`, in their order."""
    return tuple(PLACEHOLDER.findall(word))


def fill(word: str, values: dict[str, str], write: Callable[[str], str] = str) -> str:
    """`word` with each placeholder replaced by its value as `write` spells it: still one word, never split."""
    return PLACEHOLDER.sub(lambda found: write(values[found[1]]), word)
