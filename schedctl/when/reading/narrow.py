"""Several conditions at once (`毎年7月の平日の月曜`) as the two filters of a timing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schedctl.when.model import DayClass, DayRule, InMonths, Weekly

if TYPE_CHECKING:
    from collections.abc import Sequence

Condition = tuple[DayRule, ...]
"""Met by a day that matches any of its rules."""
OPPOSITE: Final = {DayClass("business"): DayClass("closed"), DayClass("closed"): DayClass("business")}


def narrowed(conditions: Sequence[Condition]) -> tuple[Condition, Condition] | None:
    """The `within` and `without` of the days on which all conditions are met; None where two filters cannot say it."""
    if not conditions:
        return (), ()
    open_ones = [condition for condition in conditions if _others(condition) is None]
    if len(open_ones) > 1:
        return None
    months = [condition for condition in conditions if isinstance(condition[0], InMonths)]
    kept = [*open_ones, *months, *conditions][0]
    excluded: list[DayRule] = []
    for condition in conditions:
        if condition is not kept:
            excluded += _others(condition) or ()
    return kept, tuple(excluded)


def _others(condition: Condition) -> Condition | None:
    """The rule of all days that do not meet `condition`; None where there is no such rule."""
    match condition:
        case (InMonths(months=months),):
            others = tuple(month for month in range(1, 13) if month not in months)
            return (InMonths(others),) if others else ()
        case (Weekly(weekdays=weekdays, every=1),):
            others = tuple(day for day in range(7) if day not in weekdays)
            return (Weekly(others),) if others else ()
        case (DayClass() as rule,) if rule in OPPOSITE:
            return (OPPOSITE[rule],)
        case _:
            return None
