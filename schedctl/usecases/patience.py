"""What to do when the database fails for a moment: the same again, for some seconds."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, TypeVar

from schedctl.errors import OperationFailed

if TYPE_CHECKING:
    from collections.abc import Callable

Answer = TypeVar("Answer")

FIRST_PAUSE_S: Final = 0.1
LONGEST_PAUSE_S: Final = 1.0


def patiently(act: Callable[[bool], Answer], for_s: float) -> Answer:
    """What `act` answers, tried again while it fails in passing; after so long, its failure.

    A deadlock, a lock or a statement that took too long: the server took everything back, and it is done as if for the
    first time. A connection that broke says nothing of what became of the last message: `act` is told (True) that what
    it does may have been done already.
    """
    gives_up_at = time.monotonic() + for_s
    pause, unsure = FIRST_PAUSE_S, False
    while True:
        try:
            return act(unsure)
        except OperationFailed as failure:
            if not failure.passing or time.monotonic() + pause > gives_up_at:
                raise
            unsure = unsure or failure.type == "database_unavailable"
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE_S)
