"""Facts are gathered side by side: each gatherer in a thread of its own, able to fail, or to hang, on its own."""

from __future__ import annotations

import queue
import threading
import time
from typing import TYPE_CHECKING, Generic, TypeVar

from schedctl.errors import OperationFailed, SchedctlError
from schedctl.language import Text
from schedctl.usecases.doctor_finding import Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

Fact = TypeVar("Fact")


class Gathering(Generic[Fact]):
    """One gatherer under way. A thread that hangs is left behind; it dies with the process."""

    def __init__(self, name: str, gather: Callable[[], Fact]) -> None:
        self.name = name
        self._inbox: queue.SimpleQueue[Fact | Unknown] = queue.SimpleQueue()
        self._found: Fact | Unknown | None = None
        threading.Thread(target=self._work, args=(gather,), name=f"doctor-{name}", daemon=True).start()

    def result(self, until: float) -> Fact | Unknown:
        """What it found by then (a reading of the steady clock), or why nothing."""
        if self._found is None:
            try:
                self._found = self._inbox.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                self._found = Unknown(no_answer())
        return self._found

    def _work(self, gather: Callable[[], Fact]) -> None:
        self._inbox.put(attempted(gather))


def attempted(gather: Callable[[], Fact]) -> Fact | Unknown:
    """What the gatherer finds, or why it found nothing."""
    try:
        return gather()
    except SchedctlError as error:
        return Unknown(error)
    except Exception as error:  # noqa: BLE001 - one check that cannot be made must not keep the others
        return Unknown(could_not_look(type(error).__name__))


def no_answer() -> OperationFailed:
    """It took longer than a person waits."""
    return OperationFailed("no_answer", Text("時間内に答えがありません", "No answer in time"))


def could_not_look(kind: str) -> OperationFailed:
    """The looking itself went wrong; `kind` is the exception's name, which gives nothing away."""
    return OperationFailed(
        "could_not_look", Text(f"調べられませんでした（{kind}）", f"Could not be looked at ({kind})")
    )
