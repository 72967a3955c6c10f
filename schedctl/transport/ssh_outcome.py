"""What the envelope's word for an end means to schedctl. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from schedctl.transport import outcomes, ssh_errors
from schedctl.transport.capture import NOTHING
from schedctl.transport.ssh_envelope import End, Word, name_of
from schedctl.transport.ssh_errors import Trouble

if TYPE_CHECKING:
    from schedctl.redact import Redactor
    from schedctl.transport.base import Captured, Command, Outcome

Why = Literal["timed_out", "cancelled"]
FIRST_SIGNAL: Final = 129
LAST_SIGNAL: Final = 192
"""Above 128 a shell says which signal ended a command (POSIX, 2.8.2)."""


@dataclass(frozen=True, slots=True)
class Start:
    """A start as the worker sees it: why it asked for an end, and what went wrong on the way."""

    node: str
    command: Command
    why: Why | None = None
    trouble: Trouble | None = None
    disk_full: bool = False


def outcome(said: End | Word, start: Start, redactor: Redactor, stdout: Captured, stderr: Captured) -> Outcome:
    """The outcome of a start of which the node said its last word."""
    known = _known(said, start, redactor, stdout, stderr)
    if start.disk_full and known.error_type in ("exit_code", "killed_by_signal"):
        return replace(known, hint=ssh_errors.DISK_FULL)
    return known


def _known(said: End | Word, start: Start, redactor: Redactor, stdout: Captured, stderr: Captured) -> Outcome:
    match said:
        case Word("taken"):
            return ssh_errors.taken(start.node, name_of(start.command), NOTHING)
        case Word():
            return ssh_errors.unusable(start.node, redactor.text(said.text), NOTHING)
        case End("vanished"):
            return ssh_errors.vanished(start.node, stdout, stderr)
        case End("never"):
            return _never(start)
        case End("not_found" | "not_executable"):
            return _not_startable(said, redactor.text(start.command.argv[0]))
        case End("timed_out"):
            return outcomes.timed_out(start.command, said.code, said.left, stdout, stderr)
        case End("cancelled") if start.why == "timed_out":  # the envelope could not, so we asked for it
            return outcomes.timed_out(start.command, said.code, said.left, stdout, stderr)
        case End("cancelled"):
            return outcomes.cancelled(said.code, said.left, stdout, stderr)
        case End():
            return _by_itself(said.code, start.command, stdout, stderr)


def _by_itself(code: int, command: Command, stdout: Captured, stderr: Captured) -> Outcome:
    if code in command.success_exit_codes:
        return outcomes.ended(command, code, stdout, stderr, through_sudo=False)
    if FIRST_SIGNAL <= code <= LAST_SIGNAL:
        return outcomes.killed(code - 128, stdout, stderr)
    return outcomes.ended(command, code, stdout, stderr, through_sudo=command.as_root)


def _not_startable(said: End, program: str) -> Outcome:
    if said.how == "not_found":
        return outcomes.not_started("command_not_found", *outcomes.command_not_found(program), NOTHING)
    return outcomes.not_started("not_executable", *outcomes.not_executable(program), NOTHING)


def _never(start: Start) -> Outcome:
    if start.why is not None:
        return outcomes.cancelled(None, 0, NOTHING, NOTHING)
    trouble = start.trouble or Trouble("host_unreachable", "", before_anything=True)
    return ssh_errors.not_begun(start.node, trouble, NOTHING)
