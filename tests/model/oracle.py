"""When a rule is due, found by looking at the wall clock minute by minute: slow, and nothing to get wrong.

Written from design §4 alone. It knows the few kinds of rule that the tests of firing use.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
WEEK = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One instant (`at`), or weekdays (0 = Monday) with wall-clock minutes of the day, or a step in minutes.

    `count` counts occurrences at or after the whole minute `since`.
    """

    zone: str
    at: datetime | None = None
    weekdays: tuple[int, ...] = (0, 1, 2, 3, 4, 5, 6)
    minutes: tuple[int, ...] = ()
    step: int | None = None
    until: date | None = None
    count: int | None = None
    since: datetime | None = None

    @property
    def line(self) -> str:
        """The same as the rule line that schedctl stores."""
        if self.at is not None:
            return f"once {self.at.astimezone(ZoneInfo(self.zone)).isoformat()} in {self.zone}"
        every_day = len(self.weekdays) == len(WEEK)
        days = "daily" if every_day else f"weekly {','.join(WEEK[day] for day in self.weekdays)}"
        times = f"00:00-23:59/{self.step}m" if self.step else ",".join(map(_clock, self.minutes))
        until = f" until {self.until}" if self.until else ""
        since = self.since.astimezone(ZoneInfo(self.zone)).isoformat() if self.since else None
        count = f" count {self.count} since {since}" if since else ""
        return f"{days} at {times}{until}{count} in {self.zone}"

    def between(self, after: datetime, through: datetime) -> list[datetime]:
        """Every instant after the one and up to the other, oldest first."""
        if self.since is None or self.count is None:
            return self._uncounted(after, through)
        counted = self._uncounted(self.since - MINUTE, through)[: self.count]
        return [instant for instant in counted if instant > after]

    def goes_on(self, after: datetime) -> bool:
        """Whether anything is due after this instant, ever."""
        if self.at is not None:
            return self.at > after
        if self.count is not None and self.since is not None:
            return len(self._uncounted(self.since - MINUTE, max(after, self.since - MINUTE))[: self.count]) < self.count
        if self.until is None:
            return True
        return bool(
            self._uncounted(after, datetime(self.until.year, self.until.month, self.until.day, tzinfo=UTC) + 3 * DAY)
        )

    def _uncounted(self, after: datetime, through: datetime) -> list[datetime]:
        if self.at is not None:
            return [self.at] if after < self.at <= through else []
        zone = ZoneInfo(self.zone)
        found: set[datetime] = set()
        day = after.astimezone(zone).date() - DAY
        while day <= through.astimezone(zone).date():
            if day.weekday() in self.weekdays and (self.until is None or day <= self.until):
                found.update(_on(day, self.minutes, self.step, self.zone))
            day += DAY
        return sorted(instant for instant in found if after < instant <= through)


@lru_cache(maxsize=20_000)
def _on(day: date, minutes: tuple[int, ...], step: int | None, name: str) -> tuple[datetime, ...]:
    """The instants of one calendar day of the zone."""
    zone = ZoneInfo(name)
    if step is not None and 60 % step:  # no step of real minutes, but a list of wall-clock times like any other
        minutes, step = tuple(range(0, 24 * 60, step)), None
    if step is None:
        return tuple(_first_at_or_past(datetime.combine(day, time()) + minute * MINUTE, zone) for minute in minutes)
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    walls = (
        (instant, instant.astimezone(zone)) for instant in (midnight + n * MINUTE for n in range(-15 * 60, 40 * 60))
    )
    return tuple(at for at, wall in walls if wall.date() == day and (wall.hour * 60 + wall.minute) % step == 0)


def _first_at_or_past(wall: datetime, zone: ZoneInfo) -> datetime:
    """The first minute at which the zone's wall clock shows this time or has jumped past it."""
    instant = wall.replace(tzinfo=UTC) - 15 * 60 * MINUTE
    while instant.astimezone(zone).replace(tzinfo=None) < wall:
        instant += MINUTE
    return instant


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"
