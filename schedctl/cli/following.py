"""`logs --follow`: what a run's commands write, as it becomes known: each byte once, no terminal sequence replayed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from schedctl.cli.run_view import show_run, show_step_head
from schedctl.cli.screen import Screen
from schedctl.transport.base import Captured
from schedctl.transport.capture import display

if TYPE_CHECKING:
    from schedctl.cli.session import Session
    from schedctl.store.runs import RunRow, StepRow

KNOWN_AGAIN_BY: Final = 16
"""So many bytes at the end of what was shown tell where to go on, when the stored length counts otherwise."""
Key = tuple[int, int, int]


@dataclass(slots=True)
class Reader:
    """How far a stream has been shown, in bytes of what is stored of it."""

    shown: int = 0
    last: bytes = b""

    def news(self, stored: Captured, *, ended: bool) -> str:
        """What is new in it, safe to show; up to the end of its last line, and all of it when the command has ended."""
        new_of_head = stored.head[self.shown :]
        if not stored.tail:
            return self._take(new_of_head, ended=ended)
        said = self._take(new_of_head, ended=True)
        start = stored.length - len(stored.tail)
        offset = self._offset_in(stored.tail, start)
        if offset is None:
            said = _joined(said, f"[… {max(start - self.shown, 1)} bytes left out …]")
            self.shown, self.last, offset = start, b"", 0
        return _joined(said, self._take(stored.tail[offset:], ended=ended))

    def _offset_in(self, tail: bytes, start: int) -> int | None:
        """Where in the tail to go on; None when something between has been left out.

        While it runs, `start` counts as we do. At the end it counts what the command wrote, before redaction.
        """
        counted = self.shown - start
        if 0 <= counted <= len(tail) and _agree(tail[:counted], self.last):
            return counted
        found = tail.rfind(self.last) if len(self.last) == KNOWN_AGAIN_BY else -1
        return found + len(self.last) if found >= 0 else None

    def _take(self, fresh: bytes, *, ended: bool) -> str:
        if not ended:
            # A carriage return ends a state of a progress line, unless a line end may still follow it.
            fresh = fresh[: max(fresh.rfind(b"\n"), fresh.rfind(b"\r", 0, -1)) + 1]
        self.shown += len(fresh)
        self.last = (self.last + fresh)[-KNOWN_AGAIN_BY:]
        return display(Captured(fresh, b"", len(fresh), ""))


@dataclass(slots=True)
class Follower:
    """Shows a run again and again, each time only what is new."""

    session: Session
    readers: dict[tuple[Key, str], Reader] = field(default_factory=dict[tuple["Key", str], Reader])
    begun: Key | None = None

    def show(self, run: RunRow) -> None:
        """What is new of its output; and how all of it ended, once it has."""
        screen = Screen(self.session)
        news = [self._step(screen, step) for step in run.steps if step.state != "not_run"]
        if run.finished_at is not None:
            show_run(screen, run)
        if any(news) or run.finished_at is not None:
            screen.show()

    def _step(self, screen: Screen, step: StepRow) -> bool:
        key, ended = (step.leg_id, step.position, step.attempt), step.finished_at is not None
        stdout = Captured(step.stdout_head or b"", step.stdout_tail or b"", step.stdout_length or 0, "")
        stderr = Captured(step.stderr_head or b"", step.stderr_tail or b"", step.stderr_length or 0, "")
        said = [
            (self.readers.setdefault((key, name), Reader()).news(stored, ended=ended), style)
            for name, stored, style in (("stdout", stdout, ""), ("stderr", stderr, "red"))
        ]
        if not any(text for text, _ in said):
            return False
        if key != self.begun:
            self.begun = key
            show_step_head(screen, step)
        for text, style in said:
            if text:
                screen.verbatim(text.rstrip("\n"), style)
        return True


def _agree(before: bytes, shown: bytes) -> bool:
    """Whether both end alike, as far as the shorter one goes."""
    known = min(len(before), len(shown))
    return before[len(before) - known :] == shown[len(shown) - known :]


def _joined(first: str, second: str) -> str:
    return f"{first.rstrip(chr(10))}\n{second}" if first and second else first or second
