"""Agents: what agents.toml says of them, what they last said themselves, and how they are judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from psycopg.rows import class_row

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime, timedelta

    from schedctl.catalog.model import Agent
    from schedctl.store.database import Database


@dataclass(frozen=True, slots=True)
class AgentRow:
    """An agent as it stands. `watched` is False for one that beats without standing in agents.toml."""

    name: str
    watched: bool
    state: str
    state_since: datetime
    status: str | None
    detail: str | None
    beat_at: datetime | None
    tokens: list[int]
    attempts_made: int
    attempts: int
    cost_alarm: bool


WAIT_NO_LONGER: Final = "SELECT set_config('statement_timeout', '2000', true)"
BEAT: Final = "SELECT schedctl.beat(%s, %s, %s, %s, %s)"
JUDGE: Final = "SELECT schedctl.judge_agents()"
ALL: Final = """
    SELECT name, watched, state, state_since, status, detail, beat_at, tokens, attempts_made, attempts, cost_alarm
      FROM schedctl.agent ORDER BY watched DESC, name
"""
# An agent that comes back into agents.toml is watched anew: what was found of it before says nothing of it now.
WATCH: Final = """
    INSERT INTO schedctl.agent AS kept (name, watched, every, missed_beats, restart_plan, cooldown, attempts,
                                        cost_window, cost_factor, stopping_for, tell)
    VALUES (%s, true, make_interval(secs => %s), %s, %s, make_interval(secs => %s), %s,
            %s, %s, make_interval(secs => %s), %s)
        ON CONFLICT (name) DO UPDATE
       SET watched = true, every = excluded.every, missed_beats = excluded.missed_beats,
           restart_plan = CASE WHEN (SELECT digest FROM schedctl.plan WHERE plan_id = kept.restart_plan)
                                  = (SELECT digest FROM schedctl.plan WHERE plan_id = excluded.restart_plan)
                               THEN kept.restart_plan ELSE excluded.restart_plan END,
           cooldown = excluded.cooldown, attempts = excluded.attempts,
           attempts_made = CASE WHEN kept.watched THEN least(kept.attempts_made, excluded.attempts) ELSE 0 END,
           cost_window = excluded.cost_window, cost_factor = excluded.cost_factor,
           stopping_for = excluded.stopping_for, tell = excluded.tell,
           watched_since = CASE WHEN kept.watched THEN kept.watched_since ELSE schedctl.now() END,
           state = CASE WHEN kept.watched OR kept.state IN ('ok', 'stopping', 'stopped')
                        THEN kept.state ELSE 'starting' END
"""
UNWATCH_OTHERS: Final = """
    UPDATE schedctl.agent SET watched = false, cost_alarm = false, unwell_since = NULL
     WHERE watched AND name <> ALL (%s)
"""
# agents.toml is what approves a restart: one that it no longer names is not carried out.
CANCEL_RESTARTS: Final = """
    SELECT schedctl.cancel_restart(run.run_id, 'catalog_changed')
      FROM schedctl.agent JOIN schedctl.run ON run.run_id = agent.restart_run AND run.state = 'queued'
     WHERE NOT agent.watched OR agent.restart_plan IS DISTINCT FROM run.plan_id
"""


def beat(
    db: Database, name: str, status: str, tokens: int | None, detail: str | None, stops_for: timedelta | None
) -> None:
    """Record a beat, as the agent itself could with one SELECT; inside a transaction, which waits 2 s at most."""
    db.execute(WAIT_NO_LONGER)
    db.execute(BEAT, (name, status, tokens, detail, stops_for))


def judge(db: Database) -> int:
    """Judge every watched agent and queue the restarts that are due; how many changed their state."""
    row = db.execute(JUDGE).fetchone()
    return row[0] if row else 0


def every_one(db: Database) -> tuple[AgentRow, ...]:
    """All agents, the watched ones first."""
    with db.cursor(row_factory=class_row(AgentRow)) as cursor:
        return tuple(cursor.execute(ALL).fetchall())


def watch(db: Database, agents: tuple[Agent, ...], restart_plans: Mapping[str, int]) -> None:
    """Watch these agents and no others; `restart_plans` has the plan id of each that can be restarted."""
    for agent in agents:
        plan = restart_plans.get(agent.name)
        when = (agent.every_s, agent.missed_beats, plan, agent.cooldown_s, agent.attempts)
        costs = (agent.cost_window, agent.cost_factor)
        db.execute(WATCH, (agent.name, *when, *costs, agent.stopping_for_s, list(agent.tell)))
    db.execute(UNWATCH_OTHERS, ([agent.name for agent in agents],))
    db.execute(CANCEL_RESTARTS)
