"""agents.toml -> the agents that are watched, and how each is brought back."""

from __future__ import annotations

from typing import TYPE_CHECKING

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


def parse_agents(file: Table) -> tuple[Agent, ...]:
    """The agents, sorted by name; every number has a default."""
    return tuple(_agent(name, table) for name, table in file.inner_tables("agents", keys.AGENT))


def _agent(name: str, table: Table) -> Agent:
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
    )


def _restart(table: Table) -> Restart:
    table.require("action", Text("何をするか", "what to do"), 'action = "unit.restart"')
    table.require("node", Text("どこでするか", "where to do it"), 'node = "local"')
    return Restart(table.string("action"), table.string("node"), table.pairs("parameters"))


def check_restarts(catalog: Catalog, file: Place, problems: Problems) -> None:
    """Note every restart that names an action, a node or a parameter value which the catalog does not have."""
    actions = {action.name: action for action in catalog.actions}
    nodes = tuple(node.name for node in catalog.nodes)
    for agent in catalog.agents:
        restart, place = agent.restart, file.under(f"agents.{agent.name}.restart")
        if restart is None or not (restart.action and restart.node):
            continue
        for key, name, known in (("action", restart.action, tuple(actions)), ("node", restart.node, nodes)):
            if name not in known:
                message = Text(f"「{name}」はカタログにありません", f"“{name}” is not in the catalog")
                problems.add(place.under(key), message, nearest(name, known))
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
