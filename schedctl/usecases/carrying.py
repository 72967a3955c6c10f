"""Between a claimed leg and a transport: what is handed over for one step, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from schedctl.store.claims import KeptOutput, StepEnd
from schedctl.transport.base import Captured, Command, Outcome
from schedctl.usecases import failures

if TYPE_CHECKING:
    from uuid import UUID

    from schedctl.errors import SchedctlError
    from schedctl.plan.model import Step


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt of one step: it names the start, also to a worker that asks about it later."""

    run_id: int
    leg_id: int
    token: UUID
    position: int
    number: int

    @property
    def label(self) -> str:
        """Its name in this installation."""
        return f"run{self.run_id}-leg{self.leg_id}-step{self.position}-attempt{self.number}"


def command_of(step: Step, attempt: Attempt, timezone: str) -> Command:
    """What a transport is asked to start."""
    return Command(
        argv=step.argv,
        timeout_s=step.timeout_s,
        timezone=timezone,
        label=attempt.label,
        environment=step.environment,
        stdin=step.stdin,
        as_root=step.as_root,
        success_exit_codes=step.success_exit_codes,
        token=attempt.token.hex,
        request=step.request,
    )


def end_of(outcome: Outcome) -> StepEnd:
    """How the step ended, as it is recorded."""
    error: SchedctlError | None = None
    if outcome.error_type is not None and outcome.error_message is not None:
        error = failures.of_command(outcome.error_type, outcome.error_message, outcome.hint)
    return StepEnd(
        outcome.state,
        outcome.exit_code,
        error,
        kept(outcome.stdout),
        kept(outcome.stderr),
        outcome.external_id,
        outcome.tokens,
    )


def not_started(error: SchedctlError | None) -> StepEnd:
    """A step whose command was not begun: it failed with `error`, or (None) it was cancelled."""
    return StepEnd("failed" if error else "cancelled", None, error, NOTHING, NOTHING)


NOTHING: Final = KeptOutput(b"", b"", 0, "")


def kept(stream: Captured) -> KeptOutput:
    """A stream as it is stored."""
    return KeptOutput(stream.head, stream.tail, stream.length, stream.sha256)
