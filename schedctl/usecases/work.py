"""Work: claim legs that may start, and have them carried out, several at a time."""

from __future__ import annotations

import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Final

from schedctl.errors import OperationFailed
from schedctl.store import catalogs
from schedctl.usecases.legs import carry_out, conclude, perform
from schedctl.usecases.lookups import look_after_lost

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schedctl.store.claims import ClaimedLeg, LegEnd
    from schedctl.usecases.site import Site
    from schedctl.usecases.worker import Worker

LOOK_AGAIN_AFTER_S: Final = 0.05
LOOK_EVERY_S: Final = 1.0
_Performed = tuple[int, "LegEnd | None"]
"""The run of a leg, and how that leg ended where it is not recorded yet."""


def output_limit_bytes(site: Site) -> int:
    """What a worker keeps of each stream of each step, by the adopted policy."""
    return site.patiently(lambda _: catalogs.output_limit_bytes(site.db))


def work_once(worker: Worker) -> tuple[int, ...]:
    """Carry out one leg that may start now; the ids of the runs that it worked on (none or one)."""
    legs = worker.ledger.claim(worker.nodes, 1)
    if not legs and look_after_lost(worker):
        legs = worker.ledger.claim(worker.nodes, 1)
    for leg in legs:
        carry_out(worker, leg)
    return tuple(leg.run_id for leg in legs)


def drain(worker: Worker) -> tuple[int, ...]:
    """Carry out legs, `slots` at a time, until none runs and none may start; the ids of their runs as claimed.

    The slots perform; this thread alone claims and concludes, for as many at once as there are: an exchange with the
    database costs more than the leg of a short command.
    """
    run_ids: dict[int, None] = {}
    looks = 0
    with ThreadPoolExecutor(worker.slots + 1, thread_name_prefix="slot") as pool:
        asking: Future[_Performed | None] | None = None
        running: set[Future[_Performed | None]] = set()
        ended = _Ended(worker)
        try:
            while running or looks < 2:
                while (free := worker.slots - len(running - {asking})) and not worker.stopping.is_set():
                    legs = _claim(worker, free, beside=bool(running))
                    if not legs:
                        break
                    looks = 0
                    run_ids.update((leg.run_id, None) for leg in legs)
                    running.update(pool.submit(_perform, worker, leg) for leg in legs)
                if asking is None:
                    # Beside the slots: a node that does not answer delays nobody, and one that is given free is worked
                    # on at once. What could be claimed without it has begun.
                    asking = pool.submit(_ask_about_lost, worker)
                    running.add(asking)
                if running:
                    done, running = wait(running, timeout=LOOK_EVERY_S, return_when=FIRST_COMPLETED)
                    ended.add(done)
                else:
                    # Another worker may have held the very row for a moment: look once more before leaving.
                    looks += 1
                    worker.stopping.wait(LOOK_AGAIN_AFTER_S)
        finally:
            # Whatever ended the loop: what still runs has an end, and that is recorded.
            ended.add(wait(running).done)
    return tuple(run_ids)


def _claim(worker: Worker, most: int, *, beside: bool) -> tuple[ClaimedLeg, ...]:
    """Claim; where the database is away for longer, a command that runs `beside` goes on, and so does the looking."""
    try:
        return worker.ledger.claim(worker.nodes, most)
    except OperationFailed as failure:
        if not (failure.passing and beside):
            raise
        return ()


class _Ended:
    """Concludes legs, and passes on whose have ended, not for each of many short ones but about once a second."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._run_ids: dict[int, None] = {}
        self._told_at = time.monotonic() - LOOK_EVERY_S

    def add(self, done: Iterable[Future[_Performed | None]]) -> None:
        """Conclude these (none, when it is only time to look), and pass on what is due.

        What failed in a slot is raised when the others are concluded.
        """
        performed = [one for future in done if future.exception() is None and (one := future.result()) is not None]
        conclude(self._worker, [end for _, end in performed if end is not None])
        self._run_ids.update((run_id, None) for run_id, _ in performed)
        tell = self._worker.after_legs
        if tell is not None and self._run_ids and time.monotonic() - self._told_at >= LOOK_EVERY_S:
            tell(tuple(self._run_ids))
            self._run_ids.clear()
            self._told_at = time.monotonic()
        for future in done:
            future.result()


def _ask_about_lost(worker: Worker) -> None:
    """What this worker does not come to know or to record, the next one asks about."""
    try:
        look_after_lost(worker)
    except OperationFailed as failure:
        if not failure.passing:
            raise


def _perform(worker: Worker, leg: ClaimedLeg) -> _Performed:
    return leg.run_id, perform(worker, leg)


def work_on_run(worker: Worker, run_id: int) -> None:
    """Carry out the legs of one run that may start here, stage by stage."""
    while legs := worker.ledger.claim(worker.nodes, 1, run_id):
        carry_out(worker, legs[0])
