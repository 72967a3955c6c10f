"""Which parts of a sentence are its timing, and which belong to the work.

Parts come in groups with nothing but glue inside. A group before a noun of the work (`昨日の|バックアップ`) stays in
the task where the others say when; a second group that says when is a second schedule, and is never left in the task.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from schedctl.when.model import DayClass
from schedctl.when.reading import refusals, refusals_times
from schedctl.when.reading.draft import CORES
from schedctl.when.reading.parts import (
    BusinessDaysLater,
    Clock,
    Coming,
    Hourly,
    InMonth,
    Later,
    Part,
    PartOfDay,
    Relative,
    Repeat,
    Step,
    TimesPerUnit,
    Unclear,
    Weekdays,
    Window,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedctl.when.reading.grammar import Found

DAYS: tuple[type[Part], ...] = (
    *CORES,
    Repeat,
    TimesPerUnit,
    InMonth,
    Relative,
    BusinessDaysLater,
    Coming,
    Later,
    Unclear,
)
TIMES: tuple[type[Part], ...] = (Clock, Hourly, Step, Later, Unclear)
HALF_TIMES: tuple[type[Part], ...] = (PartOfDay, Window)
"""Parts that need another to be a time: an hour, a step."""
STEPS: tuple[type[Part], ...] = (Hourly, Step)


@dataclass(frozen=True, slots=True)
class Group:
    """A run of parts, and what it says."""

    found: tuple[Found, ...]
    days: bool
    times: bool
    half_times: bool
    steps: bool
    of_work: bool
    unclear: bool

    @property
    def says(self) -> bool:
        """Whether it says anything about when; if not, it only adds to what others say (an exclusion, a count)."""
        return self.days or self.times or self.half_times

    @property
    def whole(self) -> bool:
        """Whether it is a schedule by itself."""
        return self.days and self.times

    @property
    def is_past(self) -> bool:
        """Whether it looks back (昨日, 先月), as only words of the work do."""
        return any(isinstance(each.part, Relative) and each.part.number < 0 for each in self.found)

    @property
    def repeats(self) -> bool:
        """Whether it says an interval."""
        return any(isinstance(each.part, Repeat) for each in self.found)

    @property
    def names_days(self) -> bool:
        """Whether it names days by themselves, not only an interval or a month for others."""
        return any(isinstance(each.part, CORES) for each in self.found)

    @property
    def recurs(self) -> bool:
        """Whether its days come again (平日の, 毎週の), so that it could limit a step (`平日の…を15分おきに`)."""
        return any(isinstance(each.part, DayClass | Repeat | Weekdays) for each in self.found)

    def completes(self, whole: Group) -> bool:
        """Whether it adds the one thing that `whole` lacks: an interval (`金曜の17時に|隔週で`), a step's window."""
        if all(isinstance(each.part, Repeat) for each in self.found):
            return not whole.repeats
        return all(isinstance(each.part, Window) for each in self.found) and whole.steps and not whole.half_times


def select(found: Sequence[Found]) -> tuple[Found, ...]:
    """The parts of the timing, in order; what is not among them is the work's. `Refusal` where that is not certain."""
    groups = [_group(tuple(each)) for _, each in groupby(found, key=lambda part: part.group)]
    if not any(group.says for group in groups):
        raise refusals.nothing_found() if not groups else refusals_times.no_time(None)
    speaking = [group for group in groups if group.says]
    chosen = speaking if len(speaking) == 1 else _speaking(speaking)
    return tuple(
        part for group in groups if group in chosen or not (group.says or group.of_work) for part in group.found
    )


def _group(found: tuple[Found, ...]) -> Group:
    kinds = {type(each.part) for each in found}
    return Group(
        found,
        days=not kinds.isdisjoint(DAYS),
        times=not kinds.isdisjoint(TIMES),
        half_times=not kinds.isdisjoint(HALF_TIMES),
        steps=not kinds.isdisjoint(STEPS),
        of_work=found[-1].of_work,
        unclear=Unclear in kinds,
    )


def _speaking(groups: list[Group]) -> list[Group]:
    firm = [group for group in groups if not group.of_work]
    unclear = [group for group in firm if group.unclear]
    if unclear:
        return unclear
    whole = [group for group in firm if group.whole] or [group for group in groups if group.whole and not group.is_past]
    if whole:
        late = [group for group in firm if group.completes(whole[0])]
        whole = [*whole, *late]
        rest = [group for group in groups if group not in (whole[0], *late) and (not group.of_work or group in whole)]
        if rest:
            raise refusals.two_schedules()
        return whole
    times = [group for group in firm if group.times]
    named = [group for group in firm if group.names_days]
    for several in (times, named):
        if len(several) > 1:
            raise refusals.two_schedules()
    if any(group.days for group in firm):
        return firm if times else groups
    return _days_before_nouns(groups, firm, times)


def _days_before_nouns(groups: list[Group], firm: list[Group], times: list[Group]) -> list[Group]:
    """`毎日のログを9時に` is every day at nine; `月曜のログを9時に` does not say on which day."""
    if times and times[0].steps:
        limits = [group for group in groups if group.of_work and group.recurs]
        if limits:
            raise refusals.whose_day(limits[0].found[0], times[0].found[0])
        return firm
    repeated = [group for group in groups if group.of_work and group.days and group.repeats]
    if times and repeated:
        return [*repeated, *firm]
    open_days = [group for group in groups if group.of_work and group.days and not group.is_past]
    if times and open_days:
        raise refusals.whose_day(open_days[0].found[0], times[0].found[0])
    return firm if times else groups
