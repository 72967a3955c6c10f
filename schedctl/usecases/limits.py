"""What `register` adds to a sentence by options: a period, a count, and how far occurrences may be spread."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from schedctl.errors import Refused, TimingError
from schedctl.language import Text
from schedctl.when.model import Once, Recurring, Timing
from schedctl.when.rhythm import smallest_gap
from schedctl.when.zones import zone_named

if TYPE_CHECKING:
    from datetime import date, datetime

    from schedctl.when.calendar import Calendars

ONE_SHOT_CHOICE: Final = Text("1回だけの予定には付けられません", "A schedule that runs once cannot have it")


@dataclass(frozen=True, slots=True)
class Limits:
    """The first and last day (both included) and the number of occurrences, where the options name them."""

    start: date | None = None
    until: date | None = None
    count: int | None = None

    def named(self) -> tuple[str, ...]:
        """The options that were given."""
        given = {"--from": self.start, "--until": self.until, "--count": self.count}
        return tuple(option for option, value in given.items() if value is not None)


NO_LIMITS: Final = Limits()


def limited(timing: Timing, limits: Limits, now: datetime) -> Timing:
    """The timing with these limits; TimingError (`conflicting_time`) where the sentence says otherwise already."""
    if not limits.named():
        return timing
    match timing:
        case Once():
            raise _conflict(limits.named()[0], ONE_SHOT_CHOICE)
        case Recurring():
            said = {"--from": timing.start, "--until": timing.until, "--count": timing.count}
            for option in limits.named():
                if said[option] is not None:
                    raise _conflict(option, Text("指示の文にもう書かれています", "The sentence says it already"))
            start, until = timing.start or limits.start, timing.until or limits.until
            if start is not None and until is not None and start > until:
                raise _ends_before_it_begins(start, until)
            timing = replace(timing, start=start, until=until)
            if limits.count is not None:
                timing = replace(timing, count=limits.count, counted_from=_whole_minute(now, timing))
            return timing


def check_spread(
    timing: Timing, jitter: timedelta | None, catch_up: timedelta, now: datetime, calendars: Calendars
) -> None:
    """`Refused` (`bad_jitter`) unless the jitter is under the catch-up and under half of the smallest interval."""
    if jitter is None:
        return
    gap = smallest_gap(timing, now, calendars)
    if jitter >= catch_up or (gap is not None and jitter * 2 >= gap):
        limit = min(catch_up, gap / 2) if gap is not None else catch_up
        raise Refused(
            "bad_jitter",
            Text(f"--jitter {_said(jitter)} は長すぎます", f"--jitter {_said(jitter)} is too long"),
            Text(
                f"{_said(limit)} より短くしてください（追いかける時間と、間隔の半分のどちらよりも短く）",
                f"It has to be shorter than {_said(limit)}: the catch-up limit, and half of the smallest interval",
            ),
        )


def _whole_minute(now: datetime, timing: Recurring) -> datetime:
    """Counting begins with the next whole minute, as the sentence would write it."""
    local = now.astimezone(zone_named(timing.zone))
    return (local + timedelta(seconds=59, microseconds=999_999)).replace(second=0, microsecond=0)


def _conflict(option: str, why: Text) -> TimingError:
    return TimingError(
        "conflicting_time",
        Text(f"{option} は使えません。{why.ja}", f"{option} cannot be used. {why.en}"),
        Text(f"{option} を外すか、指示の文を直してください", f"Leave {option} out, or change the sentence"),
    )


def _ends_before_it_begins(start: date, until: date) -> TimingError:
    return TimingError(
        "conflicting_time",
        Text(
            f"最初の日（{start}）が最後の日（{until}）より後です",
            f"The first day ({start}) comes after the last ({until})",
        ),
        Text("--from と --until、指示の文を確かめてください", "Check --from, --until and the sentence"),
    )


def _said(span: timedelta) -> str:
    seconds = int(span.total_seconds())
    if seconds % 3600 == 0:
        return f"{seconds // 3600}h"
    return f"{seconds // 60}m" if seconds % 60 == 0 else f"{seconds}s"
