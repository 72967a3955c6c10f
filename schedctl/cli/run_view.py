"""How runs are shown on a terminal."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from rich.text import Text as Styled

from schedctl.cli.json_view import stored_error
from schedctl.cli.output import stderr_of, stdout_of
from schedctl.cli.screen import Screen, instant_said, padded, state_styled
from schedctl.language import Text

if TYPE_CHECKING:
    from schedctl.store.runs import RunRow, StepRow

REASONS = {
    "late": Text("遅すぎた", "too late"),
    "not_claimed": Text("引き受ける worker がいなかった", "no worker claimed it"),
    "not_approved": Text("未承認のまま時刻が過ぎた", "its time passed before it was approved"),
    "overlap": Text("前の回がまだ終わっていない", "the run before it had not ended"),
    "paused": Text("一時停止中", "paused"),
    "freeze": Text("変更凍結中", "in a freeze"),
    "worker_silent": Text("worker からの連絡が途絶えた", "its worker fell silent"),
    "earlier_stage_failed": Text("前の段が成功しなかった", "an earlier stage did not succeed"),
    "shutdown": Text("worker の停止", "the worker was shut down"),
    "disarmed": Text("未点火になった", "the installation was disarmed"),
    "archived": Text("予定が終了された", "its schedule was archived"),
    "auto_paused": Text("失敗が続いて自動停止", "paused after failures in a row"),
    "cancelled": Text("取り消された", "cancelled"),
    "catalog_changed": Text("カタログが変わった", "the catalog changed"),
    "replaced": Text("置き換えられた", "replaced"),
}


def reason_said(screen: Screen, reason: str) -> str:
    """A reason in words, with its own word behind it."""
    known = REASONS.get(reason)
    return f"{screen.session.say(known)} ({reason})" if known else reason


def show_run(screen: Screen, run: RunRow) -> None:
    """One run: a line for it, and a line for each of its steps."""
    zone, lang, say = run.timezone or screen.session.settings.timezone, screen.session.lang, screen.session.say
    at = run.scheduled_for or run.created_at
    head = Styled(f"{say(Text('実行', 'Run'))} {padded(str(run.run_id), 5)}")
    head.append(padded(run.state, 11), style=state_styled(run.state).style)
    head.append(instant_said(at, zone, lang))
    head.append(f"  {say(Text('予定', 'schedule'))} {run.schedule_id}" if run.schedule_id else "")
    head.append("" if run.trigger == "timer" else f"  {run.trigger}")
    screen.styled(head)
    if run.count > 1 and run.first_at and run.last_at:
        span = f"{instant_said(run.first_at, zone, lang)} – {instant_said(run.last_at, zone, lang)}"
        screen.line(say(Text(f"{run.count} 回分: {span}", f"{run.count} occurrences: {span}")), indent=4)
    if run.reason:
        screen.line(reason_said(screen, run.reason), indent=4)
    if run.error and not any(step.error == run.error for step in run.steps):
        _error(screen, run.error, 4)
    for step in run.steps:
        show_ran_step(screen, step)


def show_ran_step(screen: Screen, step: StepRow) -> None:
    """A step of a run with its end."""
    ended = f" exit {step.exit_code}" if step.exit_code is not None else ""
    seconds = (
        f" {(step.finished_at - step.started_at).total_seconds():.1f} s" if step.finished_at and step.started_at else ""
    )
    line = Styled(f"{step.node}  {step.definition['action']}  {step.definition['label'][screen.session.lang]}  ")
    line.append(step.state, style=state_styled(step.state).style).append(ended + seconds)
    screen.styled(line, indent=4)
    if step.error:
        _error(screen, step.error, 6)


def show_output(screen: Screen, run: RunRow) -> None:
    """A run with the output of each step, as it can be shown safely."""
    show_run(screen, run)
    for step in run.steps:
        if step.state == "not_run":
            continue
        screen.line()
        screen.line(f"── {step.node}: {shlex.join(step.definition['argv'])}", style="bold")
        for text, style in ((stdout_of(step), ""), (stderr_of(step), "red")):
            if text:
                screen.line(text.rstrip("\n"), style=style)


def _error(screen: Screen, document: dict[str, object], indent: int) -> None:
    error = stored_error(screen.session, document)
    if error is not None:
        screen.line(f"{error['message']} [{error['type']}]", style="red", indent=indent)
        if error["hint"]:
            screen.line(f"→ {error['hint']}", indent=indent)
