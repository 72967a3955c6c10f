"""How a step becomes root: `sudo -n --`, with the action's environment inside it, since sudo would drop it.

`env` also finds the program, so that sudoers can name one absolute path whatever the node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

SUDO: Final = ("sudo", "-n", "--")
ENV: Final = "/usr/bin/env"


def elevated(argv: Sequence[str], environment: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """The command that runs `argv` as root without ever asking for a password."""
    return (*SUDO, *inside_sudo(argv, environment))


def inside_sudo(argv: Sequence[str], environment: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """What sudo itself is asked to run, and so what sudoers has to allow."""
    return (ENV, *(f"{name}={value}" for name, value in environment), *argv)
