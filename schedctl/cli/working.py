"""`schedctl work` and `test-run`."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from threading import Event
from typing import TYPE_CHECKING

import click

from schedctl.cli import completing, json_view
from schedctl.cli.journal import leads_there
from schedctl.cli.options import common, told
from schedctl.cli.run_view import show_output, show_run
from schedctl.cli.schedule_view import show_plan
from schedctl.cli.screen import Screen
from schedctl.cli.terminal import lasting
from schedctl.errors import NotAllowed, OperationFailed
from schedctl.language import Text
from schedctl.transport.http import HttpTransport
from schedctl.transport.local import LocalTransport
from schedctl.transport.ssh import SshTransport
from schedctl.transport.ssh_link import Client
from schedctl.usecases import notices, runs
from schedctl.usecases.ledger import Ledger
from schedctl.usecases.site import Site, open_site
from schedctl.usecases.work import drain, output_limit_bytes, work_on_run, work_once
from schedctl.usecases.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Generator

    from schedctl.cli.session import Session
    from schedctl.plan.model import Plan
    from schedctl.store.runs import RunRow

NOTHING_WAITS = Text("実行待ちはありません", "Nothing is waiting to be carried out")
CARRYING_OUT = Text("実行しています", "Carrying out")
STOPPING = Text(
    "止まります: 新しい実行は始めず、実行中のコマンドには終了を求めます（猶予は10秒）",
    "Stopping: nothing new is started; running commands are told to end and have 10 seconds",
)
ENDED = ("succeeded", "failed", "timed_out", "lost", "cancelled")
ENDED_BADLY = ("failed", "timed_out", "lost", "cancelled")


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
    with open_site(session.settings, unattended=True) as site, _worker(session, site, nodes, slots) as worker:
        teller = _Teller(session, worker.ledger)
        with lasting(session, teller.goes_on):
            run_ids = drain(replace(worker, after_legs=teller.after_legs)) if draining else work_once(worker)
        teller.tell(run_ids)
        done = runs.readable(site, run_ids)
    if done is None:
        _name_only(session, run_ids)
        return
    if session.as_json:
        session.document({"runs": [json_view.run(session, run) for run in done]})
        return
    screen = Screen(session)
    for run in done:
        show_run(screen, run)
    if not done:
        screen.line(session.say(NOTHING_WAITS))
    screen.show()


def _name_only(session: Session, run_ids: tuple[int, ...]) -> None:
    """The answer of a worker whose role may not read what it has recorded."""
    if session.as_json:
        session.document({"runs": [{"id": run_id} for run_id in run_ids]})
        return
    for run_id in run_ids:
        session.out(session.say(Text(f"実行 {run_id} を受け持ちました", f"Worked on run {run_id}")))
    if not run_ids:
        session.out(session.say(NOTHING_WAITS))


@click.command(
    "test-run",
    help=told(
        "予定の計画をいま1回実行する。本来の回には影響しない",
        "Carry out a schedule's plan once, now; its own occurrences are not touched",
    ),
)
@click.argument("reference", metavar="ID", shell_complete=completing.schedules("active", "paused", "pending"))
@click.option("--step", type=click.IntRange(1), metavar="N", help=told("この手順だけ", "Only this step"))
@click.option("--dry-run", is_flag=True, help=told("実行せず、何をするかだけを示す", "Only show what it would do"))
@common
def test_run_command(session: Session, reference: str, step: int | None, dry_run: bool) -> None:
    """Start a manual run of a schedule and carry it out."""
    with open_site(session.settings) as site:
        if dry_run:
            _show_plan(session, runs.rehearse(site, reference, step))
        else:
            _carry_out(session, site, runs.start(site, reference, step))


@click.command(
    "rerun", help=told("終わった実行と同じ計画をもう1回実行する", "Carry out the plan of an ended run once more, now")
)
@click.argument("run_id", metavar="RUN", type=int, shell_complete=completing.runs(*ENDED))
@common
def rerun_command(session: Session, run_id: int) -> None:
    """Start a manual run of an ended run's plan and carry it out."""
    with open_site(session.settings) as site:
        _carry_out(session, site, runs.start_again(site, run_id))


def _show_plan(session: Session, plan: Plan) -> None:
    """What would run; nothing is recorded."""
    if session.as_json:
        session.document({"dry_run": True, "plan": json_view.plan(session, plan)})
        return
    screen = Screen(session)
    show_plan(screen, plan)
    screen.next_step(session.say(Text("実行はしていません（--dry-run）", "Nothing was run (--dry-run)")))
    screen.show()


def _carry_out(session: Session, site: Site, started: RunRow) -> None:
    """Work on a manual run that was just queued, answer with its end; exit code 1 when it did not succeed.

    An operator's own database role starts a run and leaves it to a worker.
    """
    session.listen_to(started.instruction or "")
    with _worker(session, site, (), 1) as worker, lasting(session, lambda: CARRYING_OUT), suppress(NotAllowed):
        work_on_run(worker, started.run_id)
    ended = runs.one(site, started.run_id)
    _answer(session, ended)
    if ended.state in ENDED_BADLY:
        raise click.exceptions.Exit(1)


def _answer(session: Session, run: RunRow) -> None:
    if session.as_json:
        session.document({"run": json_view.run(session, run, with_output=True)})
        return
    screen = Screen(session)
    show_output(screen, run)
    if run.state in ("queued", "running"):
        sentence = Text(
            "まだ終わっていません。worker（schedctl work）を待つか、ノードが空くのを待っています",
            "It has not ended: it waits for a worker (schedctl work), or for its node to be free",
        )
        screen.next_step(session.say(sentence))
    screen.show()


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
        for sentence in notices.notices(self.ledger.troubles(run_ids)):
            if sentence not in self.said:
                self.said.add(sentence)
                self.session.alert(self.session.say(sentence), notices.fields_of(sentence))
        if run_ids and leads_there(sys.stdout):
            for sentence in filter(None, map(notices.of_end, self.ledger.runs(run_ids))):
                if sentence not in self.said:
                    self.said.add(sentence)
                    self.session.happened(self.session.say(sentence), notices.fields_of(sentence))


@contextmanager
def _worker(session: Session, site: Site, nodes: tuple[str, ...], slots: int) -> Generator[Worker]:
    """A worker that ends politely on SIGTERM and SIGINT: it starts nothing more and stops what runs."""
    stopping = Event()
    limit = output_limit_bytes(site)
    ledger = Ledger(site, f"{site.settings.host}:{os.getpid()}")
    worker = Worker(
        ledger,
        {
            "local": LocalTransport(),
            "ssh": SshTransport(Client(session.settings.ssh_config)),
            "http": HttpTransport(),
        },
        session.redactor,
        nodes or None,
        slots,
        limit,
        session.settings.timezone,
        stopping,
    )

    def stop(_number: int, _frame: object) -> None:
        stopping.set()
        session.err(session.say(STOPPING))

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield worker
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        ledger.close()
