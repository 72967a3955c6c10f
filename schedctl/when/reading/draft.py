"""The parts of one timing, sorted: which days belong to which interval and month, and everything else by its kind."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeVar

from schedctl.when.model import DayClass, NamedHoliday, Offset, Shift
from schedctl.when.reading import refusals
from schedctl.when.reading.parts import (
    BusinessDaysLater,
    Coming,
    DaysOfMonth,
    InMonth,
    NthBusinessDays,
    NthWeekdays,
    Part,
    Relative,
    Repeat,
    TimesPerUnit,
    Unclear,
    Unit,
    Weekdays,
)
from schedctl.when.zones import zone_named

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime

    from schedctl.when.calendar import Calendars
    from schedctl.when.reading.grammar import Found

T = TypeVar("T")

Core = Weekdays | DaysOfMonth | NthWeekdays | NthBusinessDays | DayClass | NamedHoliday
CORES: Final = (Weekdays, DaysOfMonth, NthWeekdays, NthBusinessDays, DayClass, NamedHoliday)
OF_MONTH: Final = (DaysOfMonth, NthWeekdays, NthBusinessDays)
FRAMES: Final = (Repeat, TimesPerUnit, InMonth, Relative, BusinessDaysLater, Coming)
DAY_PARTS: Final = (*CORES, *FRAMES)
MOVES: Final = (Shift, Offset)


@dataclass(frozen=True, slots=True)
class Moment:
    """Now, as the operator's clock shows it, and the calendars that count."""

    now: datetime
    zone: str
    wall: datetime
    calendars: Calendars

    @property
    def today(self) -> date:
        """The date on the operator's calendar."""
        return self.wall.date()

    def moved_to(self, zone: str) -> Moment:
        """The same instant on another zone's clock."""
        return moment(self.now, zone, self.calendars)


def moment(now: datetime, zone: str, calendars: Calendars) -> Moment:
    """`now` (any offset) as a moment in `zone`."""
    return Moment(now, zone, now.astimezone(zone_named(zone)).replace(tzinfo=None), calendars)


@dataclass(slots=True)
class Item:
    """One day part with the month that it lies in, and whether it limits the one before it (`13日の金曜`)."""

    core: Core
    months: InMonth | None
    limits: bool


@dataclass(slots=True)
class Block:
    """One interval with its days: 毎週 月曜, 毎年 4月1日."""

    repeat: Repeat | None = None
    yearly: bool = False
    months: InMonth | None = None
    items: list[Item] = field(default_factory=list[Item])


class Draft:
    """The parts of a timing by kind."""

    def __init__(self, found: Sequence[Found]) -> None:
        self.found = found
        self._by_kind: dict[type, list[Found]] = {}
        for each in found:
            self._by_kind.setdefault(type(each.part), []).append(each)

    def of(self, kind: type[T]) -> list[T]:
        """All parts of one kind, in the order of the sentence."""
        found = self._by_kind.get(kind)
        return [each.part for each in found if isinstance(each.part, kind)] if found else []

    def places(self, *kinds: type[Part]) -> list[Found]:
        """All parts of these kinds with their places, in the order of the sentence."""
        if self._by_kind.keys().isdisjoint(kinds):
            return []
        return [each for each in self.found if type(each.part) in kinds]

    def has(self, *kinds: type[Part]) -> bool:
        """Whether there is a part of any of these kinds."""
        return not self._by_kind.keys().isdisjoint(kinds)

    def units(self) -> set[Unit]:
        """The units of all intervals."""
        return {repeat.unit for repeat in (*self.of(Repeat), *self.of(TimesPerUnit))}

    def refuse_unclear(self) -> None:
        """Refuse the first part that has no single reading."""
        for each in self._by_kind.get(Unclear, ()):
            part = each.part
            if isinstance(part, Unclear):
                raise refusals.unclear(part, each)


def blocks_of(draft: Draft) -> list[Block]:
    """Day parts grouped: an interval and a month bind the days after them, a late interval those before it."""
    blocks = [Block()]
    joined = False
    for found in draft.places(*DAY_PARTS):
        joined = joined or found.joined
        match found.part:
            case Repeat() as repeat:
                _bind_repeat(blocks, repeat, found)
            case TimesPerUnit(unit=unit):
                _bind_repeat(blocks, Repeat(unit), found)
            case InMonth() as months:
                _bind_months(blocks, months)
            case Weekdays() | DaysOfMonth() | NthWeekdays() | NthBusinessDays() | DayClass() | NamedHoliday() as core:
                _add_core(blocks, core, joined=joined)
                joined = False
            case _:
                pass
    return _settle_late_repeats(blocks)


def _bind_repeat(blocks: list[Block], repeat: Repeat, found: Found) -> None:
    block = blocks[-1]
    if block.items:
        if block.repeat is not None and block.repeat != repeat:
            if repeat == Repeat("day") and _is_stretch(block):
                return
            if repeat == Repeat("day") or not found.joined:
                raise refusals.two_intervals(found)
        if block.repeat != repeat:
            blocks.append(Block(repeat=repeat))
    elif block.repeat is None or block.repeat == repeat:
        block.repeat = repeat
    elif block.repeat == Repeat("year"):
        block.repeat, block.yearly = repeat, True
    elif repeat == Repeat("year"):
        block.yearly = True
    else:
        raise refusals.two_intervals(found)


def _is_stretch(block: Block) -> bool:
    """`毎月1日から5日まで毎日`: days in a row, of which `毎日` says each; `毎月15日の毎日` says two things."""
    match [item.core for item in block.items]:
        case [DaysOfMonth(days=days)] | [Weekdays(weekdays=days)]:
            return len(days) > 1 and all(later - day == 1 for day, later in pairwise(days))
        case [DayClass()]:
            return True
        case _:
            return False


def _bind_months(blocks: list[Block], months: InMonth) -> None:
    block = blocks[-1]
    if block.months is not None and block.items:
        blocks.append(Block(repeat=block.repeat, yearly=block.yearly, months=months))
    else:
        block.months = months


def _add_core(blocks: list[Block], core: Core, *, joined: bool) -> None:
    block = blocks[-1]
    if joined and block.items and block.repeat == Repeat("month") and _comes_by_itself(core):
        block = Block()
        blocks.append(block)
    months = block.months if isinstance(core, OF_MONTH) else None
    block.items.append(Item(core, months, limits=bool(block.items) and not joined))


def _comes_by_itself(core: Core) -> bool:
    """`毎月1日と祝日`: days that are no days of the month that was said before them."""
    return isinstance(core, DayClass | NamedHoliday) or (isinstance(core, Weekdays) and core.each)


def _settle_late_repeats(blocks: list[Block]) -> list[Block]:
    """`金曜の17時に隔週で`: an interval without days after it belongs to the days before it."""
    last = blocks[-1]
    if len(blocks) > 1 and not last.items and blocks[-2].repeat is None:
        blocks[-2].repeat, blocks[-2].yearly = last.repeat, last.yearly
        blocks[-2].months = blocks[-2].months or last.months
        return blocks[:-1]
    return blocks
