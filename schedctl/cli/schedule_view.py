"""How a schedule is shown on a terminal: when, what, and what to do next."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from rich.text import Text as Styled

from schedctl.cli.screen import Screen, instant_said, padded, state_styled
from schedctl.language import Text
from schedctl.when.describe import describe

if TYPE_CHECKING:
    from schedctl.cli.session import Session
    from schedctl.plan.model import Plan, Step
    from schedctl.usecases.views import ScheduleView

RISK_STYLES = {"reads": "green", "changes": "yellow", "disrupts": "bold red"}
RISK_WORDS = {
    "reads": Text("読み取り", "reads"),
    "changes": Text("変更", "changes"),
    "disrupts": Text("停止を伴う", "disrupts"),
}
DISARMED = Text(
    "この環境は未点火です。tick は実行せず、実行したはずの回だけを記録します → schedctl arm",
    "This installation is disarmed: ticks only record what they would have fired → schedctl arm",
)


def show_schedule(screen: Screen, shown: ScheduleView) -> None:
    """The whole answer to `register`, `show` and `approve`."""
    say, row, lang = screen.session.say, shown.row, screen.session.lang
    title = f"{say(Text('予定', 'Schedule'))} {row.schedule_id}" + (f" ({row.name})" if row.name else "")
    screen.field(title, state_styled(row.state), indent=0)
    if row.reason:
        screen.field(say(Text("理由", "Reason")), row.reason)
    screen.field(say(Text("指示", "Said")), row.instruction)
    screen.field(
        say(Text("いつ", "When")), describe(shown.timing, lang, screen.session.settings.timezone), style="bold"
    )
    for number, at in enumerate(shown.next):
        label = say(Text("次回", "Next")) if number == 0 else ""
        screen.field(label, instant_said(at, row.timezone, lang))
    for note in shown.notes:
        screen.field(say(Text("注意", "Note")), say(note), style="yellow")
    show_plan(screen, shown.plan)
    for sentence in next_steps(screen.session, shown):
        screen.line("→ " + sentence, style="cyan")


def show_plan(screen: Screen, plan: Plan) -> None:
    """The steps in order, node by node, each with the exact command."""
    say = screen.session.say
    origin = plan.origin
    planner = origin.planner
    if origin.tokens is not None and origin.seconds is not None:
        planner += f" ({origin.tokens} tokens, {origin.seconds:.1f} s)"
    screen.field(say(Text("計画", "Plan")), f"{len(plan.steps)} {say(Text('手順', 'steps'))} · {planner}")
    for number, step in enumerate(plan.steps, 1):
        show_step(screen, number, step)


def show_step(screen: Screen, number: int, step: Step) -> None:
    """One step: node, action, label, risk, and the command below."""
    say = screen.session.say
    head = Styled(f"{number}. {step.target.node}  ")
    head.append(step.action, style="bold").append(f"  {say(step.label)}  ")
    head.append(say(RISK_WORDS[step.risk]), style=RISK_STYLES[step.risk])
    screen.field("", head)
    screen.field("", Styled("   " + command_of(step), style="dim"))


def command_of(step: Step) -> str:
    """The command as one could type it; never run through a shell by schedctl itself."""
    if step.request is not None:
        return f"{step.request.method} {step.request.url}"
    return ("sudo -n -- " if step.as_root else "") + shlex.join(step.argv)


def next_steps(session: Session, shown: ScheduleView) -> list[str]:
    """What the operator would do now."""
    number = shown.row.schedule_id
    steps: list[Text] = []
    if shown.row.state == "pending":
        steps.append(
            Text(
                f"承認すると有効になります: schedctl approve {number}",
                f"Approve it to make it active: schedctl approve {number}",
            )
        )
    if shown.row.state in ("pending", "active") and not shown.armed:
        steps.append(DISARMED)
    if shown.row.state in ("pending", "active") and (shown.row.state == "active" or shown.row.risk == "reads"):
        steps.append(Text(f"いま試すには: schedctl test-run {number}", f"Try it now: schedctl test-run {number}"))
    return [session.say(step) for step in steps]


def list_line(screen: Screen, shown: ScheduleView) -> None:
    """One schedule in `list`: a line to find it by, and a line that says what it does next."""
    say, row, lang = screen.session.say, shown.row, screen.session.lang
    head = Styled(padded(str(row.schedule_id), 5))
    head.append(padded(row.state, 10), style=state_styled(row.state).style)
    head.append(describe(shown.timing, lang, screen.session.settings.timezone), style="bold")
    screen.styled(head)
    actions = ", ".join(dict.fromkeys(step.action for step in shown.plan.steps))
    nodes = ", ".join(dict.fromkeys(step.target.node for step in shown.plan.steps))
    following = (
        say(Text("次回 ", "next ")) + instant_said(shown.next[0], row.timezone, lang)
        if shown.next
        else row.reason or ""
    )
    screen.line(f"{row.name + ': ' if row.name else ''}{actions} @ {nodes}  {following}".rstrip(), indent=5)
