"""`schedctl beat` and `watch`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from rich.text import Text as Styled

from schedctl.cli.json_view import instant
from schedctl.cli.options import common, told
from schedctl.cli.screen import Screen, instant_said
from schedctl.language import Text
from schedctl.usecases.beats import beat
from schedctl.usecases.site import open_site
from schedctl.usecases.watch import Watched, watch

if TYPE_CHECKING:
    from schedctl.cli.session import Session
    from schedctl.store.agents import AgentRow

STATES = {
    "starting": Text("起動中", "starting"),
    "ok": Text("正常", "ok"),
    "late": Text("遅れ", "late"),
    "unhealthy": Text("便りなし", "silent"),
    "restarting": Text("再起動中", "restarting"),
    "cooling": Text("様子見", "cooling down"),
    "escalated": Text("人の手が要る", "needs a person"),
    "stopping": Text("停止中", "stopping"),
    "stopped": Text("停止", "stopped"),
}


@click.command(
    "beat",
    help=told(
        "エージェントが生きていることを知らせる（エージェント自身のループの中から呼ぶ）",
        "Say that an agent is alive; call it from inside the agent's own loop",
    ),
)
@click.argument("name", metavar="NAME")
@click.option(
    "--status",
    type=click.Choice(["ok", "starting", "stopping", "error"]),
    default="ok",
    show_default=True,
    help=told("ok は、自分の状態を確かめたという意味", "ok means that it has verified its own state"),
)
@click.option(
    "--tokens", type=click.IntRange(0), help=told("前回から使ったトークン数", "Tokens spent since the last beat")
)
@click.option("--detail", metavar="TEXT", help=told("ひとこと", "A word more"))
@common
def beat_command(session: Session, name: str, status: str, tokens: int | None, detail: str | None) -> None:
    """Send one beat; silent when all is well."""
    with open_site(session.settings) as site:
        beat(site, name, status, tokens, detail)
    if session.as_json:
        session.document({"agent": {"name": name, "status": status}})


@click.command(
    "watch",
    help=told(
        "schedctl 自身とエージェントを見張る。tick や実行が止まっていれば、言って終了コード 1",
        "Watch over schedctl itself and the agents; says what stopped and exits 1",
    ),
)
@common
def watch_command(session: Session) -> None:
    """Look once."""
    with open_site(session.settings) as site:
        seen = watch(site)
    if session.as_json:
        session.document(_document(session, seen))
    else:
        _show(session, seen)
    if seen.troubles:
        raise click.exceptions.Exit(1)


def _document(session: Session, seen: Watched) -> dict[str, Any]:
    zone = session.settings.timezone
    return {
        "troubles": [{"type": one.type, "message": session.say(one.message)} for one in seen.troubles],
        "agents": [
            {
                "name": agent.name,
                "watched": agent.watched,
                "state": agent.state,
                "since": instant(agent.state_since, zone),
                "status": agent.status,
                "detail": agent.detail,
                "last_beat": instant(agent.beat_at, zone),
                "restarts": agent.attempts_made,
                "cost_alarm": agent.cost_alarm,
            }
            for agent in seen.agents
        ],
        "armed": seen.armed,
    }


def _show(session: Session, seen: Watched) -> None:
    screen = Screen(session)
    for one in seen.troubles:
        screen.line("! " + session.say(one.message), style="bold red")
    if not seen.troubles:
        screen.line(session.say(Text("止まっているものはありません", "Nothing has stopped")))
    for agent in seen.agents:
        screen.styled(_agent_line(session, agent), indent=2)
    screen.show()


def _agent_line(session: Session, agent: AgentRow) -> Styled:
    said = STATES[agent.state]
    line = Styled(f"{agent.name}  {agent.state} {said.ja if session.lang == 'ja' else ''}".rstrip())
    if not agent.watched:
        line.append("  " + session.say(Text("（agents.toml にない）", "(not in agents.toml)")), style="dim")
    if agent.beat_at is not None:
        at = instant_said(agent.beat_at, session.settings.timezone, session.lang)
        line.append(f"  {session.say(Text('最後の便り', 'last beat'))} {at}")
    if agent.cost_alarm:
        line.append("  " + session.say(Text("トークン急増", "token burst")), style="yellow")
    return line
