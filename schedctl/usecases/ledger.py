"""The worker's book-keeping: one connection for all its slots, opened again when it breaks."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from schedctl.errors import NotAllowed, OperationFailed, SchedctlError
from schedctl.store import claims, database, runs, trouble

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from schedctl.store.claims import Begun, ClaimedLeg, Kept, LegEnd, LostLeg, Place, SoFar, StepEnd
    from schedctl.store.database import Database
    from schedctl.store.runs import RunRow
    from schedctl.store.trouble import Trouble
    from schedctl.usecases.site import Site

Answer = TypeVar("Answer")

RECORD_FOR_S: Final = 60.0
RETRY_EVERY_S: Final = 1.0
TOGETHER_BYTES: Final = 1_048_576
"""Of output that is recorded in one exchange: values stand in its text, and a worker keeps its memory small."""


@dataclass(slots=True)
class Ledger:
    """Claims, renews and finishes legs for one worker. Safe to use from several threads."""

    site: Site
    worker: str
    db: Database = field(init=False)
    lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self.db = self.site.db

    def close(self) -> None:
        """Close the connection that took the broken one's place, if there is one."""
        if self.db is not self.site.db:
            self.db.close()

    def claim(self, nodes: Sequence[str] | None, most: int, run_id: int | None = None) -> tuple[ClaimedLeg, ...]:
        """Take legs (of this run, where one is named) and begin their first steps, committed before any command."""
        host = self.site.settings.host
        return self._at_once(lambda db, now: claims.claim(db, now, self.worker, host, most, nodes, run_id))

    def begin_step(self, leg: ClaimedLeg, position: int, attempt: int) -> Begun:
        """Commit that a command is about to begin; or why it must not."""
        return self._at_once(lambda db, now: claims.begin_step(db, now, leg, position, attempt))

    def renew(
        self, leg: ClaimedLeg, so_far: SoFar | None = None
    ) -> Literal["go_on", "cancelled", "overtaken", "unknown"]:
        """Keep the leg, and what its step has written so far; `unknown` while the database is away."""
        try:
            return self._at_once(lambda db, now: claims.renew(db, now, leg, so_far))
        except OperationFailed:
            return "unknown"

    def finish_step(self, leg: ClaimedLeg, place: Place, end: StepEnd) -> Kept:
        """Record how a step ended, trying for a minute when the database is away."""
        return self._until_recorded(lambda db, now: claims.finish_step(db, now, leg, place, end))

    def finish_leg(self, leg: ClaimedLeg, state: str, reason: str | None, error: SchedctlError | None) -> bool:
        """End the leg, trying for a minute when the database is away."""
        return self._until_recorded(lambda db, now: claims.finish_leg(db, now, leg, state, reason, error))

    def finish_both(self, ended: Sequence[LegEnd]) -> tuple[Kept, ...]:
        """Record how the last steps of legs ended, and the legs with them, trying for a minute as the others do.

        Several in one exchange; what the database does not accept together is recorded one by one. A leg that it does
        not accept even so is raised when the others are recorded.
        """
        waiting = deque(_portions(ended))
        said: list[Kept] = []
        refused: OperationFailed | None = None
        while waiting:
            portion = waiting.popleft()
            try:
                said += self._finish_together(portion)
            except OperationFailed as failure:
                if failure.passing:
                    raise
                if len(portion) == 1:
                    refused = failure
                else:
                    waiting.extendleft([one] for one in reversed(portion))
        if refused is not None:
            raise refused
        return tuple(said)

    def _finish_together(self, ended: Sequence[LegEnd]) -> tuple[Kept, ...]:
        return self._until_recorded(lambda db, now: claims.finish_both(db, now, ended))

    def lost_holds(self, nodes: Sequence[str] | None) -> tuple[LostLeg, ...]:
        """Lost legs that hold a node which this worker can ask."""
        return self._once(lambda db: claims.lost_holds(db, self.site.settings.host, nodes))

    def lost_leg_ended(self, leg: LostLeg, end: StepEnd) -> bool:
        """Give the node free, and keep how the command ended; trying for a minute when the database is away."""

        def record(db: Database, now: datetime | None) -> bool:
            with database.transaction(db, now):
                return claims.lost_leg_ended(db, leg, self.worker, end)

        return self._until_recorded(record)

    def troubles(self, run_ids: Sequence[int]) -> tuple[Trouble, ...]:
        """Those of these runs that did not go as wished; none where a worker's own role may not read them."""
        try:
            return self._once(lambda db: trouble.of_runs(db, run_ids))
        except NotAllowed:
            return ()

    def runs(self, run_ids: tuple[int, ...]) -> tuple[RunRow, ...]:
        """These runs without their output; none where a worker's own role may not read them."""
        try:
            return self._once(lambda db: runs.with_steps(db, run_ids, output=False))
        except NotAllowed:
            return ()

    def _once(self, act: Callable[[Database], Answer]) -> Answer:
        def in_transaction(db: Database, now: datetime | None) -> Answer:
            with database.transaction(db, now):
                return act(db)

        return self._at_once(in_transaction)

    def _at_once(self, act: Callable[[Database, datetime | None], Answer]) -> Answer:
        with self.lock:
            if self.db.closed or self.db.broken:
                self.db = database.connect(self.site.dsn, self.site.settings.admitted)
            return act(self.db, self.site.settings.rehearsal_now)

    def _until_recorded(self, act: Callable[[Database, datetime | None], Answer]) -> Answer:
        gives_up_at = time.monotonic() + RECORD_FOR_S
        while True:
            try:
                return self._at_once(act)
            except OperationFailed as failure:
                if not failure.passing or time.monotonic() > gives_up_at:
                    raise
            time.sleep(RETRY_EVERY_S)


def _portions(ended: Sequence[LegEnd]) -> Iterator[list[LegEnd]]:
    """The same in the same order, in portions of at most `TOGETHER_BYTES` of output, or of one leg that has more."""
    portion: list[LegEnd] = []
    size = 0
    for one in ended:
        if portion and size + one.end.kept_bytes > TOGETHER_BYTES:
            yield portion
            portion, size = [], 0
        portion.append(one)
        size += one.end.kept_bytes
    if portion:
        yield portion
