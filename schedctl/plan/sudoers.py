"""The sudoers lines that let a node's user do what the catalog does as root, and nothing else.

An action without parameters is one exact command. Where the operator chooses a value, the arguments are a regular
expression (sudo 1.9.10 and later, sudoers(5) “Regular expressions”), made from the pattern that the catalog checks.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from schedctl.catalog import pattern, placeholders
from schedctl.plan.elevation import inside_sudo
from schedctl.plan.lookup import can_run

if TYPE_CHECKING:
    from schedctl.catalog.model import Action, Catalog, Node, Parameter

SPECIAL_IN_SUDOERS: Final = re.compile(r"([,:=\\\s#*?\[\]!])")
SPECIAL_IN_REGEX_LINES: Final = re.compile(r"([,:=])")
SPECIAL_IN_REGEX: Final = re.compile(r"([.*+?(){}|$\[\]])")


def lines(catalog: Catalog, node: Node, user: str) -> tuple[str, ...]:
    """One line for each action that `node` can do as root, in the order of their names."""
    return tuple(
        f"{user} ALL=(root) NOPASSWD: {allowed_command(action)}"
        for action in catalog.actions
        if action.as_root and can_run(action, node)
    )


def allowed_command(action: Action) -> str:
    """What stands behind the tag of an action's line: the exact command, or a regular expression for its arguments."""
    program, *arguments = inside_sudo(action.argv, action.environment)
    if not any(placeholders.names_in(word) for word in arguments):
        return " ".join([program, *(SPECIAL_IN_SUDOERS.sub(r"\\\1", word) for word in arguments)])
    parameters = {parameter.name: _choice(parameter) for parameter in action.parameters}
    written = " ".join(_as_regex(word, parameters) for word in arguments)
    return f"{program} ^" + SPECIAL_IN_REGEX_LINES.sub(r"\\\1", written) + "$"


def _as_regex(word: str, choices: dict[str, str]) -> str:
    """A word of the argv: what is fixed taken literally, each placeholder as the values that it may have."""
    pieces = re.split(r"(\{\w+\})", word)
    return "".join(
        choices[piece[1:-1]] if piece[1:-1] in choices and piece.startswith("{") else _literally(piece)
        for piece in pieces
    )


def _choice(parameter: Parameter) -> str:
    if parameter.values:
        return f"({'|'.join(_literally(value) for value in parameter.values)})"
    return f"({_posix(pattern.inner(parameter.pattern or '') or '')})"


def _literally(text: str) -> str:
    """Special characters in brackets: a backslash would have to survive two readers."""
    return SPECIAL_IN_REGEX.sub(r"[\1]", text)


def _posix(expression: str) -> str:
    """The catalog's small part of Python's expressions, in POSIX' words."""
    posix = expression.replace("(?:", "(").replace(r"\d", "[0-9]").replace(r"\w", "[A-Za-z0-9_]")
    return re.sub(r"\\(.)", r"[\1]", posix)
