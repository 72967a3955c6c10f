"""What every transport promises: one command in, one outcome out, whatever happens on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    from schedctl.catalog.basics import HttpRequest
    from schedctl.language import Text
    from schedctl.plan.model import Target
    from schedctl.redact import Redactor

Heartbeat = Callable[[], Literal["go_on", "stop"]]
"""Called from the loop that reads the output; `stop` means that the run was cancelled or the worker shuts down.

It must not raise: a database that is away is a reason to go on, not a reason to end dpkg.
"""

SoFar = Callable[[int], "tuple[Captured, Captured]"]
"""Reads what a running command has written so far: at most so many bytes of its stdout and of its stderr.

To be called from the heartbeat only. `length` counts the redacted bytes then, and there is no digest yet.
"""

OutcomeState = Literal["succeeded", "failed", "timed_out", "cancelled", "lost"]
"""`lost`: it began, and how it ended is not known. It may run on; nothing repeats it."""


@dataclass(frozen=True, slots=True)
class Command:
    """One start of one step: everything that decides what the operating system is asked to run."""

    argv: tuple[str, ...]
    timeout_s: int
    timezone: str
    label: str
    """Names this very start (run, node, step, attempt): letters, digits, `-`, `_`, `.` only, never used twice."""
    environment: tuple[tuple[str, str], ...] = ()
    stdin: str = ""
    as_root: bool = False
    success_exit_codes: tuple[int, ...] = (0,)
    request: HttpRequest | None = None
    """What the http transport sends; then argv is empty."""
    token: str = ""
    """Tells this start from one of another installation with the same label; like the label, harmless letters only."""


@dataclass(frozen=True, slots=True)
class Captured:
    """One output stream, already redacted: its beginning, its end, and what is true of the whole.

    `tail` is empty unless something was left out between the two. `length` counts the bytes that the command wrote.
    `sha256` is the digest of the redacted stream: one of the raw stream would let anybody test guesses of a secret. It
    is empty where a part was never seen here: a node that nobody fetched from gave it up.
    """

    head: bytes
    tail: bytes
    length: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended. Everything but `succeeded` has a type and a sentence.

    `exit_code` is the command's own, or 128 + n when signal n ended it (as a shell and sshd say it); None when it never
    started or its end is not known. Of an HTTP request it is the status of the answer.
    """

    state: OutcomeState
    exit_code: int | None
    error_type: str | None
    error_message: Text | None
    hint: Text | None
    stdout: Captured
    stderr: Captured
    external_id: str | None = None
    """What the answer to an HTTP request calls the thing that it started."""
    tokens: int | None = None
    """The tokens that the answer to an HTTP request says were used."""


Found = Outcome | Literal["running", "unknown"]
"""What became of a command: how it ended, that it runs, or that nobody can tell now."""


class Transport(Protocol):
    """Carries a command to a target and brings its outcome back; never raises for what the command or the way does."""

    def run(
        self,
        target: Target,
        command: Command,
        heartbeat: Heartbeat,
        redactor: Redactor,
        limit_bytes: int,
        look_at: Callable[[SoFar], None] | None = None,
        /,
    ) -> Outcome:
        """Run it to its end, its timeout, or the first `stop`; keep at most `limit_bytes` of each stream.

        `look_at` is told, before the first heartbeat, how to read what is written so far; where nothing can be, never.
        """
        ...


@runtime_checkable
class Lookup(Protocol):
    """A transport that can find out what became of a command whose worker was lost."""

    def look(self, target: Target, command: Command, redactor: Redactor, limit_bytes: int, /) -> Found:
        """What became of it. What had not begun never will."""
        ...
