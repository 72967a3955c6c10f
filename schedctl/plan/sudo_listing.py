"""What `sudo -n -l` prints, held against what the catalog needs: which commands would run without a password."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from schedctl.plan.lookup import can_run
from schedctl.plan.sudoers import allowed_command

if TYPE_CHECKING:
    from schedctl.catalog.model import Action, Catalog, Node

RULE_BEGINS: Final = re.compile(r"^ {4}(?=\()", re.MULTILINE)
"""A rule that is too long for a line goes on further to the right."""
RULE: Final = re.compile(r"\((?P<as>[^)]*)\) (?P<commands>.+)")
COMMAND: Final = re.compile(r"(?P<tags>(?:[A-Z_]+: )*)(?P<command>.+)")
ANYTHING: Final = "ALL"


def lacking(catalog: Catalog, node: Node, listing: str) -> tuple[Action, ...]:
    """The actions that `node` does as root and that this listing does not let run without a password."""
    free = _without_password(listing)
    return tuple(
        action
        for action in catalog.actions
        if action.as_root and can_run(action, node) and not _is_free(_plain(allowed_command(action)), free)
    )


def as_root_actions(catalog: Catalog, node: Node) -> tuple[Action, ...]:
    """The actions that `node` does as root."""
    return tuple(action for action in catalog.actions if action.as_root and can_run(action, node))


def _is_free(command: str, free: tuple[str, ...]) -> bool:
    return any(rule in (ANYTHING, command) or ("*" in rule and fnmatchcase(command, rule)) for rule in free)


def _without_password(listing: str) -> tuple[str, ...]:
    """The commands that may run as root and bear NOPASSWD. A tag holds for those behind it in the same rule."""
    found: list[str] = []
    for written in RULE_BEGINS.split(listing)[1:]:
        rule = RULE.match(" ".join(written.split()))
        if rule is None or not {"root", ANYTHING} & set(re.split(r"[\s,:]+", rule["as"].partition(":")[0])):
            continue
        free = False
        for one in re.split(r"(?<!\\), ", rule["commands"]):
            parts = COMMAND.match(one)
            if parts is None:
                continue
            tags = parts["tags"].replace(":", "").split()
            free = "NOPASSWD" in tags or (free and "PASSWD" not in tags)
            if free:
                found.append(_plain(parts["command"]))
    return tuple(found)


def _plain(command: str) -> str:
    """Without the backslashes, of which sudo's versions print more or fewer than were written."""
    return command.replace("\\", "").strip()
