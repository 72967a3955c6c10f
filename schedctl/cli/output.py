"""A step's kept output, as it can be shown safely."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedctl.transport.base import Captured
from schedctl.transport.capture import display

if TYPE_CHECKING:
    from schedctl.store.runs import StepRow


def stdout_of(step: StepRow) -> str:
    """Its standard output, decoded for display only."""
    return _shown(step.stdout_head, step.stdout_tail, step.stdout_length)


def stderr_of(step: StepRow) -> str:
    """Its standard error, decoded for display only."""
    return _shown(step.stderr_head, step.stderr_tail, step.stderr_length)


def _shown(head: bytes | None, tail: bytes | None, length: int | None) -> str:
    return display(Captured(head or b"", tail or b"", length or 0, ""))
