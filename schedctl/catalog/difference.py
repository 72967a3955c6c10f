"""What changed from one catalog to another, entry by entry: shown before a catalog is adopted."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, cast

from schedctl.catalog.changed_values import value_change
from schedctl.language import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from schedctl.catalog.model import Action, Agent, Catalog, Group, Node, Policy
    from schedctl.when.calendar import BusinessCalendar

    Entry = Node | Group | Action | Agent | Policy | BusinessCalendar

Kind = Literal["added", "removed", "changed"]
What = Literal["node", "group", "action", "agent", "policy", "calendar"]
KINDS: Final[dict[Kind, Text]] = {
    "added": Text("追加", "added"),
    "removed": Text("削除", "removed"),
    "changed": Text("変更", "changed"),
}
WHATS: Final[dict[What, Text]] = {
    "node": Text("ノード", "node"),
    "group": Text("グループ", "group"),
    "action": Text("アクション", "action"),
    "agent": Text("エージェント", "agent"),
    "policy": Text("方針", "policy"),
    "calendar": Text("営業日カレンダー", "calendar"),
}


@dataclass(frozen=True, slots=True)
class Change:
    """One entry that came, went, or became another; `text` says how."""

    kind: Kind
    what: What
    name: str
    text: Text


def compare(old: Catalog, new: Catalog) -> tuple[Change, ...]:
    """Every difference that matters, by kind of entry and name; empty exactly when the digests are equal."""
    return (
        *_changes("node", _by_name(old.nodes), _by_name(new.nodes)),
        *_changes("group", _by_name(old.groups), _by_name(new.groups)),
        *_changes("action", _by_name(old.actions), _by_name(new.actions)),
        *_changes("agent", _by_name(old.agents), _by_name(new.agents)),
        *_changes("policy", {"policy": old.policy}, {"policy": new.policy}),
        *_changes("calendar", _calendars(old), _calendars(new)),
    )


def _by_name(entries: Iterable[Node | Group | Action | Agent]) -> dict[str, Node | Group | Action | Agent]:
    return {entry.name: entry for entry in entries}


def _calendars(catalog: Catalog) -> dict[str, BusinessCalendar]:
    return {"default": catalog.calendars.default, **dict(catalog.calendars.named)}


def _changes(what: What, old: Mapping[str, Entry], new: Mapping[str, Entry]) -> Iterator[Change]:
    for name in sorted(old.keys() | new.keys()):
        if name not in old:
            yield _change("added", what, name, Text("", ""))
        elif name not in new:
            yield _change("removed", what, name, Text("", ""))
        elif old[name] != new[name]:
            yield _change("changed", what, name, _fields_that_differ(old[name], new[name]))


def _change(kind: Kind, what: What, name: str, detail: Text) -> Change:
    named = "" if name == what else f" {name}"
    ja, en = f"{WHATS[what].ja}{named}: {KINDS[kind].ja}", f"{WHATS[what].en}{named}: {KINDS[kind].en}"
    return Change(kind, what, name, Text(f"{ja}{detail.ja}", f"{en}{detail.en}"))


def _fields_that_differ(old: Entry, new: Entry) -> Text:
    parts: list[str] = []
    for field in dataclasses.fields(old):
        before, after = (cast("object", getattr(entry, field.name)) for entry in (old, new))
        if before != after:
            parts.append(f"{field.name} {value_change(before, after)}")
    return Text(f"（{'、'.join(parts)}）", f" ({'; '.join(parts)})")
