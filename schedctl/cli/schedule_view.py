"""How a schedule is shown on a terminal: when, what, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text as Styled

from schedctl.catalog.budget import stored_budget
from schedctl.cli.screen import Screen, padded
from schedctl.cli.words import reason_said, risk_styled, state_styled
from schedctl.language import Text
from schedctl.plan.elevation import elevated
from schedctl.usecases.failures import registering_anew
from schedctl.when.describe import describe
from schedctl.when.saying.moments import instant_said

if TYPE_CHECKING:
    from schedctl.cli.session import Session
    from schedctl.plan.model import Origin, Plan, Step
    from schedctl.usecases.views import ScheduleView

COMMAND_INDENT: Final = 15
STATE_CELLS: Final = {"ja": 19, "en": 10}
DISARMED: Final = Text(
    "未点火です: tick は、実行したはずの回を記録するだけです → schedctl arm",
    "Disarmed: ticks only record what they would have fired → schedctl arm",
)
OVERLAPS: Final = {
    "queue": Text(
        "前の回が終わっていなければ、1回だけ待ちます (queue)", "one may wait while an earlier run goes on (queue)"
    ),
    "allow": Text("前の回が終わっていなくても実行します (allow)", "runs although an earlier one goes on (allow)"),
}


def show_schedule(screen: Screen, shown: ScheduleView) -> None:
    """The whole answer to `register`, `show` and `approve`."""
    say, row, lang = screen.session.say, shown.row, screen.session.lang
    title = Styled(f"{say(Text('予定', 'Schedule'))} {row.schedule_id}" + (f" ({row.name})" if row.name else "") + "  ")
    screen.styled(title + state_styled(row.state, lang))
    if row.reason:
        screen.field(say(Text("理由", "Reason")), reason_said(row.reason, lang))
    screen.field(say(Text("指示", "Said")), row.instruction)
    screen.field(
        say(Text("いつ", "When")), describe(shown.timing, lang, screen.session.settings.timezone), style="bold"
    )
    for number, at in enumerate(shown.next):
        label = say(Text("次回", "Next")) if number == 0 else ""
        screen.field(label, instant_said(at, row.timezone, lang))
    for number, note in enumerate((*shown.notes, *_choices(shown))):
        screen.field(say(Text("注意", "Note")) if number == 0 else "", say(note), style="yellow")
    show_plan(screen, shown.plan)
    for sentence in next_steps(screen.session, shown):
        screen.next_step(sentence)


def show_plan(screen: Screen, plan: Plan) -> None:
    """The steps in order, each with the exact command; one that an earlier step has shown is named, not repeated."""
    say, count = screen.session.say, len(plan.steps)
    steps = Text(f"{count} 手順", f"{count} step" + ("s" if count > 1 else ""))
    screen.field(say(Text("計画", "Plan")), f"{say(steps)} · {say(planner_said(plan.origin))}")
    first_shown: dict[tuple[str, ...], int] = {}
    for number, step in enumerate(plan.steps, 1):
        if step.stage and step.stage != plan.steps[number - 2].stage:
            later = Text("— ここまでがすべて成功したら —", "— when all of the above has succeeded —")
            screen.field("", say(later), style="dim")
        _show_step(screen, number, step)
        same = first_shown.setdefault(command_of(step), number)
        if same == number:
            screen.command(command_of(step), COMMAND_INDENT)
        else:
            again = Text(f"（手順 {same} と同じコマンド）", f"(the same command as step {same})")
            screen.line(say(again), style="dim", indent=COMMAND_INDENT)


def planner_said(origin: Origin) -> Text:
    """Who planned: `literal`, explained, or the model with what it cost."""
    if origin.planner == "literal":
        return Text("literal（カタログの語だけで計画）", "literal (planned by the catalog's own words)")
    ja, en = "言語モデルが計画", "planned by a language model"
    if origin.tokens is not None:
        ja, en = f"{ja}、{origin.tokens} トークン", f"{en}, {origin.tokens} tokens"
    if origin.seconds is not None:
        ja, en = f"{ja}、{origin.seconds:.1f} 秒", f"{en}, {origin.seconds:.1f} s"
    return Text(f"{origin.planner}（{ja}）", f"{origin.planner} ({en})")


def _show_step(screen: Screen, number: int, step: Step) -> None:
    """One step: node, action, label, risk."""
    head = Styled(f"{number}. {step.target.node}  ")
    head.append(step.action, style="bold").append(f"  {screen.session.say(step.label)}  ")
    screen.field("", head + risk_styled(step.risk, screen.session.lang))


def command_of(step: Step) -> tuple[str, ...]:
    """The command as one could type it; never run through a shell by schedctl itself."""
    if step.request is not None:
        return (step.request.method, step.request.url)
    return elevated(step.argv, step.environment) if step.as_root else step.argv


def _choices(shown: ScheduleView) -> tuple[Text, ...]:
    """What was chosen at registration and differs from what one would expect."""
    row = shown.row
    chosen = [OVERLAPS[row.overlap]] if row.overlap in OVERLAPS else []
    if row.jitter:
        minutes = f"{row.jitter.total_seconds() / 60:g}"
        chosen.append(Text(f"開始を最大 {minutes} 分遅らせて散らします", f"starts are spread over {minutes} min"))
    if row.catch_up:
        minutes = f"{row.catch_up.total_seconds() / 60:g}"
        chosen.append(Text(f"{minutes} 分より遅れたら実行しません", f"does not fire when more than {minutes} min late"))
    if row.budget:
        limits = stored_budget(row.budget).written()
        chosen.append(Text(f"1回の予算: {limits}", f"budget of a run: {limits}"))
    return tuple(chosen)


def next_steps(session: Session, shown: ScheduleView) -> list[str]:
    """What the operator would do now."""
    number, risk = shown.row.schedule_id, shown.row.risk
    steps: list[Text] = []
    if shown.row.state == "pending":
        steps.append(
            Text(
                f"承認すると有効になります: schedctl approve {number}",
                f"Approve it to make it active: schedctl approve {number}",
            )
        )
    if shown.row.state == "paused" and shown.row.reason == "catalog_changed":
        anew = registering_anew(shown.row)
        steps.append(
            Text(f"新しいカタログで登録し直すには: {anew}", f"Register it anew, by the catalog as it is: {anew}")
        )
        steps.append(
            Text(
                f"カタログを元に戻して採用したなら: schedctl resume {number}",
                f"Once the catalog is as it was, and adopted: schedctl resume {number}",
            )
        )
    elif shown.row.state == "paused":
        steps.append(Text(f"再開するには: schedctl resume {number}", f"Let it fire again: schedctl resume {number}"))
    if shown.row.state in ("pending", "active") and not shown.armed:
        steps.append(DISARMED)
    if shown.row.state in ("pending", "active") and risk == "reads":
        steps.append(Text(f"いま試すには: schedctl test-run {number}", f"Try it now: schedctl test-run {number}"))
    elif shown.row.state == "active":
        steps.append(
            Text(
                f"いま1回、本当に実行するには: schedctl test-run {number}",
                f"Really run it once, now: schedctl test-run {number}",
            )
        )
    return [session.say(step) for step in steps]


def list_line(screen: Screen, shown: ScheduleView) -> None:
    """One schedule in `list`: a line to find it by, and a line that says what it does next."""
    say, row, lang = screen.session.say, shown.row, screen.session.lang
    head = Styled(padded(str(row.schedule_id), 5)) + state_styled(row.state, lang)
    head.append(" " * max(1, 5 + STATE_CELLS[lang] - head.cell_len))
    what = Styled(describe(shown.timing, lang, screen.session.settings.timezone), style="bold")
    screen.hanging(head, what.append(f"  ({row.name})" if row.name else "", style="not bold"))
    actions = ", ".join(dict.fromkeys(step.action for step in shown.plan.steps))
    nodes = ", ".join(dict.fromkeys(step.target.node for step in shown.plan.steps))
    following = (
        say(Text("次回 ", "next ")) + instant_said(shown.next[0], row.timezone, lang)
        if shown.next
        else reason_said(row.reason, lang)
        if row.reason
        else ""
    )
    screen.line(f"{following}  {nodes}: {actions}".strip(), indent=5)
