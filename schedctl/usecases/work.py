"""Work: claim legs that may start, and have them carried out, several at a time."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Final

from schedctl.store import catalogs
from schedctl.usecases.legs import carry_out
from schedctl.usecases.lookups import look_after_lost

if TYPE_CHECKING:
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
        running: set[Future[None]] = {asking}
        while running or looks < 2:
            while len(running - {asking}) < worker.slots and not worker.stopping.is_set():
                leg = worker.ledger.claim(worker.nodes)
                if leg is None:
                    break
                looks = 0
                run_ids[leg.run_id] = None
                running.add(pool.submit(_carry_out_and_tell, worker, leg))
            if running:
                done, running = wait(running, timeout=LOOK_EVERY_S, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
            else:
                # Another worker may have held the very row for a moment: look once more before leaving.
                looks += 1
                worker.stopping.wait(LOOK_AGAIN_AFTER_S)
    return tuple(run_ids)


def _ask_about_lost(worker: Worker) -> None:
    look_after_lost(worker)


def _carry_out_and_tell(worker: Worker, leg: ClaimedLeg) -> None:
    carry_out(worker, leg)
    if worker.after_leg is not None:
        worker.after_leg(leg.run_id)


def work_on_run(worker: Worker, run_id: int) -> None:
    """Carry out the legs of one run that may start here, stage by stage."""
    while (leg := worker.ledger.claim(worker.nodes, run_id)) is not None:
        carry_out(worker, leg)
