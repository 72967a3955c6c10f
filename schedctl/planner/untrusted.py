"""Text from a model or from its server, read and shown without trusting it."""

from __future__ import annotations

import json
from typing import Final, NoReturn, cast

SHOWN_LETTERS: Final = 60
KEPT_LETTERS: Final = 16_384


def parse(text: str) -> object:
    """The JSON value in `text`; ValueError for anything else, also for duplicate keys, NaN and endless nesting."""
    try:
        return cast("object", json.loads(text, object_pairs_hook=_without_duplicates, parse_constant=_no_constant))
    except RecursionError:
        raise ValueError("nested too deep") from None


def members(value: object) -> dict[str, object] | None:
    """`value` when it is a JSON object."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else None


def items(value: object) -> list[object] | None:
    """`value` when it is a JSON array."""
    return cast("list[object]", value) if isinstance(value, list) else None


def count(value: object) -> int | None:
    """`value` when it is a believable number of tokens."""
    return value if type(value) is int and 0 <= value <= 1_000_000_000 else None


def shown(text: str) -> str:
    """`text` as an operator's terminal may show it: one line, no control or direction characters, not long."""
    safe = "".join(letter if letter.isprintable() else "·" for letter in text[: SHOWN_LETTERS + 1])
    return safe if len(safe) <= SHOWN_LETTERS else safe[:SHOWN_LETTERS] + "…"


def kept(text: str) -> str:
    """`text` as the database can keep it: well-formed, without NUL, and its head only when it is long."""
    whole = text[:KEPT_LETTERS].encode("utf-8", "backslashreplace").decode("utf-8").replace("\x00", "\\x00")
    return whole if len(text) <= KEPT_LETTERS else whole + "…"


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
