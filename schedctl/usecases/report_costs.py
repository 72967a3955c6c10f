"""What a report says of tokens: the days of every subject, from the figures that the database keeps."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedctl.language import Text
from schedctl.report.costs import cost_of
from schedctl.report.figures import Cost, DayCost
from schedctl.report.period import WEEK, days_up_to, start_of
from schedctl.store import report_agents

if TYPE_CHECKING:
    from datetime import date

    from schedctl.report.figures import Period
    from schedctl.usecases.site import Site

PLANNER = "planner"


@dataclass(frozen=True, slots=True)
class Spent:
    """The days looked at, and what each subject spent on them: cycles and tokens by the day's number."""

    days: tuple[date, ...]
    in_period: int
    by_subject: dict[str, dict[int, tuple[int, int]]]

    def cost(self, subject: str, called: Text) -> Cost | None:
        """The cost of a subject, by what people call it; None where it spent nothing in the days shown."""
        found = self.by_subject.get(subject, {})
        days = [DayCost(day, *found.get(number, (0, 0))) for number, day in enumerate(self.days)]
        return cost_of(called, days, self.in_period, WEEK) if any(day.cycles for day in days[-WEEK:]) else None

    def planner(self) -> Cost | None:
        """What the language model spent on plans."""
        return self.cost(PLANNER, Text("言語モデル", "the planner"))


def spent_in(site: Site, period: Period) -> Spent:
    """What was spent in the period and in the seven days before it, inside a transaction."""
    in_period = (period.last - period.first).days + 1
    days = days_up_to(period.last, in_period + WEEK)
    starts = [start_of(day, period.zone) for day in days]
    rows = report_agents.spent(site.db, starts, period.end)
    by_subject: defaultdict[str, dict[int, tuple[int, int]]] = defaultdict(dict)
    for row in rows:
        by_subject[row.subject][row.day] = (row.cycles, row.tokens)
    return Spent(days, in_period, dict(by_subject))
