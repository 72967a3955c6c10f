"""Restarts of an agent by the time of day, with the schedules that ran just then. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, time
from statistics import median_low
from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.report.agent_model import Beside, RestartGroup
from schedctl.when.zones import zone_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedctl.report.figures import Period

NEAR_MIN: Final = 10
"""Restarts whose times of day lie no further apart than this belong together."""
DAY_MIN: Final = 24 * 60
MOST_BESIDE: Final = 3
Ran = tuple[int, str]
"""A schedule's id and what it is called."""


@dataclass(frozen=True, slots=True)
class RestartAt:
    """A restart, and the schedules that ran just then."""

    at: datetime
    beside: tuple[Ran, ...] = ()


def grouped(restarts: Sequence[RestartAt], period: Period, of_days: int) -> tuple[RestartGroup, ...]:
    """The groups with a restart in the period, the largest first, of the restarts of `of_days` days up to its end."""
    groups = (_group(near, period, of_days) for near in _near(restarts, period.zone))
    return tuple(sorted((one for one in groups if one.in_period), key=lambda one: (-len(one.instants), one.around)))


def _near(restarts: Sequence[RestartAt], zone: str) -> list[list[tuple[int, RestartAt]]]:
    """Restarts that are near each other on the clock's face, each with its minute; those around midnight count on."""
    by_minute = sorted(((_minute(one.at, zone), one) for one in restarts), key=lambda pair: (pair[0], pair[1].at))
    groups: list[list[tuple[int, RestartAt]]] = []
    for minute, one in by_minute:
        if groups and minute - groups[-1][-1][0] <= NEAR_MIN:
            groups[-1].append((minute, one))
        else:
            groups.append([(minute, one)])
    if len(groups) > 1 and groups[0][0][0] + DAY_MIN - groups[-1][-1][0] <= NEAR_MIN:
        groups[-1] += [(minute + DAY_MIN, one) for minute, one in groups.pop(0)]
    return groups


def _group(near: list[tuple[int, RestartAt]], period: Period, of_days: int) -> RestartGroup:
    zone = zone_named(period.zone)
    minute = median_low(minute for minute, _ in near) % DAY_MIN
    instants = tuple(sorted((one.at.astimezone(zone) for _, one in near), key=datetime.timestamp))
    low, high = period.start.timestamp(), period.end.timestamp()
    in_period = sum(low <= instant.timestamp() < high for instant in instants)
    days = len({instant.date() for instant in instants})
    beside = _beside([one for _, one in near], period.zone)
    around = time(*divmod(minute, 60))
    return RestartGroup(
        around, instants, in_period, days, of_days, beside, _said(around, in_period, days, of_days, beside)
    )


def _beside(restarts: Sequence[RestartAt], zone: str) -> tuple[Beside, ...]:
    """The schedules that ran beside at least half of the restarts' days."""
    ran = {(one.at.astimezone(zone_named(zone)).date(), beside) for one in restarts for beside in one.beside}
    days = len({one.at.astimezone(zone_named(zone)).date() for one in restarts})
    counted = Counter(beside for _, beside in ran)
    frequent = [(count, who) for who, count in counted.items() if count * 2 >= days]
    frequent.sort(key=lambda pair: (-pair[0], pair[1]))
    return tuple(Beside(who[0], who[1], count) for count, who in frequent[:MOST_BESIDE])


def _said(around: time, in_period: int, days: int, of_days: int, beside: tuple[Beside, ...]) -> Text:
    """`毎日 03:05 ごろ、予定 3「backup」と同じころに再起動しています（7日のうち7日）`."""
    clock = f"{around:%H:%M}"
    ja_beside = "、".join(f"予定 {one.schedule_id}「{one.name}」" for one in beside)
    en_beside = ", ".join(f"schedule {one.schedule_id} “{one.name}”" for one in beside)
    ja = f"、{ja_beside}と同じころ" if beside else ""
    en = f", beside {en_beside}" if beside else ""
    if days < 2:
        times = "once" if in_period == 1 else f"{in_period} times"
        return Text(f"{clock} ごろに {in_period} 回{ja}", f"{times} around {clock}{en}")
    if days == of_days:
        return Text(f"毎日 {clock} ごろ{ja}", f"every day around {clock}{en}")
    return Text(f"{clock} ごろ（{of_days}日のうち{days}日）{ja}", f"around {clock} on {days} of {of_days} days{en}")


def _minute(at: datetime, zone: str) -> int:
    local = at.astimezone(zone_named(zone))
    return local.hour * 60 + local.minute
