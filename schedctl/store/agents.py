"""Agents: what agents.toml says of them, what they last said themselves, and how they are judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from psycopg.rows import class_row

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

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


BEAT: Final = "SELECT schedctl.beat(%s, %s, %s, %s)"
JUDGE: Final = "SELECT schedctl.judge_agents()"
ALL: Final = """
    SELECT name, watched, state, state_since, status, detail, beat_at, tokens, attempts_made, attempts, cost_alarm
      FROM schedctl.agent ORDER BY watched DESC, name
"""
WATCH: Final = """
    INSERT INTO schedctl.agent AS kept (name, watched, every, missed_beats, restart_plan, cooldown, attempts,
                                        cost_window, cost_factor, stopping_for)
    VALUES (%s, true, make_interval(secs => %s), %s, %s, make_interval(secs => %s), %s,
            %s, %s, make_interval(secs => %s))
        ON CONFLICT (name) DO UPDATE
       SET watched = true, every = excluded.every, missed_beats = excluded.missed_beats,
           restart_plan = excluded.restart_plan, cooldown = excluded.cooldown, attempts = excluded.attempts,
           attempts_made = least(kept.attempts_made, excluded.attempts), cost_window = excluded.cost_window,
           cost_factor = excluded.cost_factor, stopping_for = excluded.stopping_for,
           watched_since = CASE WHEN kept.watched THEN kept.watched_since ELSE schedctl.now() END
"""
UNWATCH_OTHERS: Final = "UPDATE schedctl.agent SET watched = false WHERE watched AND name <> ALL (%s)"


def beat(db: Database, name: str, status: str, tokens: int | None, detail: str | None) -> None:
    """Record a beat, as the agent itself could with one SELECT."""
    db.execute(BEAT, (name, status, tokens, detail))


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
        values = (agent.name, agent.every_s, agent.missed_beats, plan, agent.cooldown_s, agent.attempts)
        db.execute(WATCH, (*values, agent.cost_window, agent.cost_factor, agent.stopping_for_s))
    db.execute(UNWATCH_OTHERS, ([agent.name for agent in agents],))
