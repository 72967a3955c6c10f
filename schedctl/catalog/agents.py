"""agents.toml -> the agents that are watched, and how each is brought back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schedctl.catalog import keys
from schedctl.catalog.durations import seconds
from schedctl.catalog.model import Agent, Restart
from schedctl.catalog.parameters import accepts
from schedctl.catalog.table import nearest
from schedctl.language import Text

if TYPE_CHECKING:
    from schedctl.catalog.model import Catalog, Parameter
    from schedctl.catalog.problems import Place, Problems
    from schedctl.catalog.table import Table

LONGEST_NAME: Final = 200


def parse_agents(file: Table) -> tuple[Agent, ...]:
    """The agents, sorted by name; every number has a default."""
    return tuple(_agent(name, table) for name, table in file.inner_tables("agents", keys.AGENT))


def _agent(name: str, table: Table) -> Agent:
    if not (name.isprintable() and len(name) <= LONGEST_NAME):
        message = Text(
            "エージェントの名前が長すぎるか、使えない文字があります", "This is no name that an agent can beat with"
        )
        fix = Text("200 文字までの、制御文字のない名前に", "At most 200 letters, without control characters")
        table.problems.add(table.place, message, fix)
    default = Agent(name, Text(name, name))
    return Agent(
        name=name,
        label=table.text("label", default.label),
        every_s=seconds(table, "every", default.every_s, "60s"),
        missed_beats=table.integer("missed_beats", default.missed_beats, 1, 100),
        restart=_restart(table.inner("restart", keys.RESTART)) if "restart" in table.values else None,
        cooldown_s=seconds(table, "cooldown", default.cooldown_s, "5m"),
        attempts=table.integer("attempts", default.attempts, 1, 100),
        cost_window=table.integer("cost_window", default.cost_window, 10, 1000),
        cost_factor=table.integer("cost_factor", default.cost_factor, 2, 1000),
        stopping_for_s=seconds(table, "stopping_for", default.stopping_for_s, "10m"),
        tell=table.strings("tell"),
    )


def _restart(table: Table) -> Restart:
    table.require("action", Text("何をするか", "what to do"), 'action = "unit.restart"')
    table.require("node", Text("どこでするか", "where to do it"), 'node = "local"')
    return Restart(table.string("action"), table.string("node"), table.pairs("parameters"))


def check_agents(catalog: Catalog, file: Place, problems: Problems) -> None:
    """Note what agents name that is not in the catalog, and a cooldown that ends before a beat can come."""
    channels = tuple(channel.name for channel in catalog.policy.channels)
    for agent in catalog.agents:
        place = file.under(f"agents.{agent.name}")
        for name in agent.tell:
            _check_known(name, channels, place.under("tell"), problems)
        if agent.restart is not None:
            _check_cooldown(agent, place.under("cooldown"), problems)
            _check_restart(agent.restart, catalog, place.under("restart"), problems)


def _check_known(name: str, known: tuple[str, ...], place: Place, problems: Problems) -> None:
    if name not in known:
        message = Text(f"「{name}」はカタログにありません", f"“{name}” is not in the catalog")
        problems.add(place, message, nearest(name, known))


def _check_cooldown(agent: Agent, place: Place, problems: Problems) -> None:
    if agent.cooldown_s < agent.every_s:
        problems.add(
            place,
            Text(
                f"再起動のあとに待つのが {agent.cooldown_s} 秒では、"
                f"{agent.every_s} 秒ごとの beat の前にまた再起動します",
                f"After a restart it waits {agent.cooldown_s} s, less than the {agent.every_s} s from beat to beat, "
                "and would restart again before the next one",
            ),
            Text(f'cooldown = "{agent.every_s}s" 以上にしてください', f'Write cooldown = "{agent.every_s}s" or more'),
        )


def _check_restart(restart: Restart, catalog: Catalog, place: Place, problems: Problems) -> None:
    actions = {action.name: action for action in catalog.actions}
    if not (restart.action and restart.node):
        return
    _check_known(restart.action, tuple(actions), place.under("action"), problems)
    _check_known(restart.node, tuple(node.name for node in catalog.nodes), place.under("node"), problems)
    if restart.action in actions:
        _check_parameters(restart, actions[restart.action].parameters, place, problems)


def _check_parameters(restart: Restart, parameters: tuple[Parameter, ...], place: Place, problems: Problems) -> None:
    given = dict(restart.parameters)
    for parameter in parameters:
        value = given.pop(parameter.name, parameter.default)
        if value is None or not accepts(parameter, value):
            problems.add(
                place.under("parameters"),
                Text(
                    f"パラメータ {parameter.name} の値が使えません",
                    f"The parameter {parameter.name} has no usable value",
                ),
                Text(
                    f'parameters = {{ {parameter.name} = "…" }} と書いてください',
                    f'Write parameters = {{ {parameter.name} = "…" }}',
                ),
            )
    for name in given:
        problems.add(
            place.under(f"parameters.{name}"),
            Text(
                f"「{restart.action}」に {name} というパラメータはありません",
                f"“{restart.action}” has no parameter {name}",
            ),
            nearest(name, tuple(parameter.name for parameter in parameters)),
        )
