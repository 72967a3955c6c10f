"""Why periods are refused, and edits that would help (days are in `refusals.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedctl.language import Text
from schedctl.when.reading.grammar import Edit, Found, Refusal

if TYPE_CHECKING:
    from datetime import date


def no_day_in_period(clock: Found) -> Refusal:
    """`12/5以降の9時`: every day from then on, or once?"""
    days = (Text("毎日", "every day at "), Text("平日", "every weekday at "))
    return Refusal(
        "no_day",
        Text(
            "期間だけで、その中のどの日に実行するかが書かれていません",
            "Only a period is given; the sentence does not say on which of its days to run",
        ),
        tuple(Edit(clock.start, clock.start, words) for words in days),
        Text("一度だけなら、その日付を書いてください", "For a single run, write its date"),
    )


def which_year(start: date, until: date) -> Refusal:
    """`12/31から12/1まで`: of the period that is nearly over, or of the one to come?"""
    return Refusal(
        "ambiguous_time",
        Text(
            "期間の終わりが始まりより前にあり、何年から何年までなのか決められません",
            "The period ends before it starts, and it is not certain which years are meant",
        ),
        advice=Text(
            f"年を付けて書いてください（{start.year}年{start.month}月{start.day}日から、のように）",
            f"Write the years, as in {start.isoformat()} (the end is read as {until.isoformat()})",
        ),
    )


def which_origin(origin: date) -> Refusal:
    """`11月2日を起点に`, said in December: the one that is just over, or the one of next year?"""
    return Refusal(
        "ambiguous_time",
        Text(
            "起点が過ぎた日なのか来年の日なのか決められません",
            "It is not certain whether the interval counts from the day that is over, or from next year's",
        ),
        advice=Text(
            f"年を付けて書いてください（{origin.year - 1}年{origin.month}月{origin.day}日を起点に、のように）",
            f"Write the year, as in {origin.year - 1}-{origin:%m-%d}",
        ),
    )


def period_over(until: date) -> Refusal:
    """A period whose last day is gone."""
    return Refusal(
        "past_time",
        Text(f"期間の終わり（{until.isoformat()}）はもう過ぎています", f"The period ended on {until.isoformat()}"),
    )


def empty_period() -> Refusal:
    """A period that ends before it starts, or that holds no occurrence."""
    return Refusal(
        "impossible_time",
        Text("その期間の中に実行する時刻が1つもありません", "There is nothing to run within that period"),
    )
