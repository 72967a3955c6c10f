"""Every reason for which parts do not make a timing: what the operator is told, and edits that would help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from schedctl.language import Text
from schedctl.when.months import LENGTHS
from schedctl.when.reading.grammar import Edit, Found, Refusal

if TYPE_CHECKING:
    from datetime import date

    from schedctl.when.reading.parts import Unclear, Unit


WEEKDAY_NAMES: Final = (
    Text("月曜", "Monday"),
    Text("火曜", "Tuesday"),
    Text("水曜", "Wednesday"),
    Text("木曜", "Thursday"),
    Text("金曜", "Friday"),
    Text("土曜", "Saturday"),
    Text("日曜", "Sunday"),
)
LIKELY_DAYS: Final[dict[Unit, tuple[Text, ...]]] = {
    "day": (),
    "week": (Text("月曜の", " on Monday"), Text("金曜の", " on Friday")),
    "month": (Text("1日の", " on the 1st"), Text("末日の", " on the last day")),
    "year": (Text("4月1日の", " on April 1"), Text("12月31日の", " on December 31")),
}


def unclear(part: Unclear, place: Found) -> Refusal:
    """Words that have no single reading, with what could be written in their place."""
    edits = tuple(Edit(place.start, place.end, Text(choice, choice)) for choice in part.choices)
    return Refusal(part.type, part.message, edits, part.advice)


def nothing_found() -> Refusal:
    """A sentence that says nothing about when."""
    return Refusal(
        "no_time",
        Text("いつ実行するかが書かれていません", "The sentence does not say when to run"),
        (
            Edit(0, 0, Text("毎日3時に", "every day at 3:00, ")),
            Edit(0, 0, Text("明日の3時に", "tomorrow at 3:00, ")),
        ),
    )


def no_day(clock: Found | None, *, passed: bool) -> Refusal:
    """A time of day without a day; offered are every day and the next time that the clock shows it."""
    place = 0 if clock is None else clock.start
    next_day = Text("明日の", "tomorrow at ") if passed else Text("今日の", "today at ")
    return Refusal(
        "no_day",
        Text("どの日に実行するかが書かれていません", "The sentence does not say on which day to run"),
        (Edit(place, place, Text("毎日", "every day at ")), Edit(place, place, next_day)),
    )


def no_day_of(unit: Unit, place: Found) -> Refusal:
    """`毎週9時`, `来月の9時`: which day of the week, month or year?"""
    names = {
        "day": Text("日", "day"),
        "week": Text("週のどの曜日", "which day of the week"),
        "month": Text("月のどの日", "which day of the month"),
        "year": Text("年のどの日", "which day of the year"),
    }
    return Refusal(
        "no_day",
        Text(
            f"{names[unit].ja}に実行するかが書かれていません", f"The sentence does not say on {names[unit].en} to run"
        ),
        tuple(Edit(place.end, place.end, words, takes_particle=True) for words in LIKELY_DAYS[unit]),
    )


def which_month(place: Found) -> Refusal:
    """`毎年15日の9時`, `yearly on the last Friday`: in which month?"""
    months = (Text("4月の", " of April "), Text("12月の", " of December "))
    return Refusal(
        "no_day",
        Text(
            "1年のうち何月に実行するかが書かれていません", "The sentence does not say in which month of the year to run"
        ),
        (
            *(Edit(place.start, place.start, Text(month.ja, "")) for month in months),
            *(Edit(place.end, place.end, Text("", month.en)) for month in months),
        ),
    )


def which_weekday(place: Found) -> Refusal:
    """`来月の月曜の9時`: which of the four?"""
    return Refusal(
        "no_day",
        Text(
            "その曜日はその月に何度もあり、どの日か書かれていません",
            "There are several of that weekday; the sentence does not say which",
        ),
        (
            Edit(place.start, place.start, Text("第1", "the first ")),
            Edit(place.start, place.start, Text("毎週", "every ")),
        ),
    )


def whose_day(place: Found, clock: Found | None) -> Refusal:
    """`月曜のログを9時に`: the day belongs to the work, so the day of the run is open."""
    start = place.start if clock is None else clock.start
    return Refusal(
        "no_day",
        Text(
            "日付の言葉が作業の対象を指しているのか、実行日を指しているのか決められません",
            "It is not certain whether the day is the day of the run or belongs to the work",
        ),
        (Edit(start, start, Text("毎日", "every day at ")), Edit(start, start, Text("明日の", "tomorrow at "))),
    )


def two_schedules() -> Refusal:
    """A second time or day that does not belong to the first; which of them could go is not for a hint to say."""
    return Refusal(
        "conflicting_time",
        Text(
            "いつ実行するかが2つ以上書かれていて、1つの予定として読めません",
            "The sentence says more than one schedule, so it cannot be read as one",
        ),
        (),
        Text("予定ごとに1つの文に分けてください", "Write one sentence for each schedule"),
    )


def two_intervals(place: Found) -> Refusal:
    """`毎日` and `毎週` in one sentence."""
    return Refusal(
        "conflicting_time",
        Text("繰り返しの間隔が2つ書かれていて、両方は成り立ちません", "Two intervals are given that cannot both hold"),
        (Edit(place.start, place.end, Text("", "")),),
        Text("どちらか1つだけを書いてください", "Write only one of them"),
    )


def times_against_days(place: Found) -> Refusal:
    """`週2回、火曜の9時`."""
    return Refusal(
        "conflicting_time",
        Text("回数と、書かれている日の数が合いません", "The number of times and the days given do not agree"),
        (Edit(place.start, place.end, Text("", ""), takes_particle=True),),
        Text("回数の分だけ日を書いてください", "Write as many days as the number says"),
    )


def interval_against_days(place: Found) -> Refusal:
    """`毎日15日`, `毎週15日`, `毎月月曜`."""
    return Refusal(
        "conflicting_time",
        Text("繰り返しの間隔と日の指定が合いません", "The interval and the days do not fit together"),
        (
            Edit(place.start, place.end, Text("毎月", "every month")),
            Edit(place.start, place.end, Text("毎週", "every week")),
            Edit(place.start, place.end, Text("毎月第1", "first")),
        ),
    )


def interval_against_months(place: Found) -> Refusal:
    """`半年ごとに4月1日`: twice a year, or once?"""
    return Refusal(
        "conflicting_time",
        Text("繰り返しの間隔と、書かれている月が合いません", "The interval and the months given do not fit together"),
        (Edit(place.start, place.end, Text("毎年、", "every year"), takes_particle=True),),
        Text("間隔か月のどちらかを直してください", "Change the interval or the months"),
    )


def too_many_limits(place: Found) -> Refusal:
    """`毎月15日の第3水曜の祝日`: more conditions at once than a schedule has room for."""
    return Refusal(
        "ambiguous_time",
        Text(
            "日の条件が重なりすぎていて、1つの予定として読めません",
            "There are too many conditions on the days to read them as one",
        ),
        (Edit(place.start, place.end, Text("", ""), takes_particle=True),),
        Text("条件を減らすか、予定を分けてください", "Use fewer conditions, or split the schedule"),
    )


def several_dates(place: Found, unit: Unit) -> Refusal:
    """`10日と25日の9時`: every month, or once each?"""
    each = Text("毎月", "every month on ") if unit == "month" else Text("毎年", "every year on ")
    return Refusal(
        "ambiguous_time",
        Text(
            "日が複数ありますが、繰り返すのか一度きりなのか書かれていません",
            "Several days are given, but not whether they repeat or happen once",
        ),
        (Edit(place.start, place.start, each),),
    )


def every_year_or_once(place: Found, months: tuple[int, ...]) -> Refusal:
    """`12月は毎日9時`: this December, or each?"""
    first, last = months[0], months[-1]
    return Refusal(
        "ambiguous_time",
        Text(
            "その月が今回だけなのか毎年なのか決められません",
            "It is not certain whether the month is meant once or every year",
        ),
        (
            Edit(place.start, place.start, Text("毎年", "every ")),
            Edit(
                place.start,
                place.end,
                Text(f"{first}月1日から{last}月末まで", f"from {first}/1 to {last}/{LENGTHS[last]}"),
            ),
        ),
    )


def short_months(place: Found) -> Refusal:
    """`毎月31日` has two traditions."""
    return Refusal(
        "ambiguous_time",
        Text(
            "その日がない月をどうするか決められません（飛ばす・末日に行う、の2通りがあります）",
            "Some months do not have that day: they could be left out, or use their last day",
        ),
        (
            Edit(place.end, place.end, Text("（ない月は末日）", " (or the last day of shorter months)")),
            Edit(place.end, place.end, Text("（ない月は飛ばす）", " (skip months without it)")),
        ),
    )


def leap_day(place: Found) -> Refusal:
    """`毎年2月29日`."""
    return Refusal(
        "ambiguous_time",
        Text(
            "2月29日がない年をどうするか決められません（飛ばす・28日に行う、の2通りがあります）",
            "Most years have no February 29: they could be left out, or use February 28",
        ),
        (
            Edit(place.end, place.end, Text("（ない年は飛ばす）", " (skip years without it)")),
            Edit(place.end, place.end, Text("（ない年は28日）", " (or the last day of shorter months)")),
        ),
    )


def no_such_date(place: Found, written: Text, instead: Text) -> Refusal:
    """`2月30日`."""
    return Refusal(
        "impossible_time",
        Text(f"{written.ja}という日はありません", f"There is no {written.en}"),
        (Edit(place.start, place.end, instead),),
    )


def days_disagree(place: Found) -> Refusal:
    """`明日（12/2）`, `来週12/15`: two ways to name a day that are not of one day."""
    return Refusal(
        "conflicting_time",
        Text("日を指す言葉が互いに合いません", "The words that name the day do not agree with each other"),
        (Edit(place.start, place.end, Text("", ""), takes_particle=True),),
        Text("日付を1つだけ書いてください", "Write one date only"),
    )


def never(what: Text) -> Refusal:
    """A rule that no day ever meets."""
    return Refusal("impossible_time", what, (), Text("日の条件を見直してください", "Change the days"))


def weekday_mismatch(place: Found, day: date) -> Refusal:
    """`12月10日（金）` where that is a Thursday."""
    name = WEEKDAY_NAMES[day.weekday()]
    return Refusal(
        "conflicting_time",
        Text(
            f"{day.year}年{day.month}月{day.day}日は{name.ja}で、書かれている曜日と合いません",
            f"{day.isoformat()} is a {name.en}, which is not the weekday given",
        ),
        (Edit(place.start, place.end, name),),
    )


def replace(place: Found, ja: str, en: str) -> Edit:
    """Other words in the place of a part."""
    return Edit(place.start, place.end, Text(ja, en))
