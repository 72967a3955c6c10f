"""What a cycle costs, against before, and whether it drifts. Pure."""

from __future__ import annotations

from itertools import combinations
from statistics import median
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.report.figures import Cost
from schedctl.report.spans import change_said, number_said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedctl.report.figures import DayCost

FEWEST_DAYS: Final = 3
"""With tokens, before a drift is spoken of."""


def cost_of(subject: Text, days: Sequence[DayCost], in_period: int, shown: int) -> Cost:
    """The cost of a subject: `days` are consecutive, the last `in_period` of them are the period, `shown` are kept.

    The baseline are those of the last `shown` days that lie before the period; if it takes all of them, those before.
    """
    period = days[-in_period:]
    before = days[-shown:-in_period] if in_period < shown else days[:-in_period]
    kept = tuple(days[-shown:])
    mean, baseline, drift = _mean(period), _mean(before), drift_of([day.mean for day in kept])
    tokens, cycles = sum(day.tokens for day in period), sum(day.cycles for day in period)
    return Cost(subject, kept, tokens, cycles, mean, baseline, drift, _said(mean, tokens, baseline, drift))


def drift_of(means: Sequence[float | None]) -> float | None:
    """How much a straight line through the days' means grows from its first to its last day; None under three days.

    It is the line of the median slope (Theil and Sen), so that one day's burst is no drift. One that begins at nothing
    or below has no growth that could be told: None.
    """
    points = [(place, mean) for place, mean in enumerate(means) if mean is not None]
    if len(points) < FEWEST_DAYS:
        return None
    slope = median((y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in combinations(points, 2))
    foot = median(y - slope * x for x, y in points)
    first, last = (foot + slope * x for x in (points[0][0], points[-1][0]))
    return last / first - 1 if first > 0 else None


def _mean(days: Sequence[DayCost]) -> float | None:
    cycles = sum(day.cycles for day in days)
    return sum(day.tokens for day in days) / cycles if cycles else None


def _said(mean: float | None, tokens: int, baseline: float | None, drift: float | None) -> Text:
    """`1周 1,234 トークン（これまで 1,180、7日で +4 %）、計 123,400`."""
    if mean is None:
        return Text("この期間のトークンはありません", "no tokens in this period")
    notes = [Text(f"これまで {number_said(baseline)}", f"before {number_said(baseline)}")] if baseline else []
    if drift is not None:
        notes.append(Text(f"7日で {change_said(drift)}", f"{change_said(drift)} over 7 days"))
    ja, en = "、".join(note.ja for note in notes), ", ".join(note.en for note in notes)
    each, all_of_it = number_said(mean), number_said(tokens)
    return Text(
        f"1周 {each} トークン" + (f"（{ja}）" if notes else "") + f"、計 {all_of_it}",
        f"{each} tokens a cycle" + (f" ({en})" if notes else "") + f", {all_of_it} in all",
    )
