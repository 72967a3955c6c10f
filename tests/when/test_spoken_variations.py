"""Sentences put together from a value, part by part, as people write them: what is read is that value.

Nothing here goes through `describe`: a day rule, a time, a zone and a period are each said in one of several ways, with
any particle, width, numeral and politeness, and in either order of time and work.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from schedctl.when.model import At, BusinessDays, Daily, DayClass, DayRule, MonthDays, MonthWeekdays, Recurring, Weekly
from schedctl.when.read import read

if TYPE_CHECKING:
    from schedctl.when.model import Timing

NOW: Final = datetime.fromisoformat("2026-11-30T10:00:00+09:00")
LETTERS: Final = "月火水木金土日"
KANJI: Final = ("〇", "一", "二", "三", "四", "五", "六", "七", "八", "九")
WIDE: Final = str.maketrans("0123456789:()", "０１２３４５６７８９：（）")
WORK: Final = ("marsを点検", "web01のログを集計", "/opt/bin/check を実行", "3号機の在庫を確認")
POLITE: Final = ("", "して", "してください", "お願いします", "しておいて")
AHEAD: Final = ("", "お疲れ様です。", "【依頼】", "@ops ", "すみませんが、")


def kanji(number: int) -> str:
    """`二十五`."""
    tens, ones = divmod(number, 10)
    return (KANJI[tens] if tens > 1 else "") + ("十" if tens else "") + (KANJI[ones] if ones or not tens else "")


def _days() -> st.SearchStrategy[tuple[tuple[DayRule, ...], str]]:
    weekday, ordinal, day = st.integers(0, 6), st.integers(1, 4), st.integers(1, 28)
    lists = st.sets(weekday, min_size=2, max_size=4).map(sorted)
    every = st.sampled_from(("毎日", "まいにち"))
    return st.one_of(
        every.map(lambda word: ((Daily(),), word)),
        st.tuples(weekday, st.sampled_from(("毎週{}曜", "毎週{}曜日", "毎週 {}曜", "毎週({})"))).map(
            lambda said: ((Weekly((said[0],)),), said[1].format(LETTERS[said[0]]))
        ),
        st.tuples(lists, st.sampled_from(("・", "、", "と", ""))).map(
            lambda said: ((Weekly(tuple(said[0])),), "毎週" + said[1].join(LETTERS[each] for each in said[0]) + "曜")
        ),
        st.tuples(day, st.sampled_from(("毎月{}日", "毎月の{}日", "月に一度、{}日"))).map(
            lambda said: ((MonthDays((said[0],)),), said[1].format(said[0]))
        ),
        st.tuples(ordinal, weekday, st.sampled_from(("毎月第{}{}曜", "毎月第{}{}曜日", "毎月の第{}{}曜"))).map(
            lambda said: ((MonthWeekdays((said[0],), (said[1],)),), said[2].format(said[0], LETTERS[said[1]]))
        ),
        ordinal.map(lambda number: ((BusinessDays((number,)),), f"毎月第{number}営業日")),
        st.sampled_from(("平日", "営業日", "毎営業日")).map(lambda word: ((DayClass("business"),), word)),
        st.sampled_from(("毎月末日", "毎月末", "月末")).map(lambda word: ((MonthDays((-1,)),), word)),
    )


def _times() -> st.SearchStrategy[tuple[At, str]]:
    hour, minute = st.integers(0, 23), st.integers(1, 59)
    return st.one_of(
        hour.map(lambda at: (At(at), f"{at}時")),
        hour.map(lambda at: (At(at), f"{kanji(at)}時")),
        hour.map(lambda at: (At(at, 30), f"{at}時半")),
        st.tuples(hour, minute).map(lambda at: (At(*at), f"{at[0]}時{at[1]}分")),
        st.tuples(hour, minute).map(lambda at: (At(*at), f"{at[0]:02d}:{at[1]:02d}")),
        st.integers(1, 11).map(lambda at: (At(at), f"午前{at}時")),
        st.integers(1, 11).map(lambda at: (At(at + 12), f"午後{at}時")),
        st.sampled_from(((At(12), "正午"), (At(25), "25時"), (At(18), "夕方6時"), (At(7), "朝7時"))),
    )


ZONES: Final = st.sampled_from(
    (("Asia/Tokyo", ""), ("Asia/Tokyo", "(JST)"), ("UTC", "(UTC)"), ("America/New_York", "(America/New_York)"))
)
PERIODS: Final = st.sampled_from(
    (
        (None, None, ""),
        (date(2027, 1, 4), None, "2027年1月4日から、"),
        (None, date(2027, 3, 31), "2027年3月31日まで、"),
        (date(2027, 1, 4), date(2027, 3, 31), "2027/1/4から2027/3/31まで、"),
    )
)


@st.composite
def sentences(draw: st.DrawFn) -> tuple[Timing, str, str]:
    """A timing, one way to say it, and the work beside it."""
    rules, days = draw(_days())
    at, clock = draw(_times())
    zone, named = draw(ZONES)
    start, until, period = draw(PERIODS)
    joint = draw(st.sampled_from(("の", "", "、", "に、", " ")))
    when = f"{period}{days}{joint}{clock}{named}"
    when = when.translate(WIDE) if draw(st.booleans()) and "/" not in named else when
    work = draw(st.sampled_from(WORK)) + draw(st.sampled_from(POLITE))
    timing = Recurring(days=rules, times=(at,), zone=zone, start=start, until=until)
    if draw(st.booleans()):
        return timing, f"{work}、{when}に", work
    ahead = draw(st.sampled_from(AHEAD))
    return timing, f"{ahead}{when}{draw(st.sampled_from(('に', 'に、', ' ', '、')))}{work}。", ahead + work


@settings(deadline=None, max_examples=400)
@given(said=sentences())
def test_what_is_put_together_from_a_value_is_read_as_that_value(said: tuple[Timing, str, str]) -> None:
    timing, sentence, work = said
    reading = read(sentence, NOW, "Asia/Tokyo")
    assert reading.timing == timing
    assert reading.task == work
