"""A report in which somebody else's text is hostile, or plain and just as long."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from schedctl.language import Text

if TYPE_CHECKING:
    from schedctl.report.model import Report
    from schedctl.report.page_model import Page

Shown = TypeVar("Shown", "Report", "Page")
HOSTILE: Final = (
    "<script>alert(1)</script>\"><img src=x onerror=alert(1)> ' ]]> --> {{ 7*7 }} {% raw %} </title></style></svg>"
    " \u202egnp.exe\u202c \u200b\ufeff\x00\x1b[31m &amp; &#60;b&#62; 👩‍👩‍👧‍👦 " + "W" * 400 + "あ" * 10_000
)
PLAIN: Final = "a" * len(HOSTILE)
TEXTS_OF_OTHERS: Final = frozenset({"title", "instruction", "name", "actor", "frozen", "reason", "by", "host", "node"})


def spoken_by(text: str, shown: Shown) -> Shown:
    """The same report or page with this text wherever somebody else's text can be."""
    return cast("Shown", _spoken(text, shown, ""))


def _spoken(text: str, value: Any, name: str) -> Any:
    if isinstance(value, Text):
        return Text(text, text)
    if isinstance(value, tuple):
        return tuple(_spoken(text, one, name) for one in cast("tuple[Any, ...]", value))
    if is_dataclass(value) and not isinstance(value, type):
        changed = {field.name: _spoken(text, getattr(value, field.name), field.name) for field in fields(value)}
        return replace(value, **changed)
    return text if isinstance(value, str) and name in TEXTS_OF_OTHERS | {"nodes", "actions", "freezes"} else value
