"""How runs are shown on a terminal."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from rich.text import Text as Styled

from schedctl.cli.json_view import stored_error
from schedctl.cli.output import stderr_of, stdout_of
from schedctl.cli.screen import ARROW, Screen, padded
from schedctl.cli.words import TRIGGERS, reason_said, state_styled
from schedctl.language import Text
from schedctl.plan.elevation import elevated
from schedctl.usecases.nodes import waits_for
from schedctl.when.saying.moments import instant_said

if TYPE_CHECKING:
    from schedctl.store.runs import RunRow, StepRow

STEP_INDENT: Final = 4
STATE_CELLS: Final = {"ja": 20, "en": 11}


def show_run(screen: Screen, run: RunRow) -> None:
    """One run: a line for it, and a line for each of its steps."""
    zone, lang, say = run.timezone or screen.session.settings.timezone, screen.session.lang, screen.session.say
    screen.styled(_head(screen, run, zone))
    if not run.steps and run.instruction:
        screen.line(run.instruction, indent=STEP_INDENT)
    if run.count > 1 and run.first_at and run.last_at:
        span = f"{instant_said(run.first_at, zone, lang)} – {instant_said(run.last_at, zone, lang)}"
        screen.line(say(Text(f"{run.count} 回分: {span}", f"{run.count} occurrences: {span}")), indent=STEP_INDENT)
    if run.reason and run.reason != run.state:
        screen.line(reason_said(run.reason, lang), indent=STEP_INDENT)
    for hold in run.held_up_by:
        screen.line(say(waits_for(hold)), style="yellow", indent=STEP_INDENT)
    if run.error and not any(step.error == run.error for step in run.steps):
        show_error(screen, run.error, STEP_INDENT, run.run_id)
    for step, following in pairwise([*run.steps, None]):
        if step is not None:
            show_ran_step(screen, step, with_error=not _said_again(step, following))


def _said_again(step: StepRow, following: StepRow | None) -> bool:
    """Whether the next attempt of the same step ended with the same error: then it is said once, at the last one."""
    if following is None:
        return False
    same_step = (step.leg_id, step.position) == (following.leg_id, following.position)
    return same_step and step.error == following.error


def _head(screen: Screen, run: RunRow, zone: str) -> Styled:
    """`実行 3    succeeded 成功      2026-12-06（日）03:00 +09:00  予定 1`."""
    lang, say = screen.session.lang, screen.session.say
    head = Styled(padded(f"{say(Text('実行', 'Run'))} {run.run_id}", 10))
    state = state_styled(run.state, lang)
    head.append_text(state).append(" " * max(1, STATE_CELLS[lang] - state.cell_len))
    head.append(instant_said(run.scheduled_for or run.created_at, zone, lang))
    head.append(f"  {say(Text('予定', 'schedule'))} {run.schedule_id}" if run.schedule_id else "")
    trigger = TRIGGERS.get(run.trigger)
    return head.append(f"  {say(trigger)}" if trigger else "")


def show_ran_step(screen: Screen, step: StepRow, *, with_error: bool = True) -> None:
    """A step of a run with its end."""
    lang = screen.session.lang
    line = Styled(f"{step.node}  {step.definition['action']}  {step.definition['label'][lang]}  ")
    line.append_text(state_styled(step.state, lang))
    if step.exit_code is not None:
        line.append(f"  {'HTTP' if step.definition.get('request') else 'exit'} {step.exit_code}")
    if step.finished_at and step.started_at:
        line.append(f"  {(step.finished_at - step.started_at).total_seconds():.1f}s")
    screen.styled(line.append(_attempt(screen, step)), STEP_INDENT)
    if step.error and with_error:
        show_error(screen, step.error, STEP_INDENT + 2, step.run_id)


def show_output(screen: Screen, run: RunRow) -> None:
    """A run with the output of each step, as it can be shown safely."""
    show_run(screen, run)
    for step in run.steps:
        if step.state == "not_run":
            continue
        screen.line()
        show_step_head(screen, step)
        said = [(stdout_of(step), ""), (stderr_of(step), "red")]
        for text, style in said:
            if text:
                screen.verbatim(text.rstrip("\n"), style)
        if not any(text for text, _ in said):
            screen.line(screen.session.say(Text("（出力なし）", "(no output)")), style="dim")


def show_step_head(screen: Screen, step: StepRow) -> None:
    """What stands above a step's output: where it ran, and the command."""
    screen.line(f"── {step.node}  {step.definition['action']}{_attempt(screen, step)}", style="bold")
    if step.attempt == 1:
        screen.command(_command(step.definition), indent=3)


def _attempt(screen: Screen, step: StepRow) -> str:
    again = Text(f"  {step.attempt} 回目", f"  attempt {step.attempt}")
    return screen.session.say(again) if step.attempt > 1 else ""


def _command(defined: dict[str, Any]) -> tuple[str, ...]:
    request = defined.get("request")
    if request:
        return (request["method"], request["url"])
    if defined.get("as_root"):
        return elevated(defined["argv"], [(name, value) for name, value in defined.get("environment", ())])
    return tuple(defined["argv"])


def show_error(screen: Screen, document: dict[str, object], indent: int, run_id: int) -> None:
    """A stored error: its sentence and type, and what to do."""
    error = stored_error(screen.session, document, run_id)
    if error is not None:
        screen.line(f"{error['message']} [{error['type']}]", style="red", indent=indent)
        if error["hint"]:
            screen.hanging(Styled(" " * indent + ARROW), Styled(error["hint"]))
