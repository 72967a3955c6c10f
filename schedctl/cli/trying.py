"""`schedctl test-run` and `rerun`: a run by hand, carried out at once."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import click

from schedctl.cli import completing, json_view
from schedctl.cli.options import common, told
from schedctl.cli.run_view import show_output
from schedctl.cli.schedule_view import show_plan
from schedctl.cli.screen import Screen
from schedctl.cli.terminal import lasting
from schedctl.cli.workers import CARRYING_OUT, a_worker
from schedctl.errors import NotAllowed
from schedctl.language import Text
from schedctl.usecases import runs
from schedctl.usecases.site import Site, open_site
from schedctl.usecases.work import work_on_run
from schedctl.when.saying.moments import moment_said

if TYPE_CHECKING:
    from schedctl.catalog.basics import Freeze
    from schedctl.cli.session import Session
    from schedctl.plan.model import Plan
    from schedctl.store.runs import RunRow

ENDED = ("succeeded", "failed", "timed_out", "lost", "cancelled")
ENDED_BADLY = ("failed", "timed_out", "lost", "cancelled")


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
            plan = runs.rehearse(site, reference, step)
            _tell_of_freeze(session, runs.freeze_over(site, reference, step))
            _show_plan(session, plan)
        else:
            started = runs.start(site, reference, step)
            _tell_of_freeze(session, runs.freeze_over(site, reference, step))
            _carry_out(session, site, started)


@click.command(
    "rerun", help=told("終わった実行と同じ計画をもう1回実行する", "Carry out the plan of an ended run once more, now")
)
@click.argument("run_id", metavar="RUN", type=int, shell_complete=completing.runs(*ENDED))
@common
def rerun_command(session: Session, run_id: int) -> None:
    """Start a manual run of an ended run's plan and carry it out."""
    with open_site(session.settings) as site:
        started = runs.start_again(site, run_id)
        if started.schedule_id is not None:
            _tell_of_freeze(session, runs.freeze_over(site, str(started.schedule_id)))
        _carry_out(session, site, started)


def _tell_of_freeze(session: Session, freeze: Freeze | None) -> None:
    """On standard error, before the command begins: a person may not have known, and may still press Ctrl-C."""
    if freeze is not None:
        until = moment_said(freeze.end, session.settings.timezone, session.lang)
        sentence = Text(
            f"注意: いまは変更凍結中です（{freeze.reason}、{until} まで）。手動の実行は止めません",
            f"Note: a freeze is on ({freeze.reason}, until {until}); it does not stop a run by hand",
        )
        session.err(session.say(sentence))


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
    with a_worker(session, site, (), 1) as worker, lasting(session, lambda: CARRYING_OUT), suppress(NotAllowed):
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
    if run.state in ("queued", "running") and not run.held_up_by:
        sentence = Text(
            "まだ終わっていません。worker（schedctl work）を待つか、ノードが空くのを待っています",
            "It has not ended: it waits for a worker (schedctl work), or for its node to be free",
        )
        screen.next_step(session.say(sentence))
    screen.show()
