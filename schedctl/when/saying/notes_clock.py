"""Notes about the clock: whose night an early hour belongs to, hours after 24, and what a step or a window takes in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.when.model import MINUTES_A_DAY, At, Every, MonthWeekdays, Recurring, Weekly
from schedctl.when.saying.english import WEEKDAYS as WEEKDAYS_EN
from schedctl.when.saying.japanese import WEEKDAYS as WEEKDAYS_JA

if TYPE_CHECKING:
    from collections.abc import Iterator

DAWN: Final = 5
"""Hours before this belong, in most people's speech, to the night of the day before."""


def night_notes(timing: Recurring) -> Iterator[Text]:
    """For an early hour on a named weekday which night is meant; for an hour after 24 which day it falls on."""
    weekdays = _named_weekdays(timing)
    for time in timing.times:
        if isinstance(time, At) and time.hour >= 24:
            yield _after_midnight(time, weekdays)
        elif isinstance(time, At) and time.hour < DAWN and weekdays:
            yield _before_dawn(time, weekdays)


def step_notes(timing: Recurring) -> Iterator[Text]:
    """What a step does at midnight where it does not fit the day, and whether both ends of a window belong to it."""
    for time in timing.times:
        if isinstance(time, Every) and _is_all_day(time):
            yield from _step_of_a_day(time)
        elif isinstance(time, Every):
            yield _window(time)


def _named_weekdays(timing: Recurring) -> tuple[int, ...]:
    """The weekdays that the timing names, and that no move takes elsewhere."""
    named = {day for rule in timing.days if isinstance(rule, Weekly | MonthWeekdays) for day in rule.weekdays}
    return () if timing.moves else tuple(sorted(named))


def _before_dawn(time: At, weekdays: tuple[int, ...]) -> Text:
    day, others = weekdays[0], len(weekdays) > 1
    eve = (day - 1) % 7
    name_ja, eve_ja = f"{WEEKDAYS_JA[day]}曜", f"{WEEKDAYS_JA[eve]}曜"
    name_en, eve_en = WEEKDAYS_EN[day], WEEKDAYS_EN[eve]
    also_ja, also_en = ("（ほかの曜日も同じ）", ", and so for the other days") if others else ("", "")
    if time.minute_of_day == 0:
        return Text(
            f"{name_ja}の午前0時、{eve_ja}から{name_ja}に変わる時{also_ja}",
            f"Midnight as {eve_en} becomes {name_en}{also_en}",
        )
    return Text(
        f"{name_ja}の{_clock_ja(time.minute_of_day)}、{eve_ja}の夜が明ける前{also_ja}",
        f"{_clock_en(time.minute_of_day)} on {name_en}, before the night of {eve_en} is over{also_en}",
    )


def _after_midnight(time: At, weekdays: tuple[int, ...]) -> Text:
    clock = f"{time.hour}:{time.minute:02d}"
    early = time.minute_of_day - MINUTES_A_DAY
    if not weekdays:
        return Text(
            f"{clock}は翌日の{_clock_ja(early)}です", f"{clock} is {_clock_en(early)} on the following calendar day"
        )
    day, following = weekdays[0], (weekdays[0] + 1) % 7
    also_ja, also_en = ("（ほかの曜日も同じ）", ", and so for the other days") if len(weekdays) > 1 else ("", "")
    return Text(
        f"{WEEKDAYS_JA[day]}曜の{clock}は{WEEKDAYS_JA[following]}曜の{_clock_ja(early)}です{also_ja}",
        f"{clock} of {WEEKDAYS_EN[day]} is {_clock_en(early)} on {WEEKDAYS_EN[following]}{also_en}",
    )


def _is_all_day(step: Every) -> bool:
    """Whether the step's window is only where it begins: `毎時15分` runs from 00:15 to the end of the day."""
    return step.first < step.minutes and step.last + step.minutes >= MINUTES_A_DAY + step.first


def _step_of_a_day(step: Every) -> Iterator[Text]:
    if MINUTES_A_DAY % step.minutes:
        last = step.first + (step.last - step.first) // step.minutes * step.minutes
        yield Text(
            f"毎日 {_time(step.first)} から数え直します（{_time(last)} の次は翌日の {_time(step.first)}）",
            f"Counted anew each day from {_time(step.first)}: after {_time(last)} comes {_time(step.first)}",
        )
    elif step.minutes > 60 and step.minutes % 60:
        some = [_time(step.first + step.minutes * n) for n in range(3)]
        yield Text(f"毎日 {'、'.join(some)}…に実行します", f"Each day at {', '.join(some)} and so on")


def _window(step: Every) -> Text:
    last = step.first + (step.last - step.first) // step.minutes * step.minutes
    if last == step.last:
        return Text(
            f"{_time(step.first)} と {_time(last)} にも実行します",
            f"Both ends, {_time(step.first)} and {_time(last)}, are included",
        )
    return Text(
        f"{_time(step.first)} に始まり、最後は {_time(last)} です（{_time(step.last)} は間隔に合いません）",
        f"From {_time(step.first)}; the last one is at {_time(last)}, as the step does not meet {_time(step.last)}",
    )


def _time(minute: int) -> str:
    return f"{minute // 60 % 24:02d}:{minute % 60:02d}"


def _clock_ja(minute: int) -> str:
    return f"午前{minute // 60}時{f'{minute % 60}分' if minute % 60 else ''}"


def _clock_en(minute: int) -> str:
    return f"{minute // 60 or 12}{f':{minute % 60:02d}' if minute % 60 else ''} am"
