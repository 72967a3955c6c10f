"""Friday, 4 December 2037, built through the program itself: nearly everything goes wrong, and some of it heals.

An agent beats every half an hour; three nights in a row it falls silent just when the backup runs, and is restarted.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Final

from days import worker
from making import BREAKS, CHANGES, READS, add
from telling import at

from schedctl.catalog.model import Agent, Restart
from schedctl.language import Text
from schedctl.plan.build import build
from schedctl.plan.model import Origin
from schedctl.plan.request import Request
from schedctl.store import agents, plans
from schedctl.usecases import installation
from schedctl.usecases.beats import beat
from schedctl.usecases.schedules import pause
from schedctl.usecases.site import adopted_catalog
from schedctl.usecases.tick import tick
from schedctl.usecases.work import drain

if TYPE_CHECKING:
    from collections.abc import Callable
    from uuid import UUID

    from schedctl.usecases.site import Site

THE_DAY: Final = date(2037, 12, 4)
EARLIER: Final = tuple(date(2037, 11, 28) + timedelta(days=number) for number in range(6))
FIRST: Final = "2037-11-27T14:00+09:00"
MORNING_AFTER: Final = "2037-12-05T08:00+09:00"
HALF_AN_HOUR: Final = timedelta(minutes=30)
EXECUTOR: Final = Agent(
    "executor", Text("実行役", "executor"), every_s=1800, cooldown_s=1800, restart=Restart("service.restart", "mars")
)
REVIEWER: Final = Agent("reviewer", Text("レビュー係", "reviewer"), every_s=1800, cooldown_s=1800)
POLICY: Final = """
[[freezes]]
start = 2037-12-04T06:00:00+09:00
end = 2037-12-04T07:00:00+09:00
reason = "棚卸し"
[[freezes]]
start = 2037-12-06T00:00:00+09:00
end = 2037-12-07T00:00:00+09:00
reason = "停電"
"""


class BadDay:
    """The installation, and the hands that move it through its week, one thing after the other."""

    def __init__(self, site: Site) -> None:
        self.home = site
        self.ids: dict[str, int] = {}
        self.plan: list[tuple[datetime, Callable[[Site], object]]] = []
        self.legs: dict[str, tuple[int, UUID]] = {}

    def live(self) -> Site:
        """Go through the whole week; the installation on the morning after."""
        self._set_up()
        for day in EARLIER:
            self._earlier_day(day)
        self._the_day()
        for instant, act in sorted(self.plan, key=lambda planned: planned[0]):
            act(at(self.home, instant.isoformat()))
        return at(self.home, MORNING_AFTER)

    def _set_up(self) -> None:
        site = at(self.home, FIRST)
        installation.arm(site, "開始")
        self.on(date(2037, 12, 1), "23:30", _watch)
        venus = (Request("venus", "packages.refresh"),)
        self.ids = {
            "backup": add(site, "daily at 02:50 in Asia/Tokyo", READS, say="毎日2時50分にバックアップを確認"),
            "breaks": add(site, "daily at 04:00 in Asia/Tokyo", BREAKS, say="毎日4時に壊れる更新"),
            "heals": add(site, "daily at 05:00,05:30 in Asia/Tokyo", READS, say="毎日5時と5時半の確認"),
            "frozen": add(site, "daily at 06:15 in Asia/Tokyo", CHANGES, say="毎日6時15分の更新"),
            "lost": add(site, "daily at 09:00 in Asia/Tokyo", venus, say="venusの更新"),
            "slow": add(site, "daily at 10:00 in Asia/Tokyo", READS, say="毎日10時の点検"),
            "missed": add(site, "daily at 13:00 in Asia/Tokyo", READS, say="毎日13時の確認"),
        }

    # ------------------------------------------------------------ what happens

    def on(self, day: date, clock: str, act: Callable[[Site], object]) -> None:
        """Let something happen at a time of a day."""
        self.plan.append((datetime.fromisoformat(f"{day}T{clock}+09:00"), act))

    def runs(self, day: date, clock: str) -> None:
        """A tick, and a worker that takes what it enqueued."""
        self.on(day, f"{clock}:30", _tick_and_work)

    def takes(self, day: date, clock: str, until: str, state: str = "succeeded") -> None:
        """An occurrence that a worker takes, and ends at a later time of the day."""
        self.on(day, f"{clock}:30", lambda site: self._claims(site, f"{day} {clock}"))
        self.on(day, until, lambda site: self._ends(site, f"{day} {clock}", state))

    def beats(self, day: date, start: str, end: str, tokens: int, name: str = "executor") -> None:
        """An agent beats every quarter of an hour, from one time of a day up to another."""
        instant, last = (datetime.fromisoformat(f"{day}T{clock}+09:00") for clock in (start, end))
        while instant < last:
            self.plan.append((instant, lambda site: beat(site, name, "ok", tokens, None, None)))
            instant += HALF_AN_HOUR

    def _claims(self, site: Site, which: str) -> None:
        tick(site)
        with site.transaction():
            row = site.db.execute("SELECT leg_id, token FROM schedctl.claim('w9', 'testhost')").fetchone()
        assert row is not None
        self.legs[which] = row

    def _ends(self, site: Site, which: str, state: str) -> None:
        with site.transaction():
            site.db.execute("SELECT schedctl.finish_leg(%s, %s, %s, NULL, NULL)", (*self.legs.pop(which), state))

    # ------------------------------------------------------------ the days

    def _earlier_day(self, day: date) -> None:
        """From 2 December on the executor falls silent beside the backup; on the 2nd and the 3rd the update fails."""
        if day < date(2037, 12, 2):
            self.on(day, "12:00", lambda site: beat(site, "executor", "ok", 1000, None, None))
        else:
            self.beats(day, "00:00", "23:59", 100, "reviewer")
        self._night(day, 1000 + 50 * day.day, falls_silent=day >= date(2037, 12, 2))
        for clock in ("04:00", "05:00", "05:30", "06:15", "09:00", "13:00"):
            if day >= date(2037, 12, 2):
                self.runs(day, clock)
        self.takes(day, "10:00", "10:03")

    def _night(self, day: date, tokens: int, *, falls_silent: bool) -> None:
        """The backup runs from 02:50 to 03:04; silent since 01:30, the executor is restarted and back at 03:30."""
        self.takes(day, "02:50", "03:04")
        if not falls_silent:
            return
        self.beats(day, "00:00", "02:00", tokens)
        self.runs(day, "03:05")
        self.beats(day, "03:30", "12:00" if day == THE_DAY else "23:59", tokens)

    def _the_day(self) -> None:
        day = THE_DAY
        self._night(day, 1300, falls_silent=True)
        self.beats(day, "00:00", "12:00", 100, "reviewer")
        self.runs(day, "04:00")
        self.takes(day, "05:00", "05:01", "failed")
        for clock in ("05:30", "06:15"):
            self.runs(day, clock)
        self.on(day, "09:00:30", lambda site: self._claims(site, "lost"))
        self.on(day, "09:05:00", self._loses)
        self.takes(day, "10:00", "10:25")
        self.on(day, "12:00", lambda site: beat(site, "executor", "ok", 90_000, None, None))
        self.on(day, "12:00", lambda site: beat(site, "reviewer", "stopping", None, None, timedelta(hours=2)))
        self.runs(day, "15:00")  # the first tick since ten: what was due at one is missed
        self.beats(day, "12:30", "23:59", 1300)
        self.beats(day, "15:30", "23:59", 100, "reviewer")
        self.on(day, "16:00", lambda site: pause(site, str(self.ids["slow"]), "点検中"))
        for name, tokens in (("executor", 1300), ("reviewer", 100)):
            self.beats(date(2037, 12, 5), "00:00", "08:00", tokens, name)

    def _loses(self, site: Site) -> None:
        """The worker that claimed it is never heard of again; a tick finds it."""
        leg, token = self.legs["lost"]
        with site.transaction():
            site.db.execute("SELECT schedctl.begin_step(%s, %s, 0, 1)", (leg, token))
            gone = "UPDATE schedctl.leg SET lease_until = clock_timestamp() - interval '1 s' WHERE leg_id = %s"
            site.db.execute(gone, (leg,))
        tick(site)


def _watch(site: Site) -> None:
    with site.transaction():
        plan = build((Request("mars", "service.restart"),), adopted_catalog(site), "testhost", Origin("agents.toml"))
        agents.watch(site.db, (EXECUTOR, REVIEWER), {"executor": plans.insert(site.db, plan)})


def _tick_and_work(site: Site) -> None:
    tick(site)
    drain(worker(site))
