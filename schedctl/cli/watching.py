"""`schedctl beat` and `watch`."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

import click
from rich.text import Text as Styled

from schedctl.cli import completing
from schedctl.cli.json_view import instant
from schedctl.cli.options import common, span, told
from schedctl.cli.screen import Screen
from schedctl.cli.words import agent_state_styled
from schedctl.language import Text
from schedctl.usecases.beats import beat
from schedctl.usecases.site import open_site
from schedctl.usecases.watch import Watched, watch
from schedctl.when.saying.moments import instant_said

if TYPE_CHECKING:
    from schedctl.cli.session import Session
    from schedctl.store.agents import AgentRow

MOST_TOKENS: Final = 2**63 - 1
LONGEST_NAME: Final = 200


def _is_a_name(_context: click.Context, _parameter: click.Parameter, name: str) -> str:
    if not (name.strip() and len(name) <= LONGEST_NAME and name.isprintable()):
        raise click.BadParameter(
            told(
                "名前は 1 から 200 文字で、制御文字は使えません",
                "a name has 1 to 200 letters and no control characters",
            )
        )
    return name


def _is_at_most_a_day(
    _context: click.Context, _parameter: click.Parameter, length: timedelta | None
) -> timedelta | None:
    if length is not None and length > timedelta(days=1):
        raise click.BadParameter(told("長くて 1d までです", "1d at most"))
    return length


@click.command(
    "beat",
    help=told(
        "エージェントが生きていることを知らせる（エージェント自身のループの中から呼ぶ）",
        "Say that an agent is alive; call it from inside the agent's own loop",
    ),
)
@click.argument("name", metavar="NAME", callback=_is_a_name, shell_complete=completing.agents)
@click.option(
    "--status",
    type=click.Choice(["ok", "starting", "stopping", "error"]),
    default="ok",
    show_default=True,
    help=told("ok は、自分の状態を確かめたという意味", "ok means that it has verified its own state"),
)
@click.option(
    "--tokens",
    type=click.IntRange(0, MOST_TOKENS),
    help=told("前回から使ったトークン数", "Tokens spent since the last beat"),
)
@click.option("--detail", metavar="TEXT", help=told("ひとこと", "A word more"))
@click.option(
    "--for",
    "stops_for",
    type=span,
    callback=_is_at_most_a_day,
    help=told(
        "stopping のとき、止まり終わるまでの長さ（15m、2h など。初期値は agents.toml の stopping_for）",
        "With stopping: how long it takes at most, like 15m or 2h; default: stopping_for in agents.toml",
    ),
)
@common
def beat_command(
    session: Session, name: str, status: str, tokens: int | None, detail: str | None, stops_for: timedelta | None
) -> None:
    """Send one beat; silent when all is well."""
    if stops_for is not None and status != "stopping":
        raise click.UsageError(
            told("--for は --status stopping と一緒に使います", "--for goes with --status stopping only")
        )
    with open_site(session.settings, unattended=True) as site:
        beat(site, name, status, tokens, session.redactor.text(detail) if detail else None, stops_for)
    if session.as_json:
        session.document({"agent": {"name": name, "status": status}})


@click.command(
    "watch",
    help=told(
        "schedctl 自身とエージェントを見張る。tick や実行が止まっていれば、言って終了コード 1",
        "Watch over schedctl itself and the agents; says what stopped and exits 1",
    ),
)
@click.option(
    "--quiet",
    is_flag=True,
    help=told("悪いことだけを、標準エラー出力に言う（タイマー向け）", "Say only what is wrong, on stderr; for timers"),
)
@common
def watch_command(session: Session, quiet: bool) -> None:
    """Look once."""
    with open_site(session.settings, unattended=True) as site:
        seen = watch(site)
    if session.as_json:
        session.document(_document(session, seen))
    elif quiet:
        for one in seen.troubles:
            session.alert(session.say(one.message))
    else:
        _show(session, seen)
    if seen.troubles:
        raise click.exceptions.Exit(1)


def agent_document(session: Session, agent: AgentRow) -> dict[str, Any]:
    """An agent as `watch --json` and `status --json` have it."""
    zone = session.settings.timezone
    return {
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


def agent_line(session: Session, agent: AgentRow) -> Styled:
    """An agent on one line: name, state, last beat."""
    say = session.say
    line = Styled(f"{agent.name}  ").append_text(agent_state_styled(agent.state, session.lang))
    if not agent.watched:
        line.append("  " + say(Text("（agents.toml にない）", "(not in agents.toml)")), style="dim")
    if agent.attempts_made:
        made = Text(f"再起動 {agent.attempts_made}/{agent.attempts}", f"restart {agent.attempts_made}/{agent.attempts}")
        line.append(f"  {say(made)}")
    if agent.beat_at is not None:
        at = instant_said(agent.beat_at, session.settings.timezone, session.lang)
        line.append(f"  {say(Text('最後の応答', 'last beat'))} {at}")
    if agent.cost_alarm:
        line.append("  " + say(Text("トークン急増", "token burst")), style="yellow")
    return line


def _document(session: Session, seen: Watched) -> dict[str, Any]:
    return {
        "troubles": [{"type": one.type, "message": session.say(one.message)} for one in seen.troubles],
        "agents": [agent_document(session, agent) for agent in seen.agents],
        "armed": seen.armed,
    }


def _show(session: Session, seen: Watched) -> None:
    screen = Screen(session)
    for one in seen.troubles:
        screen.hanging(Styled("! ", style="bold red"), Styled(session.say(one.message), style="bold red"))
    if not seen.troubles:
        screen.line(session.say(Text("止まっているものはありません", "Nothing has stopped")), style="green")
    for agent in seen.agents:
        screen.styled(agent_line(session, agent), indent=2)
    screen.show()
