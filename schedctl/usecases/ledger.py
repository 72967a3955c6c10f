"""The worker's book-keeping: one connection for all its slots, and patience with a database that fails in passing.

A connection that breaks leaves open what became of the last message. What the next go then does:

- claim: legs that run in this worker's name and that it was never given are given to it. Nobody else may touch them.
- begin a step: whoever has the leg's token and did not start the command has begun it; it may start, this once.
- end: what has its end already has this one. A `late_result` may be recorded of a result that came in time.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from schedctl.errors import NotAllowed, OperationFailed, SchedctlError
from schedctl.store import claims, database
from schedctl.usecases.carrying import not_started
from schedctl.usecases.patience import patiently

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from schedctl.store.claims import Begun, ClaimedLeg, Kept, LegEnd, LostLeg, Place, SoFar, StepEnd
    from schedctl.store.database import Database
    from schedctl.store.runs import RunRow
    from schedctl.store.trouble import Trouble
    from schedctl.usecases.site import Site

Answer = TypeVar("Answer")

ASK_FOR_S: Final = 20.0
RECORD_FOR_S: Final = 60.0
TOGETHER_BYTES: Final = 1_048_576
"""Of output that is recorded in one exchange: values stand in its text, and a worker keeps its memory small."""


@dataclass(slots=True)
class Ledger:
    """Claims, renews and finishes legs for one worker. Safe to use from several threads."""

    site: Site
    worker: str
    """The name of this worker and of no other, ever: by it legs are found whose claim was not answered."""
    lock: Lock = field(default_factory=Lock)
    given: set[int] = field(default_factory=set[int])
    """The legs that it was given."""

    def claim(self, nodes: Sequence[str] | None, most: int, run_id: int | None = None) -> tuple[ClaimedLeg, ...]:
        """Take legs (of this run, where one is named) and begin their first steps, committed before any command."""
        host = self.site.settings.host

        def take(db: Database, now: datetime | None, unsure: bool) -> tuple[ClaimedLeg, ...]:
            unanswered = claims.unanswered(db, now, self.worker, self.given) if unsure else ()
            return unanswered or claims.claim(db, now, self.worker, host, most, nodes, run_id)

        legs = self._patiently(take, ASK_FOR_S)
        self.given.update(leg.leg_id for leg in legs)
        return legs

    def begin_step(self, leg: ClaimedLeg, position: int, attempt: int) -> Begun:
        """Commit that a command is about to begin; or why it must not. Trying for a minute, as the others do."""

        def begin(db: Database, now: datetime | None, unsure: bool) -> Begun:
            said = claims.begin_step(db, now, leg, position, attempt)
            if not unsure or said != "refused":
                return said
            standing = claims.renew(db, now, leg, None)
            if standing == "cancelled":
                claims.finish_step(db, now, leg, (position, attempt), not_started(None))
            return "begun" if standing == "go_on" else said

        return self._patiently(begin, RECORD_FOR_S)

    def renew(
        self, leg: ClaimedLeg, so_far: SoFar | None = None
    ) -> Literal["go_on", "cancelled", "overtaken", "unknown"]:
        """Keep the leg, and what its step has written so far; `unknown` while the database is away."""
        try:
            return self._at_once(lambda db, now: claims.renew(db, now, leg, so_far))
        except OperationFailed:
            return "unknown"

    def finish_step(self, leg: ClaimedLeg, place: Place, end: StepEnd) -> Kept:
        """Record how a step ended, after which the leg goes on; trying for a minute when the database is away."""

        def finish(db: Database, now: datetime | None, unsure: bool) -> Kept:
            said = claims.finish_step(db, now, leg, place, end)
            if unsure and said == "late" and claims.renew(db, now, leg, None) != "overtaken":
                return "kept"
            return said

        return self._patiently(finish, RECORD_FOR_S)

    def finish_leg(self, leg: ClaimedLeg, state: str, reason: str | None, error: SchedctlError | None) -> bool:
        """End the leg, trying for a minute when the database is away."""
        return self._patiently(lambda db, now, _: claims.finish_leg(db, now, leg, state, reason, error), RECORD_FOR_S)

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
        def finish(db: Database, now: datetime | None, unsure: bool) -> tuple[Kept, ...]:
            said = claims.finish_both(db, now, ended)
            if not unsure:
                return said
            # A step that has its end already, of a leg that has none: it was overspent.
            unended = (
                kept == "late" and claims.renew(db, now, one.leg, None) != "overtaken"
                for one, kept in zip(ended, said, strict=True)
            )
            return tuple("overspent" if still else kept for still, kept in zip(unended, said, strict=True))

        return self._patiently(finish, RECORD_FOR_S)

    def lost_holds(self, nodes: Sequence[str] | None) -> tuple[LostLeg, ...]:
        """Lost legs that hold a node which this worker can ask."""
        return self._once(lambda db: claims.lost_holds(db, self.site.settings.host, nodes))

    def lost_leg_ended(self, leg: LostLeg, end: StepEnd) -> bool:
        """Give the node free, and keep how the command ended; trying for a minute when the database is away."""

        def record(db: Database, now: datetime | None, _unsure: bool) -> bool:
            with database.transaction(db, now):
                return claims.lost_leg_ended(db, leg, self.worker, end)

        return self._patiently(record, RECORD_FOR_S)

    def troubles(self, run_ids: Sequence[int]) -> tuple[Trouble, ...]:
        """Those of these runs that did not go as wished; none where a worker's own role may not read them."""
        from schedctl.store import trouble  # no command has to wait for the imports that tell of it

        try:
            return self._once(lambda db: trouble.of_runs(db, run_ids))
        except NotAllowed:
            return ()

    def runs(self, run_ids: tuple[int, ...]) -> tuple[RunRow, ...] | None:
        """These runs in the order of their ids, without output; None where a worker's own role may not read them."""
        from schedctl.store import runs

        try:
            return tuple(reversed(self._once(lambda db: runs.with_steps(db, run_ids, output=False))))
        except NotAllowed:
            return None

    def _once(self, act: Callable[[Database], Answer]) -> Answer:
        def in_transaction(db: Database, now: datetime | None, _unsure: bool) -> Answer:
            with database.transaction(db, now):
                return act(db)

        return self._patiently(in_transaction, ASK_FOR_S)

    def _patiently(self, act: Callable[[Database, datetime | None, bool], Answer], for_s: float) -> Answer:
        return patiently(lambda unsure: self._at_once(lambda db, now: act(db, now, unsure)), for_s)

    def _at_once(self, act: Callable[[Database, datetime | None], Answer]) -> Answer:
        with self.lock:
            return act(self.site.line.mended(), self.site.settings.rehearsal_now)


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
