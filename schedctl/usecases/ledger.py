"""The worker's book-keeping: one connection for all its slots, opened again when it breaks."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from schedctl.errors import OperationFailed, SchedctlError
from schedctl.store import claims, database, trouble

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from schedctl.store.claims import ClaimedLeg, LostLeg, StepEnd
    from schedctl.store.database import Database
    from schedctl.store.trouble import Trouble
    from schedctl.usecases.site import Site

Answer = TypeVar("Answer")

RECORD_FOR_S: Final = 60.0
RETRY_EVERY_S: Final = 1.0


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

    def claim(self, nodes: Sequence[str] | None, run_id: int | None = None) -> ClaimedLeg | None:
        """Take a leg (of this run, where one is named), committed before anything of it begins."""
        return self._once(lambda db: claims.claim(db, self.worker, self.site.settings.host, nodes, run_id))

    def begin_step(self, leg: ClaimedLeg, position: int, attempt: int) -> bool:
        """Commit that a command is about to begin; False: it must not."""
        return self._once(lambda db: claims.begin_step(db, leg, position, attempt))

    def renew(self, leg: ClaimedLeg) -> Literal["go_on", "cancelled", "overtaken", "unknown"]:
        """Keep the leg; `unknown` while the database is away."""
        try:
            return self._once(lambda db: claims.renew(db, leg))
        except OperationFailed:
            return "unknown"

    def finish_step(self, leg: ClaimedLeg, position: int, attempt: int, end: StepEnd) -> bool:
        """Record how a step ended, trying for a minute when the database is away."""
        return self._until_recorded(lambda db: claims.finish_step(db, leg, position, attempt, end))

    def finish_leg(self, leg: ClaimedLeg, state: str, reason: str | None, error: SchedctlError | None) -> bool:
        """End the leg, trying for a minute when the database is away."""
        return self._until_recorded(lambda db: claims.finish_leg(db, leg, state, reason, error))

    def lost_holds(self, nodes: Sequence[str] | None) -> tuple[LostLeg, ...]:
        """Lost legs that hold a node which this worker can ask."""
        return self._once(lambda db: claims.lost_holds(db, self.site.settings.host, nodes))

    def lost_leg_ended(self, leg: LostLeg, end: StepEnd) -> bool:
        """Give the node free, and keep how the command ended; trying for a minute when the database is away."""
        return self._until_recorded(lambda db: claims.lost_leg_ended(db, leg, self.worker, end))

    def troubles(self, run_ids: Sequence[int]) -> tuple[Trouble, ...]:
        """Those of these runs that did not go as wished."""
        return self._once(lambda db: trouble.of_runs(db, run_ids))

    def _once(self, act: Callable[[Database], Answer]) -> Answer:
        with self.lock:
            if self.db.closed or self.db.broken:
                self.db = database.connect(self.site.dsn)
            with database.transaction(self.db, self.site.settings.rehearsal_now):
                return act(self.db)

    def _until_recorded(self, act: Callable[[Database], Answer]) -> Answer:
        gives_up_at = time.monotonic() + RECORD_FOR_S
        while True:
            try:
                return self._once(act)
            except OperationFailed as failure:
                if not failure.passing or time.monotonic() > gives_up_at:
                    raise
            time.sleep(RETRY_EVERY_S)
