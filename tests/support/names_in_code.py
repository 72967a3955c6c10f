"""The names that people and programs depend on, found in the code: error types, event kinds, settings, commands."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from schedctl.catalog.facts import FACTS
from schedctl.errors import PlanErrorType, TimingErrorType
from schedctl.settings import shipped

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE: Final = Path(__file__).parents[2] / "schedctl"
TYPE: Final = re.compile(r"[a-z]+(?:_[a-z0-9]+)+")
NO_TYPES: Final = {"go_on", "not_found", "euc_jp", "unicode_escape"}
"""Words of transports that look like types of errors and are none: of a heartbeat, of the envelope, of codecs."""
EVENT_IN_SQL: Final = re.compile(
    r"INSERT INTO schedctl\.event \(type,[^)]*\)\s*(?:VALUES \(|SELECT )\s*(CASE .*? END|'\w+')", re.DOTALL
)
SETTING: Final = re.compile(r"\bSCHEDCTL_[A-Z]+(?:_[A-Z]+)*\b")
COMMON: Final = {"--json", "--lang", "--help"}


@cache
def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_bytes()) for path in sorted(PACKAGE.rglob("*.py"))}


def called(node: ast.Call) -> str:
    return getattr(node.func, "id", getattr(node.func, "attr", ""))


def error_classes() -> set[str]:
    """SchedctlError and everything below it."""
    known = {"SchedctlError"}
    classes = [node for tree in trees().values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    while True:
        more = {node.name for node in classes if {getattr(base, "id", "") for base in node.bases} & known} - known
        if not more:
            return known
        known |= more


def _strings(node: ast.expr) -> Iterator[str]:
    """The strings that an expression may be."""
    match node:
        case ast.Constant(value=str() as text):
            yield text
        case ast.IfExp():
            yield from _strings(node.body)
            yield from _strings(node.orelse)
        case _:
            pass


def error_types() -> set[str]:
    """Every type that an error can have: of a command, of a run, of a notice."""
    classes = error_classes()
    found = {*TimingErrorType.__args__, *PlanErrorType.__args__}
    for path, tree in trees().items():
        transport = path.parent.name == "transport"
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and (called(node) in classes or called(node) == "__init__") and node.args:
                found.update(text for text in _strings(node.args[0]) if TYPE.fullmatch(text) or "_" not in text)
            if transport and isinstance(node, (ast.Call, ast.Tuple)):
                parts = node.args if isinstance(node, ast.Call) else node.elts
                found.update(text for part in parts for text in _strings(part) if TYPE.fullmatch(text))
    return found - NO_TYPES


def event_kinds() -> set[str]:
    """Every type of event that is ever recorded."""
    found = set(FACTS)
    for tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and called(node) in ("record", "_record") and len(node.args) > 1:
                found.update(_strings(node.args[1]))
    for path in shipped("sql").glob("*.sql"):
        for words in EVENT_IN_SQL.findall(path.read_text(encoding="utf-8")):
            found.update(re.findall(r"(?:^|THEN |ELSE )'(\w+)'", words))
    return found


def settings() -> set[str]:
    """Every variable of ours that the program reads or gives to its commands."""
    files = [path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".sh")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in (*files, *shipped("systemd").glob("*")))
    return set(SETTING.findall(text))


def commands(group: click.Group, before: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command as one types it, without the groups themselves."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, f"{before}{name} ")
        elif command is not None and not command.hidden:
            yield f"{before}{name}", command


def options(command: click.Command) -> set[str]:
    """Its own options, each by its long names."""
    known = {name for one in command.params if isinstance(one, click.Option) for name in one.opts + one.secondary_opts}
    return {name for name in known if name.startswith("--")} - COMMON
