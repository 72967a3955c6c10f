"""The document of the catalog files -> a catalog, or every mistake in it at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, cast

from schedctl.catalog import keys
from schedctl.catalog.actions import parse_action
from schedctl.catalog.agents import check_agents, parse_agents
from schedctl.catalog.business_days import CALENDAR, parse_calendars
from schedctl.catalog.channels import check_telling
from schedctl.catalog.digest import digest_of
from schedctl.catalog.links import Entries, check_links
from schedctl.catalog.model import Action, Catalog
from schedctl.catalog.nodes import parse_nodes
from schedctl.catalog.policy import parse_policy
from schedctl.catalog.problems import CatalogInvalid, Place, Problem, Problems
from schedctl.catalog.table import Table, table_of
from schedctl.language import Text

NODES: Final = "nodes.toml"
POLICY: Final = "policy.toml"
AGENTS: Final = "agents.toml"
ACTIONS: Final = "actions/"


def parse(document: dict[str, object]) -> Catalog:
    """The catalog that a document means; `CatalogInvalid` holds every mistake. Neither key order nor JSON matters."""
    catalog, problems = _read(document)
    if problems:
        raise CatalogInvalid(problems)
    return catalog


def find_problems(document: dict[str, object]) -> tuple[Problem, ...]:
    """Every mistake of a document, in the order of files and keys."""
    return _read(document)[1]


def _read(document: dict[str, object]) -> tuple[Catalog, tuple[Problem, ...]]:
    problems = Problems()
    files = _files(document, problems)
    nodes_file = files.table(NODES, keys.NODES_FILE)
    nodes, groups = parse_nodes(nodes_file)
    actions, places = _actions(files)
    places |= {f"node {node.name}": nodes_file.place.under(f"nodes.{node.name}") for node in nodes}
    places |= {f"group {group.name}": nodes_file.place.under(f"groups.{group.name}") for group in groups}
    check_links(Entries(nodes, groups, actions, places), problems)
    catalog = Catalog(
        nodes=nodes,
        groups=groups,
        actions=actions,
        policy=parse_policy(files.table(POLICY, keys.POLICY_FILE)),
        calendars=parse_calendars(files.table(CALENDAR, keys.CALENDAR_FILE)),
        document=document,
        digest="",
        agents=parse_agents(files.table(AGENTS, keys.AGENTS_FILE)),
    )
    check_agents(catalog, Place(AGENTS), problems)
    check_telling(catalog, Place(POLICY), problems)
    found = sorted(dict.fromkeys(problems.found), key=lambda problem: (problem.file, problem.key))
    return replace(catalog, digest=digest_of(catalog)), tuple(found)


@dataclass(frozen=True, slots=True)
class _Files:
    contents: dict[str, object]
    problems: Problems

    def table(self, name: str, known: tuple[str, ...] | None) -> Table:
        """The content of one file; an absent one is empty."""
        return table_of(Place(name), self.contents.get(name, {}), known, self.problems)


def _files(document: dict[str, object], problems: Problems) -> _Files:
    contents = table_of(Place("", ""), document.get("files"), None, problems).values
    for name in contents:
        if name not in (NODES, POLICY, CALENDAR, AGENTS) and not name.startswith(ACTIONS):
            problems.add(
                Place(name),
                Text("この名前のファイルはカタログにありません", "The catalog has no file of this name"),
                Text(
                    "アクションなら actions/ の中へ、そうでなければ nodes・policy・calendar・agents.toml のどれかに",
                    "Actions go into actions/, the rest into nodes.toml, policy.toml, calendar.toml or agents.toml",
                ),
            )
    return _Files(contents, problems)


def _actions(files: _Files) -> tuple[tuple[Action, ...], dict[str, Place]]:
    actions: dict[str, Action] = {}
    places: dict[str, Place] = {}
    for name in sorted(name for name in files.contents if name.startswith(ACTIONS)):
        file = files.table(name, None)
        for action_name in sorted(file.values):
            if _is_unquoted(file.values[action_name]):
                _note_unquoted(file, action_name)
                continue
            table = file.inner(action_name, keys.ACTION)
            if action_name in actions:
                _note_second(table, places[f"action {action_name}"])
            else:
                actions[action_name] = parse_action(action_name, table)
                places[f"action {action_name}"] = table.place
    return tuple(actions[name] for name in sorted(actions)), places


def _is_unquoted(value: object) -> bool:
    """Whether this came from `[apt.update]`, which TOML takes for a table `update` inside a table `apt`."""
    if not isinstance(value, dict):
        return False
    inner = cast("dict[str, object]", value)
    return bool(inner) and all(isinstance(part, dict) and name not in keys.ACTION for name, part in inner.items())


def _note_unquoted(file: Table, name: str) -> None:
    file.note(
        name,
        Text("点のある名前が引用符で囲まれていません", "A name with a dot in it has no quotes"),
        Text(f'["{name}.…"] のように引用符で囲んでください', f'Put it into quotes, like ["{name}.…"]'),
    )


def _note_second(table: Table, first: Place) -> None:
    table.problems.add(
        table.place,
        Text(f"同じ名前のアクションが {first.file} にもあります", f"{first.file} has an action of the same name"),
        Text("どちらか一方を消すか、名前を変えてください", "Remove one of them, or rename it"),
    )
