"""Work: claim legs that may start, and have them carried out, several at a time."""

from __future__ import annotations

import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Final

from schedctl.store import catalogs
from schedctl.usecases.legs import carry_out
from schedctl.usecases.lookups import look_after_lost

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedctl.store.claims import ClaimedLeg
    from schedctl.usecases.site import Site
    from schedctl.usecases.worker import Worker

LOOK_AGAIN_AFTER_S: Final = 0.05
LOOK_EVERY_S: Final = 1.0


def output_limit_bytes(site: Site) -> int:
    """What a worker keeps of each stream of each step, by the adopted policy."""
    with site.transaction():
        return catalogs.output_limit_bytes(site.db)


def work_once(worker: Worker) -> tuple[int, ...]:
    """Carry out one leg that may start now; the ids of the runs that it worked on (none or one)."""
    leg = worker.ledger.claim(worker.nodes)
    if leg is None and look_after_lost(worker):
        leg = worker.ledger.claim(worker.nodes)
    if leg is None:
        return ()
    carry_out(worker, leg)
    return (leg.run_id,)


def drain(worker: Worker) -> tuple[int, ...]:
    """Carry out legs, `slots` at a time, until none runs and none may start; the ids of their runs as claimed."""
    run_ids: dict[int, None] = {}
    looks = 0
    with ThreadPoolExecutor(worker.slots + 1, thread_name_prefix="slot") as pool:
        # Beside the slots: a node that does not answer delays nobody, and one that is given free is worked on at once.
        asking = pool.submit(_ask_about_lost, worker)
        running: set[Future[int | None]] = {asking}
        ended = _Ended(worker)
        while running or looks < 2:
            while len(running - {asking}) < worker.slots and not worker.stopping.is_set():
                leg = worker.ledger.claim(worker.nodes)
                if leg is None:
                    break
                looks = 0
                run_ids[leg.run_id] = None
                running.add(pool.submit(_carry_out, worker, leg))
            if running:
                done, running = wait(running, timeout=LOOK_EVERY_S, return_when=FIRST_COMPLETED)
                ended.add([run_id for future in done if (run_id := future.result()) is not None])
            else:
                # Another worker may have held the very row for a moment: look once more before leaving.
                looks += 1
                worker.stopping.wait(LOOK_AGAIN_AFTER_S)
    return tuple(run_ids)


class _Ended:
    """Passes on whose legs have ended, not for each of many short ones but about once a second."""

    def __init__(self, worker: Worker) -> None:
        self._tell = worker.after_legs
        self._run_ids: dict[int, None] = {}
        self._told_at = time.monotonic() - LOOK_EVERY_S

    def add(self, run_ids: Sequence[int]) -> None:
        """Remember these (none, when it is only time to look), and pass on what is due."""
        self._run_ids.update(dict.fromkeys(run_ids))
        if self._tell is not None and self._run_ids and time.monotonic() - self._told_at >= LOOK_EVERY_S:
            self._tell(tuple(self._run_ids))
            self._run_ids.clear()
            self._told_at = time.monotonic()


def _ask_about_lost(worker: Worker) -> int | None:
    look_after_lost(worker)
    return None


def _carry_out(worker: Worker, leg: ClaimedLeg) -> int:
    carry_out(worker, leg)
    return leg.run_id


def work_on_run(worker: Worker, run_id: int) -> None:
    """Carry out the legs of one run that may start here, stage by stage."""
    while (leg := worker.ledger.claim(worker.nodes, run_id)) is not None:
        carry_out(worker, leg)
