"""How one value became another, as a person reads it: short values whole, of long lists only what came and went."""

from __future__ import annotations

import dataclasses
from datetime import datetime
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final, cast

from schedctl.language import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SHOWN_WHOLE: Final = 4
"""Items of a list; of a longer one, only the changes are shown, each beside its neighbours."""


def value_change(before: object, after: object) -> str:
    """`10 → 20`; for long lists `… --with-new-pkgs {+ -y +} upgrade` and `[- gone -]`, much as git."""
    old, new = _in_order(before), _in_order(after)
    if min(len(old), len(new)) > SHOWN_WHOLE:
        return _marked(old, new)
    return f"{shown(before)} → {shown(after)}"


def shown(value: object) -> str:
    """A value of the catalog or of a plan in the words of its file."""
    match value:
        case Text(ja, en):
            return f"{ja} / {en}"
        case tuple() | frozenset():
            items = _items(cast("Iterable[object]", value))
            return f"[{', '.join(sorted(items) if isinstance(value, frozenset) else items)}]"
        case None:
            return "-"
        case "":
            return '""'
        case datetime():
            return value.isoformat(timespec="minutes")
        case _ if dataclasses.is_dataclass(value):
            fields = ((field.name, cast("object", getattr(value, field.name))) for field in dataclasses.fields(value))
            return "{" + ", ".join(f"{name} {shown(one)}" for name, one in fields if one not in ((), None, "")) + "}"
        case _:
            return str(value)


def _in_order(value: object) -> list[str]:
    """The items of a list, nothing of any other value."""
    match value:
        case tuple():
            return _items(cast("tuple[object, ...]", value))
        case _:
            return []


def _items(values: Iterable[object]) -> list[str]:
    return [shown(value) for value in values]


def _marked(old: Sequence[str], new: Sequence[str]) -> str:
    """The changed places of a list, each with one neighbour before and behind it."""
    parts: list[str] = []
    for tag, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            parts += _kept(old[i:j], first=i == 0, last=j == len(old))
            continue
        if j > i:
            parts.append(f"[- {' '.join(old[i:j])} -]")
        if m > k:
            parts.append(f"{{+ {' '.join(new[k:m])} +}}")
    return " ".join(parts)


def _kept(same: Sequence[str], *, first: bool, last: bool) -> list[str]:
    """What stayed between two changes: the neighbours, and a dot for the rest."""
    before = [] if first else [same[0]]
    behind = [] if last else [same[-1]]
    if len(same) <= len(before) + len(behind):
        return list(same)
    return [*before, "…", *behind]
