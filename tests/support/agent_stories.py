"""An agent's life minute by minute, for tests: beats and ticks under the rehearsal's clock, restarts by real claims."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, LiteralString

from psycopg.sql import SQL, Identifier

from schedctl.catalog.model import Agent, Restart
from schedctl.language import Text
from schedctl.plan.build import build
from schedctl.plan.model import Origin
from schedctl.plan.request import Request
from schedctl.store import agents, plans
from schedctl.usecases import installation
from schedctl.usecases.beats import beat
from schedctl.usecases.site import adopted_catalog
from schedctl.usecases.tick import tick

if TYPE_CHECKING:
    from collections.abc import Callable
    from uuid import UUID

    from schedctl.usecases.site import Site

START = datetime.fromisoformat("2026-12-01T10:00:00+09:00")
EXECUTOR = Agent("executor", Text("実行役", "executor"), restart=Restart("service.restart", "mars"))
UNAIDED = Agent("executor", Text("実行役", "executor"))
"""Nothing restarts it."""


class Story:
    """An agent's life minute by minute: each step moves the clock, and ticks as the timer would."""

    def __init__(self, site_at: Callable[[str], Site], agent: Agent = EXECUTOR, *, armed: bool = True) -> None:
        self.site_at = site_at
        self.now = START
        self.name = agent.name
        if armed:
            installation.arm(self.site, None)
        self.watches(agent)

    def watches(self, *watched: Agent) -> None:
        """Watch these agents from now on, and no others."""
        site = self.site
        with site.transaction():
            plan = build(
                (Request("mars", "service.restart"),), adopted_catalog(site), "testhost", Origin("agents.toml")
            )
            restart_plans = {agent.name: plans.insert(site.db, plan) for agent in watched if agent.restart}
            agents.watch(site.db, watched, restart_plans)

    @property
    def site(self) -> Site:
        return self.site_at(self.now.isoformat())

    def beat(self, status: str = "ok", tokens: int | None = None, stops_for: timedelta | None = None) -> None:
        """Let the agent beat once, now."""
        beat(self.site, self.name, status, tokens, None, stops_for)

    def passes(self, minutes: float) -> str:
        """Let minutes pass, with a tick at each; the agent's state afterwards."""
        for _ in range(int(minutes)):
            self.now += timedelta(minutes=1)
            tick(self.site)
        return self.state

    def lives(self, minutes: int, tokens: int | None = None) -> str:
        """Let minutes pass with a beat in each."""
        for _ in range(minutes):
            self.now += timedelta(minutes=1)
            self.beat(tokens=tokens)
            tick(self.site)
        return self.state

    @property
    def state(self) -> str:
        """How it is judged."""
        return self.column("state")

    def column(self, name: LiteralString) -> Any:
        """A column of its row."""
        query = SQL("SELECT {} FROM schedctl.agent WHERE name = %s").format(Identifier(name))
        row = self.site.db.execute(query, (self.name,)).fetchone()
        assert row is not None
        return row[0]

    def events(self) -> list[str]:
        """What was told of it, in order."""
        query = "SELECT type FROM schedctl.event WHERE detail ->> 'agent' = %s ORDER BY event_id"
        return [row[0] for row in self.site.db.execute(query, (self.name,)).fetchall()]

    def recovered_by(self) -> list[str]:
        """What each recovery was owed to."""
        query = "SELECT detail ->> 'by' FROM schedctl.event WHERE type = 'agent_recovered' ORDER BY event_id"
        return [row[0] for row in self.site.db.execute(query).fetchall()]

    def restart_begins(self) -> tuple[int, UUID]:
        """A worker claims the queued restart: the leg and its token."""
        site = self.site
        with site.transaction():
            row = site.db.execute("SELECT leg_id, token FROM schedctl.claim('w', 'testhost')").fetchone()
        assert row is not None
        return row

    def restart_ends(self) -> None:
        """The queued restart is carried out at once."""
        leg, token = self.restart_begins()
        site = self.site
        with site.transaction():
            site.db.execute("SELECT schedctl.finish_leg(%s, %s, 'succeeded', NULL, NULL)", (leg, token))
