"""Time parts -> the times of a timing."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from schedctl.language import Text
from schedctl.when.model import LAST_HOUR, MINUTES_A_DAY, At, Every, TimeRule
from schedctl.when.reading import refusals, refusals_periods, refusals_times
from schedctl.when.reading.draft import DAY_PARTS, Draft
from schedctl.when.reading.grammar import Found, Refusal
from schedctl.when.reading.parts import Clock, Hourly, PartOfDay, Period, Step, TimesPerUnit, Window

HOUR: Final = 60
WHOLE_DAY = Window(0, MINUTES_A_DAY - 1)


def times_of(draft: Draft) -> tuple[TimeRule, ...]:
    """The times that the parts say; a refusal where they say none, or too many."""
    _refuse_mixed_times(draft)
    if draft.has(Step) or draft.has(Hourly):
        return _steps(draft)
    if draft.has(Window):
        raise refusals_times.window_without_step(draft.places(Window)[0])
    clocks = draft.places(Clock)
    if not clocks:
        raise _no_time(draft)
    times: set[At] = {at for clock in draft.of(Clock) for at in clock.times}
    _check_part_of_day(draft, times)
    _check_times_per_day(draft, len(times))
    return tuple(sorted(times, key=_minute))


def _minute(at: At) -> int:
    return at.minute_of_day


def night_clock(draft: Draft) -> Found | None:
    """The clock whose hour of the night could be of two days, if there is one."""
    return next((each for each in draft.places(Clock) if isinstance(each.part, Clock) and each.part.night), None)


def _refuse_mixed_times(draft: Draft) -> None:
    """A list of times, a step and a window may not be mixed, except a step in a window."""
    steps = draft.places(Step)
    clocks = draft.places(Clock)
    several = len(set(draft.of(Window))) > 1 and _open_ends(draft) is None
    if len(set(draft.of(Step))) > 1 or several or (steps and clocks):
        raise refusals.two_schedules()
    if clocks and (draft.has(Window) or draft.has(Hourly)):
        raise refusals.two_schedules()


def _open_ends(draft: Draft) -> Window | None:
    """`19時から2時間おきに23時まで`: a window said in two places."""
    match draft.of(Window):
        case [Window(first=int() as first, last=None), Window(first=None, last=int() as last)]:
            return Window(first, last)
        case _:
            return None


def _no_time(draft: Draft) -> Refusal:
    parts_of_day = draft.places(PartOfDay)
    if parts_of_day and isinstance(parts_of_day[0].part, PartOfDay):
        return refusals_times.only_part_of_day(parts_of_day[0], parts_of_day[0].part.hours)
    days = draft.places(*DAY_PARTS)
    return refusals_times.no_time(days[-1] if days else (draft.found[-1] if draft.found else None))


def _check_part_of_day(draft: Draft, times: set[At]) -> None:
    for place in draft.places(PartOfDay):
        if isinstance(place.part, PartOfDay):
            wrong = next((at.hour for at in times if at.hour not in place.part.hours), None)
            if wrong is not None:
                clock = draft.places(Clock)[0]
                raise refusals_times.hour_against_part_of_day(clock, place.part.hours, wrong)


def _check_times_per_day(draft: Draft, number: int) -> None:
    if any(each.unit == "day" and each.number != number for each in draft.of(TimesPerUnit)):
        raise Refusal(
            "conflicting_time",
            Text(
                "1日の回数と、書かれている時刻の数が合いません",
                "The number of times a day and the times given do not agree",
            ),
            (),
            Text("回数の分だけ時刻を書いてください", "Write as many times of day as the number says"),
        )


def _steps(draft: Draft) -> tuple[TimeRule, ...]:
    window = _open_ends(draft) or (draft.of(Window)[0] if draft.has(Window) else WHOLE_DAY)
    first, last = _bounds(draft, window)
    minutes = sorted({minute for hourly in draft.of(Hourly) for minute in hourly.minutes})
    steps = draft.of(Step)
    step = steps[0].minutes if steps else 60
    _check_step(draft, step)
    if not minutes:
        return (Every(step, first, last),)
    rules = [rule for minute in minutes if (rule := _hourly(step, minute, first, last)) is not None]
    if len(rules) < len(minutes):
        raise refusals_periods.empty_period()
    return _within_window(rules, last) if len(rules) > 1 and draft.has(Window) else tuple(rules)


def _within_window(rules: list[Every], last: int) -> tuple[TimeRule, ...]:
    """`9時から18時まで毎時0分と30分`: one step where the minutes are evenly apart, else the times of day themselves."""
    rules = sorted(rules, key=lambda rule: rule.first)
    apart = {later.first - rule.first for rule, later in pairwise(rules)}
    if apart == {HOUR // len(rules)} and HOUR % len(rules) == 0:
        return (Every(HOUR // len(rules), rules[0].first, last),)
    minutes = sorted({minute for rule in rules for minute in range(rule.first, last + 1, HOUR)})
    if minutes[-1] // HOUR > LAST_HOUR:
        raise refusals.two_schedules()
    return tuple(At(*divmod(minute, HOUR)) for minute in minutes)


def _hourly(step: int, minute: int, first: int, last: int) -> Every | None:
    """Every `step` from the first such minute in the window; None where the window has none."""
    start = first + (minute - first) % 60
    return Every(step, start, last) if start <= last and start < MINUTES_A_DAY else None


def _bounds(draft: Draft, window: Window) -> tuple[int, int]:
    first = 0 if window.first is None else window.first
    last = MINUTES_A_DAY - 1 if window.last is None else window.last
    if first >= MINUTES_A_DAY and not draft.has(*DAY_PARTS, Period):
        first, last = first - MINUTES_A_DAY, last - MINUTES_A_DAY  # `25時から28時まで`: every day has such hours
    if last < first:
        last += MINUTES_A_DAY
    if last == first or last >= first + MINUTES_A_DAY or first >= MINUTES_A_DAY:
        place = draft.places(Window)[0]
        raise Refusal(
            "impossible_time",
            Text("時間の範囲の始まりと終わりが合いません", "The range of times does not have a valid start and end"),
            tuple(
                refusals.replace(place, f"{hour}時から{hour + 9}時まで", f"from {hour}:00 to {hour + 9}:00")
                for hour in (9,)
            ),
        )
    return first, last


def _check_step(draft: Draft, step: int) -> None:
    if 1 <= step < MINUTES_A_DAY:
        return
    place = draft.places(Step)[0]
    if step == 0:
        raise Refusal(
            "impossible_time",
            Text("間隔が0分では繰り返せません", "A step of zero minutes cannot repeat"),
            (refusals.replace(place, "1分ごと", "every minute"),),
        )
    days = step // MINUTES_A_DAY
    daily = Text(
        "毎日9時" if days == 1 else f"{days}日ごとの9時",
        "every day at 9:00" if days == 1 else f"every {days} days at 9:00",
    )
    raise Refusal(
        "no_time",
        Text("1日以上の間隔には、何時に実行するかが必要です", "An interval of a day or longer needs a time of day"),
        (refusals.replace(place, daily.ja, daily.en),),
    )
