"""Five-field cron expressions: what they mean, and which are refused. `cronsim` parses; it follows Debian's cron."""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import lru_cache
from typing import Final

from cronsim import CronSim, CronSimError

from schedctl.errors import TimingError
from schedctl.language import Text

NICKNAMES: Final = {
    "@HOURLY": "0 * * * *",
    "@DAILY": "0 0 * * *",
    "@MIDNIGHT": "0 0 * * *",
    "@WEEKLY": "0 0 * * 0",
    "@MONTHLY": "0 0 1 * *",
    "@YEARLY": "0 0 1 1 *",
    "@ANNUALLY": "0 0 1 1 *",
}
FIELDS: Final = (
    (Text("分", "minute"), Text("0〜59", "0-59")),
    (Text("時", "hour"), Text("0〜23", "0-23")),
    (Text("日", "day of month"), Text("1〜31（末日は L）", "1-31 (L is the last day)")),
    (Text("月", "month"), Text("1〜12 か JAN〜DEC", "1-12 or JAN-DEC")),
    (
        Text("曜日", "day of week"),
        Text(
            "0〜7 か SUN〜SAT（第2金曜は 5#2、最終金曜は 5L）", "0-7 or SUN-SAT (5#2 is the second Friday, 5L the last)"
        ),
    ),
)
"""The name of each field, and what it takes."""
CALENDAR_CYCLE: Final = range(2000, 2028)
"""28 years hold every kind of year: leap or not, from each weekday. What matches none of their days never does."""
NOT_CRON: Final = (CronSimError, AssertionError, ValueError)
"""What `cronsim` raises for text that is no expression."""
_SOME_DAY: Final = datetime.combine(date(2000, 1, 1), time())


@dataclass(frozen=True, slots=True)
class CronFields:
    """A parsed expression: the minutes of the day, and which days.

    `follows_real_minutes` is cron's distinction: a job whose minute or hour starts with `*` follows the passing of
    time, any other names wall-clock times, which daylight saving neither skips nor repeats.
    """

    minutes_of_day: tuple[int, ...]
    follows_real_minutes: bool
    days: CronSim

    def month_mask(self, year: int, month: int) -> int:
        """The matching days of a month as a bit mask (bit n is day n)."""
        if month not in self.days.months:
            return 0
        last = calendar.monthrange(year, month)[1]
        return sum(1 << day for day in range(1, last + 1) if self.days.match_day(date(year, month, day)))


def normalize(expression: str) -> str:
    """The expression in upper case with single spaces, nicknames such as `@daily` written out."""
    plain = " ".join(expression.upper().split())
    if plain == "@REBOOT":
        raise TimingError(
            "impossible_time",
            Text(
                "@reboot は予約できません。schedctl は常駐せず、マシンの起動を知りません",
                "@reboot cannot be scheduled: schedctl is not resident and does not see a machine start",
            ),
            Text(
                "起動時の処理は systemd の unit（WantedBy=multi-user.target）に、毎日の処理は @daily と書いてください",
                "Use a systemd unit (WantedBy=multi-user.target) for work at start-up, or @daily for work each day",
            ),
        )
    return NICKNAMES.get(plain, plain)


@lru_cache(maxsize=1024)
def parse(expression: str) -> CronFields:
    """What a five-field expression means; `TimingError` (`impossible_time`) where it is malformed or never fires."""
    fields = normalize(expression).split()
    _check_number(fields)
    try:
        parsed = CronSim(" ".join(fields), _SOME_DAY)
    except NOT_CRON:
        raise _fault(fields, expression) from None
    found = CronFields(
        minutes_of_day=tuple(hour * 60 + minute for hour in sorted(parsed.hours) for minute in sorted(parsed.minutes)),
        follows_real_minutes=fields[0].startswith("*") or fields[1].startswith("*"),
        days=parsed,
    )
    if not any(found.month_mask(year, month) for year in CALENDAR_CYCLE for month in range(1, 13)):
        raise _never_fires(expression)
    return found


def day_fields_are_ored(expression: str) -> bool:
    """Whether a day need match only one of both day fields: cron's rule where neither field starts with `*`."""
    fields = normalize(expression).split()
    return len(fields) == len(FIELDS) and not fields[2].startswith("*") and not fields[4].startswith("*")


def _check_number(fields: list[str]) -> None:
    if fields and fields[0].startswith("@"):
        raise _unknown_nickname(" ".join(fields))
    if len(fields) != len(FIELDS):
        raise _wrong_number(len(fields))


def _fault(fields: list[str], expression: str) -> TimingError:
    """What is wrong with an expression that `cronsim` refuses: one field, or no field by itself."""
    for position, field in enumerate(fields):
        alone = ["*"] * len(FIELDS)
        alone[position] = field
        try:
            CronSim(" ".join(alone), _SOME_DAY)
        except NOT_CRON:
            return _bad_field(*FIELDS[position], field)
    return _never_fires(expression)


def _unknown_nickname(name: str) -> TimingError:
    known = [nickname.lower() for nickname in NICKNAMES]
    return TimingError(
        "impossible_time",
        Text(f"「{name}」という cron の略記はありません", f"There is no cron nickname “{name}”"),
        Text(f"略記は {'、'.join(known)} です", f"The nicknames are {', '.join(known)}"),
    )


def _wrong_number(count: int) -> TimingError:
    return TimingError(
        "impossible_time",
        Text(f"cron 式は5つの欄が必要ですが、{count}つです", f"A cron expression has five fields, not {count}"),
        Text(
            "「分 時 日 月 曜日」の順に書いてください（例: 0 3 * * 0）",
            "Write minute, hour, day of month, month, day of week (such as 0 3 * * 0)",
        ),
    )


def _bad_field(name: Text, takes: Text, field: str) -> TimingError:
    return TimingError(
        "impossible_time",
        Text(f"cron 式の{name.ja}の欄「{field}」が読めません", f"The cron field {name.en} cannot be “{field}”"),
        Text(
            f"{takes.ja} の数を、範囲（1-5）、並び（1,5）、間隔（*/10）でも書けます。範囲は小さい方から大きい方へ",
            f"It takes {takes.en}, also as a rising range (1-5), a list (1,5) or a step (*/10)",
        ),
    )


def _never_fires(expression: str) -> TimingError:
    return TimingError(
        "impossible_time",
        Text(
            f"cron 式「{expression}」に当てはまる日は1日もありません",
            f"The cron expression “{expression}” never fires: there is no such day",
        ),
        Text(
            "日と月の組み合わせを直してください（末日は L と書けます）",
            "Change the day or the month (the last day of a month is written L)",
        ),
    )
