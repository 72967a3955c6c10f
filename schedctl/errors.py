"""Every error that an operator can meet: what happened, what to do, and the exit code.

An error carries a type (a stable word for programs), one sentence in both languages, and a hint that says what to do.
`schedctl.cli` has the one place that turns them into output and an exit code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

if TYPE_CHECKING:
    from schedctl.language import Text

TimingErrorType = Literal[
    "no_time", "no_day", "ambiguous_time", "impossible_time", "past_time", "conflicting_time", "no_task"
]
PlanErrorType = Literal["unknown_action", "unknown_node", "planner_unavailable", "planner_invalid"]


class SchedctlError(Exception):
    """Something that the operator is told in one sentence, with a type and a hint; never with a traceback."""

    exit_code: ClassVar[int] = 1

    def __init__(self, type: str, message: Text, hint: Text | None = None) -> None:
        super().__init__(message.en)
        self.type = type
        self.message = message
        self.hint = hint


class OperationFailed(SchedctlError):
    """The request was right, carrying it out failed (exit code 1). `passing` says whether trying again can help."""

    exit_code = 1

    def __init__(self, type: str, message: Text, hint: Text | None = None, *, passing: bool = False) -> None:
        super().__init__(type, message, hint)
        self.passing = passing


class Refused(SchedctlError):
    """The request itself was not acceptable; nothing was changed (exit code 2)."""

    exit_code = 2


class TimingError(Refused):
    """The sentence's time could not be read, could be read in two ways, or cannot be."""

    def __init__(self, type: TimingErrorType, message: Text, hint: Text | None = None) -> None:
        super().__init__(type, message, hint)


class PlanError(Refused):
    """The task could not be turned into steps of the catalog."""

    def __init__(self, type: PlanErrorType, message: Text, hint: Text | None = None) -> None:
        super().__init__(type, message, hint)


class NotFound(SchedctlError):
    """What the operator named does not exist (exit code 3)."""

    exit_code = 3


class NotAllowed(SchedctlError):
    """The operator may not do this (exit code 4)."""

    exit_code = 4
