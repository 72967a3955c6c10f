"""What entries of the catalog say of each other: prerequisites, conflicts, groups, words that sound the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedctl.catalog.model import Action, Group, Node, Parameter
from schedctl.catalog.placeholders import names_in
from schedctl.catalog.table import nearest
from schedctl.catalog.words import plain, sound, words_of
from schedctl.language import Text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.catalog.problems import Place, Problems


@dataclass(frozen=True, slots=True)
class Entries:
    """Everything of the catalog that has a name, with the place where each entry stands."""

    nodes: tuple[Node, ...]
    groups: tuple[Group, ...]
    actions: tuple[Action, ...]
    places: dict[str, Place]
    """By kind and name, such as `action apt.update`."""

    def place(self, entry: Node | Group | Action) -> Place:
        """Where an entry stands."""
        return self.places[f"{kind_of(entry)} {entry.name}"]


def kind_of(entry: Node | Group | Action) -> str:
    """`node`, `group` or `action`."""
    match entry:
        case Node():
            return "node"
        case Group():
            return "group"
        case Action():
            return "action"


def check_links(entries: Entries, problems: Problems) -> None:
    """Note everything that does not hold between entries."""
    actions = {action.name: action for action in entries.actions}
    for action in entries.actions:
        _check_references(action, actions, entries, problems)
    _check_cycles(actions, entries, problems)
    _check_words(entries, problems)


def _check_references(action: Action, actions: dict[str, Action], entries: Entries, problems: Problems) -> None:
    place = entries.place(action)
    groups = tuple(group.name for group in entries.groups)
    known = tuple(actions)
    references = [("prerequisites", name, known) for name in action.prerequisites]
    references += [("conflicts", name, known) for name in action.conflicts]
    references += [("groups", name, groups) for name in action.groups]
    for key, name, names in references:
        if name not in names:
            problems.add(
                place.under(key),
                Text(f"「{name}」は定義されていません", f"“{name}” is not defined"),
                nearest(name, names),
            )
    for name in action.conflicts:
        if name == action.name or name in action.prerequisites:
            problems.add(
                place.under("conflicts"),
                Text(
                    f"「{name}」は一緒に必要なものなので、競合にできません",
                    f"“{name}” is needed here and cannot conflict",
                ),
                Text(
                    "prerequisites か conflicts のどちらかから消してください",
                    "Remove it from prerequisites or from conflicts",
                ),
            )
    for name in action.prerequisites:
        if name in actions:
            _check_prerequisite(action, actions[name], place.under("prerequisites"), problems)


def _check_prerequisite(action: Action, first: Action, place: Place, problems: Problems) -> None:
    open_ones = [parameter.name for parameter in first.parameters if parameter.default is None]
    if open_ones:
        problems.add(
            place,
            Text(
                f"「{first.name}」のパラメータ {', '.join(open_ones)} を決める人がいません",
                f"Nobody chooses the parameter {', '.join(open_ones)} of “{first.name}”",
            ),
            Text("そのパラメータに default を書いてください", "Give that parameter a default"),
        )
    if (action.request is None) != (first.request is None):
        problems.add(
            place,
            Text(f"「{first.name}」は同じノードでは動きません", f"“{first.name}” cannot run on the same node"),
            Text("コマンドとリクエストは別のノードで動きます", "Commands and requests run on different nodes"),
        )
    if first.final:
        problems.add(
            place,
            Text(f"「{first.name}」の後には何も続けられません（final）", f"Nothing may follow “{first.name}” (final)"),
            Text("前提から外してください", "Remove it from the prerequisites"),
        )


def _check_cycles(actions: dict[str, Action], entries: Entries, problems: Problems) -> None:
    for name, action in actions.items():
        path = _way_back(name, actions)
        if path and name == min(path):
            ring = " → ".join((*path, name))
            problems.add(
                entries.place(action).under("prerequisites"),
                Text(f"前提が循環しています（{ring}）", f"The prerequisites go round in a circle ({ring})"),
                Text("どれか一つの prerequisites を消してください", "Remove one of these prerequisites"),
            )


def _way_back(start: str, actions: dict[str, Action]) -> tuple[str, ...]:
    """The prerequisites that lead from `start` back to it, or none."""
    ways: list[tuple[str, ...]] = [(start,)]
    seen: set[str] = set()
    while ways:
        way = ways.pop()
        for name in actions[way[-1]].prerequisites:
            if name == start:
                return way
            if name in actions and name not in seen:
                seen.add(name)
                ways.append((*way, name))
    return ()


def _check_words(entries: Entries, problems: Problems) -> None:
    """No two entries share a word; and a parameter's word is no word of an entry."""
    owners: dict[str, Node | Group | Action] = {}
    for entry in (*entries.nodes, *entries.groups, *entries.actions):
        for word in words_of(entry):
            _check_template(entry, word, entries, problems)
            owner = owners.setdefault(sound(word), entry)
            if owner is not entry:
                problems.add(
                    entries.place(entry).under(_key_of(entry, word)),
                    Text(
                        f"「{word}」は {kind_of(owner)} の「{owner.name}」と区別できません",
                        f"“{word}” cannot be told apart from the {kind_of(owner)} “{owner.name}”",
                    ),
                    Text("どちらかの呼び名を変えてください", "Change one of the two words"),
                )
    for action in entries.actions:
        for parameter in action.parameters:
            for word in _words_of_parameter(parameter):
                if sound(word) in owners:
                    _note_value(entries.place(action), parameter, word, owners[sound(word)], problems)


def _key_of(entry: Node | Group | Action, word: str) -> str:
    if word in entry.aliases:
        return "aliases"
    return "label" if word in (entry.label.ja, entry.label.en) and word != entry.name else ""


def _check_template(entry: Node | Group | Action, word: str, entries: Entries, problems: Problems) -> None:
    """A word with `{unit}` in it belongs to an action with that parameter; and a word is not empty."""
    declared = {parameter.name for parameter in entry.parameters} if isinstance(entry, Action) else set[str]()
    names = names_in(plain(word))
    unknown = [name for name in names if name not in declared or names.count(name) > 1]
    if unknown or not any(char.isalnum() for char in sound(word).replace("{}", "")):
        problems.add(
            entries.place(entry).under("aliases"),
            Text(f"呼び名「{word}」は使えません", f"“{word}” cannot be used as a word"),
            Text(
                "文字を含み、{…} はそのアクションのパラメータ名を一度だけにしてください",
                "It needs letters, and each {…} must be a parameter of this action, once",
            ),
        )


def _words_of_parameter(parameter: Parameter) -> Iterator[str]:
    yield from parameter.values
    yield from (word for word, _ in parameter.aliases)


def _note_value(
    place: Place, parameter: Parameter, word: str, owner: Node | Group | Action, problems: Problems
) -> None:
    problems.add(
        place.under(f"parameters.{parameter.name}"),
        Text(
            f"値「{word}」は {kind_of(owner)} の「{owner.name}」と区別できません",
            f"The value “{word}” cannot be told apart from the {kind_of(owner)} “{owner.name}”",
        ),
        Text("どちらかの呼び名を変えてください", "Change one of the two words"),
    )
