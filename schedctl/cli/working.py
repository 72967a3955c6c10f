"""`schedctl work`."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import click

from schedctl.cli import completing
from schedctl.cli.journal import leads_there
from schedctl.cli.options import common, told
from schedctl.cli.terminal import lasting
from schedctl.cli.workers import CARRYING_OUT, a_worker
from schedctl.errors import NotAllowed, OperationFailed
from schedctl.language import Text
from schedctl.usecases.site import open_site
from schedctl.usecases.work import drain, work_once

if TYPE_CHECKING:
    from schedctl.cli.session import Session
    from schedctl.store.runs import RunRow
    from schedctl.usecases.ledger import Ledger
    from schedctl.usecases.site import Site

NOTHING_MAY_START = Text("いま始められるものはありません", "Nothing may start now")
NOTHING_WAITS = Text("実行待ちはありません", "Nothing is waiting to be carried out")


@click.command(
    "work",
    help=told(
        "実行待ちを1つ引き受けて実行する。--drain なら、なくなるまで続ける",
        "Claim one leg and carry it out; with --drain, go on until none is left",
    ),
)
@click.option(
    "--node",
    "nodes",
    multiple=True,
    metavar="NAME",
    shell_complete=completing.nodes,
    help=told("このノードのものだけ", "Only for this node"),
)
@click.option("--drain", "draining", is_flag=True, help=told("なくなるまで続ける", "Go on until none is left"))
@click.option(
    "--slots", type=click.IntRange(1, 64), default=4, show_default=True, help=told("同時に実行する数", "At a time")
)
@common
def work_command(session: Session, nodes: tuple[str, ...], draining: bool, slots: int) -> None:
    """Work."""
    with open_site(session.settings, unattended=True) as site:
        if nodes:
            _require_known(site, nodes)
        _work(session, site, nodes, draining=draining, slots=slots)


def _work(session: Session, site: Site, nodes: tuple[str, ...], *, draining: bool, slots: int) -> None:
    with a_worker(session, site, nodes, slots) as worker:
        teller = _Teller(session, worker.ledger)
        with lasting(session, teller.goes_on):
            run_ids = drain(replace(worker, after_legs=teller.after_legs)) if draining else work_once(worker)
        teller.tell(run_ids)
        done = worker.ledger.runs(run_ids)
    if done is None:
        _name_only(session, run_ids)
    elif done or session.as_json:
        _show(session, done)
    else:
        _show_waiting(session, site, nodes)


def _require_known(site: Site, nodes: tuple[str, ...]) -> None:
    """`NotFound` (`node_not_found`) for a node that is none; a worker that cannot read the catalog goes on."""
    from schedctl.catalog.problems import CatalogInvalid  # a worker for every node does not read the catalog
    from schedctl.usecases.nodes import require_known

    with suppress(NotAllowed, CatalogInvalid), site.transaction():
        for name in nodes:
            require_known(site, name)


def _show(session: Session, done: tuple[RunRow, ...]) -> None:
    from schedctl.cli import json_view
    from schedctl.cli.run_view import show_run
    from schedctl.cli.screen import Screen

    if session.as_json:
        session.document({"runs": [json_view.run(session, run) for run in done]})
        return
    screen = Screen(session)
    for run in done:
        show_run(screen, run)
    screen.show()


def _show_waiting(session: Session, site: Site, names: tuple[str, ...]) -> None:
    """Why nothing was done: nothing waits, or what waits does so for its node."""
    from schedctl.cli.screen import Screen
    from schedctl.usecases.nodes import held_up, waits_for

    screen = Screen(session)
    waiting = held_up(site, names)
    screen.line(session.say(NOTHING_MAY_START if waiting else NOTHING_WAITS))
    for one in waiting:
        said = waits_for(one.by)
        line = Text(f"実行 {one.run_id}: {said.ja}", f"Run {one.run_id}: {said.en}")
        screen.line(session.say(line), style="yellow", indent=2)
    screen.show()


def _name_only(session: Session, run_ids: tuple[int, ...]) -> None:
    """The answer of a worker whose role may not read what it has recorded."""
    if session.as_json:
        session.document({"runs": [{"id": run_id} for run_id in run_ids]})
        return
    for run_id in run_ids:
        said = session.say(Text(f"実行 {run_id} を受け持ちました", f"Worked on run {run_id}"))
        if not session.happened(said, {"SCHEDCTL_RUN": str(run_id)}):
            session.out(said)
    if not run_ids:
        session.out(session.say(NOTHING_WAITS))


@dataclass(slots=True)
class _Teller:
    """Says once, and as soon as it is known, what did not go as wished: a drain may go on for hours."""

    session: Session
    ledger: Ledger
    said: set[Text] = field(default_factory=set[Text])
    ended: int = 0
    """Legs, as far as they were told."""

    def goes_on(self) -> Text:
        """What stands on the status line meanwhile."""
        ended = Text(f"（{self.ended} 件終了）", f" ({self.ended} done)") if self.ended else Text("", "")
        return Text(f"{CARRYING_OUT.ja}{ended.ja}", f"{CARRYING_OUT.en}{ended.en}")

    def after_legs(self, run_ids: tuple[int, ...]) -> None:
        """Tell of these; while the database is away nothing is lost, `tell` comes at the end."""
        self.ended += len(run_ids)
        with suppress(OperationFailed):
            self.tell(run_ids)

    def tell(self, run_ids: tuple[int, ...]) -> None:
        """Tell of these runs; a journal hears also of those that ended well."""
        from schedctl.usecases import notices  # what is said afterwards is imported afterwards

        for sentence in notices.notices(self.ledger.troubles(run_ids)):
            if sentence not in self.said:
                self.said.add(sentence)
                self.session.alert(self.session.say(sentence), notices.fields_of(sentence))
        if run_ids and leads_there(sys.stderr):
            for sentence in filter(None, map(notices.of_end, self.ledger.runs(run_ids) or ())):
                if sentence not in self.said:
                    self.said.add(sentence)
                    self.session.happened(self.session.say(sentence), notices.fields_of(sentence))
