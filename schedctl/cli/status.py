"""`schedctl status`: the installation on one screen, and an exit code for scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click
from rich.text import Text as Styled

from schedctl.cli import json_view
from schedctl.cli.options import common, told
from schedctl.cli.screen import Screen
from schedctl.cli.watching import agent_document, agent_line
from schedctl.cli.words import agent_state_styled, reason_said, state_styled
from schedctl.language import Text
from schedctl.usecases.site import open_site
from schedctl.usecases.status import Status, look
from schedctl.when.saying.moments import age_said, instant_said, moment_said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schedctl.cli.session import Session
    from schedctl.store.trouble import Trouble

DIGEST_LETTERS: Final = 12
ROWS: Final = 8
"""Runs that went wrong, on the screen."""
STATES: Final = ("active", "pending", "paused")
AGENT_RESTART: Final = Text("エージェントの再起動", "an agent's restart")


@click.command(
    "status",
    help=told(
        "いまの状態を1画面で示す。人の手が要るものがあれば、終了コードが 1 になる。"
        "\n\n終了コード 1 になるのは: 点火しているのに tick が2分来ない。この24時間に、失敗、時間切れ、行方不明、"
        "実行漏れ、起動不可がある（手動の実行は除く）。自動で止まった予定がある。行方不明の実行がノードを止めている。"
        "再起動で戻らない、または再起動のないエージェントが不調。トークンが急に増えたエージェントがある。"
        "送信を断念した通知がある。通知が15分送れていない。",
        "The installation on one screen; the exit code is 1 when something needs a person."
        "\n\nThat is: armed but no tick for two minutes; in the last 24 hours something failed, timed out, was lost, "
        "missed or refused (runs by hand left out); a schedule paused by itself; a lost run holds a node; "
        "an agent is unwell and no restart is left, or burns far more tokens than before; "
        "notices were given up, or could not be sent for 15 minutes.",
    ),
    epilog=told(
        "例:\n  schedctl status >/dev/null || echo 見てください",
        "Example:\n  schedctl status >/dev/null || echo look at it",
    ),
)
@common
def status_command(session: Session) -> None:
    """Show the installation; exit code 1 when something needs a person."""
    with open_site(session.settings) as site:
        seen = look(site)
    if session.as_json:
        session.document(_document(session, seen))
    else:
        screen = Screen(session)
        show_status(screen, seen)
        screen.show()
    if seen.needs:
        raise click.exceptions.Exit(1)


def show_status(screen: Screen, seen: Status) -> None:
    """What needs a person, then everything else."""
    say = screen.session.say
    for need in seen.needs:
        screen.hanging(Styled("! ", style="bold red"), Styled(say(need.message), style="bold red"))
    if not seen.needs:
        screen.line(say(Text("異常はありません", "All is well")), style="green")
    _show_armed(screen, seen)
    _show_ticks(screen, seen)
    _show_schedules(screen, seen)
    legs = seen.legs
    screen.field(
        say(Text("実行", "Work")),
        say(
            Text(
                f"実行待ち {legs.queued}、前の段を待つもの {legs.waiting}、実行中 {legs.running}",
                f"{legs.queued} queued, {legs.waiting} behind an earlier stage, {legs.running} running",
            )
        ),
    )
    _show_rows(screen, say(Text("ノード", "Held")), _holds(screen, seen))
    _show_rows(screen, say(Text("見張り", "Agents")), _agents(screen, seen))
    _show_rows(screen, say(Text("通知", "Notices")), _notices(screen, seen))
    _show_rows(screen, say(Text("24時間", "24 hours")), _troubles(screen, seen))
    _show_rows(screen, say(Text("変更凍結", "Freezes")), _freezes(screen, seen))
    if seen.catalog is not None:
        at = instant_said(seen.catalog.adopted_at, screen.session.settings.timezone, screen.session.lang)
        by, digest = seen.catalog.adopted_by, seen.catalog.digest[:DIGEST_LETTERS]
        screen.field(
            say(Text("カタログ", "Catalog")), say(Text(f"{at} に {by} が採用", f"adopted {at} by {by}")) + f"  {digest}"
        )


def _show_armed(screen: Screen, seen: Status) -> None:
    state, say = seen.installation, screen.session.say
    at = instant_said(state.changed_at, screen.session.settings.timezone, screen.session.lang)
    word = Text("点火", "armed") if state.armed else Text("未点火", "disarmed")
    text = Styled(say(word), style="green" if state.armed else "yellow")
    text.append(say(Text(f"（{at} から、{state.changed_by}", f" since {at}, by {state.changed_by}")), style="")
    text.append(f": {state.changed_reason}" if state.changed_reason else "")
    text.append(say(Text("）", "")))
    screen.field(say(Text("点火", "Armed")), text)
    if seen.rehearsal:
        now = instant_said(seen.now, screen.session.settings.timezone, screen.session.lang)
        said = Text(
            f"{now} としてリハーサル中（SCHEDCTL_REHEARSAL_NOW）", f"rehearsing at {now} (SCHEDCTL_REHEARSAL_NOW)"
        )
        screen.field(say(Text("時計", "Clock")), say(said), style="yellow")


def _show_ticks(screen: Screen, seen: Status) -> None:
    say = screen.session.say
    rows = [
        Styled(say(Text(f"{beat.host}: {age_said(beat.age, 'ja')}前", f"{beat.host}: {age_said(beat.age, 'en')} ago")))
        for beat in seen.ticks
    ]
    _show_rows(screen, "tick", iter(rows or [Styled(say(Text("まだ一度も来ていません", "none so far")))]))


def _show_schedules(screen: Screen, seen: Status) -> None:
    say, lang = screen.session.say, screen.session.lang
    text = Styled()
    for number, state in enumerate(STATES):
        text.append("  " if number else "").append_text(state_styled(state, lang))
        text.append(f" {seen.schedules.get(state, 0)}")
    screen.field(say(Text("予定", "Schedules")), text)
    for one in seen.paused:
        name = one.name or one.instruction
        screen.field(
            "", f"{one.schedule_id} {name}: {reason_said(one.reason, lang)}", style="red" if one.by_itself else ""
        )


def _show_rows(screen: Screen, label: str, rows: Iterator[Styled]) -> None:
    for number, row in enumerate(rows):
        screen.field(label if number == 0 else "", row)


def _holds(screen: Screen, seen: Status) -> Iterator[Styled]:
    lang, zone = screen.session.lang, screen.session.settings.timezone
    for hold in seen.holds:
        at = instant_said(hold.held_at, zone, lang)
        said = Text(f"{hold.node} は保留中（{at} から、{hold.held_by}）", f"{hold.node} since {at}, by {hold.held_by}")
        row = Styled(f"{screen.session.say(said)}: {reason_said(hold.reason, lang)}")
        waiting = ", ".join(str(one.run_id) for one in seen.held_up if one.by == hold)
        waits = Text(f"  待っている実行 {waiting}", f"  waiting: run {waiting}")
        yield row.append(screen.session.say(waits) if waiting else "", style="yellow")


def _agents(screen: Screen, seen: Status) -> Iterator[Styled]:
    """How many are well, and a line for each that is not."""
    lang = screen.session.lang
    well = [agent for agent in seen.agents if agent.state == "ok" and not agent.cost_alarm]
    if well:
        yield agent_state_styled("ok", lang).append(f" {len(well)}")
    for agent in seen.agents:
        if agent not in well:
            yield agent_line(screen.session, agent)


def _troubles(screen: Screen, seen: Status) -> Iterator[Styled]:
    lang, say = screen.session.lang, screen.session.say
    if not seen.went_wrong:
        yield Styled(say(Text("うまくいかなかった回はありません", "nothing went wrong")))
        return
    counted = Styled()
    for number, (state, count) in enumerate(sorted(seen.went_wrong.items())):
        counted.append("  " if number else "").append_text(state_styled(state, lang)).append(f" {count}")
    yield counted
    for one in seen.troubles[:ROWS]:
        yield _trouble(screen, one)
    if len(seen.troubles) > ROWS:
        yield Styled(say(Text("ほかは schedctl runs --errors で", "the others: schedctl runs --errors")), style="dim")


def _trouble(screen: Screen, one: Trouble) -> Styled:
    say, lang = screen.session.say, screen.session.lang
    zone = one.timezone or screen.session.settings.timezone
    line = Styled(f"{moment_said(one.scheduled_for or one.finished_at, zone, lang)}  ")
    line.append_text(state_styled(one.state, lang))
    of = Text(f"予定 {one.schedule_id}", f"schedule {one.schedule_id}") if one.schedule_id else AGENT_RESTART
    line.append(f"  {say(Text('実行', 'run'))} {one.run_id}  {say(of)}")
    line.append(f" ({one.schedule_name})" if one.schedule_name else "")
    line.append(say(Text(f"  {one.count} 回分", f"  {one.count} occurrences")) if one.count > 1 else "")
    return line.append(say(Text("  その後は成功", "  succeeded since")) if one.recovered else "", style="green")


def _notices(screen: Screen, seen: Status) -> Iterator[Styled]:
    outbox = seen.outbox
    if outbox.waiting or outbox.dead:
        said = Text(
            f"送信待ち {outbox.waiting}（うち送り直し {outbox.failing}）、送信を断念したもの {outbox.dead}",
            f"{outbox.waiting} to be sent ({outbox.failing} of them again), {outbox.dead} given up",
        )
        yield Styled(screen.session.say(said), style="yellow" if outbox.failing or outbox.dead else "")


def _freezes(screen: Screen, seen: Status) -> Iterator[Styled]:
    lang, zone = screen.session.lang, screen.session.settings.timezone
    for freeze in seen.freezes:
        on = freeze.start <= seen.now
        span = f"{moment_said(freeze.start, zone, lang)} – {moment_said(freeze.end, zone, lang)}"
        word = screen.session.say(Text("いま", "now") if on else Text("これから", "ahead"))
        yield Styled(f"{word}  {span}  {freeze.reason}", style="yellow" if on else "")


def _document(session: Session, seen: Status) -> json_view.Json:
    zone, state = session.settings.timezone, seen.installation
    return {
        "ok": not seen.needs,
        "needs": [{"type": need.type, "message": session.say(need.message)} for need in seen.needs],
        "now": json_view.instant(seen.now, zone),
        "rehearsal": seen.rehearsal,
        "armed": state.armed,
        "changed_at": json_view.instant(state.changed_at, zone),
        "changed_by": state.changed_by,
        "changed_reason": state.changed_reason,
        "ticks": [
            {"host": beat.host, "at": json_view.instant(beat.at, zone), "age_s": round(beat.age.total_seconds())}
            for beat in seen.ticks
        ],
        "schedules": {name: seen.schedules.get(name, 0) for name in STATES},
        "paused": [
            {"schedule": one.schedule_id, "name": one.name, "reason": one.reason, "by_itself": one.by_itself}
            for one in seen.paused
        ],
        "legs": {"queued": seen.legs.queued, "waiting": seen.legs.waiting, "running": seen.legs.running},
        "held": [json_view.hold(one, zone) for one in seen.holds],
        "agents": [agent_document(session, agent) for agent in seen.agents],
        "notices": {"waiting": seen.outbox.waiting, "failing": seen.outbox.failing, "given_up": seen.outbox.dead},
        "went_wrong": {"counts": seen.went_wrong, "runs": [_run(session, one) for one in seen.troubles]},
        "freezes": [
            {
                "start": json_view.instant(freeze.start, zone),
                "end": json_view.instant(freeze.end, zone),
                "risks": list(freeze.risks),
                "reason": freeze.reason,
                "on": freeze.start <= seen.now,
            }
            for freeze in seen.freezes
        ],
        "catalog": {
            "digest": seen.catalog.digest,
            "adopted_at": json_view.instant(seen.catalog.adopted_at, zone),
            "adopted_by": seen.catalog.adopted_by,
        }
        if seen.catalog is not None
        else None,
    }


def _run(session: Session, one: Trouble) -> json_view.Json:
    zone = one.timezone or session.settings.timezone
    return {
        "id": one.run_id,
        "schedule": one.schedule_id,
        "scheduled_for": json_view.instant(one.scheduled_for, zone),
        "finished_at": json_view.instant(one.finished_at, zone),
        "state": one.state,
        "reason": one.reason,
        "error": json_view.stored_error(session, one.error, one.run_id),
        "count": one.count,
        "recovered": one.recovered,
    }
